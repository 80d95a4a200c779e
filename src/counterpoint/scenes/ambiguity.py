"""Ambiguity of names: which names may denote the same object, and which objects may show others unannotated."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from counterpoint.core.errors import UnknownName
from counterpoint.language.lexicon.senses import is_a, sense_coverage, sense_of
from counterpoint.language.lexicon.word_lists import split_list
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


@cache
def word_set(key: str) -> frozenset[str]:
    """One word list of the data file."""
    section: Any = _doubts()
    for part in key.split("."):
        section = section[part]
    return frozenset(split_list(section))


@cache
def general_names() -> Mapping[str, str]:
    """Hypernyms that a question may choose within, each in its countable form: "piece of fruit"."""
    return dict(_doubts()["general"])


@cache
def unannotated_parts() -> Mapping[str, tuple[str, ...]]:
    """What may be visible in or on an object of each name; a part with a mark ("seat!") excludes its hyponyms."""
    return {owner: split_list(parts) for owner, parts in _read("shows").items()}


@cache
def _doubts() -> Mapping[str, Any]:
    return _read("doubts")


def _read(name: str) -> Mapping[str, Any]:
    return tomllib.loads((DATA / f"{name}.toml").read_text("utf-8"))


@cache
def _last_word(name: str) -> str:
    return singular(name).rpartition(" ")[2]


@cache
def _alike() -> Mapping[str, frozenset[int]]:
    """For each name, the numbers of the rows that have it."""
    rows: dict[str, frozenset[int]] = {}
    for number, row in enumerate(_doubts()["alike"]):
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
