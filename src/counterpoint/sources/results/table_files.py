"""Records in tables: lines of text with commas or tabs, Parquet, and spreadsheets; the first line names the columns."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from counterpoint.core.errors import SourceError
from counterpoint.sources import table_rows
from counterpoint.sources.results.predictions import ResultRecord

_SHEET = "pip install 'counterpoint[xlsx]'"


def delimited(path: Path) -> Iterator[ResultRecord]:
    """The rows of a text file with commas, tabs or semicolons."""
    return _records(path, table_rows.delimited(path))


def parquet(path: Path) -> Iterator[ResultRecord]:
    """The rows of a Parquet file, without its columns of bytes, such as pictures."""
    return _records(path, table_rows.parquet(path, lambda kind: not table_rows.holds_bytes(kind)))


def _records(path: Path, rows: Iterator[table_rows.Row]) -> Iterator[ResultRecord]:
    filled = ((number, row) for number, row in rows if isinstance(row, str) or any(cell != "" for cell in row.values()))
    return (ResultRecord(f"{path}, record {number}", row) for number, row in filled)


def sheet(path: Path) -> Iterator[ResultRecord]:
    """The rows of the first sheet of a spreadsheet, one at a time; an empty cell is an empty text."""
    try:
        from openpyxl import load_workbook
    except ImportError as problem:
        raise SourceError(f"{path} is a spreadsheet, and openpyxl is not installed", hint=_SHEET) from problem
    try:
        with closing(load_workbook(path, read_only=True, data_only=True)) as book:
            names: list[str] = []
            rows = (["" if cell is None else cell for cell in row] for row in book.worksheets[0].values)
            for number, row in enumerate(_filled(rows)):
                if number:
                    yield ResultRecord(f"{path}, record {number}", dict(zip(names, row, strict=False)))
                else:
                    names = table_rows.column_names([str(cell) for cell in row], path)
    except SourceError:
        raise
    except Exception as problem:  # a damaged one raises nearly anything
        fact = f"{path} cannot be read as a spreadsheet: {problem}"
        raise SourceError(fact, hint="open it and save it as xlsx, or as CSV") from problem


def _filled(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    return (row for row in rows if any(cell != "" for cell in row))
