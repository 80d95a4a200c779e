"""Are there X near the Y, and do you see X or Y: the thing that is asked after becomes another one."""

from collections.abc import Iterator
from dataclasses import replace

from counterpoint.core.scenes import SceneObject
from counterpoint.language.english import be
from counterpoint.scenes.ambiguity import is_known, may_be
from counterpoint.scenes.attributes import attribute_class, denies, goes_before_noun, has_value
from counterpoint.scenes.spatial import relation_fact
from counterpoint.suites.contrast.contrasts import (
    Contrast,
    ContrastPlan,
    QuestionContext,
    grounding_kind,
    yes_no_gold,
)
from counterpoint.suites.contrast.grounding import Phrase, SceneGrounder, naming_kind
from counterpoint.suites.contrast.programs import read_clue
from counterpoint.suites.contrast.rejections import QuestionRejected
from counterpoint.suites.contrast.rewriting import replace_indefinite, replace_value
from counterpoint.suites.contrast.survey import weighted_order

_SELDOM = 0.1  # the weight of what is there and is not seen with the other thing elsewhere
_ELSEWHERE = 2.0  # and that of what is there, but not in the place that is asked for


def plan_near(case: QuestionContext) -> ContrastPlan:
    """Is there a cup near the table: another thing that is not there, or is there where the cup was not."""
    program = case.question.program
    said = read_clue(program, program[-1].inputs[0])
    if said.link is None or not said.link.forth:
        raise QuestionRejected("the program asks for no thing by its place")
    relation = said.link.relation
    found = case.read(relation)
    y_phrase = case.phrase(found, "y", said.link.other)
    x_phrase = case.phrase(found, "x", replace(said, link=None, ids=()))
    y = case.look.meant(y_phrase)
    if not is_known(x_phrase.noun):
        raise QuestionRejected("a name that no lexicon knows")
    case.must_agree(_truth(case.look, x_phrase, relation, y), case.truth)

    def contrasts() -> Iterator[Contrast]:
        for name, proof, objects in (_gone if case.truth else _placed)(case, x_phrase, relation, y):
            text = replace_indefinite(case.text, found, x_phrase, name)
            if text:
                yield Contrast(text, yes_no_gold(not case.truth), "object", x_phrase.noun, name, proof, (*objects, y))
        for value, proof, objects in _revalued(case, x_phrase, relation, y):
            text = replace_value(case.text, x_phrase, 0, value)
            yield Contrast(
                text, yes_no_gold(not case.truth), "attribute", x_phrase.values[0][0], value, proof, (*objects, y)
            )

    return ContrastPlan((y,), grounding_kind(y, y_phrase), contrasts())


def plan_either(case: QuestionContext) -> ContrastPlan:
    """Do you see a cup or a plate: the one that is there goes, or the first of two that are not there comes."""
    program = case.question.program
    places = program[-1].inputs
    if len(places) != 2 or any(program[place].operation != "exist" for place in places):
        raise QuestionRejected("the program asks for more than two things")
    found = case.read()
    clues = [read_clue(program, program[place].inputs[0]) for place in places]
    phrases = [case.phrase(found, part, one) for part, one in zip("xy", clues, strict=True)]
    if any(phrase.side or phrase.anchor for phrase in phrases):
        raise QuestionRejected("the program asks for more than two things")
    truths = [_is_there(case.look, phrase) for phrase in phrases]
    if None in truths:
        raise QuestionRejected("it is doubtful whether one of them is there")
    case.must_agree(any(truths), case.truth)
    if all(truths):
        raise QuestionRejected("both are there, so that no one atom can change the answer")
    place = truths.index(True) if case.truth else 0
    mine, other = phrases[place], phrases[1 - place]
    here = tuple(one for phrase in phrases for one in _called(case.look, phrase))

    def contrasts() -> Iterator[Contrast]:
        for name, proof, objects in _gone(case, mine, "", None) if case.truth else _present(case, mine, other):
            text = replace_indefinite(case.text, found, mine, name, alike=True)
            if text and not may_be(name, other.noun):
                rest = case.look.absence_proof(other.noun) or f"no {other.noun} is as the question says"
                full = f"{proof}; {rest}" if case.truth else proof
                yield Contrast(text, yes_no_gold(not case.truth), "object", mine.noun, name, full, objects)

    how = naming_kind(here[0].name, mine.noun) if here else "exact"
    return ContrastPlan(here, how, contrasts())


def _weights(case: QuestionContext, beside: str) -> dict[str, float]:
    return {name: more for name, more in case.survey.companions(beside).items() if name not in case.look.scene.names}


def _gone(
    case: QuestionContext, mine: Phrase, relation: str, y: SceneObject | None
) -> Iterator[tuple[str, str, tuple[SceneObject, ...]]]:
    """Names of which nothing is there, or nothing in that place, likely ones first."""
    look = case.look
    weights = _weights(case, y.name if y else _other(case, mine))
    if y is not None:
        weights |= dict.fromkeys(look.clear_names, _ELSEWHERE)
    for name in weighted_order(weights, case.rng):
        proof = look.absence_proof(name)
        if proof:
            yield name, proof, ()
        elif y is not None and name in look.scene.names and not may_be(name, mine.noun) and not may_be(name, y.name):
            proof, things = _elsewhere(look, name, relation, y)
            if proof:
                yield name, proof, things


