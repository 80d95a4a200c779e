"""Rows of tables: text with commas, tabs or semicolons, Parquet, Arrow, spreadsheets, and JSON of a row per record."""

import csv
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias
from zipfile import BadZipFile, ZipFile

from counterpoint.core.errors import SourceError
from counterpoint.core.extras import install_command
from counterpoint.sources.reading.columns import ITEMS, KEY
from counterpoint.sources.reading.json_files import elements, first_sign, members, object_keys
from counterpoint.sources.reading.records import Record, Skips

if TYPE_CHECKING:
    import pyarrow as pa

NumberedRow: TypeAlias = tuple[int, Mapping[str, Any] | str]
"""A row by the names of its columns, or what is wrong with it."""

FIELD_CHARACTERS = 1 << 30
"""The longest field of a text file; some tables carry pictures as text."""
_DECLARED = re.compile(r"sep=([,;\t|])")  # a first line for Excel, which takes it for no row either
_ROWS, _FEW = 4096, 32  # at a time; fewer where rows hold pictures
ENDINGS = (".jsonl", ".json", ".ndjson", ".csv", ".tsv", ".parquet", ".arrow", ".xlsx")
"""The suffixes of such files."""
_ARROW_FILE, _ARROW_STREAM = b"ARROW1", b"\xff\xff\xff\xff"
_PACKED: Mapping[bytes, str] = MappingProxyType(
    {
        b"\x1f\x8b": "gunzip",
        b"\xfd7zXZ": "unxz",
        b"BZh": "bunzip2",
        b"\x28\xb5\x2f\xfd": "unzstd",
        b"7z\xbc\xaf": "7z x",
    }
)
_TAR, _TAR_PLACE = b"ustar", 257

ColumnTest: TypeAlias = Callable[[Sequence[str]], bool]
"""Whether these names of columns are those of a row."""


def read_rows(path: Path, skips: Skips, fits: ColumnTest, within: str = "") -> Iterator[Record]:
    """Every row of a file, whose format is told by its content; `within` names the list that has the rows."""
    start = read_start(path, 512)
    refuse_packed(path, start)
    if is_columnar(start):
        return _rows(path, columnar(path), skips)
    if start.startswith(b"PK\x03\x04"):
        return _rows(path, spreadsheet(path), skips)
    if path.suffix not in (".csv", ".tsv") and start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _json(path, skips, fits, within)
    return _rows(path, delimited(path), skips)


