"""Verification questions with a relation: "Is there a cup on the table?".

The answer is yes where the relation is annotated. A missing annotation proves nothing, so "no" has one of three proofs:
the subject is provably absent; the object is provably absent; or every possible subject stands in the opposed relation
to the only such object, as what is to the left of the car is not to the right of it.
"""

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Gold
from counterpoint.core.scenes import Link, SceneObject
from counterpoint.language.english import be, one_or_bare
from counterpoint.language.lexicon.senses import hypernym_names
from counterpoint.scenes.ambiguity import absence_proof, can_be_asked, is_unambiguous, may_be
from counterpoint.scenes.attributes import has_value, modified_noun
from counterpoint.scenes.relations import opposed_relation
from counterpoint.scenes.views import SceneSampler
from counterpoint.suites.carets.templates import QuestionContent

_TRIES = 5
_DEFINITE = 0.4  # where there is but one, how often it is "the" table and not "a" table
_WITH_ATTRIBUTE = 0.3

RelationQuestionMaker: TypeAlias = Callable[[SceneSampler, Link, Random], QuestionContent | None]


def relation_question(view: SceneSampler, rng: Random) -> QuestionContent | str:
    """A question whether an object in a relation to another is present, or the reason why there is none."""
    if not view.links:
        return "no relations are annotated"
    here = _first([_there], view, rng)
    ways: list[RelationQuestionMaker] = [_subject_gone, _subject_gone, _object_gone]
    if rng.random() < 0.5:
        ways = [_opposed, _subject_gone]
    rng.shuffle(ways)
    gone = _first(ways, view, rng)
    if here is None or gone is None:
        return "no relation is surely there" if here is None else "no plausible relation is surely absent"
    return here if rng.random() < 0.5 else gone


def _first(ways: list[RelationQuestionMaker], view: SceneSampler, rng: Random) -> QuestionContent | None:
    """The first question that succeeds, a few attempts for each way; every relation is equally likely."""
    names = list(view.links)
    for way in ways:
        for _ in range(_TRIES):
            links = view.links[names[int(rng.random() * len(names))]]
            content = way(view, links[int(rng.random() * len(links))], rng)
            if content:
                return content
    return None


def _there(view: SceneSampler, link: Link, rng: Random) -> QuestionContent | None:
    subject, other = view.scene[link.subject], view.scene[link.object]
    if not _may_be_asked(view, subject.name) or may_be(subject.name, other.name):
        return None
    if rng.random() < view.statistics.counted("subjects", link.name, other.name).share(subject.name):
        return None
    value = view.draw_own_value(subject, rng) if rng.random() < _WITH_ATTRIBUTE else ""
    where, others = _place(view, link, rng)
    things = [
        thing
        for thing in view.scene.named(subject.name)
        if (not value or has_value(view.values(thing), value)) and _reach(view, thing, link.name, others)
    ]
    met = {thing.id: thing for thing in others if any((a.id, link.name, thing.id) in view.triples for a in things)}
    proof = f"{subject.name} {subject.id} {be(subject.name)} annotated as {link.name} {other.name} {other.id}"
    proof += f", and as {value}" if value else ""
    return _content(
        modified_noun(value, subject.name), subject.name, where, link.name, "yes", proof, (*things, *met.values()), 0
    )


def _subject_gone(view: SceneSampler, link: Link, rng: Random) -> QuestionContent | None:
    other = view.scene[link.object]
    usual = view.statistics.counted("subjects", link.name, other.name)
    name = view.absent_from(usual if usual.words else view.statistics.companions(other.name), rng)
    if not name or may_be(name, other.name):
        return None
    value = view.draw_usual_value(name, rng) if rng.random() < _WITH_ATTRIBUTE else ""
    where, others = _place(view, link, rng)
    proof = absence_proof(name)
    return _content(modified_noun(value, name), name, where, link.name, "no", proof, tuple(others), 1)


def _object_gone(view: SceneSampler, link: Link, rng: Random) -> QuestionContent | None:
    subject = view.scene[link.subject]
    if opposed_relation(link.name) or not _may_be_asked(view, subject.name):
        return None
    name = view.absent_from(view.statistics.counted("objects", subject.name, link.name), rng)
    if not name or may_be(name, subject.name):
        return None
    value = view.draw_own_value(subject, rng) if rng.random() < _WITH_ATTRIBUTE else ""
    with_value = tuple(x for x in view.scene.named(subject.name) if not value or has_value(view.values(x), value))
    where = f"{link.name} {one_or_bare(name)}"
    return _content(
        modified_noun(value, subject.name), subject.name, where, link.name, "no", absence_proof(name), with_value, 1
    )


def _opposed(view: SceneSampler, link: Link, rng: Random) -> QuestionContent | None:
    relation = opposed_relation(link.name)
    subject, other = view.scene[link.subject], view.scene[link.object]
    if not relation or not _may_be_asked(view, subject.name) or may_be(subject.name, other.name):
        return None
    things, showing = view.called(subject.name)
    if showing or not view.singles_out(other, other.name):
        return None
    if not all(_is_opposed(view, thing, relation, other) for thing in things):
        return None
    value = view.draw_own_value(subject, rng) if rng.random() < _WITH_ATTRIBUTE else ""
    with_value = tuple(x for x in things if not value or has_value(view.values(x), value))
    facts = ", ".join(f"{x.name} {x.id} {be(x.name)} {link.name} it" for x in things)
    where, noun = f"{relation} the {other.name}", modified_noun(value, subject.name)
    return _content(
        noun, subject.name, where, relation, "no", f"{other.name} {other.id}: {facts}", (*with_value, other), 0
    )


def _is_opposed(view: SceneSampler, thing: SceneObject, relation: str, other: SceneObject) -> bool:
    triples = view.triples
    return (thing.id, opposed_relation(relation), other.id) in triples and (thing.id, relation, other.id) not in triples


def _may_be_asked(view: SceneSampler, name: str) -> bool:
    return can_be_asked(name) and is_unambiguous(name, view.names)


def _place(view: SceneSampler, link: Link, rng: Random) -> tuple[str, list[SceneObject]]:
    """A relation and its object in words, and every object that these may refer to."""
    other = view.scene[link.object]
    often = 1.0 if opposed_relation(link.name) else _DEFINITE
    if rng.random() < often and view.singles_out(other, other.name):
        return f"{link.name} the {other.name}", [other]
    return f"{link.name} {one_or_bare(other.name)}", list(view.scene.named(other.name))


def _reach(view: SceneSampler, thing: SceneObject, relation: str, others: list[SceneObject]) -> bool:
    return any((thing.id, relation, other.id) in view.triples for other in others)


def _content(
    noun: str,
    name: str,
    where: str,
    relation: str,
    answer: str,
    proof: str,
    objects: tuple[SceneObject, ...],
    gone: int,
) -> QuestionContent:
    return QuestionContent(
        "object verification",
        (noun,),
        Gold.of(answer),
        proof,
        objects,
        where=where,
        tags=(
            ("hypernym", next(iter(hypernym_names(name)), "none")),
            ("there", str(2 - gone)),
            ("gone", str(gone)),
            ("attribute", "yes" if noun != name else "no"),
            ("relation", relation),
        ),
    )
