"""Ambiguity of names: why objects that are annotated leave it open whether one of another name is present."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from counterpoint.core.scenes import Scene
from counterpoint.language.english import be
from counterpoint.language.lexicon.senses import is_a, sense_coverage, sense_of, synonyms
from counterpoint.language.lexicon.wordnet import Sense
from counterpoint.language.nouns import singular
from counterpoint.scenes.names import (
    could_be,
    is_body_part,
    is_known,
    is_part_of,
    last_word,
    may_complete,
    may_show,
    names_seen_on,
    parts_of,
    readings,
    rows_alike,
    senses_seen_on,
    surroundings_of,
    wholes_of,
)

_FEW = 8  # names that are compared one by one
_PART = "it may be part of what is annotated"
_SURROUNDS = "it is usual around something that is annotated"
PART_ANNOTATED = "a part of it may be annotated"
"""Why a name is open beside a part of such a thing, unless something else there has such a part."""
UNLISTED = "it is no category that is annotated wherever it is visible"
"""Why nothing is said about a name that is not in the list of categories of a scene."""
NOT_LISTED = "nobody asks for the two side by side"
"""Why a question does not ask for two things at once."""


@lru_cache(1 << 18)
def may_be(name: str, other: str) -> bool:
    """Whether one object could go by both names: hyponyms, hypernyms, names that are confused or have several meanings.

    >>> may_be("bird", "duck"), may_be("cup", "container"), may_be("chair", "stool"), may_be("cat", "dog")
    (True, True, True, False)
    >>> may_be("glasses", "wine glass"), may_be("device", "skateboard"), may_be("man", "woman")
    (True, True, False)
    """
    return bool(ambiguity_reasons(name)[other]) and could_be(name, other)


@lru_cache(1 << 16)
def can_be_listed(name: str, other: str) -> bool:
    """Whether a question may ask for two objects side by side: not for a part beside its whole, nor for a body part.

    Nobody asks for a cat and a tail, for a sink or a bathroom, nor for a head as well as a counter.

    >>> can_be_listed("cat", "chair"), can_be_listed("cat", "kitten")
    (True, False)
    >>> can_be_listed("cat", "tail"), can_be_listed("sink", "bathroom"), can_be_listed("head", "counter")
    (False, False, False)
    """
    if is_body_part(name) or is_body_part(other):
        return False
    if not ambiguity_reasons(name)[other] and not ambiguity_reasons(other)[name]:
        return True
    return not may_be(name, other) and not (may_show(name, other) or may_show(other, name))


def absence_proof(name: str) -> str:
    """The proof that an object is absent, for a name that was found to be so."""
    return f"no {name} {be(name)} annotated, nor anything that could be called so or may show such a thing"


def ambiguity_reason(name: str, names: Collection[str]) -> str:
    """Why a name cannot be said to be absent beside these, or nothing.

    >>> ambiguity_reason("cat", ["dog", "table"]), ambiguity_reason("tire", ["dog", "car"])
    ('', 'it may be part of what is annotated')
    """
    learn_names(names)
    return _first_reason(name, names)


def _first_reason(name: str, names: Collection[str]) -> str:
    reasons = ambiguity_reasons(name).known()
    if reasons.keys().isdisjoint(names) and name not in names:
        return ""
    for other in names:
        reason = "it is annotated" if other == name else reasons.get(other, "")
        if reason and not (reason == PART_ANNOTATED and is_explained(other, names)):
            return reason
    return ""


class AmbiguityReasons:
    """Why objects of other names leave it open whether one of this name is present; few do.

    >>> reasons = ambiguity_reasons
    >>> reasons("bird")["duck"], reasons("dog")["animal"], reasons("tire")["car"], reasons("dog")["cat"]
    ('a kind of it is annotated', 'something more general is annotated', 'it may be part of what is annotated', '')
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._found: dict[str, str] = {}
        self._tried = 0  # names of the index

    def __getitem__(self, other: str) -> str:
        if other not in _known.names:
            _known.add((other,))
        return self.known().get(other, "")

    def among(self, names: Collection[str]) -> Mapping[str, str]:
        """The reasons by other name, those of these names and of all that were asked for before."""
        learn_names(names)
        return self.known()

    def known(self) -> Mapping[str, str]:
        """The reasons by other name, of all names that were asked for before."""
        if self._tried < len(_known.names):
            for other in _known.may_raise_doubt(self._name, self._tried):
                if reason := pair_doubt(other, self._name):
                    self._found[other] = reason
            self._tried = len(_known.names)
        return self._found