def read_start(path: Path, size: int) -> bytes:
    """The first bytes of a file."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as problem:
        fact = f"{path} cannot be read: {problem.strerror or problem}"
        raise SourceError(fact, hint="check its name and rights") from problem


def refuse_packed(path: Path, start: bytes) -> None:
    """Raise where a file is compressed or an archive, by its first 512 bytes; a zip file may be a spreadsheet."""
    program = next((program for mark, program in _PACKED.items() if start.startswith(mark)), "")
    if program:
        raise SourceError(f"{path} is compressed", hint=f"unpack it first: {program} {path.name}")
    if start[_TAR_PLACE:].startswith(_TAR):
        raise SourceError(f"{path} is an archive", hint=f"unpack it first: tar xf {path.name}")


def is_columnar(start: bytes) -> bool:
    """Whether a file that begins so is Parquet or Arrow."""
    return start.startswith((b"PAR1", _ARROW_FILE, _ARROW_STREAM))


def is_utf16(path: Path, start: bytes) -> bool:
    """Whether a table is text in UTF-16, as Excel and Windows write it; JSON in UTF-16 is an error."""
    if not start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return False
    if start.decode("utf-16", "ignore").lstrip()[:1] in ("{", "["):
        hint = f"save it as UTF-8: iconv -f UTF-16 -t UTF-8 {path.name} > utf8-{path.name}"
        raise SourceError(f"{path} is JSON in UTF-16", hint=hint)
    return True


def _json(path: Path, skips: Skips, fits: ColumnTest, within: str) -> Iterator[Record]:
    """The rows of a list, of a row a line, or of an object of rows by key, whose first row then has fitting columns."""
    contents: Iterable[tuple[str | int, Any]]
    if within and any(key == within and sign == "{" for key, sign in object_keys(path)):
        contents = map(_keyed, members(path, within))
    elif not within and _is_keyed(path, fits):
        contents = map(_keyed, members(path))
    else:
        contents = enumerate(elements(path, within))
    for place, content in contents:
        with skips:
            yield Record(content, f"{path.name}, record", place)


def _is_keyed(path: Path, fits: ColumnTest) -> bool:
    """Whether a file is one object of rows by key."""
    if path.suffix in (".jsonl", ".ndjson") or first_sign(path) != b"{":
        return False
    first = _keyed(next(members(path), ("", None)))[1]
    return isinstance(first, dict) and fits(tuple(first))


def _keyed(member: tuple[str, Any]) -> tuple[str, Any]:
    """A row with its key as a column; a list under a key is a column of such a row."""
    key, value = member
    if isinstance(value, list):
        value = {ITEMS: value}
    return key, {KEY: key} | value if isinstance(value, dict) else value


def _rows(path: Path, rows: Iterator[NumberedRow], skips: Skips) -> Iterator[Record]:
    for number, row in rows:
        if isinstance(row, str):
            hint = "put fields with commas, tabs or line breaks in quotation marks"
            skips.problem(SourceError(f"{path.name}, row {number} has {row}", hint=hint))
        else:
            yield Record(row, f"{path.name}, row", number)


def delimited(path: Path) -> Iterator[NumberedRow]:
    """The rows of a text file; whether commas, tabs or semicolons part its fields is seen in its first line.

    An unclosed quotation mark would swallow all following rows, and is an error.
    """
    csv.field_size_limit(FIELD_CHARACTERS)
    number, names = 0, None
    try:
        encoding = "utf-16" if is_utf16(path, read_start(path, 64)) else "utf-8-sig"
        with path.open(encoding=encoding, newline="") as file:
            head = next((line for line in iter(file.readline, "") if line.strip()), "")
            declared = _DECLARED.fullmatch(head.strip('\r\n" '))
            mark = declared[1] if declared else field_mark(head)
            if not declared:
                file.seek(0)
            for row in csv.reader(file, delimiter=mark, strict=True):
                if not row or (names is None and len(row) == 1 and not row[0].strip()):
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
        name, byte = encoding.upper().removesuffix("-SIG"), problem.object[problem.start]
        fact = f"{path.name} is no text in {name}: byte {problem.start} is {byte:#04x}"
        raise SourceError(fact, hint="save it as UTF-8") from None
    if names is None:
        raise SourceError(f"{path.name} is empty", hint="its first line should name the columns")


def field_mark(head: str) -> str:
    """What parts the fields of a text file, by its first line: a tab, a comma or a semicolon."""
    return max("\t,;", key=head.count)


def column_names(row: Sequence[str], path: Path) -> list[str]:
    """The names of columns; the same name twice is an error, and so is none at all."""
    names = [name.strip() for name in row]
    if twice := [name for name, times in Counter(names).items() if times > 1 and name]:
        raise SourceError(f"{path.name} has two columns {twice[0]!r}", hint="the first line names each column once")
    if not any(names):
        raise SourceError(f"the first line of {path.name} names no columns", hint="it should name each of them")
    return names


def columnar(path: Path, wanted: Callable[[Any], bool] = lambda kind: True) -> Iterator[NumberedRow]:
    """The rows of a Parquet or Arrow file, some at a time, with the columns of those types that are wanted."""
    import pyarrow as pa

    number, is_parquet = 0, read_start(path, 4) == b"PAR1"
    try:
        for batch in _parquet_batches(path, wanted) if is_parquet else _arrow_batches(path, wanted):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pa.ArrowException, OSError, ValueError, OverflowError, TypeError, LookupError) as problem:
        reason = (str(problem).splitlines() or [type(problem).__name__])[0]
        fact = f"{path.name} cannot be read as {'Parquet' if is_parquet else 'Arrow'} after row {number}: {reason}"
        raise SourceError(fact, hint="fetch or copy the file again; it may have been cut off") from problem


def _parquet_batches(path: Path, wanted: Callable[[Any], bool]) -> "Iterator[pa.RecordBatch]":
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path, memory_map=True)
    fields = [field for field in file.schema_arrow if wanted(field.type)]
    yield from file.iter_batches(columns=[field.name for field in fields], batch_size=_batch_size(fields))


def _arrow_batches(path: Path, wanted: Callable[[Any], bool]) -> "Iterator[pa.RecordBatch]":
    """The parts of an Arrow file, or of a stream, as `datasets` saves one."""
    import pyarrow as pa

    with pa.memory_map(str(path)) as file:
        if read_start(path, len(_ARROW_FILE)) == _ARROW_FILE:
            reader = pa.ipc.open_file(file)
            parts = (reader.get_batch(place) for place in range(reader.num_record_batches))
        else:
            parts = reader = pa.ipc.open_stream(file)
        fields = [field for field in reader.schema if wanted(field.type)]
        size = _batch_size(fields)
        for part in parts:
            chosen = part.select([field.name for field in fields])
            yield from (chosen.slice(place, size) for place in range(0, len(chosen), size))


def _batch_size(fields: "Sequence[pa.Field]") -> int:
    return _FEW if any(holds_bytes(field.type) for field in fields) else _ROWS


def holds_bytes(kind: Any) -> bool:
    """Whether values of a type hold bytes, such as pictures."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return any(holds_bytes(kind.field(place).type) for place in range(kind.num_fields))
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def spreadsheet(path: Path) -> Iterator[NumberedRow]:
    """The rows of the first sheet of a spreadsheet, one at a time; an empty cell is an empty text."""
    if not _is_workbook(path):
        raise SourceError(
            f"{path} is an archive", hint=f"unpack it, and name the file with the rows: unzip {path.name}"
        )
    try:
        from openpyxl import load_workbook
    except ImportError as problem:
        raise SourceError(
            f"{path} is a spreadsheet, and openpyxl is not installed", hint=install_command("xlsx")
        ) from problem
    try:
        with closing(load_workbook(path, read_only=True, data_only=True)) as book:
            names: list[str] = []
            rows = (["" if cell is None else cell for cell in row] for row in book.worksheets[0].values)
            for number, row in enumerate(row for row in rows if any(cell != "" for cell in row)):
                if number:
                    yield number, dict(zip(names, row, strict=False))
                else:
                    names = column_names([str(cell) for cell in row], path)
    except SourceError:
        raise
    except Exception as problem:  # a damaged one raises nearly anything
        fact = f"{path} cannot be read as a spreadsheet: {problem}"
        raise SourceError(fact, hint="open it and save it as xlsx, or as CSV") from problem


def _is_workbook(path: Path) -> bool:
    """Whether a zip file is not that of something else; a damaged one may be a spreadsheet."""
    try:
        with ZipFile(path) as archive:
            return any(name.startswith("xl/") for name in archive.namelist())
    except (BadZipFile, OSError, NotImplementedError):
        return True
