"""Provable absence: a name is absent from a scene if nothing annotated could be such an object or may show one.

Every suite asks here. The lexicon has the kinds and parts, and the data files what people call by several names.
"""

from collections.abc import Collection, Iterable
from functools import cache

from counterpoint.language.english import be
from counterpoint.language.lexicon.senses import is_a, synonyms
from counterpoint.language.nouns import singular
from counterpoint.scenes.ambiguity import is_known, may_be, may_show


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