@cache
def ambiguity_reasons(name: str) -> AmbiguityReasons:
    """The reasons for one name, by the other name; memoized here alone, since pairs of names are many."""
    return AmbiguityReasons(name)


class NameMarks(NamedTuple):
    """What a name has in common with every name that it raises doubts about, or that raises doubts about it."""

    is_of: frozenset[Sense | str]  # its senses and what they are kinds of, its noun, its last word
    names: frozenset[Sense | str]  # the senses that it covers, its noun, its last word
    senses: frozenset[Sense]  # its own
    parts: frozenset[Sense]  # of what it has by WordNet
    has: frozenset[Sense | str]  # marks in `names` of itself, of what is listed on it, and of what it is a part of
    part_of: frozenset[Sense | str]  # marks in `names` of itself and of what it is a part of
    around: frozenset[Sense | str]  # marks in `is_of` of what it is a part of, and of what is usual around it


def may_raise_doubt(other: str, name: str) -> bool:
    """Whether the reason for a pair of names has to be looked for: four comparisons of sets exclude most pairs."""
    own, its = name_marks(name), name_marks(other)
    if own is None or its is None:
        return True
    return not (
        own.is_of.isdisjoint(its.has)
        and its.is_of.isdisjoint(own.part_of)
        and own.names.isdisjoint(its.around)
        and own.senses.isdisjoint(its.parts)
    )


@cache
def name_marks(name: str) -> NameMarks | None:
    """The marks of a name in all its readings, or None where a lexicon does not know one."""
    meant = readings(name)
    if not all(map(is_known, meant)):
        return None
    is_of, names = _marks_above(meant), _marks_below(meant)
    wholes = frozenset(kind for reading in meant for kind in wholes_of(reading))
    part_of = names | _marks_below(wholes)
    listed = frozenset(mark for reading in meant for mark in names_seen_on(reading) | senses_seen_on(reading))
    senses = frozenset(map(sense_of, meant))
    parts = frozenset(part for sense in senses for part in parts_of(sense))
    around = _marks_above(wholes | surroundings_of(name))
    return NameMarks(is_of, names, senses, parts, part_of | listed, part_of, around)


class NameIndex:
    """Names by their marks, so that those that may raise doubts about another are found without comparing all pairs."""

    def __init__(self, names: Collection[str] = ()) -> None:
        self.names: dict[str, int] = {}  # with their numbers
        self._all = set[str]()
        self.has_all: Callable[[Iterable[str]], bool] = self._all.issuperset
        self.latest: Collection[str] = ()  # those that were looked for before
        self._unmarked = set[str]()
        self._has, self._is_of = defaultdict[Hashable, list[str]](list), defaultdict[Hashable, list[str]](list)
        self._around, self._parts = defaultdict[Hashable, list[str]](list), defaultdict[Hashable, list[str]](list)
        self.add(names)

    def add(self, names: Collection[str]) -> None:
        """Add those of some names that it does not have yet."""
        for name in names:
            if name not in self.names:
                self.names[name] = len(self.names)
                self._all.add(name)
                self._mark(name, name_marks(name))

    def _mark(self, name: str, marks: NameMarks | None) -> None:
        if marks is None:
            self._unmarked.add(name)
            return
        rows = (
            (self._has, marks.has),
            (self._is_of, marks.is_of),
            (self._around, marks.around),
            (self._parts, marks.parts),
        )
        for index, own in rows:
            for mark in own:
                index[mark].append(name)

    def may_raise_doubt(self, name: str, since: int = 0) -> Iterable[str]:
        """The names with this number or a larger one that `may_raise_doubt` holds of."""
        if len(self.names) - since <= _FEW:
            return [other for other in islice(self.names, since, None) if may_raise_doubt(other, name)]
        own = name_marks(name)
        if own is None:
            return [other for other, number in self.names.items() if number >= since]
        found = self._unmarked.union(
            *(self._has[mark] for mark in own.is_of if mark in self._has),
            *(self._is_of[mark] for mark in own.part_of if mark in self._is_of),
            *(self._around[mark] for mark in own.names if mark in self._around),
            *(self._parts[mark] for mark in own.senses if mark in self._parts),
        )
        return [other for other in found if self.names[other] >= since]


