"""The tables, which are the contract between packages: one schema constant each, validation, and Parquet files.

Long format: one row per query of a group, one row per answer. Ids are unsigned 64-bit numbers. Every file holds
the name and version of its table in its metadata, and opens in any Parquet reader.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from counterpoint.core.errors import StoreError, shorten
from counterpoint.store.storage import Storage

VERSION = 1

_CREDIT = pa.struct([pa.field("answer", pa.string()), pa.field("credit", pa.float64())])
_OBJECT = pa.struct([pa.field("name", pa.string()), *(pa.field(n, pa.int32()) for n in ("x", "y", "width", "height"))])
_LIKELY = pa.struct([pa.field("value", pa.string()), pa.field("probability", pa.float32())])
_ADDED = {
    "tokens_in",
    "tokens_out",
    "prompt",
    "offered",
    "corrections",
}  # columns that files of earlier releases do not have
_CORRECTION = pa.struct([pa.field("query", pa.uint64()), pa.field("answer", pa.string())])
_UNIQUE = {"query", "group_id"}  # ids hardly repeat, so a dictionary of them only costs
_NUMBERS = {"base", "base_query", "row", "place"}  # nor do these of tables that are made of others
_ENCODED_TEXT = pa.dictionary(pa.int32(), pa.string())
_ENCODED_LEAVES = {"gold": "gold.list.element.answer", "top": "top.list.element.value"}  # the texts within a column


def _schema(name: str, fields: list[pa.Field]) -> pa.Schema:
    return pa.schema(fields, metadata={"counterpoint.table": name, "counterpoint.version": str(VERSION)})


GROUPS = _schema(
    "groups",
    [
        pa.field("suite", pa.string(), nullable=False),
        pa.field("test", pa.string(), nullable=False),
        pa.field("group_id", pa.uint64(), nullable=False),
        pa.field("role", pa.uint16(), nullable=False),  # 0 is the base
        pa.field("relation", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("picture", pa.string()),  # an address; null for a query without a picture
        pa.field("edits", pa.string(), nullable=False),  # of pixels, canonical JSON [[name, [arguments], seed], …]
        pa.field("feature_edits", pa.string(), nullable=False),  # of a model's features, likewise
        pa.field("context", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("mode", pa.string(), nullable=False),
        pa.field("choices", pa.list_(pa.string()), nullable=False),
        pa.field("gold", pa.list_(_CREDIT)),  # null where there is none
        pa.field("objects", pa.list_(_OBJECT), nullable=False),  # what the question is about
        pa.field("width", pa.int32()),  # the size that the boxes of the objects refer to
        pa.field("height", pa.int32()),
        pa.field("tags", pa.map_(pa.string(), pa.string()), nullable=False),
        pa.field("proof", pa.string(), nullable=False),
        pa.field("query", pa.uint64(), nullable=False),
    ],
)
"""Suites: one row per query of a group, the base first."""

ANSWERS = _schema(
    "answers",
    [
        pa.field("query", pa.uint64(), nullable=False),
        pa.field("model", pa.string(), nullable=False),  # the fingerprint
        pa.field("trial", pa.uint16(), nullable=False),  # 0 is the plain pass
        pa.field("raw", pa.string(), nullable=False),
        pa.field("value", pa.string(), nullable=False),
        pa.field("rule", pa.string(), nullable=False),
        pa.field("state", pa.string(), nullable=False),
        pa.field("score", pa.float64()),
        pa.field("top", pa.list_(_LIKELY), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("digest", pa.string(), nullable=False),  # of the picture file; empty where there is none
        pa.field("seconds", pa.float32(), nullable=False),
        pa.field("tokens_in", pa.uint32()),  # null where not known
        pa.field("tokens_out", pa.uint32()),
        pa.field("prompt", pa.string()),  # what the model was asked; null where it is the query's text, or not known
        pa.field("offered", pa.list_(pa.string())),  # the choices as it saw them; null where they are the query's
    ],
)
"""Answers of models; append-only."""

VALUES = _schema(
    "values",
    [
        pa.field("query", pa.uint64(), nullable=False),
        pa.field("model", pa.string(), nullable=False),  # the fingerprint
        pa.field("trial", pa.uint16(), nullable=False),
        pa.field("raw_id", pa.uint64(), nullable=False),  # of the raw text that the value was taken from
        pa.field("value", pa.string(), nullable=False),
        pa.field("rule", pa.string(), nullable=False),
        pa.field("state", pa.string(), nullable=False),
    ],
)
"""Values of rescoring, which override the columns of these names in answers."""

VOTES = _schema(
    "votes",
    [
        pa.field("vote", pa.string(), nullable=False),  # 32 hexadecimal digits, made where the vote is cast
        pa.field("task", pa.string(), nullable=False),
        pa.field("suite", pa.string(), nullable=False),
        pa.field("group_id", pa.uint64(), nullable=False),
        pa.field("query", pa.uint64()),  # null where the vote is on the whole group
        pa.field("voter", pa.string(), nullable=False),
        pa.field("shown", pa.string(), nullable=False),  # caption-first or foil-first; empty in other tasks
        pa.field("choice", pa.string(), nullable=False),
        pa.field("value", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("note", pa.string(), nullable=False),
        pa.field("seconds", pa.float32(), nullable=False),
        pa.field("time", pa.timestamp("ms", tz="UTC"), nullable=False),
        pa.field("replaces", pa.string(), nullable=False),  # the id of the vote that it undoes, or empty
        pa.field("expected", pa.string(), nullable=False),  # the known choice of a gold item; empty for other items
        pa.field("corrections", pa.list_(_CORRECTION)),  # of an audit: wrong golds with the right answers; else null
    ],
)
"""Votes of people; append-only. Repeated and replaced ones are settled by `store.votes.read_votes`."""

PICTURES = _schema(
    "pictures",
    [
        pa.field("address", pa.string(), nullable=False),
        pa.field("size", pa.int64(), nullable=False),
        pa.field("mtime", pa.int64(), nullable=False),  # nanoseconds
        pa.field("digest", pa.string(), nullable=False),
    ],
)
"""Digests of picture files."""

TABLES: Mapping[str, pa.Schema] = MappingProxyType(
    {"groups": GROUPS, "answers": ANSWERS, "values": VALUES, "votes": VOTES, "pictures": PICTURES}
)
"""Every table by name."""


def check_table(
    table: pa.Table, name: str, place: str, columns: Sequence[str] | None = None, encoded: Sequence[str] = ()
) -> pa.Table:
    """The table cast to its schema, or a StoreError that names the first misfit at `place`.

    Only `columns`, if given; `encoded` ones as dictionaries, or with dictionaries of their answers.
    """
    about = table.schema.metadata or {}
    held = about.get(b"counterpoint.table", name.encode()).decode("utf-8", "replace")
    if held != name:
        raise StoreError(f"{place} holds the table {held!r}, not {name!r}", hint="check which file was meant")
    version = about.get(b"counterpoint.version", str(VERSION).encode()).decode("utf-8", "replace")
    if version != str(VERSION):
        fact = f"{place} holds version {version} of the table {name}, not {VERSION}"
        raise StoreError(fact, hint="use the version of counterpoint that wrote it")
    fields = [TABLES[name].field(column) for column in columns or TABLES[name].names]
    fields = [field.with_type(_encoded_type(field.type)) if field.name in encoded else field for field in fields]
    fitting = [_fitting(table, field, name, place) for field in fields]
    ours = {key: value for key, value in about.items() if key.startswith(b"counterpoint.")}
    return pa.table(fitting, schema=pa.schema(fields, metadata=ours | TABLES[name].metadata))


def _encoded_type(kind: pa.DataType) -> pa.DataType:
    if not pa.types.is_list(kind):
        return _ENCODED_TEXT
    text, *others = kind.value_type
    return pa.list_(pa.struct([text.with_type(_ENCODED_TEXT), *others]))


def _fitting(table: pa.Table, field: pa.Field, name: str, place: str) -> pa.ChunkedArray:
    if field.name in _ADDED and field.name not in table.column_names:
        return pa.chunked_array([pa.nulls(table.num_rows, field.type)])
    if table.column_names.count(field.name) != 1:
        many = "two columns" if field.name in table.column_names else "no column"
        fact = f"{place} has {many} {field.name!r}"
        raise StoreError(fact, hint=f"the table {name} has {', '.join(TABLES[name].names)}")
    column = table[field.name]
    if not field.nullable and column.null_count:
        row = pc.index(pc.is_null(column), True).as_py()
        raise StoreError(f"{place}, row {row}: nothing in {field.name!r}", hint="every row needs one; make it anew")
    if column.type == field.type:
        return column
    try:
        return column.cast(field.type)
    except (pa.ArrowException, ValueError) as problem:
        row = _first_misfit(column, field.type)
        fact = f"{place}, row {row}: {field.name!r} is no {field.type}: {shorten(repr(column[row].as_py()), 60)}"
        raise StoreError(fact, hint=f"write the column as {field.type}, or make the file anew") from problem


def _first_misfit(column: pa.ChunkedArray, kind: pa.DataType) -> int:
    """The first row that cannot be cast, by bisection."""
    start, stop = 0, len(column)
    while stop - start > 1:
        middle = (start + stop) // 2
        try:
            column.slice(start, middle - start).cast(kind)
            start = middle
        except (pa.ArrowException, ValueError):
            stop = middle
    return start


def as_lists(values: pa.Array) -> pa.Array:
    """Lists unchanged, and maps as lists of pairs."""
    if not pa.types.is_map(values.type):
        return values
    return values.cast(pa.list_(pa.struct([values.type.key_field, values.type.item_field])))


def to_parquet(table: pa.Table) -> bytes:
    """A table as the bytes of a Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **parquet_options(table.schema))
    content: bytes = sink.getvalue().to_pybytes()
    return content


