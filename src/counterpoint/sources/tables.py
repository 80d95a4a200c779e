"""Rows of files that people make themselves: JSON, lines of JSON, text with commas or tabs, and Parquet."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from counterpoint.core.errors import SourceError
from counterpoint.sources.records import Record, elements, first_sign, members
from counterpoint.sources.skips import Skips

ENDINGS = (".jsonl", ".json", ".ndjson", ".csv", ".tsv", ".parquet")
"""What such files are called."""
KEY = "__key__"
"""The column in which a row has the key under which it stands in an object."""
_FIELD = 1 << 30  # characters; some tables carry pictures as text
_ROWS, _FEW = 4096, 32  # at a time; fewer where rows hold pictures

Fits: TypeAlias = Callable[[Sequence[str]], bool]
"""Whether these names of columns are those of a row."""


def rows(path: Path, skips: Skips, fits: Fits, within: str = "") -> Iterator[Record]:
    """Every row of a file, known by its content; `within` is the name of the list in an object that has the rows."""
    start = _beginning(path)
    if start.startswith(b"PAR1"):
        return _parquet(path)
    if path.suffix not in (".csv", ".tsv") and start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _json(path, skips, fits, within)
    return _delimited(path, skips)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(64)
    except OSError as problem:
        fact = f"{path} cannot be read: {problem.strerror or problem}"
        raise SourceError(fact, hint="check its name and rights") from problem


def _json(path: Path, skips: Skips, fits: Fits, within: str) -> Iterator[Record]:
    if within or not _is_keyed(path, fits):
        found: Iterator[tuple[str | int, Any]] = enumerate(elements(path, within))
        yield from _records(path, found, skips)
        return
    keyed = ((key, {KEY: key} | row if isinstance(row, dict) else row) for key, row in members(path))
    yield from _records(path, keyed, skips)


def _is_keyed(path: Path, fits: Fits) -> bool:
    """Whether a file is an object of rows by key, and not a row a line."""
    first = next(islice(members(path), 1), ("", None))[1] if first_sign(path) == b"{" else None
    return isinstance(first, dict) and fits(tuple(first))


def _records(path: Path, found: Iterator[tuple[str | int, Any]], skips: Skips) -> Iterator[Record]:
    for place, content in found:
        try:
            yield Record(content, f"{path.name}, record", place)
        except SourceError as problem:
            skips.problem(problem)


def _delimited(path: Path, skips: Skips) -> Iterator[Record]:
    """Rows of text; whether commas, tabs or semicolons part the fields is seen in the first line, which names them."""
    csv.field_size_limit(_FIELD)
    number, names = 0, None
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            mark = max("\t,;", key=file.readline().count)
            file.seek(0)
            for row in csv.reader(file, delimiter=mark, strict=True):
                if names is None:
                    names = _names(row, path)
                elif len(row) == len(names):
                    yield Record(dict(zip(names, row, strict=True)), f"{path.name}, row", number)
                elif row:
                    fact = f"{path.name}, row {number} has {len(row)} fields, and the first line names {len(names)}"
                    skips.problem(SourceError(fact, hint="put fields with commas in quotation marks"))
                number += 1
    except csv.Error as problem:
        hint = "put fields with quotation marks in quotation marks, and double those within; or write JSON lines"
        raise SourceError(f"{path.name}, row {number}: {problem}", hint=hint) from problem
    except UnicodeDecodeError as problem:
        raise SourceError(f"{path.name} is no text in UTF-8", hint="save it as UTF-8") from problem
    if names is None:
        raise SourceError(f"{path.name} is empty", hint="its first line should name the columns")


def _names(row: list[str], path: Path) -> list[str]:
    names = [name.strip() for name in row]
    twice = sorted({name for name in names if names.count(name) > 1 and name})
    if twice or not any(names):
        fact = f"{path.name} names {twice[0]!r} twice" if twice else f"the first line of {path.name} names no columns"
        raise SourceError(fact, hint="the first line names the columns, each once")
    return names


def _parquet(path: Path) -> Iterator[Record]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        file = pq.ParquetFile(path, memory_map=True)
        heavy = any(_holds_bytes(field.type) for field in file.schema_arrow)
        for batch in file.iter_batches(batch_size=_FEW if heavy else _ROWS):
            for row in batch.to_pylist():
                yield Record(row, f"{path.name}, row", number)
                number += 1
    except (pa.ArrowException, OSError, ValueError, OverflowError, TypeError, LookupError) as problem:
        told = (str(problem).splitlines() or [type(problem).__name__])[0]
        fact = f"{path.name} cannot be read as Parquet after row {number}: {told}"
        raise SourceError(fact, hint="fetch or copy the file again; it may have been cut off") from problem


def _holds_bytes(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return any(_holds_bytes(kind.field(place).type) for place in range(kind.num_fields))
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def value_at(content: Mapping[str, Any], name: str) -> Any:
    """The value under a name, or under names joined by dots, one within the other."""
    if not name or name in content:
        return content.get(name)
    value: Any = content
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value