def _other(case: QuestionContext, mine: Phrase) -> str:
    program = case.question.program
    nouns = [read_clue(program, program[place].inputs[0]).name for place in program[-1].inputs]
    return next((noun for noun in nouns if naming_kind(noun, mine.noun) not in ("exact", "number")), nouns[-1])


def _elsewhere(look: SceneGrounder, name: str, relation: str, y: SceneObject) -> tuple[str, tuple[SceneObject, ...]]:
    """The proof that all things that could go by a name are in another place, and the things."""
    if look.may_be_unannotated(name):
        return "", ()
    things = look.possible_referents(name)
    facts = [relation_fact(look.scene, one, relation, y) for one in things]
    proofs = [fact.proof for fact in facts if fact and not fact.holds]
    return ("; ".join(proofs), tuple(things)) if len(proofs) == len(things) else ("", ())


def _placed(
    case: QuestionContext, mine: Phrase, relation: str, y: SceneObject
) -> Iterator[tuple[str, str, tuple[SceneObject, ...]]]:
    """Names of what is in that place, likely ones first."""
    companions = case.survey.companions(y.name)
    apart = (name for name in case.look.clear_names if not may_be(name, mine.noun))
    names = [name for name in apart if not may_be(name, y.name)]  # "a lamp near the red lamp" is another lamp
    for name in weighted_order({name: companions.get(name, _SELDOM) for name in names}, case.rng):
        for one in case.look.scene.named(name):
            fact = relation_fact(case.look.scene, one, relation, y)
            if fact and fact.holds and _has_all(case.look, one, mine):
                yield name, fact.proof, (one,)
                break


def _present(case: QuestionContext, mine: Phrase, other: Phrase) -> Iterator[tuple[str, str, tuple[SceneObject, ...]]]:
    """Names of what is there, likely ones first."""
    companions = case.survey.companions(other.noun)
    names = case.look.clear_names
    for name in weighted_order({name: companions.get(name, _SELDOM) for name in names}, case.rng):
        for one in case.look.scene.named(name):
            if _has_all(case.look, one, mine):
                yield name, f"{name} {one.id} {be(name)} annotated", (one,)
                break


def _revalued(
    case: QuestionContext, mine: Phrase, relation: str, y: SceneObject
) -> Iterator[tuple[str, str, tuple[SceneObject, ...]]]:
    """Other values for the thing that is asked after, taken from this picture, which change the answer."""
    if len(mine.values) != 1 or not mine.values[0][1][1] or not attribute_class(mine.values[0][0]):
        return
    look, sort = case.look, attribute_class(mine.values[0][0])
    seen = {value for one in look.scene for value in look.values(one) if attribute_class(value) == sort}
    for value in case.rng.sample(sorted(seen), len(seen)):
        if has_value([mine.values[0][0]], value) or not goes_before_noun(value):
            continue
        truth = _truth(look, mine.valued(0, value), relation, y)
        if truth is (not case.truth):
            things = tuple(one for one in look.possible_referents(mine.noun) if one.id != y.id)
            said = ", ".join(f"{one.name} {one.id} is {' and '.join(look.values(one))}" for one in things)
            yield value, said or f"no {mine.noun} is annotated", things


def _truth(look: SceneGrounder, mine: Phrase, relation: str, y: SceneObject) -> bool | None:
    """Whether such a thing is in that place."""
    if not is_known(mine.noun):
        return None
    facts = [_in_place(look, one, mine, relation, y) for one in look.possible_referents(mine.noun)]
    if True in facts:
        return True
    return None if None in facts or look.may_be_unannotated(mine.noun) else False


def _in_place(look: SceneGrounder, one: SceneObject, mine: Phrase, relation: str, y: SceneObject) -> bool | None:
    fact = relation_fact(look.scene, one, relation, y)
    if any(denies(look.values(one), value) for value, _ in mine.values) or (fact and not fact.holds):
        return False
    return True if fact and naming_kind(one.name, mine.noun) and _has_all(look, one, mine) else None


def _is_there(look: SceneGrounder, mine: Phrase) -> bool | None:
    """Whether such a thing is in the picture."""
    if not is_known(mine.noun):
        return None
    if _called(look, mine):
        return True
    found = look.possible_referents(mine.noun)
    denied = all(any(denies(look.values(one), value) for value, _ in mine.values) for one in found)
    return False if denied and not look.may_be_unannotated(mine.noun) else None


def _called(look: SceneGrounder, mine: Phrase) -> list[SceneObject]:
    return [one for one in look.scene if naming_kind(one.name, mine.noun) and _has_all(look, one, mine)]


def _has_all(look: SceneGrounder, one: SceneObject, mine: Phrase) -> bool:
    return all(has_value(look.values(one), value) for value, _ in mine.values)