def parquet_options(schema: pa.Schema) -> dict[str, Any]:
    """How Parquet files are written: a flipped bit is noticed, and texts that repeat are dictionary-encoded."""
    zstd = {"compression": "zstd", "compression_level": 1}
    return {**zstd, "use_dictionary": repeated_columns(schema), "write_page_checksum": True}


def repeated_columns(schema: pa.Schema) -> list[str]:
    """The paths of the columns that are worth a dictionary in a Parquet file."""
    return [path for field in schema if field.name not in _UNIQUE | _NUMBERS for path in _leaves(field)]


def _leaves(field: pa.Field, path: str = "") -> Iterator[str]:
    """The paths of the columns that a field has in a Parquet file."""
    path, kind = f"{path}{field.name}", field.type
    if pa.types.is_map(kind):
        yield from (f"{path}.key_value.{side}" for side in ("key", "value"))
    elif pa.types.is_list(kind):
        yield from _leaves(kind.value_field.with_name("element"), f"{path}.list.")
    elif pa.types.is_struct(kind):
        yield from (leaf for child in kind for leaf in _leaves(child, f"{path}."))
    else:
        yield path


def read_parquet(
    storage: Storage, name: str, table: str, columns: Sequence[str] | None = None, encoded: Sequence[str] = ()
) -> pa.Table:
    """The table in a file, checked against its schema; only these columns, if named; `encoded` ones as dictionaries."""
    place, wanted = storage.describe(name), None if columns is None else list(columns)
    with storage.open(name) as file, _translated_errors(place):
        opened = _opened(file, encoded)
        content = opened.read(_held(opened, wanted), use_threads=_is_native(file))
    return check_table(content, table, place, wanted, encoded)


