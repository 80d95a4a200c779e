"""Attributes and actions by class, and which of them exclude each other: an open door is not closed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from counterpoint.core.errors import UnknownName
from counterpoint.language.lexicon.word_lists import split_list, word_table

_COLOR = "color"
_FILES = ("classes", "states", "sundries", "actions")


@dataclass(frozen=True, slots=True)
class AttributeClass:
    """Values of which a thing has one at a time, or may have several.

    Each value is a tuple of words for it, the usual one first; `near` holds groups of usual words that may overlap.
    Opposites are said of the things in `of`, or of any where it is empty, and not of those in `but`.
    """

    name: str
    kind: str  # attribute or action
    values: tuple[tuple[str, ...], ...]
    near: tuple[frozenset[str], ...]
    opposites: tuple[tuple[str, str], ...]
    of: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    several: bool = False
    shown: bool = True  # whether a picture can show it, so that nobody would differ

    def usual(self, word: str) -> str:
        """The usual word for a value, or nothing where the word is none of them."""
        return next((value[0] for value in self.values if word in value), "")


@cache
def attribute_classes() -> Mapping[str, AttributeClass]:
    """All classes by name, attributes before actions."""
    groups = [(kind, word_table(file).get(kind, {})) for kind in ("attribute", "action") for file in _FILES]
    return {name: _class(kind, name, row) for kind, group in groups for name, row in group.items()}


def classes_of(value: str) -> tuple[str, ...]:
    """The names of the classes that a value belongs to: "short" is a height and a length."""
    return _index().get(value, ())


def class_of(value: str) -> str | None:
    """The first class that a value belongs to, or nothing for a value of no class.

    >>> class_of("grey"), class_of("sitting"), class_of("quixotic")
    ('color', 'pose', None)
    """
    return next(iter(classes_of(value)), None)


def class_values(name: str) -> tuple[str, ...]:
    """The values of a class, each by its usual word."""
    if name not in attribute_classes():
        raise UnknownName("class", name, attribute_classes())
    return tuple(value[0] for value in attribute_classes()[name].values)


def are_synonyms(one: str, other: str) -> bool:
    """Whether two words say the same: gray and grey, big and large."""
    return one == other or any(
        one in value and other in value for name in classes_of(one) for value in attribute_classes()[name].values
    )


def excludes(one: str, other: str) -> bool:
    """Whether two values are of one class and a thing cannot have both.

    >>> excludes("open", "closed"), excludes("tan", "beige"), excludes("red", "round"), excludes("gray", "grey")
    (True, False, False, False)
    """
    if are_synonyms(one, other):
        return False
    shared = [
        held
        for name in classes_of(one)
        if name in classes_of(other) and not (held := attribute_classes()[name]).several
    ]
    return bool(shared) and not any(_are_near(held, one, other) for held in shared)


def opposites(value: str) -> tuple[str, ...]:
    """The opposites of a value, class by class.

    >>> opposites("short"), opposites("large"), opposites("red")
    (('tall', 'long'), ('small',), ())
    """
    return tuple(
        dict.fromkeys(one for name in classes_of(value) for one in _opposites(attribute_classes()[name], value))
    )


@cache
def opposite(value: str, name: str = "", *, colors: bool = False) -> str | None:
    """The opposite of a value that a picture can show: of a thing of this name, or in the first class that has one.

    Nothing where a value has two opposites and the name does not tell which, or where the opposite would be taken
    otherwise: a short building is not tall, so a long one has no opposite. Colors have theirs only when asked for.

    >>> opposite("old", "man"), opposite("old", "car"), opposite("short", "hair"), opposite("black", colors=True)
    ('young', 'new', 'long', 'white')
    """
    held = _applicable_classes(value, name, colors)
    if not held or (name and len(held) > 1):
        return None
    others = _opposites(held[0], value)
    return next((other for other in others if not name or _applicable_classes(other, name, colors) == held), None)


def opposite_pairs(*, colors: bool = False) -> tuple[tuple[str, str], ...]:
    """All pairs of opposites that a picture can show, each once, in the order of the classes."""
    return tuple(
        pair
        for held in attribute_classes().values()
        if held.shown and (colors or held.name != _COLOR)
        for pair in held.opposites
    )


def is_color_pair(one: str, other: str) -> bool:
    """Whether two opposites are colors: what is not black need not be white."""
    return other in _opposites(attribute_classes()[_COLOR], one)


@cache
def action_of(relation: str) -> str | None:
    """What somebody does who stands in a relation to something, or nothing for a mere place or comparison.

    >>> action_of("sitting on top of"), action_of("looking down at"), action_of("to the left of")
    ('sitting', 'looking down', None)
    """
    told = word_table("actions")["relations"].get(relation)
    if told is not None:
        return told or None
    parts = relation.split()
    starts = (" ".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next(
        (start for start in starts if any(attribute_classes()[n].kind == "action" for n in classes_of(start))), None
    )


def _applicable_classes(value: str, name: str, colors: bool) -> list[AttributeClass]:
    """The classes in which a value has an opposite that can be said of such a thing."""
    held = [attribute_classes()[one] for one in classes_of(value) if colors or one != _COLOR]
    return [one for one in held if one.shown and _opposites(one, value) and (not name or _is_said_of(one, name))]


def _is_said_of(held: AttributeClass, name: str) -> bool:
    from counterpoint.language.lexicon.senses import is_a  # opens WordNet, which classes alone do not need

    try:
        if any(is_a(name, one) for one in held.but):
            return False
        return not held.of or any(is_a(name, one) for one in held.of)
    except UnknownName:
        return not (held.of or held.but)


def _opposites(held: AttributeClass, value: str) -> list[str]:
    """The opposites by the word itself, or else by the usual word for it."""
    for word in (value, held.usual(value)):
        if found := [other if word == one else one for one, other in held.opposites if word in (one, other)]:
            return found
    return []


def _are_near(held: AttributeClass, one: str, other: str) -> bool:
    pair = {held.usual(one), held.usual(other)}
    return any(pair <= group for group in held.near)


@cache
def _index() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, held in attribute_classes().items():
        for word in (word for value in held.values for word in value):
            found[word] = (*found.get(word, ()), name)
    return found


def _class(kind: str, name: str, row: Mapping[str, Any]) -> AttributeClass:
    listed = tuple(tuple(value.split("/")) for value in split_list(row["values"]))
    return AttributeClass(
        name,
        kind,
        listed,
        tuple(frozenset(split_list(group)) for group in row.get("near", ())),
        tuple(_pairs(row, listed)),
        split_list(row.get("of", "")),
        split_list(row.get("but", "")),
        row.get("several", False),
        row.get("shown", True),
    )


def _pairs(row: Mapping[str, Any], listed: tuple[tuple[str, ...], ...]) -> Iterator[tuple[str, str]]:
    """The pairs that a class lists; a class of two is a pair by itself."""
    if len(listed) == 2 and "opposites" not in row and "several" not in row:
        yield listed[0][0], listed[1][0]
    for pair in split_list(row.get("opposites", "")):
        one, other = pair.split("-")
        yield one, other
