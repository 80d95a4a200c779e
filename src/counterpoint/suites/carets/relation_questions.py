"""Verification questions with a relation: "Is there a cup on the table?".

The answer is yes where the relation is annotated. A missing annotation proves nothing, so "no" has one of three proofs:
the subject is provably absent; the object is provably absent; or every possible subject stands in the opposed relation
to the only such object, as what is to the left of the car is not to the right of it.
"""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Gold
from counterpoint.core.scenes import Link, SceneObject
from counterpoint.language.english import a, be, is_mass, is_plural, one_or_bare
from counterpoint.language.lexicon.senses import hypernym_names
from counterpoint.scenes.ambiguity import absence_proof, may_be
from counterpoint.scenes.names import word_set
from counterpoint.scenes.recognition import is_figure
from counterpoint.scenes.relations import can_be_placed, opposed_relation, relation_fact
from counterpoint.scenes.views import ObjectClaim, SceneSampler
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
    if subject.name not in view.visible_names or may_be(subject.name, other.name):
        return None
    if not can_be_placed(link.name, subject.name, other.name):
        return None
    can_be_opposed = bool(opposed_relation(link.name))
    if is_figure(view.scene, subject) or not (can_be_opposed or _may_be_denied(view, subject.name, rng)):
        return None
    if rng.random() < view.statistics.counted("subjects", link.name, other.name).share(subject.name):
        return None
    value = view.draw_own_value(subject, rng) if rng.random() < _WITH_ATTRIBUTE else ""
    where, others = _place(view, link, rng)
    if not where:
        return None
    pairs = [(x, y) for x in view.having(view.scene.named(subject.name), value) for y in others]
    linked = [(x, y) for x, y in pairs if (x.id, link.name, y.id) in view.triples]
    things, met = {x.id: x for x, _ in linked}, {y.id for _, y in linked}
    fact = relation_fact(view.scene, subject, link.name, other) if view.scene.categories is not None else None
    proof = f"{subject.name} {subject.id} {be(subject.name)} annotated as {link.name} {other.name} {other.id}"
    proof = fact.proof if fact else proof  # such a relation was read off boxes
    proof += f", and as {value}" if value else ""
    objects = (*things.values(), *(y for y in others if y.id in met))
    return _content(ObjectClaim(subject.name, value, True, proof, objects), where, link.name, 0)


def _may_be_denied(view: SceneSampler, name: str, rng: Random) -> bool:
    return rng.random() < view.statistics.denial_share(name)


def _subject_gone(view: SceneSampler, link: Link, rng: Random) -> QuestionContent | None:
    other = view.scene[link.object]
    usual = view.statistics.counted("subjects", link.name, other.name)
    name = view.absent_from(usual if usual.words else view.statistics.companions(other.name), rng)
    if not name or may_be(name, other.name) or not can_be_placed(link.name, name, other.name):
        return None
    value = view.draw_usual_value(name, rng) if rng.random() < _WITH_ATTRIBUTE else ""
    where, others = _place(view, link, rng)
    claim = ObjectClaim(name, value, False, absence_proof(name), tuple(others))
    return _content(claim, where, link.name, 1) if where else None


def _object_gone(view: SceneSampler, link: Link, rng: Random) -> QuestionContent | None:
    subject = view.scene[link.subject]
    if opposed_relation(link.name) or subject.name not in view.visible_names:
        return None
    name = view.absent_from(view.statistics.counted("objects", subject.name, link.name), rng)
    if not name or may_be(name, subject.name) or not (where := indefinite_place(link.name, name)):
        return None
    value = view.draw_own_value(subject, rng) if rng.random() < _WITH_ATTRIBUTE else ""
    objects = view.having(view.scene.named(subject.name), value)
    claim = ObjectClaim(subject.name, value, False, absence_proof(name), objects)
    return _content(claim, where, link.name, 1)


def _opposed(view: SceneSampler, link: Link, rng: Random) -> QuestionContent | None:
    relation = opposed_relation(link.name)
    subject, other = view.scene[link.subject], view.scene[link.object]
    if not relation or subject.name not in view.clear_names or may_be(subject.name, other.name):
        return None
    if not can_be_placed(link.name, subject.name, other.name):
        return None
    things, showing = view.called(subject.name)
    if showing or not view.singles_out(other, other.name):
        return None
    if any((x.id, relation, other.id) in view.triples for x in things):
        return None
    if not all((x.id, opposed_relation(relation), other.id) in view.triples for x in things):
        return None
    value = view.draw_own_value(subject, rng) if rng.random() < _WITH_ATTRIBUTE else ""
    facts = ", ".join(f"{x.name} {x.id} {be(x.name)} {link.name} it" for x in things)
    objects = (*view.having(things, value), other)
    claim = ObjectClaim(subject.name, value, False, f"{other.name} {other.id}: {facts}", objects)
    return _content(claim, f"{relation} the {other.name}", relation, 0)


def _place(view: SceneSampler, link: Link, rng: Random) -> tuple[str, list[SceneObject]]:
    """A relation and its object in words, and every object that these may refer to; no words where none read well."""
    other = view.scene[link.object]
    often = 1.0 if opposed_relation(link.name) else _DEFINITE
    if rng.random() < often and view.singles_out(other, other.name):
        return f"{link.name} the {other.name}", [other]
    return indefinite_place(link.name, other.name), list(view.scene.named(other.name))


@cache
def indefinite_place(relation: str, name: str) -> str:
    """A relation to any object of a name; nothing where no article can be said, as of hair, of words and of the ground.

    >>> indefinite_place("behind", "tree"), indefinite_place("behind", "hair"), indefinite_place("on", "ground")
    ('behind a tree', '', '')
    >>> indefinite_place("wearing", "jeans"), indefinite_place("with", "glasses")
    ('wearing jeans', 'with glasses')
    """
    if (" " not in relation and relation.endswith("ing")) or relation in word_set("bare_after"):
        return f"{relation} {one_or_bare(name)}"
    has_article = not (is_plural(name) or is_mass(name) or name in word_set("never_one_of_many"))
    return f"{relation} {a(name)}" if has_article else ""


def _content(claim: ObjectClaim, where: str, relation: str, gone: int) -> QuestionContent:
    return QuestionContent(
        "object verification",
        (claim.phrase,),
        Gold.of("yes" if claim.is_there else "no"),
        claim.proof,
        claim.objects,
        where=where,
        tags=(
            ("hypernym", next(iter(hypernym_names(claim.name)), "none")),
            ("there", str(2 - gone)),
            ("gone", str(gone)),
            ("attribute", "yes" if claim.value else "no"),
            ("relation", relation),
        ),
    )
