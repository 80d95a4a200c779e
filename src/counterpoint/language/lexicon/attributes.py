"""Classes of attributes and actions, and which of their values exclude each other: an open door is not closed."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from counterpoint.core.errors import UnknownName
from counterpoint.language.lexicon.word_lists import split_list, word_table

_COLOR = "color"
_FILES = ("classes", "states", "sundries", "actions")


@dataclass(frozen=True, slots=True)
class AttributeClass:
    """Attribute values of which an object has one at a time, or, where `multivalued`, several.

    Each value is a tuple of synonyms, the canonical one first; `overlapping` holds sets of canonical words that may be
    true of one object. Opposites apply to objects of the kinds in `applies_to`, or to all where it is empty, and never
    to those in `excluded`.
    """

    name: str
    kind: str  # attribute or action
    values: tuple[tuple[str, ...], ...]
    overlapping: tuple[frozenset[str], ...]
    opposites: tuple[tuple[str, str], ...]
    applies_to: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    multivalued: bool = False
    visible: bool = True  # whether annotators agree on it from a picture

    def canonical(self, word: str) -> str:
        """The canonical synonym of a value, empty where the word is none of the values."""
        return next((value[0] for value in self.values if word in value), "")


@cache
def attribute_classes() -> Mapping[str, AttributeClass]:
    """All classes by name, attributes before actions."""
    groups = [(kind, word_table(file).get(kind, {})) for kind in ("attribute", "action") for file in _FILES]
    return {name: _class(kind, name, row) for kind, group in groups for name, row in group.items()}


def classes_of(value: str) -> tuple[str, ...]:
    """The names of the classes of a value: "short" is a height and a length."""
    return _index().get(value, ())


def class_of(value: str) -> str | None:
    """The first class of a value, or None.

    >>> class_of("grey"), class_of("sitting"), class_of("quixotic")
    ('color', 'pose', None)
    """
    return next(iter(classes_of(value)), None)


@lru_cache(1 << 16)
def are_synonyms(one: str, other: str) -> bool:
    """Whether two words are the same value: gray and grey, big and large."""
    return one == other or any(one in value and other in value for owner in _owners(one) for value in owner.values)


@lru_cache(1 << 16)
def excludes(one: str, other: str) -> bool:
    """Whether two values are of one class and no object can have both.

    >>> excludes("open", "closed"), excludes("tan", "beige"), excludes("red", "round"), excludes("gray", "grey")
    (True, False, False, False)
    """
    if are_synonyms(one, other):
        return False
    shared = [owner for owner in _owners(one) if owner.name in classes_of(other) and not owner.multivalued]
    pairs = [({owner.canonical(one), owner.canonical(other)}, owner.overlapping) for owner in shared]
    return bool(shared) and not any(pair <= words for pair, overlapping in pairs for words in overlapping)


@cache
def opposites(value: str) -> tuple[str, ...]:
    """The opposites of a value in all its classes.

    >>> opposites("short"), opposites("large"), opposites("red")
    (('tall', 'long'), ('small',), ())
    """
    return tuple(dict.fromkeys(word for owner in _owners(value) for word in _opposites(owner, value)))


@cache
def opposite(value: str, name: str = "", *, colors: bool = False) -> str | None:
    """The visible opposite of a value for an object of this name, or in the first class that has one.

    None where a value has two opposites and the name does not decide, or where the opposite has another opposite for
    the object: a short building is not tall, so a long one has no opposite. Colors are included on request only.

    >>> opposite("old", "man"), opposite("old", "car"), opposite("short", "hair"), opposite("black", colors=True)
    ('young', 'new', 'long', 'white')
    """
    owners = _applicable_owners(value, name, colors)
    if not owners or (name and len(owners) > 1):
        return None
    others = _opposites(owners[0], value)
    return next((other for other in others if not name or _applicable_owners(other, name, colors) == owners), None)


def is_said_of(sort: str, name: str) -> bool:
    """Whether the opposites of a class apply to objects of a name: one says of hair that it is long, not tall.

    >>> is_said_of("length", "hair"), is_said_of("height", "hair")
    (True, False)
    """
    return _applies_to(attribute_classes()[sort], name)


@cache
def action_of(relation: str) -> str | None:
    """The action of a relation, or None for a place or comparison.

    >>> action_of("sitting on top of"), action_of("looking down at"), action_of("to the left of")
    ('sitting', 'looking down', None)
    """
    action = word_table("actions")["relations"].get(relation)
    if action is not None:
        return action or None
    words = relation.split()
    starts = (" ".join(words[:length]) for length in range(len(words), 0, -1))
    return next((start for start in starts if any(owner.kind == "action" for owner in _owners(start))), None)


def _owners(value: str) -> list[AttributeClass]:
    """The classes of a value."""
    return [attribute_classes()[name] for name in classes_of(value)]


def _applicable_owners(value: str, name: str, colors: bool) -> list[AttributeClass]:
    """The visible classes in which a value has an opposite that applies to such an object."""
    return [
        owner
        for owner in _owners(value)
        if owner.visible
        and (colors or owner.name != _COLOR)
        and _opposites(owner, value)
        and (not name or _applies_to(owner, name))
    ]


def _applies_to(owner: AttributeClass, name: str) -> bool:
    from counterpoint.language.lexicon.senses import is_a  # loads WordNet, which most callers do not need

    try:
        if any(is_a(name, kind) for kind in owner.excluded):
            return False
        return not owner.applies_to or any(is_a(name, kind) for kind in owner.applies_to)
    except UnknownName:
        return not (owner.applies_to or owner.excluded)


def _opposites(owner: AttributeClass, value: str) -> list[str]:
    """The opposites of the word itself, or else of its canonical synonym."""
    for word in (value, owner.canonical(value)):
        if words := [other if word == one else one for one, other in owner.opposites if word in (one, other)]:
            return words
    return []


@cache
def _index() -> Mapping[str, tuple[str, ...]]:
    """The names of the classes of each value."""
    index: dict[str, tuple[str, ...]] = {}
    for name, owner in attribute_classes().items():
        for word in (word for value in owner.values for word in value):
            index[word] = (*index.get(word, ()), name)
    return index


def _class(kind: str, name: str, row: Mapping[str, Any]) -> AttributeClass:
    values = tuple(tuple(value.split("/")) for value in split_list(row["values"]))
    overlapping = tuple(frozenset(split_list(line)) for line in row.get("near", ()))
    listed = (pair.split("-") for pair in split_list(row.get("opposites", "")))
    opposites = tuple((one, other) for one, other in listed)
    if len(values) == 2 and "opposites" not in row and "several" not in row:  # a class of two values is a pair
        opposites = ((values[0][0], values[1][0]),)
    kinds = split_list(row.get("of", "")), split_list(row.get("but", ""))
    flags = row.get("several", False), row.get("shown", True)
    return AttributeClass(name, kind, values, overlapping, opposites, *kinds, *flags)
