"""The referee: derives the answer to a question again from its words and the scene, and knows nothing of who asked it.

It shares the lexicon's data with the generator, and none of its checks. What it cannot prove it leaves undecided.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from referee_grammar import Joined, Reading, Said, UnreadError, read
from referee_words import Related, Thing, Value, Vocabulary, near_values

from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.lexicon.attributes import attribute_classes
from counterpoint.language.lexicon.senses import hypernyms, resolve_name
from counterpoint.language.lexicon.wordnet import Sense, lexicon
from counterpoint.language.nouns import is_plural, singular

Truth = bool | None
"""True, false, or undecided."""
OPPOSITES = {
    "to the left of": "to the right of",
    "to the right of": "to the left of",
    "above": "below",
    "below": "above",
    "behind": "in front of",
    "in front of": "behind",
}
"""Relations of which one bars the other between the same two things."""
FOR_ONE = frozenset(
    ("wearing", "holding", "carrying", "throwing", "kicking", "swinging", "catching", "reading", "riding")
)
"""Relations that one thing has with one other at a time: a hat that somebody wears, nobody else does."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the referee says: an answer, or why there is none."""

    answer: str
    problem: str = ""  # "cannot parse" or "undecided", with the reason


class Referee:
    """Reads questions about the scenes of one source."""

    def __init__(self, scenes: Iterable[Scene], *, closed: bool = True) -> None:
        """`closed` says that every relation of a scene is annotated, so that one that is not there is not so."""
        self._closed = closed
        self._scenes = {scene.picture.address: scene for scene in scenes}
        self._words = Vocabulary.of(self._scenes.values())
        self._readings = cache(lambda text: read(text, self._words))

    def answer(self, address: str, text: str) -> Verdict:
        """The answer to a question about the picture at an address."""
        try:
            reading = self._readings(text)
        except UnreadError as problem:
            return Verdict("", f"cannot parse: {problem}")
        return Sight(self._scenes[address], self._closed).answer(reading)