_known = NameIndex()  # of all names that were asked for in this process


def learn_names(names: Collection[str]) -> None:
    """Say which names a source has, before doubts about the first are asked for."""
    if names is _known.latest:  # those of a scene are asked for many times
        return
    if not _known.has_all(names):
        _known.add(names)
    _known.latest = names


def _marks_above(names: Collection[str]) -> frozenset[Sense | str]:
    senses = frozenset(sense for name in names for above in sense_coverage(name).ancestors for sense in above)
    return senses | _words(names)


def _marks_below(names: Collection[str]) -> frozenset[Sense | str]:
    return frozenset(sense for name in names for sense in sense_coverage(name).covers) | _words(names)


def _words(names: Collection[str]) -> frozenset[str]:
    """The nouns of names, their last words, and the rows of names that are confused."""
    nouns = {sense_coverage(name).singular for name in names}
    rows = {f"row {row}" for name in names for row in rows_alike(name)}
    return frozenset(nouns | {f"last {last_word(name)}" for name in names} | rows)


def pair_doubt(other: str, name: str) -> str:
    """Why an object leaves it open whether one of another name is present, by all rules in turn, or nothing."""
    if not could_be(name, other):
        return _part_reason(other, name)
    if not (is_known(name) and is_known(other)):
        return "something has a name that no lexicon knows"
    if singular(name) == singular(other) or other in synonyms(name):
        return "it is annotated by another word"
    if is_a(other, name):
        return "a kind of it is annotated"
    if is_a(name, other):
        return "something more general is annotated"
    return "something that might be called so is annotated"


def _part_reason(other: str, name: str) -> str:
    """Why an object leaves it open whether one of another name is present that it could not be called itself."""
    if may_show(other, name):
        return _PART
    if may_complete(other, name):
        return PART_ANNOTATED
    return _SURROUNDS if any(is_a(kind, name) for kind in surroundings_of(other)) else ""


def doubt_beside(name: str, other: str, names: Collection[str]) -> str:
    """Why an object leaves it open whether one of another name is present, or nothing; `names` are all in the scene.

    A part casts no doubt on a whole where something else that is annotated has such a part.

    >>> doubt_beside("dog", "tail", ["tail"]), doubt_beside("dog", "tail", ["horse", "tail"])
    ('a part of it may be annotated', '')
    """
    reason = ambiguity_reasons(name)[other]
    return "" if reason == PART_ANNOTATED and is_explained(other, names) else reason


def is_explained(part: str, names: Collection[str]) -> bool:
    """Whether one of these names is that of a thing that has such a part."""
    return any(is_part_of(part, whole) for whole in names)


def naming_doubt(scene: Scene, name: str, names: Collection[str]) -> str:
    """Why some other names of a scene leave it open whether an object of this name is present, or nothing.

    Where a scene has a list of categories, a name beyond the list is always open. Its annotators have told categories
    apart, so one that no lexicon knows is another thing, unless both names end in the same word.
    """
    if scene.categories is None:
        learn_names(names)
        return _first_reason(name, [other for other in names if other != name] if name in scene.names else names)
    if name not in scene.categories:
        return UNLISTED
    others = (other for other in names if other != name and not are_told_apart(scene, name, other))
    return next(filter(None, (doubt_beside(name, other, names) for other in others)), "")


def are_told_apart(scene: Scene, name: str, other: str) -> bool:
    """Whether annotators would have given each of two names its own box, although the lexicon leaves that open."""
    if scene.categories is None or other not in scene.categories:
        return False
    if not (is_known(name) and is_known(other)):
        return name in scene.categories and last_word(name) != last_word(other)
    return scene.annotates_parts and ambiguity_reasons(name)[other] in (_PART, PART_ANNOTATED)
