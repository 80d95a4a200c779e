"""When something is truly absent: the one place where every suite asks.

A name is truly absent from a scene if nothing annotated speaks against it. What may speak against it is listed here,
one reason a row; the lexicon knows the kinds and parts, and the file of doubts what people call by several names.
"""

from collections.abc import Collection, Iterable
from functools import cache

from counterpoint.language.lexicon.senses import is_a, synonyms
from counterpoint.language.nouns import singular
from counterpoint.scenes.ambiguity import is_known, may_be, may_show


def is_absent(name: str, names: Collection[str]) -> bool:
    """Whether nothing annotated by these names is such a thing, might be one, or may show one unannotated.

    >>> is_absent("cat", ["dog", "table"]), is_absent("tire", ["car"]), is_absent("bird", ["duck"])
    (True, False, False)
    """
    return name not in names and is_unambiguous(name, names)


def is_unambiguous(name: str, names: Iterable[str]) -> bool:
    """Whether the name itself, and nothing else among these, decides whether such a thing is there."""
    known = ambiguity_reasons(name)
    return not any(known[other] for other in names if other != name)


def ambiguity_reason(name: str, names: Iterable[str]) -> str:
    """Why a name cannot be said to be absent beside these, or nothing."""
    known = ambiguity_reasons(name)
    found = ("it is annotated" if other == name else known[other] for other in names)
    return next(filter(None, found), "")


def doubt(other: str, name: str) -> str:
    """Why a thing of another name leaves it open whether one of this name is there, or nothing.

    >>> doubt("duck", "bird"), doubt("animal", "dog"), doubt("car", "tire"), doubt("cat", "dog")
    ('a kind of it is annotated', 'something more general is annotated', 'it may be part of what is annotated', '')
    """
    return ambiguity_reasons(name)[other]


class AmbiguityReasons(dict[str, str]):
    """For one name, what speaks against it by the other name: looked up far more often than worked out."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, other: str) -> str:
        found = self[other] = _worked_out(other, self._name)
        return found


@cache
def ambiguity_reasons(name: str) -> AmbiguityReasons:
    """All that was ever asked about one name; the one place where pairs of names are remembered, for there are many."""
    return AmbiguityReasons(name)


def _worked_out(other: str, name: str) -> str:
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
