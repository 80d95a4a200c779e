"""Ambiguity of names: which may denote the same object, which objects may show others, and what is provably absent.

A name is absent from a scene if nothing annotated could be such an object or may show one. The lexicon has the kinds
and parts, and the data files what people call by several names.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path

from counterpoint.core.errors import UnknownName
from counterpoint.language.english import be
from counterpoint.language.lexicon.senses import is_a, sense_coverage, sense_of, synonyms
from counterpoint.language.lexicon.word_lists import split_list, word_list, word_table
from counterpoint.language.lexicon.wordnet import Sense, lexicon
from counterpoint.language.nouns import singular

DATA = Path(__file__).parent / "data"
"""The folder of the word lists."""

_ALONE = "!"


@cache
def is_known(name: str) -> bool:
    """Whether the lexicon has a sense for a name; nothing can be proved about an unknown one."""
    try:
        sense_of(name)
    except UnknownName:
        return False
    return True


@cache
def can_be_asked(name: str) -> bool:
    """Whether a question may ask for such an object."""
    return is_known(name) and singular(name) not in word_set("everywhere")


def may_be(name: str, other: str) -> bool:
    """Whether one object could go by both names: hyponyms, hypernyms, or names that are confused.

    >>> may_be("bird", "duck"), may_be("cup", "container"), may_be("chair", "stool"), may_be("cat", "dog")
    (True, True, True, False)
    """
    if not (is_known(name) and is_known(other)) or is_a(name, other) or is_a(other, name):
        return True
    return _last_word(name) == _last_word(other) or not _rows_alike(name).isdisjoint(_rows_alike(other))


def may_show(whole: str, name: str) -> bool:
    """Whether an object may be visible in or on another without being annotated, as a door on a house.

    >>> may_show("house", "door"), may_show("bookshelf", "book"), may_show("girl", "shoes"), may_show("dog", "cup")
    (True, True, True, False)
    """
    if not (is_known(whole) and is_known(name)):
        return True
    coverage = sense_coverage(name)
    return (
        coverage.singular in _names_seen_on(whole)
        or sense_of(name) in _parts(sense_of(whole))
        or all(not above.isdisjoint(_senses_seen_on(whole)) for above in coverage.ancestors)
    )


def word_set(key: str) -> frozenset[str]:
    """One word list of the data file on doubtful names."""
    return word_list("doubts", key, DATA)


@cache
def general_names() -> Mapping[str, str]:
    """Hypernyms that a question may choose within, each in its countable form: "piece of fruit"."""
    return dict(word_table("doubts", DATA)["general"])


@cache
def unannotated_parts() -> Mapping[str, tuple[str, ...]]:
    """What may be visible in or on an object of each name; a part with a mark ("seat!") excludes its hyponyms."""
    return {owner: split_list(parts) for owner, parts in word_table("shows", DATA).items()}


@cache
def _last_word(name: str) -> str:
    return singular(name).rpartition(" ")[2]


@cache
def _alike() -> Mapping[str, frozenset[int]]:
    """For each name, the numbers of the rows that have it."""
    rows: dict[str, frozenset[int]] = {}
    for number, row in enumerate(word_table("doubts", DATA)["alike"]):
        for name in split_list(row):
            rows[singular(name)] = rows.get(singular(name), frozenset()) | {number}
    return rows


@cache
def _rows_alike(name: str) -> frozenset[int]:
    return _alike().get(singular(name), frozenset())


@cache
def _seen_on(whole: str) -> frozenset[str]:
    """What is listed for a thing, or for anything that it is a kind of."""
    return frozenset(part for owner, parts in unannotated_parts().items() if is_a(whole, owner) for part in parts)


@cache
def _names_seen_on(whole: str) -> frozenset[str]:
    return frozenset(part.removesuffix(_ALONE) for part in _seen_on(whole))


@cache
def _senses_seen_on(whole: str) -> frozenset[Sense]:
    return frozenset[Sense]().union(
        *(sense_coverage(part).covers for part in _seen_on(whole) if not part.endswith(_ALONE))
    )


@cache
def _parts(whole: Sense) -> frozenset[Sense]:
    """Every sense that WordNet has for a part, for a part of a part, and for what these are kinds of."""
    book, seen, waiting, parts = lexicon(), set[Sense](), [whole], set[Sense]()
    while waiting:
        for owner in {(sense := waiting.pop()), *book.ancestors(sense)} - seen:
            seen.add(owner)
            for part in book.parts(owner):
                parts |= {part, *book.ancestors(part)}
                waiting.append(part)
    return frozenset(parts)


def is_absent(name: str, names: Collection[str]) -> bool:
    """Whether no object with one of these names is such an object, might be one, or may show one unannotated.

    >>> is_absent("cat", ["dog", "table"]), is_absent("tire", ["car"]), is_absent("bird", ["duck"])
    (True, False, False)
    """
    return name not in names and is_unambiguous(name, names)


def absence_proof(name: str) -> str:
    """The proof that an object is absent, for a name that was found to be so."""
    return f"no {name} {be(name)} annotated, nor anything that could be called so or may show such a thing"


def is_unambiguous(name: str, names: Iterable[str]) -> bool:
    """Whether the name itself, and no other of these, decides whether such an object is present."""
    reasons = ambiguity_reasons(name)
    return not any(reasons[other] for other in names if other != name)


def ambiguity_reason(name: str, names: Iterable[str]) -> str:
    """Why a name cannot be said to be absent beside these, or nothing."""
    reasons = ambiguity_reasons(name)
    return next(filter(None, ("it is annotated" if other == name else reasons[other] for other in names)), "")


class AmbiguityReasons(dict[str, str]):
    """Why objects of other names leave it open whether one of this name is present, computed once for each name.

    >>> reasons = ambiguity_reasons
    >>> reasons("bird")["duck"], reasons("dog")["animal"], reasons("tire")["car"], reasons("dog")["cat"]
    ('a kind of it is annotated', 'something more general is annotated', 'it may be part of what is annotated', '')
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, other: str) -> str:
        reason = self[other] = _reason(other, self._name)
        return reason


@cache
def ambiguity_reasons(name: str) -> AmbiguityReasons:
    """The reasons for one name, by the other name; memoized here alone, since pairs of names are many."""
    return AmbiguityReasons(name)


def _reason(other: str, name: str) -> str:
    if not may_be(name, other):
        return "it may be part of what is annotated" if may_show(other, name) else ""
    if not (is_known(name) and is_known(other)):
        return "something has a name that no lexicon knows"
    if singular(name) == singular(other) or other in synonyms(name):
        return "it is annotated by another word"
    if is_a(other, name):
        return "a kind of it is annotated"
    if is_a(name, other):
        return "something more general is annotated"
    return "something that might be called so is annotated"
