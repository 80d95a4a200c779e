"""What every result of a lab can do: become a dictionary, a table of Arrow or pandas, text, or HTML in a notebook."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from counterpoint.core.errors import CounterpointError
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable

_PREVIEW = 8  # rows of a long table that are shown in a notebook


class LabResult(ABC):
    """A result that can be shown in a terminal and in a notebook, and taken further as data."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain values, as `--json` prints them."""

    @abstractmethod
    def tables(self) -> Sequence[ResultTable]:
        """The tables that show it."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """One flat dictionary per row."""

    def notes(self) -> Sequence[str]:
        """Sentences below the tables."""
        return ()

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        return pa.Table.from_pylist(self.records())

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame; pandas has to be installed."""
        try:
            return self.to_arrow().to_pandas()
        except ImportError as problem:
            raise CounterpointError(
                "pandas is not installed", hint="pip install pandas, or use to_arrow()"
            ) from problem

    def text(self, form: str = "plain") -> str:
        """The tables and notes as plain text, Markdown or LaTeX."""
        mark = {"plain": "{}", "markdown": "- {}", "latex": "% {}"}[form]
        lines = "\n".join(mark.format(note) for note in self.notes())
        return "\n\n".join(filter(None, [*(TABLE_FORMATS[form](table) for table in self.tables()), lines]))

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from html import escape

        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes())
        return "\n".join(table.html() for table in self.tables()) + notes


@dataclass(frozen=True, slots=True, repr=False)
class LabTable(LabResult):
    """A table of a lab: groups, answers or outcomes, one row per query."""

    title: str
    table: pa.Table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def to_arrow(self) -> pa.Table:
        """The whole table."""
        return self.table

    def to_dict(self) -> dict[str, Any]:
        """The title and all rows."""
        return {"title": self.title, "rows": self.records()}

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per row."""
        return list(self.table.to_pylist())

    def tables(self) -> list[ResultTable]:
        """The first rows."""
        heads = self.table.column_names
        rows = [[_short(row[name]) for name in heads] for row in self.table.slice(0, _PREVIEW).to_pylist()]
        return [ResultTable(f"{self.title}: {len(self):,} rows", heads, rows, names=len(heads))]

    def notes(self) -> list[str]:
        """How much is not shown."""
        left = len(self) - _PREVIEW
        return [f"{left:,} further rows; to_pandas() or to_arrow() has all"] if left > 0 else []


def _short(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
