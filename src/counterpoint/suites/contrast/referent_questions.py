"""Contrasts of questions about one referent, "the X": its side, its color, or its relation to Y; X is replaced."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from counterpoint.core.groups import Gold
from counterpoint.core.placement import HIGHER, LEFT, LOWER, RIGHT
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.english import be
from counterpoint.language.lexicon.attributes import excludes
from counterpoint.language.lexicon.senses import hypernym_names, is_a
from counterpoint.scenes.ambiguity import may_be
from counterpoint.scenes.attributes import attribute_class, can_be_said, denies, goes_before_noun, value_synonyms
from counterpoint.scenes.names import is_known, is_part, is_part_of, wholes_of
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
    alternate,
    first_of,
    order_by_spelling,
    replace_definite,
    replace_indefinite,
    replace_value,
    rewrite_spans,
    text_of,
    weighted_order,
)
from counterpoint.suites.contrast.grounding import (
    SIDE_OF_PICTURE,
    Description,
    Phrase,
    SceneGrounder,
    is_thing,
    naming_kind,
)
from counterpoint.suites.contrast.question_forms import Clue, QuestionRejected, plain_form, read_clue, split_relation


@dataclass(frozen=True, slots=True)
class RelatedObject:
    """What something is said to stand in relation to; `one` is the referent of a definite phrase."""

    grounder: SceneGrounder
    phrase: Phrase
    one: SceneObject | None

    @classmethod
    def read(cls, grounder: SceneGrounder, phrase: Phrase, besides: Collection[str]) -> "RelatedObject":
        """Ground a phrase: one object after "the" besides those of another phrase, else any such object."""
        return cls(grounder, phrase, grounder.referent(phrase, besides) if phrase.determiner == "the" else None)

    @property
    def name(self) -> str:
        """Its name in the scene, or else in the question."""
        return self.one.name if self.one else self.phrase.noun

    @property
    def things(self) -> tuple[SceneObject, ...]:
        """The objects that the phrase surely refers to."""
        return (self.one,) if self.one else tuple(self.grounder.matching(self.phrase))

    def relation_fact(self, subject: SceneObject, relation: str) -> RelationFact | None:
        """Whether a subject is in a relation to it, or None where that is open."""
        if self.one:
            return _fact(self.grounder.scene, subject, relation, self.one)
        if not is_known(self.phrase.noun):
            return None
        grounder, noun = self.grounder, self.phrase.noun
        others = [thing for thing in grounder.possible_referents(noun) if thing.id != subject.id]
        possible = [thing for thing in others if not grounder.denies_values(thing, self.phrase)]
        facts = [_fact(grounder.scene, subject, relation, thing) for thing in possible]
        for thing, fact in zip(possible, facts, strict=True):
            if fact and fact.holds and grounder.matches(thing, self.phrase):
                return fact
        if not facts:
            proof = grounder.absence_proof(noun)
            return RelationFact(False, proof) if proof else None
        if grounder.may_be_unannotated(noun) or any(fact is None or fact.holds for fact in facts):
            return None
        return RelationFact(False, "; ".join(fact.proof for fact in facts if fact))


def _fact(scene: Scene, subject: SceneObject, relation: str, thing: SceneObject) -> RelationFact | None:
    """Whether a relation holds, or None where that is open; who rides one thing rides no other."""
    if fact := relation_fact(scene, subject, relation, thing):
        return fact
    if relation not in _ONE_AT_A_TIME:
        return None
    done = [scene[link.object] for link in scene.relations_of(subject.id) if link.name == relation]
    if len(done) != 1 or may_be(done[0].name, thing.name):
        return None
    return RelationFact(False, f"{subject.name} {subject.id} is annotated as {relation} {done[0].name} {done[0].id}")


_ONE_AT_A_TIME = frozenset(
    ("driving", "flying", "kicking", "lying on", "reading", "riding", "sitting on", "sleeping on", "throwing")
)
_OF_ALL_CREATURES = frozenset(
    ("drinking", "eating", "lying", "running", "sitting", "standing", "swimming", "walking", "watching")
)
_PLACES_OF_BOXES = (LEFT, RIGHT, HIGHER, LOWER)
_PLACES = (*_PLACES_OF_BOXES, "above", "below", "in front of", "behind")  # each is true as often as not
_SELDOM = 0.1  # the weight of what is not seen with the other thing elsewhere


class ProvenAnswer(NamedTuple):
    """The answer for an object, and its proof."""

    gold: Gold
    proof: str


def plan_side(context: QuestionContext) -> ContrastPlan:
    """Replace X in "On which side is the X?" by an object on the other side, or X or Y where it is the side of a Y."""
    if context.question.program[-1].operation == "choose rel":
        return plan_object(context)
    gold, scene = context.question.gold.best, context.grounder.scene
    if gold not in ("left", "right"):
        raise QuestionRejected("its answer is neither left nor right")
    other = "right" if gold == "left" else "left"
    contrary = Gold.of(other)

    def prove(thing: SceneObject) -> ProvenAnswer | None:
        if side_of_picture(scene, thing) != other:
            return None
        return ProvenAnswer(contrary, f"the box of {thing.name} {thing.id} lies in the {other} half of the picture")

    x, match, phrase = _only_referent(context)
    context.require_agreement(side_of_picture(scene, x), gold)
    return _replacement_plan(context, x, match, phrase, prove, avoid=SIDE_OF_PICTURE)


def plan_color(context: QuestionContext) -> ContrastPlan:
    """Replace X in "What color is the X?" by an object of another color."""
    gold, grounder = context.question.gold.best, context.grounder
    if attribute_class(gold) != "color":
        raise QuestionRejected("its answer is no color that excludes others")

    def prove(thing: SceneObject) -> ProvenAnswer | None:
        colors = [value for value in grounder.values(thing) if attribute_class(value) == "color"]
        if len(colors) != 1 or not excludes(colors[0], gold):
            return None
        if context.rng.random() < context.survey.color_share(thing.name, colors[0]):
            return None  # a tree is green to anyone, and seldom asked for
        proof = f"{thing.name} {thing.id} {be(thing.name)} annotated as {colors[0]} and no other color"
        return ProvenAnswer(Gold.of(*value_synonyms(colors[0])), proof)

    x, match, phrase = _only_referent(context)
    if not can_be_said(gold, x.name):
        raise QuestionRejected("its kind has several colors, or always the same")
    context.require_agreement(None if not denies(grounder.values(x), gold) else False, True)
    return _replacement_plan(context, x, match, phrase, prove, avoid="color")


def _only_referent(context: QuestionContext) -> tuple[SceneObject, re.Match[str], Phrase]:
    """The referent of a question, its wording, and the phrase for the referent."""
    program, match = context.question.program, context.read()
    phrase = context.phrase(match, "x", read_clue(program, program[-1].inputs[0]))
    return context.grounder.referent(phrase), match, phrase


def _replacement_plan(
    context: QuestionContext,
    x: SceneObject,
    match: re.Match[str],
    phrase: Phrase,
    prove: Callable[[SceneObject], ProvenAnswer | None],
    avoid: str = "",
) -> ContrastPlan:
    """Replacements of the referent, those with the most similar spelling first."""
    names = sorted(thing.name for thing in context.grounder.scene if thing.id != x.id)
    order = order_by_spelling(phrase.noun, dict.fromkeys(names), context.rng)
    things = [thing for name in order for thing in context.grounder.scene.named(name) if thing.id != x.id]
    contrasts = _referent_contrasts(context, match, phrase, things, prove, avoid=avoid)
    return ContrastPlan((x,), naming_kind(x.name, phrase.noun) or "synonym", contrasts)


def _referent_contrasts(
    context: QuestionContext,
    match: re.Match[str],
    phrase: Phrase,
    things: Sequence[SceneObject],
    prove: Callable[[SceneObject], ProvenAnswer | None],
    others: tuple[SceneObject, ...] = (),
    avoid: str = "",
) -> Iterator[Contrast]:
    """The question about other referents with a proven answer: each by its first description, then by the others.

    Where a phrase has more than a noun, another noun or another value alone comes first.
    """
    text, before, answer_of = context.text, text_of(context.text, phrase), prove
    if not phrase.is_bare:
        proven = [(thing, answer) for thing in things if (answer := prove(thing))]
        answers = {thing.id: answer for thing, answer in proven}
        answer_of = lambda thing: answers.get(thing.id)  # noqa: E731 - a proof may draw, so it is made once
        for thing, answer in proven:
            noun = phrase._replace(ids=(), noun=thing.name)
            if (
                is_thing(thing.name)
                and not naming_kind(thing.name, phrase.noun)
                and context.grounder.refers(noun, thing)
            ):
                words = replace_definite(text, match, phrase, Description(thing.name, thing.name), whole=False)
                yield Contrast(words, answer.gold, "object", phrase.noun, thing.name, answer.proof, (thing, *others))
        for thing, place, value in _revalued_referents(context.grounder, [thing for thing, _ in proven], phrase):
            answer = answers[thing.id]
            words, old = replace_value(text, phrase, place, value), phrase.values[place][0]
            yield Contrast(words, answer.gold, "attribute", old, value, answer.proof, (thing, *others))

    def describe(thing: SceneObject) -> Iterator[tuple[SceneObject, ProvenAnswer, Description]]:
        if answer := answer_of(thing):
            words = context.grounder.descriptions(thing)
            yield from ((thing, answer, one) for one in words if one.gives != avoid or not avoid)

    for thing, answer, described in alternate(*map(describe, things)):  # few are needed, so the rest is not described
        changed = replace_definite(text, match, phrase, described)
        yield Contrast(changed, answer.gold, "object", before, described.words, answer.proof, (thing, *others))


def plan_object(context: QuestionContext) -> ContrastPlan:
    """Replace X or Y in "Is the X left of the Y?" by an object with the other answer."""
    asked = _subject_and_object(context)
    grounder, relation, x, y = context.grounder, asked.relation, asked.x, asked.y
    match, rng = context.read(relation), context.rng
    taken = {x.id, *(thing.id for thing in y.things)}
    others = [thing for thing in grounder.scene if thing.id not in taken and grounder.is_askable(thing)]
    if grounder.scene.is_sparse and _is_placing(relation):
        others = [thing for thing in others if not is_part(thing.name) or "person" in wholes_of(thing.name)]
        # a windshield has no place of its own, but shoes may stand about

    def is_joined(part: str, whole: str) -> bool:
        """Whether it is a place that a part is asked for beside its whole; what one wears may well be asked for."""
        return (relation in OPPOSITE_RELATIONS or _is_placing(relation)) and is_part_of(part, whole)

    def prove(thing: SceneObject) -> ProvenAnswer | None:
        is_worn = y.one is not None and grounder.wearers.get(thing.id) == y.one.id
        return None if is_worn or is_joined(thing.name, y.name) else asked.contrary(y.relation_fact, thing)

    def prove_other(thing: SceneObject) -> ProvenAnswer | None:
        if is_joined(thing.name, x.name):
            return None
        return asked.contrary(lambda _, named: _fact(grounder.scene, x, named, thing), thing)

    companions = context.survey.companions(y.name)
    weights = {name: companions.get(name, _SELDOM) for name in sorted({thing.name for thing in others})}
    subjects = [name for name in weighted_order(weights, rng) if _is_askable(name, x, relation)]
    things = [thing for name in subjects for thing in others if thing.name == name]
    sources = [_referent_contrasts(context, match, asked.x_phrase, things, prove, y.things)]
    if y.one:
        attested = context.survey.related[relation] if not _is_placing(relation) else weights
        ends = [thing for thing in rng.sample(others, len(others)) if thing.name in attested]
        sources.append(_referent_contrasts(context, match, asked.y_phrase, ends, prove_other, (x,)))
    elif not y.one:
        sources.append(_other_ends(context, match, asked))
    contrasts = alternate(*sources)
    if asked.can_be_of_any and context.truth:
        absent = _other_ends(context, match, replace(asked, y_phrase=asked.y_phrase._replace(determiner="a")))
        contrasts = first_of(contrasts, absent)
    plan = ContrastPlan((x, *y.things), asked.grounding, contrasts)
    if not things and y.one:
        return replace(plan, lack="nothing else there could stand so")
    return plan


def _other_ends(context: QuestionContext, match: re.Match[str], asked: "RelationQuestion") -> Iterator[Contrast]:
    """The question with another indefinite Y: "Is the man riding a horse?" for "a bicycle"."""
    grounder, phrase, attested = context.grounder, asked.y_phrase, context.survey.related[asked.relation]
    if phrase.values:
        return
    if context.truth:
        placed = context.survey.absent_names(grounder.scene, asked.x.name, context.rng)
        names = [*weighted_order(attested, context.rng), *(placed if _is_placing(asked.relation) else ())]
        yield from _ends_named(context, match, asked, names)
        return
    worn = sorted(thing.name for thing in grounder.scene if grounder.wearers.get(thing.id) == asked.x.id)
    worn = [context.rng.choice(worn)] if worn and asked.relation == "wearing" else []
    # one of those that are worn, since clothes are never said to be missing
    pools = (grounder.askable_names, grounder.present_names)  # sooner what could as well be denied
    yield from first_of(
        *(_ends_named(context, match, asked, [*worn, *context.rng.sample(pool, len(pool))]) for pool in pools)
    )


def _ends_named(
    context: QuestionContext, match: re.Match[str], asked: "RelationQuestion", names: Iterable[str]
) -> Iterator[Contrast]:
    """The question with an indefinite Y of each name that changes the answer."""
    grounder, phrase = context.grounder, asked.y_phrase
    plain = phrase._replace(ids=(), values=())
    for name in names:
        if not is_thing(name) or may_be(name, phrase.noun) or may_be(name, asked.x.name):
            continue
        other = RelatedObject(grounder, plain._replace(noun=name), None)
        fact = other.relation_fact(asked.x, asked.relation)
        if fact and fact.holds is not context.truth:
            things = None if context.truth else _related_to(other, asked)
            is_placed = things is not None and _is_placing(asked.relation)
            if is_placed and len(things or ()) < sum(map(grounder.is_askable, other.things)):
                continue  # right of one gate, and in front of another
            is_bare = not _is_placing(asked.relation)  # wearing gloves, but to the right of any leaves
            if text := replace_indefinite(context.text, match, plain, name, bare=is_bare, things=things):
                yield Contrast(text, context.contrary, "object", phrase.noun, name, fact.proof, (asked.x,))


def _related_to(other: RelatedObject, asked: "RelationQuestion") -> list[SceneObject]:
    scene = other.grounder.scene
    facts = [(thing, relation_fact(scene, asked.x, asked.relation, thing)) for thing in other.things]
    return [thing for thing, fact in facts if fact and fact.holds]


def plan_relation(context: QuestionContext) -> ContrastPlan:
    """Replace the relation in "Is the X left of the Y?" by its opposite, or another that changes the answer."""
    asked = _subject_and_object(context)
    relation, x, y = asked.relation, asked.x, asked.y
    match, objects = context.read(relation), (x, *y.things)
    places = _PLACES if context.grounder.scene.categories is None else _PLACES_OF_BOXES
    others = [other for other in places if other not in (relation, opposite_relation(relation))]

    def contrasts() -> Iterator[Contrast]:
        for other in (opposite_relation(relation), *context.rng.sample(others, len(others))):
            wording = plain_form(other) if match.groupdict().get("do") else other
            answer = asked.contrary(y.relation_fact, x, other) if wording else None
            if answer:
                text = rewrite_spans(context.text, {match.span("relation"): wording})
                yield Contrast(text, answer.gold, "relation", relation, other, answer.proof, objects)

    return ContrastPlan(objects, asked.grounding, contrasts(), "it is open whether another relation holds")


@dataclass(frozen=True, slots=True)
class RelationQuestion:
    """A question about the relation of X and Y, or which of two relations they have."""

    context: QuestionContext
    relation: str  # that holds, where there are two
    x: SceneObject
    y: RelatedObject
    x_phrase: Phrase
    y_phrase: Phrase

    @property
    def is_choice(self) -> bool:
        """Whether it asks for left or right."""
        return self.context.question.program[-1].operation == "choose rel"

    @property
    def can_be_of_any(self) -> bool:
        """Whether "a Y" can stand for "the Y": in "Is the man holding the kite?", but not after a relation of place.

        Where everything is annotated, or all of a list of categories, other objects take its place.
        """
        is_plain = self.y.one is not None and self.y_phrase.is_bare and not _is_placing(self.relation)
        return is_plain and self.context.grounder.scene.is_sparse

    @property
    def grounding(self) -> str:
        """How the names of both were grounded."""
        named = [(self.x, self.x_phrase), *((thing, self.y_phrase) for thing in self.y.things[:1])]
        ways = (naming_kind(thing.name, phrase.noun) or "synonym" for thing, phrase in named)
        return " + ".join(dict.fromkeys(ways))

    def contrary(
        self, fact_of: Callable[[SceneObject, str], RelationFact | None], thing: SceneObject, relation: str = ""
    ) -> ProvenAnswer | None:
        """The other answer with its proof, if an object or a relation certainly has it."""
        if self.is_choice:
            opposite = fact_of(thing, opposite_relation(self.relation))
            side = "left" if self.relation == RIGHT else "right"
            return ProvenAnswer(Gold.of(side), opposite.proof) if opposite and opposite.holds else None
        fact = fact_of(thing, relation or self.relation)
        if fact is None or fact.holds is self.context.truth:
            return None
        return ProvenAnswer(self.context.contrary, fact.proof)


def _subject_and_object(context: QuestionContext) -> RelationQuestion:
    """The question read by its program: its relation, subject and object, each with its phrase."""
    step = context.question.program[-1]
    name, relation, forth, ids = split_relation(step.argument)
    is_choice = step.operation == "choose rel"
    if is_choice:
        if context.question.gold.best not in ("left", "right"):
            raise QuestionRejected("its answer is neither left nor right")
        relation = LEFT if context.question.gold.best == "left" else RIGHT
    chain, named = read_clue(context.question.program, step.inputs[0]), Clue(name, ids)
    match = context.read(relation)
    x_clue, y_clue = (named, chain) if forth else (chain, named)
    x_phrase, y_phrase = context.phrase(match, "x", x_clue), context.phrase(match, "y", y_clue)
    x = context.grounder.referent(x_phrase, y_phrase.ids if y_phrase.determiner == "the" else ())
    y = RelatedObject.read(context.grounder, y_phrase, (x.id,))
    if y.one and x.id == y.one.id:
        raise QuestionRejected("both names mean the same thing")
    fact = y.relation_fact(x, relation)
    context.require_agreement(fact.holds if fact else None, is_choice or context.truth)
    return RelationQuestion(context, relation, x, y, x_phrase, y_phrase)


def _is_placing(relation: str) -> bool:
    """Whether anything may be asked to be in a relation to anything."""
    return relation in (LEFT, RIGHT, *SYMMETRIC_RELATIONS)


def _is_askable(name: str, x: SceneObject, relation: str) -> bool:
    """Whether a relation is plausible for another subject: for actions, one of a common kind."""
    if relation in OPPOSITE_RELATIONS or relation in SYMMETRIC_RELATIONS:
        return True
    if relation.partition(" ")[0] in _OF_ALL_CREATURES and _is_animate(name) and _is_animate(x.name):
        return True
    return not {name, *hypernym_names(name)}.isdisjoint((x.name, *hypernym_names(x.name)))


def _is_animate(name: str) -> bool:
    return is_a(name, "person") or is_a(name, "animal")


def _revalued_referents(
    grounder: SceneGrounder, things: Iterable[SceneObject], phrase: Phrase
) -> Iterator[tuple[SceneObject, int, str]]:
    """The objects that the phrase refers to with another value of the same class before its noun."""
    plain = phrase._replace(ids=())
    rivals = [thing for thing in things if grounder.is_askable(thing) and naming_kind(thing.name, phrase.noun)]
    for place, (value, span) in enumerate(phrase.values):
        for thing in rivals if span[1] and attribute_class(value) else ():
            for other in grounder.values(thing):
                fits = attribute_class(other) == attribute_class(value) and goes_before_noun(other)
                if fits and grounder.refers(plain.with_value(place, other), thing):
                    yield thing, place, other
