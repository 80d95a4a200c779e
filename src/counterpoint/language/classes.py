"""Attributes and actions by class, and which of them exclude each other: an open door is not closed."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from counterpoint.core.errors import UnknownName
from counterpoint.language.words import split_list, words


@dataclass(frozen=True, slots=True)
class Class:
    """Values of which a thing has one at a time.

    Each value is a tuple of words for it, the usual one first; `near` holds groups of usual words that may overlap.
    """

    name: str
    kind: str  # attribute or action
    values: tuple[tuple[str, ...], ...]
    near: tuple[frozenset[str], ...]
    opposites: tuple[tuple[str, str], ...]

    def usual(self, word: str) -> str:
        """The usual word for a value, or nothing where the word is none of them."""
        return next((value[0] for value in self.values if word in value), "")


@cache
def classes() -> Mapping[str, Class]:
    """All classes by name, attributes before actions."""
    rows = [(kind, name, row) for kind, group in words("classes").items() for name, row in group.items()]
    return {name: _class(kind, name, row) for kind, name, row in rows}


def classes_of(value: str) -> tuple[str, ...]:
    """The names of the classes that a value belongs to: "short" is a height and a length."""
    return _index().get(value, ())


def class_of(value: str) -> str | None:
    """The first class that a value belongs to, or nothing for a value of no class.

    >>> class_of("grey"), class_of("sitting"), class_of("delicious")
    ('color', 'pose', None)
    """
    return next(iter(classes_of(value)), None)


def values(name: str) -> tuple[str, ...]:
    """The values of a class, each by its usual word."""
    if name not in classes():
        raise UnknownName("class", name, classes())
    return tuple(value[0] for value in classes()[name].values)


def same(one: str, other: str) -> bool:
    """Whether two words say the same: gray and grey, big and large."""
    return one == other or any(
        one in value and other in value for name in classes_of(one) for value in classes()[name].values
    )


def excludes(one: str, other: str) -> bool:
    """Whether two values are of one class and a thing cannot have both.

    >>> excludes("open", "closed"), excludes("tan", "beige"), excludes("red", "round"), excludes("gray", "grey")
    (True, False, False, False)
    """
    if same(one, other):
        return False
    shared = [classes()[name] for name in classes_of(one) if name in classes_of(other)]
    return bool(shared) and not any(_are_near(held, one, other) for held in shared)


def opposites(value: str) -> tuple[str, ...]:
    """The opposites of a value, class by class.

    >>> opposites("short"), opposites("large"), opposites("red")
    (('tall', 'long'), ('small',), ())
    """
    return tuple(dict.fromkeys(one for name in classes_of(value) for one in _opposites(classes()[name], value)))


def opposite(value: str) -> str | None:
    """The opposite of a value in the first class where it has one, or nothing."""
    return next(iter(opposites(value)), None)


def opposite_pairs() -> tuple[tuple[str, str], ...]:
    """All pairs of opposites, each once, in the order of the classes."""
    return tuple(pair for held in classes().values() for pair in held.opposites)


def _opposites(held: Class, value: str) -> list[str]:
    """The opposites by the word itself, or else by the usual word for it."""
    for word in (value, held.usual(value)):
        if found := [other if word == one else one for one, other in held.opposites if word in (one, other)]:
            return found
    return []


def _are_near(held: Class, one: str, other: str) -> bool:
    pair = {held.usual(one), held.usual(other)}
    return any(pair <= group for group in held.near)


@cache
def _index() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, held in classes().items():
        for word in (word for value in held.values for word in value):
            found[word] = (*found.get(word, ()), name)
    return found


def _class(kind: str, name: str, row: Mapping[str, str | list[str]]) -> Class:
    listed = tuple(tuple(value.split("/")) for value in split_list(str(row["values"])))
    pairs = [tuple(pair.split("-")) for pair in split_list(str(row.get("opposites", "")))]
    if len(listed) == 2 and not pairs:
        pairs = [(listed[0][0], listed[1][0])]
    near = tuple(frozenset(split_list(group)) for group in row.get("near", ()))
    return Class(name, kind, listed, near, tuple((one, other) for one, other in pairs))
