"""Contrasts of "Are there X near the Y?" and "Do you see X or Y?": the object asked for is replaced."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from counterpoint.core.scenes import SceneObject
from counterpoint.language.english import be
from counterpoint.scenes.ambiguity import is_known, may_be
from counterpoint.scenes.attributes import attribute_class, goes_before_noun, has_value
from counterpoint.scenes.relations import relation_fact
from counterpoint.suites.contrast.contrasts import (
    Contrast,
    ContrastPlan,
    QuestionContext,
    replace_indefinite,
    replace_value,
    weighted_order,
)
from counterpoint.suites.contrast.grounding import Phrase, SceneGrounder, naming_kind
from counterpoint.suites.contrast.question_forms import QuestionRejected, read_clue

_SELDOM = 0.1  # the weight of what is there and is not seen with the other thing elsewhere
_ELSEWHERE = 2.0  # and that of what is there, but not in the place that is asked for


def plan_near(context: QuestionContext) -> ContrastPlan:
    """Replace the cup in "Is there a cup near the table?" by an object that changes the answer."""
    program = context.question.program
    clue = read_clue(program, program[-1].inputs[0])
    if clue.link is None or not clue.link.forth:
        raise QuestionRejected("the program asks for no thing by its place")
    relation = clue.link.relation
    match = context.read(relation)
    y_phrase = context.phrase(match, "y", clue.link.other)
    x_phrase = context.phrase(match, "x", replace(clue, link=None, ids=()))
    y = context.grounder.referent(y_phrase)
    if not is_known(x_phrase.noun):
        raise QuestionRejected("a name that no lexicon knows")
    context.require_agreement(_truth(context.grounder, x_phrase, relation, y), context.truth)

    def prove(thing: SceneObject) -> str:
        fact = relation_fact(context.grounder.scene, thing, relation, y)
        return fact.proof if fact and fact.holds else ""

    def contrasts() -> Iterator[Contrast]:
        if context.truth:
            changes = _absent_objects(context, x_phrase, relation, y)
        else:  # "a lamp near the red lamp" is another lamp
            names = context.grounder.clear_names
            apart = [name for name in names if not may_be(name, x_phrase.noun) and not may_be(name, y.name)]
            changes = _present_objects(context, x_phrase, y.name, apart, prove)
        for name, proof, objects in changes:
            if text := replace_indefinite(context.text, match, x_phrase, name):
                yield Contrast(text, context.contrary, "object", x_phrase.noun, name, proof, (*objects, y))
        for value, proof, objects in _other_values(context, x_phrase, relation, y):
            text, before = replace_value(context.text, x_phrase, 0, value), x_phrase.values[0][0]
            yield Contrast(text, context.contrary, "attribute", before, value, proof, (*objects, y))

    return ContrastPlan((y,), naming_kind(y.name, y_phrase.noun), contrasts())


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
    if None in truths:
        raise QuestionRejected("it is doubtful whether one of them is there")
    context.require_agreement(any(truths), context.truth)
    if all(truths):
        raise QuestionRejected("both are there, so that no one atom can change the answer")
    place = truths.index(True) if context.truth else 0
    mine, other = phrases[place], phrases[1 - place]
    grounder = context.grounder
    here = tuple(thing for phrase in phrases for thing in grounder.scene if grounder.matches(thing, phrase))

    def prove(thing: SceneObject) -> str:
        return f"{thing.name} {thing.id} {be(thing.name)} annotated"

    def contrasts() -> Iterator[Contrast]:
        if context.truth:
            changes = _absent_objects(context, mine, "", None)
        else:
            changes = _present_objects(context, mine, other.noun, grounder.clear_names, prove)
        for name, proof, objects in changes:
            text = replace_indefinite(context.text, match, mine, name, alike=True)
            if text and not may_be(name, other.noun):
                rest = grounder.absence_proof(other.noun) or f"no {other.noun} is as the question says"
                full = f"{proof}; {rest}" if context.truth else proof
                yield Contrast(text, context.contrary, "object", mine.noun, name, full, objects)

    how = naming_kind(here[0].name, mine.noun) if here else "exact"
    return ContrastPlan(here, how, contrasts())


ObjectChanges: TypeAlias = Iterator[tuple[str, str, tuple[SceneObject, ...]]]
"""Another name or value, the proof of the answer with it, and the objects that this is about."""


def _absent_objects(context: QuestionContext, mine: Phrase, relation: str, y: SceneObject | None) -> ObjectChanges:
    """Names of objects that are absent, or absent from that place, by weighted random order."""
    grounder, names = context.grounder, context.grounder.scene.names
    companions = context.survey.companions(y.name if y else _other(context, mine)).items()
    weights = {name: more for name, more in companions if name not in names}
    weights |= dict.fromkeys(grounder.clear_names, _ELSEWHERE) if y else {}
    for name in weighted_order(weights, context.rng):
        if proof := grounder.absence_proof(name):
            yield name, proof, ()
        elif y and name in names and not may_be(name, mine.noun) and not may_be(name, y.name):
            proof, things = _elsewhere(grounder, name, relation, y)
            if proof:
                yield name, proof, things


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
        for thing in context.grounder.scene.named(name):
            if context.grounder.has_values(thing, mine) and (proof := prove(thing)):
                yield name, proof, (thing,)
                break


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


def _is_there(grounder: SceneGrounder, mine: Phrase) -> bool | None:
    """Whether such an object is present, or None where that is open."""
    if not is_known(mine.noun):
        return None
    if any(grounder.matches(thing, mine) for thing in grounder.scene):
        return True
    denied = all(grounder.denies_values(thing, mine) for thing in grounder.possible_referents(mine.noun))
    return False if denied and not grounder.may_be_unannotated(mine.noun) else None
