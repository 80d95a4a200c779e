"""A record from each of several large files, joined by a key, without holding the files."""

from collections.abc import Iterator
from typing import Generic, TypeVar

Value = TypeVar("Value")


class KeyedJoin(Generic[Value]):
    """What a second file has for each key of a first one.

    Where both have the same order nothing is held; what the second has earlier than it is asked for is held until then.

    >>> second = KeyedJoin(iter([("b", 2), ("a", 1), ("d", 4)]))
    >>> second.take("a"), second.take("b"), second.take("c"), second.left()
    (1, 2, None, ['d'])
    """

    def __init__(self, records: Iterator[tuple[str, Value]]) -> None:
        self._records = records
        self._held: dict[str, Value] = {}

    def take(self, key: str) -> Value | None:
        """The record of this key, which is then gone; none if there is none."""
        if key in self._held:
            return self._held.pop(key)
        for found, value in self._records:
            if found == key:
                return value
            self._held[found] = value
        return None

    def left(self) -> list[str]:
        """The keys of all records that nobody took."""
        self._held.update(self._records)
        return list(self._held)
