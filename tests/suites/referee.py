"""The referee: derives the answer to a question again from its words and the scene, and knows nothing of who asked it.

It shares the lexicon's data with the generator, and none of its checks. What it cannot prove it leaves undecided.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from referee_grammar import Choice, Joined, Said, There, UnreadError, read
from referee_words import Thing, Value, Vocabulary, near_values

from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.classes import classes
from counterpoint.language.lexicon import Sense, lexicon
from counterpoint.language.nouns import singular
from counterpoint.language.senses import kinds, meaning

Truth = bool | None
"""True, false, or undecided."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the referee says: an answer, or why there is none."""

    answer: str
    problem: str = ""  # "cannot parse" or "undecided", with the reason


class Referee:
    """Reads questions about the scenes of one source."""

    def __init__(self, scenes: Iterable[Scene]) -> None:
        self._scenes = {one.picture.address: one for one in scenes}
        self._words = Vocabulary.of(self._scenes.values())
        self._readings = cache(lambda text: read(text, self._words))

    def answer(self, address: str, text: str) -> Verdict:
        """The answer to a question about the picture at an address."""
        scene = self._scenes[address]
        try:
            reading = self._readings(text)
        except UnreadError as problem:
            return Verdict("", f"cannot parse: {problem}")
        if isinstance(reading, Joined):
            return _spoken(_joined(reading, scene))
        topics = _meant(reading.topic, scene)
        if isinstance(topics, str):
            return Verdict("", f"undecided: {topics}")
        if isinstance(reading, Said):
            return _spoken(_as_said(reading, topics, scene))
        return _chosen(reading, topics, scene)


def _spoken(truth: Truth) -> Verdict:
    if truth is None:
        return Verdict("", "undecided: the scene does not tell")
    return Verdict("yes" if truth else "no")


def _joined(reading: Joined, scene: Scene) -> Truth:
    truths = [_agrees(_there(claim, scene), claim.holds) for claim in reading.claims]
    return _agrees(_all(truths) if reading.every else _any(truths), reading.holds)


def _as_said(reading: Said, topic: SceneObject, scene: Scene) -> Truth:
    return _agrees(_fits(topic, reading.value), reading.holds)


def _chosen(reading: Choice, topic: SceneObject, scene: Scene) -> Verdict:
    truths = [_fits(topic, option) for option in reading.options]
    if truths.count(True) != 1 or None in truths:
        return Verdict("", f"undecided: {truths} of the options {reading.options}")
    right = reading.options[truths.index(True)]
    return Verdict(right.word if isinstance(right, Value) else right.name)


def _there(claim: There, scene: Scene) -> Truth:
    """Whether there is such a thing, certain of absence only where nothing could be it or show one."""
    truths = [_is_such(one, claim.thing, scene) for one in scene]
    if True in truths:
        return True
    if None in truths or any(_has_part(one.name, claim.thing.name) for one in scene):
        named = [one for one in scene if _is_called(one.name, claim.thing.name)]
        return None if None in truths or not named else False
    return False


def _meant(thing: Thing, scene: Scene) -> SceneObject | str:
    """The one thing that a phrase with "the" means."""
    truths = {one.id: _is_such(one, thing, scene) for one in scene}
    sure = [one for one in scene if truths[one.id]]
    if len(sure) != 1:
        return f"{len(sure)} things are meant by {thing}"
    doubtful = [one for one in scene if truths[one.id] is None]
    return f"{doubtful[0].name} {doubtful[0].id} may be meant by {thing}" if doubtful else sure[0]


def _is_such(one: SceneObject, thing: Thing, scene: Scene) -> Truth:
    """Whether something in the scene is what a phrase says: called so, looking so, and related so."""
    truths = [_is_called(one.name, thing.name), *(_has(one, value) for value in thing.values)]
    for related in thing.related:
        truths.append(_stands(one, related.relation, related.to, scene))
    return _all(truths)


def _stands(one: SceneObject, relation: str, to: Thing, scene: Scene) -> Truth:
    others = [scene[link.object] for link in scene.relations_of(one.id) if link.name == relation]
    return _any([_is_such(other, to, scene) for other in others])


def _fits(one: SceneObject, option: Value | Thing) -> Truth:
    if isinstance(option, Value):
        return _has(one, option.word)
    return _all([_is_called(one.name, option.name), *(_has(one, value) for value in option.values)])


def _agrees(truth: Truth, holds: bool) -> Truth:
    return None if truth is None else truth == holds


def _all(truths: Iterable[Truth]) -> Truth:
    found = list(truths)
    return False if False in found else None if None in found else True


def _any(truths: Iterable[Truth]) -> Truth:
    found = list(truths)
    return True if True in found else None if None in found else False


def _has(one: SceneObject, value: str) -> Truth:
    """Whether a thing has a value: not, only where it has another of the same class that bars it."""
    if any(_same(own, value) for own in one.attributes):
        return True
    rivals = [own for own in one.attributes if _classes(own) & _classes(value)]
    return False if rivals and not any(_near(own, value) for own in rivals) else None


@cache
def _same(own: str, value: str) -> bool:
    return own == value or any({own, value} <= set(row) for held in classes().values() for row in held.values)


@cache
def _classes(value: str) -> frozenset[str]:
    return frozenset(name for name, held in classes().items() if any(value in row for row in held.values))


@cache
def _near(own: str, value: str) -> bool:
    groups = near_values()
    return any({own, value} <= group for name in _classes(own) & _classes(value) for group in groups[name])


@cache
def _is_called(own: str, asked: str) -> Truth:
    """Whether a thing annotated by one name goes by another: no, only where neither is a kind of the other."""
    if singular(own) == singular(asked):
        return True
    mine, above = _covered(own), _covered(asked)
    if all(_below(one, above) for one in mine):
        kind = kinds().get(singular(asked))
        if kind and any(_below(one, kind.but) for one in mine):
            return None
        return True if meaning(asked).whole else _is_doubtful(own, asked)
    if any(_below(one, mine) for one in above):
        return None if meaning(own).whole else _is_doubtful(own, asked)
    return False


def _is_doubtful(own: str, asked: str) -> Truth:
    """Names that say more than their senses do are taken for each other only where the senses are the same."""
    return None if meaning(own).sense == meaning(asked).sense else False


def _below(one: Sense, others: Iterable[Sense]) -> bool:
    return any(lexicon().is_kind_of(one, other) for other in others)


@cache
def _covered(name: str) -> tuple[Sense, ...]:
    kind = kinds().get(singular(name))
    return (meaning(name).sense, *(kind.of if kind else ()))


@cache
def _has_part(whole: str, part: str) -> bool:
    return _below_any(meaning(part).sense, _parts(meaning(whole).sense))


@cache
def _parts(whole: Sense) -> frozenset[Sense]:
    """The parts of a thing, of what it is a kind of, and of these parts in turn."""
    waiting, owners, found = [whole], set[Sense](), set[Sense]()
    while waiting:
        one = waiting.pop()
        for owner in (one, *lexicon().ancestors(one)):
            if owner not in owners:
                owners.add(owner)
                waiting += lexicon().parts(owner)
                found.update(lexicon().parts(owner))
    return frozenset(found)


@cache
def _kinds_above(parts: frozenset[Sense]) -> frozenset[Sense]:
    return parts.union(*(lexicon().ancestors(part) for part in parts))


def _below_any(part: Sense, parts: frozenset[Sense]) -> bool:
    return part in _kinds_above(parts)
