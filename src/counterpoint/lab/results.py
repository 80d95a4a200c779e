"""What every result of a lab can do: become a dictionary, a table of Arrow or pandas, text, or HTML in a notebook."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from html import escape
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import pyarrow as pa

from counterpoint.core.errors import CounterpointError, shorten
from counterpoint.core.quantities import counted
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable, wrap_line

Row = TypeVar("Row", covariant=True)
_PREVIEW = 8  # rows of a long table that are shown in a notebook
_ABOUT = ("request", "remarks")  # fields that are no data


class LabResult(Generic[Row]):
    """A result that can be shown in a terminal and in a notebook, and taken further as data.

    A subclass is a dataclass, made with the name of the field that holds its `rows`; `remarks` are notes.
    """

    __slots__ = ()
    _rows: ClassVar[str] = ""  # by default the result is one row

    def __init_subclass__(cls, rows: str = "") -> None:
        super().__init_subclass__()
        cls._rows = rows or cls._rows  # a dataclass with slots is made twice, the second time without arguments

    def __iter__(self) -> Iterator[Row]:
        return iter(self._items())

    def __len__(self) -> int:
        return len(self._items())

    def _items(self) -> Any:
        return getattr(self, self._rows) if self._rows else self.records()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as `--json` prints them: by default all fields."""
        return {name: value for name, value in _field_values(self).items() if name not in _ABOUT}

    def records(self) -> list[dict[str, Any]]:
        """One flat dictionary per row."""
        return [to_plain(row) for row in getattr(self, self._rows)] if self._rows else [self.to_dict()]

    def tables(self) -> Sequence[ResultTable]:
        """The tables that show it; none where sentences do."""
        return ()

    def notes(self) -> Sequence[str]:
        """Sentences below the tables."""
        remarks: Sequence[str] = getattr(self, "remarks", ())
        return remarks

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        records = self.records()
        names = dict.fromkeys(name for row in records for name in row)  # Arrow itself takes those of the first row
        return pa.Table.from_pylist([{name: row.get(name) for name in names} for row in records])

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame; pandas has to be installed."""
        try:
            return self.to_arrow().to_pandas()
        except ImportError as problem:
            raise CounterpointError(
                "pandas is not installed", hint="pip install pandas, or use to_arrow()"
            ) from problem

    def text(self, form: str = "plain", *, width: int = 0) -> str:
        """The tables and notes as plain text, Markdown or LaTeX; plain text in lines of `width`, where it is given."""
        mark = {"plain": "{}", "markdown": "- {}", "latex": "% {}"}[form]
        if form == "plain" and width:
            notes = "\n".join(wrap_line(note, width) for note in self.notes())
            return "\n\n".join(filter(None, [*(table.plain(width) for table in self.tables()), notes]))
        lines = "\n".join(mark.format(note) for note in self.notes())
        return "\n\n".join(filter(None, [*(TABLE_FORMATS[form](table) for table in self.tables()), lines]))

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes())
        return "\n".join(table.html() for table in self.tables()) + notes


@dataclass(frozen=True, slots=True, repr=False)
class LabTable(LabResult[dict[str, Any]]):
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
        first = self.table.slice(0, _PREVIEW).to_pylist()
        rows = [["" if row[name] is None else shorten(str(row[name])) for name in heads] for row in first]
        return [ResultTable(f"{self.title}: {counted(len(self), 'row')}", heads, rows, names=len(heads))]

    def notes(self) -> list[str]:
        """How much is not shown."""
        left = len(self) - _PREVIEW
        return [f"{counted(left, 'further row')}; to_pandas() or to_arrow() has all"] if left > 0 else []


def to_plain(value: Any) -> Any:
    """A value as JSON has it: dataclasses and mappings as dictionaries, sequences as lists, paths as text.

    JSON has neither NaN nor infinities; they become None.
    """
    if hasattr(value, "to_dict"):
        return to_plain(value.to_dict())
    if is_dataclass(value):
        return _field_values(value)
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value


def _field_values(value: Any) -> dict[str, Any]:
    return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
