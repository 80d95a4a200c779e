"""Rows of files that people make themselves: JSON, lines of JSON, text with commas or tabs, and Parquet."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from counterpoint.core.errors import SourceError
from counterpoint.sources.columns import KEY
from counterpoint.sources.records import Record, elements, first_sign, members
from counterpoint.sources.skips import Skips
from counterpoint.sources.table_rows import Row, delimited, parquet

ENDINGS = (".jsonl", ".json", ".ndjson", ".csv", ".tsv", ".parquet")
"""What such files are called."""

ColumnTest: TypeAlias = Callable[[Sequence[str]], bool]
"""Whether these names of columns are those of a row."""


def read_rows(path: Path, skips: Skips, fits: ColumnTest, within: str = "") -> Iterator[Record]:
    """Every row of a file, known by its content; `within` is the name of the list in an object that has the rows."""
    start = _beginning(path)
    if start.startswith(b"PAR1"):
        return _rows(path, parquet(path), skips)
    if path.suffix not in (".csv", ".tsv") and start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _json(path, skips, fits, within)
    return _rows(path, delimited(path), skips)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(64)
    except OSError as problem:
        fact = f"{path} cannot be read: {problem.strerror or problem}"
        raise SourceError(fact, hint="check its name and rights") from problem


def _json(path: Path, skips: Skips, fits: ColumnTest, within: str) -> Iterator[Record]:
    if within or not _is_keyed(path, fits):
        found: Iterator[tuple[str | int, Any]] = enumerate(elements(path, within))
        yield from _records(path, found, skips)
        return
    keyed = ((key, {KEY: key} | row if isinstance(row, dict) else row) for key, row in members(path))
    yield from _records(path, keyed, skips)


def _is_keyed(path: Path, fits: ColumnTest) -> bool:
    """Whether a file is an object of rows by key, and not a row a line."""
    first = next(islice(members(path), 1), ("", None))[1] if first_sign(path) == b"{" else None
    return isinstance(first, dict) and fits(tuple(first))


def _records(path: Path, found: Iterator[tuple[str | int, Any]], skips: Skips) -> Iterator[Record]:
    for place, content in found:
        try:
            yield Record(content, f"{path.name}, record", place)
        except SourceError as problem:
            skips.problem(problem)


def _rows(path: Path, found: Iterator[Row], skips: Skips) -> Iterator[Record]:
    for number, row in found:
        if isinstance(row, str):
            hint = "put fields with commas in quotation marks"
            skips.problem(SourceError(f"{path.name}, row {number} has {row}", hint=hint))
        else:
            yield Record(row, f"{path.name}, row", number)
