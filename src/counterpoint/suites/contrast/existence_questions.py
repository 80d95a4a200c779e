"""Contrasts of "Are there X near the Y?" and "Do you see X or Y?": the object asked for is replaced."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from counterpoint.core.placement import LEFT, RIGHT
from counterpoint.core.scenes import SceneObject
from counterpoint.language.english import be, is_plural
from counterpoint.scenes.ambiguity import can_be_listed, may_be
from counterpoint.scenes.attributes import attribute_class, goes_before_noun, has_value
from counterpoint.scenes.names import is_known, is_part_of
from counterpoint.scenes.relations import SYMMETRIC_RELATIONS, can_be_placed, opposite_relation, relation_fact
from counterpoint.suites.contrast.contrasts import (
    Contrast,
    ContrastPlan,
    QuestionContext,
    alternate,
    first_of,
    replace_definite,
    replace_indefinite,
    replace_value,
    rewrite_spans,
    text_of,
    weighted_order,
)
from counterpoint.suites.contrast.grounding import Phrase, SceneGrounder, naming_kind
from counterpoint.suites.contrast.question_forms import QuestionRejected, read_clue

_SELDOM = 0.1  # the weight of what is there and is not seen with the other thing elsewhere


def plan_near(context: QuestionContext) -> ContrastPlan:
    """Replace the cup in "Is there a cup near the table?" by an object that changes the answer."""
    program = context.question.program
    clue = read_clue(program, program[-1].inputs[0])
    if clue.link is None or not clue.link.forth:
        raise QuestionRejected("the program asks for no thing by its place")
    relation = clue.link.relation
    match = context.read(relation)
    y_phrase = context.phrase(match, "y", clue.link.other)
    x_phrase = context.phrase(match, "x", clue._replace(link=None, ids=()))
    y = context.grounder.referent(y_phrase)
    if not is_known(x_phrase.noun):
        raise QuestionRejected("a name that no lexicon knows")
    truth = _truth(context.grounder, x_phrase, relation, y)
    context.require_agreement(truth, context.truth)
    if truth is None and not context.truth and _may_be_shown(context.grounder, x_phrase.noun):
        raise QuestionRejected("something there may be what it asks for")

    place = PlaceQuestion(context, match, x_phrase, y_phrase, relation, y)
    contrasts = alternate(place.other_objects(), place.opposite(), place.other_places(), place.other_values())
    return ContrastPlan((y,), naming_kind(y.name, y_phrase.noun) or "synonym", contrasts)


@dataclass(frozen=True, slots=True)
class PlaceQuestion:
    """A question of the first template: whether there is an X in a relation to the Y."""

    context: QuestionContext
    match: re.Match[str]
    mine: Phrase
    other: Phrase
    relation: str
    y: SceneObject

    def other_objects(self) -> Iterator[Contrast]:
        """Another X: absent, or elsewhere, or in that place."""
        context, grounder, y = self.context, self.context.grounder, self.y
        if context.truth:
            changes = _absent_objects(context, self.mine, self.relation, y)
        else:
            pools = (grounder.askable_names, grounder.present_names)  # sooner what could as well be denied
            changes = first_of(
                *(_present_objects(context, self.mine, y.name, self._apart(p), self._proof) for p in pools)
            )
        for name, proof, objects in changes:
            things = None if context.truth else objects
            if text := replace_indefinite(context.text, self.match, self.mine, name, things=things):
                yield Contrast(text, context.contrary, "object", self.mine.noun, name, proof, (*objects, y))

    def _apart(self, names: Iterable[str]) -> list[str]:
        """Names of other objects than X and Y: "a lamp near the red lamp" is another lamp."""
        others = (name for name in names if not may_be(name, self.mine.noun))
        return [name for name in others if _can_stand(name, self.relation, self.y)]

    def _proof(self, thing: SceneObject) -> str:
        fact = relation_fact(self.context.grounder.scene, thing, self.relation, self.y)
        return fact.proof if fact and fact.holds else ""

    def opposite(self) -> Iterator[Contrast]:
        """The opposite relation."""
        context, other = self.context, opposite_relation(self.relation)
        if other and (proof := self._change_proof(other, self.y)):
            text = rewrite_spans(context.text, {self.match.span("relation"): other})
            yield Contrast(text, context.contrary, "relation", self.relation, other, proof, (self.y,))

    def other_places(self) -> Iterator[Contrast]:
        """Another Y."""
        context, grounder, mine = self.context, self.context.grounder, self.mine
        things = [one for one in grounder.scene if one.id != self.y.id and not may_be(one.name, mine.noun)]
        for thing in context.rng.sample(things, len(things)):
            if not (can_place(self.relation, thing) and _can_stand(mine.noun, self.relation, thing)):
                continue
            for words in islice(grounder.descriptions(thing), 1):
                if naming_kind(words.noun, mine.noun):
                    continue
                if proof := self._change_proof(self.relation, thing):
                    text = replace_definite(context.text, self.match, self.other, words)
                    yield Contrast(
                        text,
                        context.contrary,
                        "object",
                        text_of(context.text, self.other),
                        words.words,
                        proof,
                        (thing,),
                    )

    def _change_proof(self, relation: str, y: SceneObject) -> str:
        """The proof that the answer is another with this relation or this Y, or nothing where that is open."""
        context, grounder, mine = self.context, self.context.grounder, self.mine
        if _truth(grounder, mine, relation, y) is not (not context.truth):
            return ""
        things = [thing for thing in grounder.possible_referents(mine.noun) if thing.id != y.id]
        facts = [fact for thing in things if (fact := relation_fact(grounder.scene, thing, relation, y))]
        proofs = [fact.proof for fact in facts if fact.holds is not context.truth]
        if not context.truth and is_plural(mine.noun) and len(proofs) < 2:
            return ""
        return "; ".join(proofs[:1] if not context.truth else proofs) or f"no {mine.noun} is annotated"

    def other_values(self) -> Iterator[Contrast]:
        """Another value of X."""
        context = self.context
        for value, proof, objects in _other_values(context, self.mine, self.relation, self.y):
            text, before = replace_value(context.text, self.mine, 0, value), self.mine.values[0][0]
            yield Contrast(text, context.contrary, "attribute", before, value, proof, (*objects, self.y))


def can_place(relation: str, thing: SceneObject) -> bool:
    """Whether something may be asked to be in a relation to an object: on a table, but not on a cup."""
    return relation in (LEFT, RIGHT, *SYMMETRIC_RELATIONS)


def plan_either(context: QuestionContext) -> ContrastPlan:
    """Replace the present object in "Do you see a cup or a plate?" by an absent one, or the reverse."""
    program = context.question.program
    places = program[-1].inputs
    if len(places) != 2 or any(program[place].operation != "exist" for place in places):
        raise QuestionRejected("the program asks for more than two things")
    match = context.read()
    clues = [read_clue(program, program[place].inputs[0]) for place in places]
    phrases = [context.phrase(match, part, thing) for part, thing in zip("xy", clues, strict=True)]
    if any(phrase.side or phrase.anchor for phrase in phrases):
        raise QuestionRejected("the program asks for more than two things")
    truths = [_is_there(context.grounder, phrase) for phrase in phrases]
    if context.truth and None in truths:
        raise QuestionRejected("it is doubtful whether one of them is there")
    context.require_agreement(any(truths) if None not in truths else None, context.truth)
    if all(truths):
        raise QuestionRejected("both are there, so that no one atom can change the answer")
    here = tuple(thing for phrase in phrases for thing in context.grounder.matching(phrase))
    if context.truth:
        place = truths.index(True)
        contrasts: Iterator[Contrast] = _without_both(context, match, phrases[place], phrases[1 - place])
    else:
        contrasts = alternate(_with_one(context, match, *phrases), _with_one(context, match, *phrases[::-1]))
    return ContrastPlan(here, naming_kind(here[0].name, phrases[0].noun) or "exact" if here else "exact", contrasts)


def _without_both(context: QuestionContext, match: re.Match[str], mine: Phrase, other: Phrase) -> Iterator[Contrast]:
    """The question with an absent object in the place of the present one."""
    grounder = context.grounder
    rest = grounder.absence_proof(other.noun) or f"no {other.noun} is as the question says"
    for name, proof, objects in _absent_objects(context, mine, "", None):
        text = replace_indefinite(context.text, match, mine, name, alike=True)
        if text and can_be_listed(name, other.noun):
            yield Contrast(text, context.contrary, "object", mine.noun, name, f"{proof}; {rest}", objects)


def _with_one(context: QuestionContext, match: re.Match[str], mine: Phrase, other: Phrase) -> Iterator[Contrast]:
    """The question with a present object in the place of one of two absent ones."""

    def prove(thing: SceneObject) -> str:
        return f"{thing.name} {thing.id} {be(thing.name)} annotated"

    names = [name for name in context.grounder.askable_names if can_be_listed(name, other.noun)]
    for name, proof, objects in _present_objects(context, mine, other.noun, names, prove):
        if text := replace_indefinite(context.text, match, mine, name, alike=True, things=objects):
            yield Contrast(text, context.contrary, "object", mine.noun, name, proof, objects)


ObjectChanges: TypeAlias = Iterator[tuple[str, str, tuple[SceneObject, ...]]]
"""Another name or value, the proof of the answer with it, and the objects that this is about."""


def _absent_objects(context: QuestionContext, mine: Phrase, relation: str, y: SceneObject | None) -> ObjectChanges:
    """Names of objects that are absent, or absent from that place, by weighted random order."""
    grounder, names = context.grounder, context.grounder.scene.names
    elsewhere = context.rng.sample(grounder.askable_names, len(grounder.askable_names)) if y else []
    beside = y.name if y else _other(context, mine)
    for name in alternate(elsewhere, context.survey.absent_names(grounder.scene, beside, context.rng)):
        if y and not _can_stand(name, relation, y):
            continue
        if y and name in names and not may_be(name, mine.noun):
            proof, things = _elsewhere(grounder, name, relation, y)
            if proof:
                yield name, proof, things
        elif name not in names and (proof := grounder.absence_proof(name)):
            yield name, proof, ()


def _can_stand(name: str, relation: str, y: SceneObject) -> bool:
    """Whether people ask for such an object in a relation to another: not for a tail beside its cat."""
    is_joined = is_part_of(name, y.name) or is_part_of(y.name, name)
    return not (is_joined or may_be(name, y.name)) and can_be_placed(relation, name)


def _other(context: QuestionContext, mine: Phrase) -> str:
    program = context.question.program
    nouns = [read_clue(program, program[place].inputs[0]).name for place in program[-1].inputs]
    return next((noun for noun in nouns if naming_kind(noun, mine.noun) not in ("exact", "number")), nouns[-1])


def _elsewhere(
    grounder: SceneGrounder, name: str, relation: str, y: SceneObject
) -> tuple[str, tuple[SceneObject, ...]]:
    """The proof that every object that could go by a name is in another place, and these objects."""
    if grounder.may_be_unannotated(name):
        return "", ()
    things = grounder.possible_referents(name)
    facts = [relation_fact(grounder.scene, thing, relation, y) for thing in things]
    proofs = [fact.proof for fact in facts if fact and not fact.holds]
    return ("; ".join(proofs), tuple(things)) if len(proofs) == len(things) else ("", ())


def _present_objects(
    context: QuestionContext, mine: Phrase, beside: str, names: Iterable[str], prove: Callable[[SceneObject], str]
) -> ObjectChanges:
    """Names of present objects with the values of the phrase and a proof, by weighted random order."""
    companions = context.survey.companions(beside)
    for name in weighted_order({name: companions.get(name, _SELDOM) for name in names}, context.rng):
        grounder = context.grounder
        things = [thing for thing in grounder.scene.named(name) if grounder.is_askable(thing)]
        proven = [thing for thing in things if grounder.has_values(thing, mine) and prove(thing)]
        if proven:
            yield name, prove(proven[0]), tuple(proven)


def _other_values(context: QuestionContext, mine: Phrase, relation: str, y: SceneObject) -> ObjectChanges:
    """Other values for the object asked for, taken from this picture, that change the answer."""
    if len(mine.values) != 1 or not mine.values[0][1][1] or not attribute_class(mine.values[0][0]):
        return
    grounder, sort = context.grounder, attribute_class(mine.values[0][0])
    values = {value for thing in grounder.scene for value in grounder.values(thing) if attribute_class(value) == sort}
    for value in context.rng.sample(sorted(values), len(values)):
        if has_value([mine.values[0][0]], value) or not goes_before_noun(value):
            continue
        truth = _truth(grounder, mine.with_value(0, value), relation, y)
        if truth is (not context.truth):
            things = tuple(thing for thing in grounder.possible_referents(mine.noun) if thing.id != y.id)
            facts = ", ".join(f"{thing.name} {thing.id} is {' and '.join(grounder.values(thing))}" for thing in things)
            yield value, facts or f"no {mine.noun} is annotated", things


def _truth(grounder: SceneGrounder, mine: Phrase, relation: str, y: SceneObject) -> bool | None:
    """Whether such an object is in that place, or None where that is open."""
    if not is_known(mine.noun):
        return None
    is_open = grounder.may_be_unannotated(mine.noun)
    for thing in grounder.possible_referents(mine.noun):
        fact = relation_fact(grounder.scene, thing, relation, y)
        if not grounder.denies_values(thing, mine) and (not fact or fact.holds):
            if fact and grounder.matches(thing, mine):
                return True
            is_open = True
    return None if is_open else False


def _may_be_shown(grounder: SceneGrounder, noun: str) -> bool:
    """Whether something annotated may be such an object, as a fish may be a shark; drawn ones are what they are."""
    return grounder.scene.is_sparse and bool(grounder.possible_referents(noun))


def _is_there(grounder: SceneGrounder, mine: Phrase) -> bool | None:
    """Whether such an object is present, or None where that is open."""
    if not is_known(mine.noun):
        return None
    if grounder.matching(mine):
        return True
    denied = all(grounder.denies_values(thing, mine) for thing in grounder.possible_referents(mine.noun))
    return False if denied and not grounder.may_be_unannotated(mine.noun) else None
