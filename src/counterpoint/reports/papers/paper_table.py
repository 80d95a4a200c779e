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
    reason: str = ""  # why there is no value

    @classmethod
    def empty(cls, reason: str = "") -> "PaperCell":
        """A cell that cannot have a value, and why."""
        return cls(text="–", reason=reason)

    @classmethod
    def published(cls, percent: float | None) -> "PaperCell":
        """A value of the paper, which prints per cent without an interval."""
        return cls.empty() if percent is None else cls(percent / 100)

    @classmethod
    def scored(cls, row: Mapping[str, Any], reason: str = "") -> "PaperCell":
        """The score in a row of a table of scores; not applicable, for this reason, where nothing counts."""
        if row["n"]:
            return cls(row["value"], row["low"], row["high"], row["n"])
        return cls.empty(row.get("reason") or reason)

    @classmethod
    def counted(cls, count: int) -> "PaperCell":
        """A count."""
        return cls(text=f"{count:,}", n=count)

    @property
    def as_count(self) -> "PaperCell":
        """A value of the paper that is no per cent but a count."""
        return self if self.value is None else PaperCell.counted(round(100 * self.value))


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

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, and why cells have no value: each reason once, with the rows unless all of the lab share it."""
        columns: dict[tuple[str, str], list[str]] = {}
        for row in self.rows:
            for head, cell in zip(self.heads, row.cells, strict=True):
                if cell.reason:
                    columns.setdefault((" / ".join(row.names), cell.reason), []).append(head)
        rows: dict[tuple[str, str], list[str]] = {}
        for (name, reason), heads in columns.items():
            rows.setdefault((", ".join(heads), reason), []).append(name)
        ours = sum(not row.printed for row in self.rows)
        named = {key: f"{', '.join(names)}: " * (len(names) < ours) for key, names in rows.items()}
        return *self.notes, *(f"{names}{heads}: {reason}." for (heads, reason), names in named.items())

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: a cell is its value with its interval, a count, or its text."""
        return {
            "table": self.label,
            "title": self.title,
            "notes": list(self.remarks),
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
