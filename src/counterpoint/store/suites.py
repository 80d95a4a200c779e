"""Suites on disk: the table of groups, and a manifest with its generator, parameters and fingerprint."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint._version import __version__
from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Mode, Query, group_id, reference_name
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.store.folder import IntegrityCheck, StorageFolder, check_readable, put_object, read_object
from counterpoint.store.groups import check_groups, edits_of, read_queries
from counterpoint.store.tables import as_lists, read_parquet, to_parquet

_NOTHING = "-"
TABLE = "groups.parquet"
MANIFEST = "manifest.json"
_MARK = b"counterpoint.fingerprint"


def fingerprint(table: pa.Table, name: str) -> str:
    """A digest of all rows, as 32 hexadecimal digits, which depends neither on their order, the file, nor the writer.

    Each row becomes one line: a text as its length in bytes, a colon and the text; a whole number in digits; a fraction
    as the digits of its 64 bits; a list as its length, a bracket, its members and a bracket; nothing as a dash; each
    followed by a semicolon. The lines are sorted by their bytes and hashed one after the other. All by columns.
    """
    digest = blake2b(f"{name};{';'.join(table.column_names)};".encode(), digest_size=16)
    if table.num_rows:
        parts = [part for column in table.column_names for part in _parts(table[column].combine_chunks())]
        lines = _joined(parts).cast(pa.large_binary())
        whole = pa.concat_arrays([lines.take(pc.sort_indices(lines))])  # begins at its own first byte
        _, offsets, content = whole.buffers()
        ends = memoryview(offsets).cast("q")
        digest.update(memoryview(content)[ends[0] : ends[len(whole)]])
    return digest.hexdigest()


def _parts(values: pa.Array | pa.ChunkedArray) -> list[pa.Array | str]:
    """Texts that joined are a self-delimiting text of each value."""
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks)
    kind, parts = values.type, list[pa.Array | str]()
    if pa.types.is_string(kind):
        encoded = values.dictionary_encode()
        if 2 * len(encoded.dictionary) < len(values):  # few texts in many rows
            parts = [_joined(_parts(encoded.dictionary)).take(encoded.indices)]
        else:
            values = values.cast(pa.large_string())
            parts = [pc.binary_length(values).cast(pa.large_string()), ":", values, ";"]
    elif pa.types.is_integer(kind):
        parts = [values.cast(pa.large_string()), ";"]
    elif pa.types.is_floating(kind):
        parts = [values.cast(pa.float64()).view(pa.int64()).cast(pa.large_string()), ";"]
    elif pa.types.is_struct(kind):
        parts = [*(part for member in values.flatten() for part in _parts(member)), ";"]
    elif pa.types.is_list(kind) or pa.types.is_map(kind):
        parts = _list_parts(as_lists(values))
    else:
        raise AssertionError(f"no column of a table of groups holds {kind}")
    nothing = pa.scalar(f"{_NOTHING};", pa.large_string())
    return [pc.if_else(values.is_null(), nothing, _joined(parts))] if values.null_count else parts


def _list_parts(values: pa.Array) -> list[pa.Array | str]:
    sizes = pc.fill_null(pc.list_value_length(values), 0).cast(pa.int64())
    starts = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(sizes)])
    members = pa.LargeListArray.from_arrays(starts, _joined(_parts(values.flatten())))
    return [sizes.cast(pa.large_string()), "[", pc.binary_join(members, pa.scalar("", pa.large_string())), "];"]


def _joined(parts: Sequence[pa.Array | str]) -> pa.Array:
    texts = [pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*texts, pa.scalar("", pa.large_string()))


@dataclass(frozen=True, slots=True)
class Manifest:
    """How a suite was generated, and the fingerprint and size of its table."""

    suite: str
    generator: str  # where it comes from: package.module:object
    seed: int
    fingerprint: str  # of the table
    rows: int
    groups: int
    version: str = "1"  # of the suite
    parameters: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""  # the fingerprint of the annotations
    rules: str = "exact"  # the rule set by which gold is normalised and compared
    made_with: str = __version__

    @classmethod
    def of(
        cls,
        table: pa.Table,
        *,
        generator: str,
        seed: int,
        version: str = "1",
        parameters: Mapping[str, Any] | None = None,
        source: str = "",
        rules: str = "exact",
    ) -> "Manifest":
        """The manifest of a new table."""
        names = pc.unique(table["suite"]).to_pylist()
        assert len(names) == 1, f"a suite has a name and at least one group; this table has the suites {names}"
        counts = fingerprint(table, "groups"), table.num_rows, _count(table)
        return cls(names[0], generator, seed, *counts, version, parameters or {}, source, rules)


@dataclass(frozen=True, slots=True)
class StoredSuite:
    """A stored suite: its manifest and its table of groups."""

    manifest: Manifest
    table: pa.Table

    @property
    def groups(self) -> pa.Table:
        """The table with the rule set for comparing answers as one more column."""
        rules = pa.DictionaryArray.from_arrays(np.zeros(self.table.num_rows, np.int32), [self.manifest.rules])
        return self.table.append_column("rules", rules)


def put_suite(storage: StorageFolder, folder: str, manifest: Manifest, table: pa.Table) -> None:
    """Write a suite; a kill between its two files is detected when it is read."""
    metadata = {**(table.schema.metadata or {}), _MARK: manifest.fingerprint.encode()}
    storage.put(f"{folder}/{TABLE}", to_parquet(table.replace_schema_metadata(metadata)))
    put_object(storage, f"{folder}/{MANIFEST}", asdict(manifest))


def read_suite(storage: StorageFolder, folder: str) -> StoredSuite:
    """A stored suite; `verify` checks its content against the manifest."""
    manifest = read_manifest(storage, folder)
    table = read_table(storage, folder)
    mark = (table.schema.metadata or {}).get(_MARK, manifest.fingerprint.encode()).decode("utf-8", "replace")
    if mark != manifest.fingerprint or table.num_rows != manifest.rows:
        fact = f"{storage.path(f'{folder}/{TABLE}')} is not the table that its {MANIFEST} is about"
        raise StoreError(fact, hint="generate the suite again, or restore both files from one copy")
    return StoredSuite(manifest, table)


def read_table(storage: StorageFolder, folder: str) -> pa.Table:
    """The table of a suite alone."""
    name = f"{folder}/{TABLE}"
    return check_groups(read_parquet(storage, name, "groups"), str(storage.path(name)))


def read_manifest(storage: StorageFolder, folder: str) -> Manifest:
    """The manifest of a suite alone."""
    name = f"{folder}/{MANIFEST}"
    content = read_object(storage, name)
    known = {item.name for item in fields(Manifest)}
    kinds = {"suite": str, "generator": str, "seed": int, "fingerprint": str, "rows": int, "groups": int}
    for key, kind in kinds.items():
        if not isinstance(content.get(key), kind):
            fact = f"{storage.path(name)}: {key} is {content.get(key)!r}, not a {kind.__name__}"
            raise StoreError(fact, hint="generate the suite again, or restore the file from a copy")
    return Manifest(**{key: value for key, value in content.items() if key in known})


def verify(storage: StorageFolder, folder: str) -> Iterator[IntegrityCheck]:
    """The integrity checks of a suite against its manifest."""
    place = folder or str(storage.folder)
    yield (manifest_read := check_readable(f"{place}/{MANIFEST}", lambda: read_manifest(storage, folder)))
    yield (table_read := check_readable(f"{place}/{TABLE}", lambda: read_table(storage, folder)))
    if not (manifest_read.holds and table_read.holds):
        return
    manifest, table = read_manifest(storage, folder), read_table(storage, folder)
    names = pc.unique(table["suite"]).to_pylist()
    yield IntegrityCheck(place, "suite", names == [manifest.suite], ", ".join(names))
    yield IntegrityCheck(place, "rows", table.num_rows == manifest.rows, str(table.num_rows))
    yield IntegrityCheck(place, "groups", (count := _count(table)) == manifest.groups, str(count))
    digest = fingerprint(table, "groups")
    yield IntegrityCheck(place, "fingerprint", digest == manifest.fingerprint, digest)
    wrong = _wrong_ids(table)
    yield IntegrityCheck(place, "ids", not wrong, wrong)
    repeated = _repeated_group(table)
    yield IntegrityCheck(place, "repetitions", not repeated, repeated)


def _count(table: pa.Table) -> int:
    bases = table.filter(pc.equal(table["role"], 0))
    return int(bases.num_rows)


def _repeated_group(table: pa.Table) -> str:
    """The first group with variants that a test has twice, and that would be scored twice; empty if there is none."""
    variants = table.filter(pc.equal(table["role"], 1)).select(["test", "group_id"])
    counts = variants.group_by(["test", "group_id"], use_threads=False).aggregate([([], "count_all")])
    repeated = counts.filter(pc.greater(counts["count_all"], 1)).slice(0, 1).to_pylist()
    return "".join(
        f"{row['test']} has the group {hex_id(row['group_id'])} {row['count_all']} times" for row in repeated
    )


def _wrong_ids(table: pa.Table) -> str:
    """A description of the first row whose ids do not match its content; empty if all do."""
    ids = np.fromiter((query.id for query in read_queries(table)), np.uint64, table.num_rows)
    wrong = np.flatnonzero(ids != table["query"].to_numpy())
    if not len(ids):
        return "there are no rows"
    if len(wrong):
        return f"row {wrong[0]}: the query has the id {hex_id(int(ids[wrong[0]]))}"
    groups, roles, relations = (table[name].to_numpy() for name in ("group_id", "role", "relation"))
    order = np.lexsort((roles, groups))  # rows may come in any order, and a group in several tests
    order = order[np.append(True, (np.diff(groups[order]) != 0) | (np.diff(roles[order]) != 0))]
    starts = np.flatnonzero(np.append(True, np.diff(groups[order]) != 0))
    for rows in np.split(order, starts[1:]):
        group = group_id(relations[rows[0]], map(int, ids[rows]))
        if group != groups[rows[0]]:
            return f"row {rows[0]}: the group has the id {hex_id(group)}"
    return ""


def read_references(manifests: Iterable[Manifest]) -> dict[str, list[Query]]:
    """All reference queries of some suites, by the names that edits use; StoreError where they do not match these."""
    references: dict[str, list[Query]] = {}
    for manifest in manifests:
        for name, rows in dict(manifest.parameters.get("references", {})).items():
            with suppress(TypeError, ValueError, KeyError, AttributeError):
                queries = [_query(row) for row in rows]
                if reference_name(queries) == name:
                    references[name] = queries
                    continue
            fact = f"the manifest of {manifest.suite} does not hold the reference queries {name}"
            raise StoreError(fact, hint="generate the suite again, or restore the file from a copy")
    return references


def _query(row: Sequence[Any]) -> Query:
    shown, edits, context, text, mode, choices = row
    picture = Picture(shown[0], edits_of(shown[1:])) if shown else None
    return Query(picture, text, Mode(mode), tuple(choices), context, edits_of(edits))
