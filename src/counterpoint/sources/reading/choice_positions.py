"""Positions of right choices: whether a whole file counts them from 0 or from 1."""

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from counterpoint.sources.reading.cells import is_position, parse_nested, text_of

logger = logging.getLogger(__name__)

OfferedAnswers: TypeAlias = Iterable[tuple[Any, Sequence[str]]]
"""The cell of the right answer of each row, and its choices."""


class ChoicePositions:
    """Where positions of choices begin in a file; its rows are read for it when the first position is met."""

    def __init__(self, name: str = "", rows: Callable[[], OfferedAnswers] = tuple) -> None:
        self._name, self._rows = name, rows

    def first(self, cell: Any, choices: Sequence[str]) -> int:
        """The position of the first choice, 0 or 1, for a cell of an answer."""
        return self._first if _positions(cell, choices) else 0

    @cached_property
    def _first(self) -> int:
        first = first_position(self._rows())
        if first:
            logger.warning(
                "%s: numbers of right choices are read from 1, since none is 0 and some are the number of choices",
                self._name,
            )
        return first


def first_position(rows: OfferedAnswers) -> int:
    """1 where no position is 0, none is beyond the number of choices, and some are that number; else 0.

    >>> first_position([(1, "ab"), ("2", "ab")]), first_position([(1, "ab"), (1, "abc")]), first_position([(0, "ab")])
    (1, 0, 0)
    """
    is_at_end = False
    for cell, choices in rows:
        for position in _positions(cell, choices):
            if not 1 <= position <= len(choices):
                return 0
            is_at_end |= position == len(choices)
    return int(is_at_end)


def _positions(cell: Any, choices: Sequence[str]) -> list[int]:
    """The positions among the answers in a cell, which may be a list, or an object with a credit for each."""
    value = parse_nested(cell)
    listed = value if isinstance(value, list | tuple | dict) else [value]
    return [int(text) for text in map(text_of, listed) if is_position(text, choices)]
