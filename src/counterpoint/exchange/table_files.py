"""Records in tables: lines of text with commas or tabs, Parquet, and spreadsheets; the first line names the columns."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from counterpoint.core.errors import SourceError
from counterpoint.exchange.results import Record

_SHEET = "pip install 'counterpoint[xlsx]'"
_FIELD = 1 << 30  # characters; some tables carry pictures as text


def delimited(path: Path) -> Iterator[Record]:
    """The rows of a text file; whether commas, tabs or semicolons part its fields is seen in its first line.

    A quotation mark that is never closed would swallow all rows behind it: that is an error, and no guess is made.
    """
    csv.field_size_limit(_FIELD)
    number = 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            file.seek(0)
            mark = max("\t,;", key=first.count)
            for number, row in enumerate(_filled(csv.reader(file, delimiter=mark, strict=True))):
                if number == 0:
                    names = _names(row, path)
                elif len(row) != len(names):
                    why = f"{len(row)} fields, and the first line names {len(names)}"
                    yield Record(f"{path}, record {number}", why)
                else:
                    yield Record(f"{path}, record {number}", dict(zip(names, row, strict=True)))
    except csv.Error as problem:
        hint = "put fields with quotation marks in quotation marks, and double those within; or write JSON lines"
        raise SourceError(f"{path}, record {number + 1}: {problem}", hint=hint) from problem
    except UnicodeDecodeError as problem:
        fact = f"{path} is no text in UTF-8: byte {problem.start} is {problem.object[problem.start]:#04x}"
        raise SourceError(
            fact, hint="save it as UTF-8; Parquet, xlsx and .eval files are known by their content"
        ) from None


def parquet(path: Path) -> Iterator[Record]:
    """The rows of a Parquet file, some at a time, without its columns of bytes, such as pictures."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        light = [field.name for field in file.schema_arrow if not _heavy(field.type)]
        number = 0
        for batch in file.iter_batches(columns=light, batch_size=10_000):
            for row in batch.to_pylist():
                number += 1
                yield Record(f"{path}, record {number}", row)
    except (pa.ArrowException, OSError) as problem:
        fact = f"{path} cannot be read as Parquet: {str(problem).splitlines()[0]}"
        raise SourceError(fact, hint="it may have been cut off while it was copied") from problem


def sheet(path: Path) -> Iterator[Record]:
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
                    yield Record(f"{path}, record {number}", dict(zip(names, row, strict=False)))
                else:
                    names = _names([str(cell) for cell in row], path)
    except SourceError:
        raise
    except Exception as problem:  # a damaged one raises nearly anything
        fact = f"{path} cannot be read as a spreadsheet: {problem}"
        raise SourceError(fact, hint="open it and save it as xlsx, or as CSV") from problem


def _filled(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    return (row for row in rows if any(cell != "" for cell in row))


def _names(row: Sequence[str], path: Path) -> list[str]:
    """The names of columns, without the empty ones at the end; the same name twice is an error."""
    names = [name.strip() for name in row]
    if twice := [name for name, times in Counter(names).items() if times > 1 and name]:
        raise SourceError(f"{path} has two columns {twice[0]!r}", hint="name each column once, in the first line")
    return names


def _heavy(kind: Any) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_binary(kind) or kinds.is_large_binary(kind) or kinds.is_struct(kind))
