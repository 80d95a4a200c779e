"""Grouping of values by a key, in the order in which the keys come."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def group_pairs(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """The values of each key.

    >>> group_pairs([("red", 1), ("blue", 2), ("red", 3)])
    {'red': [1, 3], 'blue': [2]}
    """
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
