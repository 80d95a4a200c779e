"""The tables, which are the contract between rooms: one schema constant each, and what a table must satisfy to be one.

Long format: one row per query of a group, one row per answer. Ids are unsigned 64-bit numbers. Every file says in its
metadata which table it is and in which version, and opens without us.
"""

from collections.abc import Mapping
from types import MappingProxyType

import pyarrow as pa

from counterpoint.core.errors import StoreError

VERSION = 1

_CREDIT = pa.struct([pa.field("answer", pa.string()), pa.field("credit", pa.float64())])
_OBJECT = pa.struct([pa.field("name", pa.string()), *(pa.field(n, pa.int32()) for n in ("x", "y", "width", "height"))])
_LIKELY = pa.struct([pa.field("value", pa.string()), pa.field("probability", pa.float32())])


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
    ],
)
"""What models said; only ever added to."""

VOTES = _schema(
    "votes",
    [
        pa.field("task", pa.string(), nullable=False),  # judge a group, or answer a query
        pa.field("group_id", pa.uint64(), nullable=False),
        pa.field("query", pa.uint64(), nullable=False),
        pa.field("voter", pa.string(), nullable=False),
        pa.field("shown", pa.list_(pa.string()), nullable=False),  # the texts in the order in which they were shown
        pa.field("choice", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("seconds", pa.float32(), nullable=False),
        pa.field("time", pa.timestamp("ms", tz="UTC"), nullable=False),
    ],
)
"""People's judgements; only ever added to."""

PICTURES = _schema(
    "pictures",
    [
        pa.field("address", pa.string(), nullable=False),
        pa.field("size", pa.int64(), nullable=False),
        pa.field("mtime", pa.int64(), nullable=False),  # nanoseconds
        pa.field("digest", pa.string(), nullable=False),
    ],
)
"""The picture files that were shown, so that a digest is taken once."""

TABLES: Mapping[str, pa.Schema] = MappingProxyType(
    {"groups": GROUPS, "answers": ANSWERS, "votes": VOTES, "pictures": PICTURES}
)
"""Every table by name."""


def checked(table: pa.Table, name: str, place: str) -> pa.Table:
    """The table as its schema has it, or an error that says what is wrong at `place` and what to do."""
    schema = TABLES[name]
    found = (table.schema.metadata or {}).get(b"counterpoint.table", name.encode()).decode()
    if found != name:
        raise StoreError(f"{place} holds the table {found!r}, not {name!r}")
    missing = [field.name for field in schema if field.name not in table.column_names]
    if missing:
        raise StoreError(
            f"{place} has no column {missing[0]!r}", hint=f"the table {name} has {', '.join(schema.names)}"
        )
    try:
        fitting = table.select(schema.names).cast(schema)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as problem:
        raise StoreError(f"{place} does not fit the table {name}: {problem}") from problem
    for field in schema:
        if not field.nullable and fitting[field.name].null_count:
            raise StoreError(f"{place} has nothing in {field.name!r} of some rows", hint="every row needs one")
    return fitting
