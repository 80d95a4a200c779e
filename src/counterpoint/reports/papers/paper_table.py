"""A table as a paper prints it: row names, values with intervals, and notes."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class PaperCell:
    """A share from 0 to 1 with its interval, a count, or a text such as "not run" instead."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    text: str = ""

    @classmethod
    def published(cls, percent: float | None) -> "PaperCell":
        """A value of the paper, which prints per cent without an interval."""
        return NOT_APPLICABLE if percent is None else cls(percent / 100)

    @classmethod
    def scored(cls, row: Mapping[str, Any]) -> "PaperCell":
        """The score in a row of a table of scores; not applicable where nothing counts."""
        return cls(row["value"], row["low"], row["high"], row["n"]) if row["n"] else NOT_APPLICABLE

    @classmethod
    def counted(cls, count: int) -> "PaperCell":
        """A count."""
        return cls(text=f"{count:,}", n=count)


NOT_APPLICABLE = PaperCell(text="–")
NOT_RUN = PaperCell(text="not run")


@dataclass(frozen=True, slots=True)
class PaperRow:
    """The names of a row, its cells, and whether the paper printed them."""

    names: tuple[str, ...]
    cells: tuple[PaperCell, ...]
    printed: bool = False


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table under its number in the paper."""

    label: str  # "1", "figure-2"
    title: str
    names: tuple[str, ...]  # heads of the columns that name a row
    heads: tuple[str, ...]
    rows: tuple[PaperRow, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: a cell is its value with its interval, a count, or its text."""
        return {
            "table": self.label,
            "title": self.title,
            "notes": list(self.notes),
            "rows": [
                dict(zip(self.names, row.names, strict=True))
                | {"printed": row.printed}
                | {head: _plain(cell) for head, cell in zip(self.heads, row.cells, strict=True)}
                for row in self.rows
            ],
        }


def _plain(cell: PaperCell) -> Any:
    if cell.value is None:
        return cell.text if cell.n is None else cell.n
    ends = {} if cell.low is None else {"low": cell.low, "high": cell.high, "n": cell.n}
    return {"value": cell.value, **ends}


PublishedValues = Mapping[str, Mapping[str, tuple[PaperCell, ...]]]
"""The values that a paper prints, by table or metric, and by row."""


@cache
def read_published_values(name: str) -> PublishedValues:
    """The values in a file beside this module, which has per cent; nan is a cell that the paper leaves empty."""
    sections = tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))
    return {
        section: {
            row: tuple(PaperCell.published(None if isnan(value) else value) for value in values)
            for row, values in rows.items()
        }
        for section, rows in sections.items()
    }
