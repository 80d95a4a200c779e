"""Contrasts of questions about one referent, "the X": its side, its color, or its relation to Y; X is replaced."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from counterpoint.core.groups import Gold
from counterpoint.core.scenes import SceneObject
from counterpoint.language.english import be
from counterpoint.language.lexicon.attributes import excludes
from counterpoint.language.lexicon.senses import hypernym_names, is_a
from counterpoint.scenes.ambiguity import can_be_asked, is_known
from counterpoint.scenes.attributes import attribute_class, denies, goes_before_noun, value_synonyms
from counterpoint.scenes.relations import (
    OPPOSITE_RELATIONS,
    SYMMETRIC_RELATIONS,
    RelationFact,
    opposite_relation,
    relation_fact,
    side_of_picture,
)
from counterpoint.suites.contrast.contrasts import (
    Contrast,
    ContrastPlan,
    QuestionContext,
    order_by_spelling,
    replace_definite,
    replace_value,
    rewrite_spans,
    weighted_order,
)
from counterpoint.suites.contrast.grounding import Phrase, SceneGrounder, naming_kind
from counterpoint.suites.contrast.question_forms import Clue, QuestionRejected, plain_form, read_clue, split_relation


@dataclass(frozen=True, slots=True)
class RelatedObject:
    """What something is said to stand in relation to; `one` is the referent of a definite phrase."""

    grounder: SceneGrounder
    phrase: Phrase
    one: SceneObject | None

    @classmethod
    def read(cls, grounder: SceneGrounder, phrase: Phrase) -> "RelatedObject":
        """Ground a phrase: one object after "the", else any such object."""
        return cls(grounder, phrase, grounder.referent(phrase) if phrase.determiner == "the" else None)

    @property
    def name(self) -> str:
        """Its name in the scene, or else in the question."""
        return self.one.name if self.one else self.phrase.noun

    @property
    def things(self) -> tuple[SceneObject, ...]:
        """The objects that the phrase surely refers to."""
        matching = (thing for thing in self.grounder.scene if self.grounder.matches(thing, self.phrase))
        return (self.one,) if self.one else tuple(matching)

    def relation_fact(self, subject: SceneObject, relation: str) -> RelationFact | None:
        """Whether a subject is in a relation to it, or None where that is open."""
        if self.one:
            return relation_fact(self.grounder.scene, subject, relation, self.one)
        if not is_known(self.phrase.noun):
            return None
        grounder, noun = self.grounder, self.phrase.noun
        others = [thing for thing in grounder.possible_referents(noun) if thing.id != subject.id]
        possible = [thing for thing in others if not grounder.denies_values(thing, self.phrase)]
        facts = [relation_fact(grounder.scene, subject, relation, thing) for thing in possible]
        for thing, fact in zip(possible, facts, strict=True):
            if fact and fact.holds and grounder.matches(thing, self.phrase):
                return fact
        if not facts:
            proof = grounder.absence_proof(noun)
            return RelationFact(False, proof) if proof else None
        if grounder.may_be_unannotated(noun) or any(fact is None or fact.holds for fact in facts):
            return None
        return RelationFact(False, "; ".join(fact.proof for fact in facts if fact))


_OF_ALL_CREATURES = frozenset(
    ("drinking", "eating", "lying", "running", "sitting", "standing", "swimming", "walking", "watching")
)
_SELDOM = 0.1  # the weight of what is not seen with the other thing elsewhere


class ProvenAnswer(NamedTuple):
    """The answer for an object, and its proof."""

    gold: Gold
    proof: str


def plan_side(context: QuestionContext) -> ContrastPlan:
    """Replace X in "On which side is the X?" by an object on the other side."""
    gold, scene = context.question.gold.best, context.grounder.scene
    if gold not in ("left", "right"):
        raise QuestionRejected("its answer is neither left nor right")
    other = "right" if gold == "left" else "left"

    def prove(thing: SceneObject) -> ProvenAnswer | None:
        proof = f"the box of {thing.name} {thing.id} lies in the {other} half of the picture"
        return ProvenAnswer(Gold.of(other), proof) if side_of_picture(scene, thing) == other else None

    x, phrase = _only_referent(context)
    context.require_agreement(side_of_picture(scene, x), gold)
    return _replacement_plan(context, x, phrase, prove)


def plan_color(context: QuestionContext) -> ContrastPlan:
    """Replace X in "What color is the X?" by an object of another color."""
    gold, grounder = context.question.gold.best, context.grounder
    if attribute_class(gold) != "color":
        raise QuestionRejected("its answer is no color that excludes others")

    def prove(thing: SceneObject) -> ProvenAnswer | None:
        colors = [value for value in grounder.values(thing) if attribute_class(value) == "color"]
        if len(colors) != 1 or not excludes(colors[0], gold):
            return None
        proof = f"{thing.name} {thing.id} {be(thing.name)} annotated as {colors[0]} and no other color"
        return ProvenAnswer(Gold.of(*value_synonyms(colors[0])), proof)

    x, phrase = _only_referent(context)
    context.require_agreement(None if not denies(grounder.values(x), gold) else False, True)
    return _replacement_plan(context, x, phrase, prove)


def _only_referent(context: QuestionContext) -> tuple[SceneObject, Phrase]:
    """The referent of a question, and its phrase."""
    program = context.question.program
    phrase = context.phrase(context.read(), "x", read_clue(program, program[-1].inputs[0]))
    return context.grounder.referent(phrase), phrase


def _replacement_plan(
    context: QuestionContext, x: SceneObject, phrase: Phrase, prove: Callable[[SceneObject], ProvenAnswer | None]
) -> ContrastPlan:
    """Replacements of the referent, those with the most similar spelling first."""
    names = sorted({thing.name for thing in context.grounder.scene if prove(thing)})
    order = order_by_spelling(phrase.noun, names, context.rng)
    contrasts = _referent_contrasts(context, context.read(), x, phrase, order, prove)
    return ContrastPlan((x,), naming_kind(x.name, phrase.noun), contrasts)


def _referent_contrasts(
    context: QuestionContext,
    match: re.Match[str],
    x: SceneObject,
    phrase: Phrase,
    names: Iterable[str],
    prove: Callable[[SceneObject], ProvenAnswer | None],
    others: tuple[SceneObject, ...] = (),
) -> Iterator[Contrast]:
    """The question about other referents with a proven answer: with another noun, then with another value."""
    for thing in _other_referents(context.grounder, x, phrase, names):
        if answer := prove(thing):
            text = replace_definite(context.text, match, phrase, thing.name)
            yield Contrast(text, answer.gold, "object", phrase.noun, thing.name, answer.proof, (thing, *others))
    for thing, place, value in _revalued_referents(context.grounder, x, phrase):
        if answer := prove(thing):
            text, before = replace_value(context.text, phrase, place, value), phrase.values[place][0]
            yield Contrast(text, answer.gold, "attribute", before, value, answer.proof, (thing, *others))


def plan_object(context: QuestionContext) -> ContrastPlan:
    """Replace X in "Is the X left of the Y?" by an object with the other answer."""
    relation, x, y, phrase, how = _subject_and_object(context)
    grounder, gold = context.grounder, context.contrary

    def prove(thing: SceneObject) -> ProvenAnswer | None:
        fact = None if thing in y.things else _contrary_fact(context, thing, relation, y)
        return ProvenAnswer(gold, fact.proof) if fact else None

    companions, taken = context.survey.companions(y.name), {thing.name for thing in y.things}
    weights = {name: companions.get(name, _SELDOM) for name in grounder.names if name not in taken}
    names = [name for name in weighted_order(weights, context.rng) if _is_askable(name, x, relation)]
    contrasts = _referent_contrasts(context, context.read(relation), x, phrase, names, prove, y.things)
    plan = ContrastPlan((x, *y.things), how, contrasts)
    kin = [thing for thing in grounder.scene if thing.id not in (x.id, *grounder.wearers) and thing not in y.things]
    if not any(_is_askable(thing.name, x, relation) for thing in kin):
        return replace(plan, lack="nothing else there could stand so, worn clothes aside")
    return plan


def plan_relation(context: QuestionContext) -> ContrastPlan:
    """Replace the relation in "Is the X left of the Y?" by the opposite one."""
    relation, x, y, _, how = _subject_and_object(context)
    other = opposite_relation(relation)
    if not other:
        raise QuestionRejected("no relation excludes the one that is asked for")
    fact = _contrary_fact(context, x, other, y)
    if not fact:
        raise QuestionRejected("it is open whether the opposite holds")
    match = context.read(relation)
    wording = plain_form(other) if match.groupdict().get("do") else other
    text = rewrite_spans(context.text, {match.span("relation"): wording})
    objects = (x, *y.things)
    contrast = Contrast(text, context.contrary, "relation", relation, other, fact.proof, objects)
    return ContrastPlan(objects, how, iter((contrast,)))


def _contrary_fact(
    context: QuestionContext, thing: SceneObject, relation: str, y: RelatedObject
) -> RelationFact | None:
    """The proof of a relation, if it contradicts the answer."""
    fact = y.relation_fact(thing, relation)
    return fact if fact and fact.holds is not context.truth else None


def _subject_and_object(context: QuestionContext) -> tuple[str, SceneObject, RelatedObject, Phrase, str]:
    """The relation, its subject and object, the phrase for the subject, and how both were grounded."""
    step = context.question.program[-1]
    name, relation, forth, ids = split_relation(step.argument)
    chain, named = read_clue(context.question.program, step.inputs[0]), Clue(name, ids)
    match = context.read(relation)
    x_clue, y_clue = (named, chain) if forth else (chain, named)
    x_phrase, y_phrase = context.phrase(match, "x", x_clue), context.phrase(match, "y", y_clue)
    x, y = context.grounder.referent(x_phrase), RelatedObject.read(context.grounder, y_phrase)
    if y.one and x.id == y.one.id:
        raise QuestionRejected("both names mean the same thing")
    fact = y.relation_fact(x, relation)
    context.require_agreement(fact.holds if fact else None, context.truth)
    named_things = [(x, x_phrase), *((thing, y_phrase) for thing in y.things[:1])]
    ways = dict.fromkeys(naming_kind(thing.name, phrase.noun) for thing, phrase in named_things)
    return relation, x, y, x_phrase, " + ".join(ways)


def _is_askable(name: str, x: SceneObject, relation: str) -> bool:
    """Whether a relation is plausible for another subject: for actions, one of a common kind."""
    if relation in OPPOSITE_RELATIONS or relation in SYMMETRIC_RELATIONS:
        return True
    if relation.partition(" ")[0] in _OF_ALL_CREATURES and _is_animate(name) and _is_animate(x.name):
        return True
    return not {name, *hypernym_names(name)}.isdisjoint((x.name, *hypernym_names(x.name)))


def _is_animate(name: str) -> bool:
    return is_a(name, "person") or is_a(name, "animal")


def _other_referents(
    grounder: SceneGrounder, x: SceneObject, phrase: Phrase, names: Iterable[str]
) -> Iterator[SceneObject]:
    """The objects that the phrase refers to unambiguously with another noun.

    Worn clothes replace worn clothes only, since they are where their wearer is.
    """
    for name in names:
        if can_be_asked(name) and not naming_kind(name, phrase.noun):
            with suppress(QuestionRejected):
                thing = grounder.referent(replace(phrase, ids=(), noun=name))
                is_worn_alike = (thing.id in grounder.wearers) is (x.id in grounder.wearers)
                if thing.id != x.id and thing.name == name and is_worn_alike:
                    yield thing


def _revalued_referents(
    grounder: SceneGrounder, x: SceneObject, phrase: Phrase
) -> Iterator[tuple[SceneObject, int, str]]:
    """The objects that the phrase refers to with another value of the same class before its noun."""
    plain = replace(phrase, ids=())
    for place, (value, span) in enumerate(phrase.values):
        rivals = [thing for thing in grounder.scene if thing.id != x.id and naming_kind(thing.name, phrase.noun)]
        for thing in rivals if span[1] and attribute_class(value) else ():
            for other in grounder.values(thing):
                if attribute_class(other) == attribute_class(value) and goes_before_noun(other):
                    with suppress(QuestionRejected):
                        if grounder.referent(plain.with_value(place, other)).id == thing.id:
                            yield thing, place, other
