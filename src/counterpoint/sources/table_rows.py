"""Rows of tables: text with commas, tabs or semicolons, and Parquet; each with its number, counted from 1."""

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from counterpoint.core.errors import SourceError

Row: TypeAlias = tuple[int, Mapping[str, Any] | str]
"""A row by the names of its columns, or what is wrong with it."""

_FIELD = 1 << 30  # characters; some tables carry pictures as text
_ROWS, _FEW = 4096, 32  # at a time; fewer where rows hold pictures


def delimited(path: Path) -> Iterator[Row]:
    """The rows of a text file; whether commas, tabs or semicolons part its fields is seen in its first line.

    A quotation mark that is never closed would swallow all rows behind it: that is an error, and no guess is made.
    """
    csv.field_size_limit(_FIELD)
    number, names = 0, None
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            mark = max("\t,;", key=file.readline().count)
            file.seek(0)
            for row in csv.reader(file, delimiter=mark, strict=True):
                if not row:
                    continue
                if names is None:
                    names = column_names(row, path)
                    continue
                number += 1
                if len(row) == len(names):
                    yield number, dict(zip(names, row, strict=True))
                else:
                    yield number, f"{len(row)} fields, and the first line names {len(names)}"
    except csv.Error as problem:
        hint = "put fields with quotation marks in quotation marks, and double those within; or write JSON lines"
        raise SourceError(f"{path.name}, record {number + 1}: {problem}", hint=hint) from problem
    except UnicodeDecodeError as problem:
        fact = f"{path.name} is no text in UTF-8: byte {problem.start} is {problem.object[problem.start]:#04x}"
        raise SourceError(fact, hint="save it as UTF-8") from None
    if names is None:
        raise SourceError(f"{path.name} is empty", hint="its first line should name the columns")


def column_names(row: Sequence[str], path: Path) -> list[str]:
    """The names of columns; the same name twice is an error, and so is none at all."""
    names = [name.strip() for name in row]
    if twice := [name for name, times in Counter(names).items() if times > 1 and name]:
        raise SourceError(f"{path.name} has two columns {twice[0]!r}", hint="the first line names each column once")
    if not any(names):
        raise SourceError(f"the first line of {path.name} names no columns", hint="it should name each of them")
    return names


def parquet(path: Path, wanted: Callable[[Any], bool] = lambda kind: True) -> Iterator[Row]:
    """The rows of a Parquet file, some at a time, with the columns of those types that are wanted."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        file = pq.ParquetFile(path, memory_map=True)
        fields = [field for field in file.schema_arrow if wanted(field.type)]
        many = _FEW if any(holds_bytes(field.type) for field in fields) else _ROWS
        for batch in file.iter_batches(columns=[field.name for field in fields], batch_size=many):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pa.ArrowException, OSError, ValueError, OverflowError, TypeError, LookupError) as problem:
        told = (str(problem).splitlines() or [type(problem).__name__])[0]
        fact = f"{path.name} cannot be read as Parquet after row {number}: {told}"
        raise SourceError(fact, hint="fetch or copy the file again; it may have been cut off") from problem


def holds_bytes(kind: Any) -> bool:
    """Whether values of a type hold bytes, such as pictures."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return any(holds_bytes(kind.field(place).type) for place in range(kind.num_fields))
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))
