"""Which side is the X on, what color is the X, is the X near the Y: the one thing that is meant becomes another one."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from counterpoint.core.groups import Gold
from counterpoint.core.scenes import SceneObject
from counterpoint.language.english import be
from counterpoint.language.lexicon.attributes import excludes
from counterpoint.language.lexicon.senses import hypernym_names, is_a
from counterpoint.scenes.ambiguity import can_be_asked
from counterpoint.scenes.attributes import attribute_class, denies, goes_before_noun, value_synonyms
from counterpoint.scenes.spatial import (
    OPPOSITE_RELATIONS,
    SYMMETRIC_RELATIONS,
    RelationFact,
    opposite_relation,
    side_of_picture,
)
from counterpoint.suites.contrast.contrasts import Contrast, ContrastPlan, QuestionContext, grounding_kind, yes_no_gold
from counterpoint.suites.contrast.grounding import Phrase, SceneGrounder, naming_kind
from counterpoint.suites.contrast.programs import Clue, read_clue, split_relation
from counterpoint.suites.contrast.rejections import QuestionRejected
from counterpoint.suites.contrast.related_object import RelatedObject
from counterpoint.suites.contrast.rewriting import replace_definite, replace_value, rewrite_spans
from counterpoint.suites.contrast.survey import order_by_spelling, weighted_order
from counterpoint.suites.contrast.wordings import plain_form

_OF_ALL_CREATURES = frozenset(
    ("drinking", "eating", "lying", "running", "sitting", "standing", "swimming", "walking", "watching")
)
_SELDOM = 0.1  # the weight of what is not seen with the other thing elsewhere


class ProvenAnswer(NamedTuple):
    """The answer that a thing would give, and from what it follows."""

    gold: Gold
    proof: str


def plan_side(case: QuestionContext) -> ContrastPlan:
    """On which side is the cup: another thing, on the other side."""
    gold = case.question.gold.best
    if gold not in ("left", "right"):
        raise QuestionRejected("its answer is neither left nor right")
    other = "right" if gold == "left" else "left"
    scene = case.look.scene

    def fact(one: SceneObject) -> ProvenAnswer | None:
        if side_of_picture(scene, one) != other:
            return None
        return ProvenAnswer(Gold.of(other), f"the box of {one.name} {one.id} lies in the {other} half of the picture")

    x, phrase = _single(case)
    case.must_agree(side_of_picture(scene, x), gold)
    return _replaced(case, x, phrase, {one.id: found for one in scene if (found := fact(one))})


def plan_color(case: QuestionContext) -> ContrastPlan:
    """What color is the cup: another thing, of another color."""
    gold, look = case.question.gold.best, case.look
    if attribute_class(gold) != "color":
        raise QuestionRejected("its answer is no color that excludes others")

    def fact(one: SceneObject) -> ProvenAnswer | None:
        colors = [value for value in look.values(one) if attribute_class(value) == "color"]
        if len(colors) != 1 or not excludes(colors[0], gold):
            return None
        proof = f"{one.name} {one.id} {be(one.name)} annotated as {colors[0]} and no other color"
        return ProvenAnswer(Gold.of(*value_synonyms(colors[0])), proof)

    x, phrase = _single(case)
    case.must_agree(None if not denies(look.values(x), gold) else False, True)
    return _replaced(case, x, phrase, {one.id: found for one in look.scene if (found := fact(one))})


def _single(case: QuestionContext) -> tuple[SceneObject, Phrase]:
    """The one thing that a question is about."""
    program = case.question.program
    phrase = case.phrase(case.read(), "x", read_clue(program, program[-1].inputs[0]))
    return case.look.meant(phrase), phrase


def _replaced(case: QuestionContext, x: SceneObject, phrase: Phrase, facts: dict[str, ProvenAnswer]) -> ContrastPlan:
    """Contrasts by what is written most like the name of the thing."""
    found = case.read()

    def contrasts() -> Iterator[Contrast]:
        names = sorted({case.look.scene[one].name for one in facts})
        for one in _others(case.look, x, phrase, order_by_spelling(phrase.noun, names, case.rng)):
            if fact := facts.get(one.id):
                text = replace_definite(case.text, found, phrase, one.name)
                yield Contrast(text, fact.gold, "object", phrase.noun, one.name, fact.proof, (one,))
        for one, place, value in _revalued(case.look, x, phrase):
            if fact := facts.get(one.id):
                text, before = replace_value(case.text, phrase, place, value), phrase.values[place][0]
                yield Contrast(text, fact.gold, "attribute", before, value, fact.proof, (one,))

    return ContrastPlan((x,), grounding_kind(x, phrase), contrasts())


def plan_object(case: QuestionContext) -> ContrastPlan:
    """Is the cup left of the plate: another thing, which is where the cup is not, or is not where the cup is."""
    relation, x, y, phrase, how = _couple(case)
    found, look, truth = case.read(relation), case.look, case.truth

    def contrasts() -> Iterator[Contrast]:
        companions, taken = case.survey.companions(y.name), {one.name for one in y.things}
        names = [name for name in look.names if name not in taken]
        weights = {name: companions.get(name, _SELDOM) for name in names}
        for one in _others(look, x, phrase, weighted_order(weights, case.rng)):
            fact = _turned(case, one, relation, y)
            if fact and _could(one, x, relation):
                text = replace_definite(case.text, found, phrase, one.name)
                yield Contrast(
                    text, yes_no_gold(not truth), "object", phrase.noun, one.name, fact.proof, (one, *y.things)
                )
        for one, place, value in _revalued(look, x, phrase):
            if one not in y.things and (fact := _turned(case, one, relation, y)):
                text, before = replace_value(case.text, phrase, place, value), phrase.values[place][0]
                yield Contrast(text, yes_no_gold(not truth), "attribute", before, value, fact.proof, (one, *y.things))

    kin = [one for one in look.scene if one.id not in (x.id, *look.wearers) and one not in y.things]
    if not any(_could(one, x, relation) for one in kin):
        return ContrastPlan((x, *y.things), how, contrasts(), "nothing else there could stand so, worn clothes aside")
    return ContrastPlan((x, *y.things), how, contrasts())


def plan_relation(case: QuestionContext) -> ContrastPlan:
    """Is the cup left of the plate: the same two things in the opposite relation."""
    relation, x, y, _, how = _couple(case)
    other = opposite_relation(relation)
    if not other:
        raise QuestionRejected("no relation excludes the one that is asked for")
    fact = _turned(case, x, other, y)
    if not fact:
        raise QuestionRejected("it is open whether the opposite holds")
    found = case.read(relation)
    said = plain_form(other) if found.groupdict().get("do") else other
    text = rewrite_spans(case.text, {found.span("relation"): said})
    made = Contrast(text, yes_no_gold(not case.truth), "relation", relation, other, fact.proof, (x, *y.things))
    return ContrastPlan((x, *y.things), how, iter((made,)))


def _turned(case: QuestionContext, one: SceneObject, relation: str, y: RelatedObject) -> RelationFact | None:
    """What is known of a relation, if it is the contrary of the answer."""
    fact = y.known(one, relation)
    return fact if fact and fact.holds is not case.truth else None


def _couple(case: QuestionContext) -> tuple[str, SceneObject, RelatedObject, Phrase, str]:
    """The relation, the thing and the other one, the phrase for the first, and how both were grounded."""
    step = case.question.program[-1]
    name, relation, forth, ids = split_relation(step.argument)
    chain, named = read_clue(case.question.program, step.inputs[0]), Clue(name, ids)
    found = case.read(relation)
    x_clue, y_clue = (named, chain) if forth else (chain, named)
    x_phrase, y_phrase = case.phrase(found, "x", x_clue), case.phrase(found, "y", y_clue)
    x, y = case.look.meant(x_phrase), RelatedObject.read(case.look, y_phrase)
    if y.one and x.id == y.one.id:
        raise QuestionRejected("both names mean the same thing")
    fact = y.known(x, relation)
    case.must_agree(fact.holds if fact else None, case.truth)
    ways = dict.fromkeys((grounding_kind(x, x_phrase), *(grounding_kind(one, y_phrase) for one in y.things[:1])))
    return relation, x, y, x_phrase, " + ".join(ways)


def _could(one: SceneObject, x: SceneObject, relation: str) -> bool:
    """Whether it makes sense to ask this of another thing: who holds or rides something is of a kind with others."""
    if relation in OPPOSITE_RELATIONS or relation in SYMMETRIC_RELATIONS:
        return True
    if relation.partition(" ")[0] in _OF_ALL_CREATURES and _lives(one) and _lives(x):
        return True
    return not {one.name, *hypernym_names(one.name)}.isdisjoint((x.name, *hypernym_names(x.name)))


def _lives(one: SceneObject) -> bool:
    return is_a(one.name, "person") or is_a(one.name, "animal")


def _others(look: SceneGrounder, x: SceneObject, phrase: Phrase, names: Iterable[str]) -> Iterator[SceneObject]:
    """The things that the phrase would mean with another noun, where that is one thing beyond doubt.

    Clothes that are worn stand in for clothes only: they are where their wearer is.
    """
    plain = replace(phrase, ids=())
    for name in names:
        if can_be_asked(name) and not naming_kind(name, phrase.noun):
            with suppress(QuestionRejected):
                one = look.meant(plain.named(name))
                if one.id != x.id and one.name == name and (one.id in look.wearers) is (x.id in look.wearers):
                    yield one


def _revalued(look: SceneGrounder, x: SceneObject, phrase: Phrase) -> Iterator[tuple[SceneObject, int, str]]:
    """The things that the phrase would mean with another value, of the same sort, before its noun."""
    plain = replace(phrase, ids=())
    for place, (value, span) in enumerate(phrase.values):
        rivals = [one for one in look.scene if one.id != x.id and naming_kind(one.name, phrase.noun)]
        for one in rivals if span[1] and attribute_class(value) else ():
            for other in look.values(one):
                if attribute_class(other) == attribute_class(value) and goes_before_noun(other):
                    with suppress(QuestionRejected):
                        if look.meant(plain.valued(place, other)).id == one.id:
                            yield one, place, other