@dataclass(frozen=True, slots=True)
class Sight:
    """One scene as it can be held against what a question says."""

    scene: Scene
    closed: bool

    def answer(self, reading: Reading) -> Verdict:
        """What the scene says to a question."""
        if isinstance(reading, Joined):
            return _spoken(self._joined(reading))
        topic = self._meant(reading.topic)
        if isinstance(topic, str):
            return Verdict("", f"undecided: {topic}")
        if isinstance(reading, Said):
            return _spoken(_agrees(self._fits(topic, reading.value), reading.holds))
        truths = [self._fits(topic, option) for option in reading.options]
        if truths.count(True) != 1 or None in truths:
            return Verdict("", f"undecided: {truths} of the options {reading.options}")
        right = reading.options[truths.index(True)]
        return Verdict(right.word if isinstance(right, Value) else right.name)

    def _joined(self, reading: Joined) -> Truth:
        truths = [_agrees(self._there(claim.thing), claim.holds) for claim in reading.claims]
        return _agrees(_all(truths) if reading.every else _any(truths), reading.holds)

    def _there(self, thing: Thing) -> Truth:
        """Whether there is such a thing, certain of absence only where nothing could be it or show one."""
        truths = [self._is_such(one, thing) for one in self.scene]
        if True in truths or None in truths:
            return True if True in truths else None
        named = any(_is_called(one.name, thing.name) for one in self.scene)
        gone = any(not self._there(related.to) for related in thing.related if related.to.article != "the")
        return None if not named and not gone and self._may_show(thing.name) else False

    def _may_show(self, name: str) -> bool:
        return any(_has_part(one.name, name) for one in self.scene)

    def _meant(self, thing: Thing) -> SceneObject | str:
        """The one thing that a phrase with "the" means."""
        truths = {one.id: self._is_such(one, thing) for one in self.scene}
        sure = [one for one in self.scene if truths[one.id]]
        if len(sure) != 1:
            return f"{len(sure)} things are meant by {thing}"
        doubtful = [one for one in self.scene if truths[one.id] is None]
        return f"{doubtful[0].name} {doubtful[0].id} may be meant by {thing}" if doubtful else sure[0]

    def _is_such(self, one: SceneObject, thing: Thing) -> Truth:
        """Whether something in the scene is what a phrase says: called so, looking so, and related so."""
        truths = [_is_called(one.name, thing.name), *(self._has(one, value) for value in thing.values)]
        if False not in truths:
            truths += [self._stands(one, related) for related in thing.related]
        return _all(truths)

    def _stands(self, one: SceneObject, related: Related) -> Truth:
        """Whether a thing stands in a relation to what a phrase says."""
        if related.to.article == "the":
            other = self._meant(related.to)
            return None if isinstance(other, str) else self._is_tied(one, related.relation, other)
        others = [(other, self._is_such(other, related.to)) for other in self.scene if other.id != one.id]
        truths = [
            _all([such, self._is_tied(one, related.relation, other)]) for other, such in others if such is not False
        ]
        return _any(truths) if truths or not self._may_show(related.to.name) else None

    def _is_tied(self, one: SceneObject, relation: str, other: SceneObject) -> Truth:
        """Whether a relation is annotated; if not, whether another one bars it."""
        links = self.scene.relations
        if any((link.subject, link.name, link.object) == (one.id, relation, other.id) for link in links):
            return True
        if self.closed or one.id == other.id:
            return False
        against = OPPOSITES.get(relation, "")
        if any((link.subject, link.name, link.object) == (one.id, against, other.id) for link in links):
            return False
        taken = any((link.name, link.object) == (relation, other.id) for link in links)
        return False if relation in FOR_ONE and taken and not is_plural(other.name) else None

    def _fits(self, one: SceneObject, option: Value | Thing) -> Truth:
        if isinstance(option, Value):
            return self._has(one, option.word)
        return _all([_is_called(one.name, option.name), *(self._has(one, value) for value in option.values)])

    def _has(self, one: SceneObject, value: str) -> Truth:
        """Whether a thing has a value: not, only where it has another of the same class that bars it."""
        doing = (link.name.partition(" ")[0] for link in self.scene.relations_of(one.id))
        own = (*one.attributes, *(verb for verb in doing if verb.endswith("ing")))
        if any(_same(word, value) for word in own):
            return True
        rivals = [word for word in own if _classes(word) & _classes(value)]
        return False if rivals and not any(_near(word, value) for word in rivals) else None


def _spoken(truth: Truth) -> Verdict:
    if truth is None:
        return Verdict("", "undecided: the scene does not tell")
    return Verdict("yes" if truth else "no")


def _agrees(truth: Truth, holds: bool) -> Truth:
    return None if truth is None else truth == holds


def _all(truths: Iterable[Truth]) -> Truth:
    found = list(truths)
    return False if False in found else None if None in found else True


def _any(truths: Iterable[Truth]) -> Truth:
    found = list(truths)
    return True if True in found else None if None in found else False


@cache
def _same(own: str, value: str) -> bool:
    return own == value or any({own, value} <= set(row) for held in attribute_classes().values() for row in held.values)


@cache
def _classes(value: str) -> frozenset[str]:
    return frozenset(name for name, held in attribute_classes().items() if any(value in row for row in held.values))


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
        kind = hypernyms().get(singular(asked))
        if kind and any(_below(one, kind.excluded) for one in mine):
            return None
        return True if resolve_name(asked).exact else _is_doubtful(own, asked)
    if all(_below(one, mine) for one in above):
        return None if resolve_name(own).exact else _is_doubtful(own, asked)
    return False


def _is_doubtful(own: str, asked: str) -> Truth:
    """Names that say more than their senses do are taken for each other only where the senses are the same."""
    return None if resolve_name(own).sense == resolve_name(asked).sense else False


def _below(one: Sense, others: Iterable[Sense]) -> bool:
    return any(lexicon().is_kind_of(one, other) for other in others)


@cache
def _covered(name: str) -> tuple[Sense, ...]:
    kind = hypernyms().get(singular(name))
    return (resolve_name(name).sense, *(kind.senses if kind else ()))


@cache
def _has_part(whole: str, part: str) -> bool:
    return _below_any(resolve_name(part).sense, _parts(resolve_name(whole).sense))


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
