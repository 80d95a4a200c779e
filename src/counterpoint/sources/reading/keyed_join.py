"""A streaming join of two large files by key."""

from collections.abc import Iterator
from typing import Generic, TypeVar

Value = TypeVar("Value")


class KeyedJoin(Generic[Value]):
    """The records of a second file by key, taken in the order of a first file.

    Records are buffered only as far as the orders of the two files differ.

    >>> second = KeyedJoin(iter([("b", 2), ("a", 1), ("d", 4)]))
    >>> second.take("a"), second.take("b"), second.take("c"), second.left()
    (1, 2, None, ['d'])
    """

    def __init__(self, records: Iterator[tuple[str, Value]]) -> None:
        self._records = records
        self._held: dict[str, Value] = {}

    def take(self, key: str) -> Value | None:
        """Remove and return the record of this key; none if there is none."""
        if key in self._held:
            return self._held.pop(key)
        for other, value in self._records:
            if other == key:
                return value
            self._held[other] = value
        return None

    def left(self) -> list[str]:
        """The keys of all records that were not taken."""
        self._held.update(self._records)
        return list(self._held)