def read_row_groups(
    storage: Storage, name: str, table: str, columns: Sequence[str], encoded: Sequence[str] = ()
) -> Iterator[pa.Table]:
    """The same columns of a file a row group at a time, in the memory of one."""
    place, wanted = storage.describe(name), list(columns)
    with storage.open(name) as file:
        with _translated_errors(place):
            opened = _opened(file, encoded)
        for number in range(opened.num_row_groups):
            with _translated_errors(place):
                content = opened.read_row_group(number, _held(opened, wanted), use_threads=_is_native(file))
            yield check_table(content, table, place, wanted, encoded)


def _opened(file: Any, encoded: Sequence[str]) -> pq.ParquetFile:
    texts = [_ENCODED_LEAVES.get(name, name) for name in encoded]
    how = {"read_dictionary": texts, "page_checksum_verification": True}
    return pq.ParquetFile(file, pre_buffer=_is_native(file), **how)


def _is_native(file: Any) -> bool:
    """Whether threads of Arrow may hold a file; one of Python that they hold when the interpreter ends aborts it."""
    return isinstance(file, pa.NativeFile)


def _held(opened: pq.ParquetFile, wanted: Sequence[str] | None) -> list[str] | None:
    """The wanted columns that a file has."""
    return None if wanted is None else [column for column in wanted if column in opened.schema_arrow.names]


@contextmanager
def _translated_errors(place: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, ValueError) as problem:
        reason = str(problem).strip().partition("\n")[0] or type(problem).__name__
        hint = "restore the file from a copy, or delete it and make it anew"
        raise StoreError(f"{place} cannot be read as Parquet: {reason}", hint=hint) from problem
