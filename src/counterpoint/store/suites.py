"""Suites on disk: the table of groups, and a manifest with its generator, parameters and fingerprint."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint._version import __version__
from counterpoint.core.errors import StoreError, shorten
from counterpoint.core.groups import Mode, Query, group_id, reference_name
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.store.documents import IntegrityCheck, Repair, check_readable, document_text, put_object, read_object
from counterpoint.store.fingerprints import fingerprint
from counterpoint.store.groups import check_groups, edits_of, read_queries
from counterpoint.store.storage import FileMissing, Storage
from counterpoint.store.tables import GROUPS, read_parquet, read_row_groups, to_parquet

TABLE = "groups.parquet"
MANIFEST = "manifest.json"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""The form of the names of suites and runs, which are names of files."""
_REPEATED = ("suite", "test", "relation", "kind", "mode", "picture", "gold")  # have texts that many rows share
_HEX = re.compile("[0-9a-f]{32}")
_MARK = b"counterpoint.fingerprint"
_COPY = b"counterpoint.manifest"  # a second copy of the manifest, in the metadata of the table


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

    @property
    def next_version(self) -> str:
        """The version of a suite that takes its place: the next number, or else one more part."""
        return str(int(self.version) + 1) if self.version.isdecimal() else f"{self.version}.1"

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


_OPTIONAL = {item.name: item.default for item in fields(Manifest) if item.default is not MISSING} | {"parameters": {}}
_KINDS: dict[str, type] = dict.fromkeys((item.name for item in fields(Manifest)), str)
_KINDS |= {"seed": int, "rows": int, "groups": int, "parameters": dict}


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


def suite_names(storage: Storage) -> list[str]:
    """The names of all suites of a lab."""
    names = (name.split("/") for name in storage.names("suites/"))
    return sorted({parts[1] for parts in names if parts[2:] in ([TABLE], [MANIFEST])})


def put_suite(storage: Storage, folder: str, manifest: Manifest, table: pa.Table) -> None:
    """Write a suite that can be read again; a kill between its two files is detected when it is read."""
    check_groups(table, f"suite {manifest.suite}")
    _parse_manifest(asdict(manifest), f"suite {manifest.suite}")
    copy = document_text(asdict(manifest)).encode("utf-8", "backslashreplace")
    metadata = {**(table.schema.metadata or {}), _MARK: manifest.fingerprint.encode(), _COPY: copy}
    storage.put(f"{folder}/{TABLE}", to_parquet(table.replace_schema_metadata(metadata)))
    put_object(storage, f"{folder}/{MANIFEST}", asdict(manifest))


def read_suite(storage: Storage, folder: str) -> StoredSuite:
    """A stored suite; `verify` checks its content against the manifest."""
    manifest = read_manifest(storage, folder)
    table = read_table(storage, folder)
    _check_belongs(table, table.num_rows, manifest, storage.describe(f"{folder}/{TABLE}"))
    return StoredSuite(manifest, table)


def find_manifest(storage: Storage, folder: str) -> Manifest | None:
    """The manifest of a suite; its copy in the table where the writer was killed before it; None without either."""
    with suppress(FileMissing):
        return read_manifest(storage, folder)
    with suppress(StoreError):
        table = _read_table(storage, folder)
        return _manifest_copy(table, (table.schema.metadata or {}).get(_MARK, b"").decode())
    return None


def read_portions(storage: Storage, folder: str, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Some columns of the groups of a stored suite, a row group at a time.

    Columns with texts that many rows share are dictionary-encoded, and so are the answers of gold.
    """
    manifest, name, rows = read_manifest(storage, folder), f"{folder}/{TABLE}", 0
    place, portion = storage.describe(name), GROUPS.empty_table()
    for portion in read_row_groups(storage, name, "groups", columns, [own for own in columns if own in _REPEATED]):
        yield check_groups(portion, f"{place}, after row {rows}" if rows else place)
        rows += portion.num_rows
    _check_belongs(portion, rows, manifest, place)


def _check_belongs(table: pa.Table, rows: int, manifest: Manifest, place: str) -> None:
    """Refuse a table that is not the one of the manifest."""
    if _mark(table, manifest) != manifest.fingerprint or rows != manifest.rows:
        fact = f"{place} is not the table that its {MANIFEST} is about"
        raise StoreError(fact, hint="generate the suite again, or restore both files from one copy")


def _mark(table: pa.Table, manifest: Manifest) -> str:
    """The fingerprint that a table says it has; that of the manifest where it says nothing."""
    said: bytes = (table.schema.metadata or {}).get(_MARK, manifest.fingerprint.encode())
    return said.decode("utf-8", "replace")


def read_table(storage: Storage, folder: str) -> pa.Table:
    """The table of a suite alone."""
    table = _read_table(storage, folder)
    metadata = {key: value for key, value in (table.schema.metadata or {}).items() if key != _COPY}
    return table.replace_schema_metadata(metadata)


def _read_table(storage: Storage, folder: str) -> pa.Table:
    name = f"{folder}/{TABLE}"
    return check_groups(read_parquet(storage, name, "groups"), storage.describe(name))


def read_manifest(storage: Storage, folder: str) -> Manifest:
    """The manifest of a suite alone."""
    name = f"{folder}/{MANIFEST}"
    return _parse_manifest(read_object(storage, name), storage.describe(name))


def _parse_manifest(content: Mapping[str, Any], place: str) -> Manifest:
    hint, about = "generate the suite again, or restore the file from a copy", _OPTIONAL | dict(content)
    for key, kind in _KINDS.items():
        if not isinstance(about.get(key), kind) or isinstance(about.get(key), bool):
            fact = f"{place}: {key} is {shorten(repr(about.get(key)))}, not a {kind.__name__}"
            raise StoreError(fact, hint=hint)
    for key, form in (("suite", NAME), ("fingerprint", _HEX)):  # both become names of files
        if not form.fullmatch(about[key]):
            raise StoreError(f"{place}: {key} is {shorten(repr(about[key]))}", hint=hint)
    return Manifest(**{key: about[key] for key in _KINDS})


_LOST_TABLE = (
    f"restore it from a copy, or generate the suite again with --replace, by the seed and parameters in {MANIFEST}: "
    "with the same fingerprint it is the same, and no answer is lost"
)


def verify(storage: Storage, folder: str) -> Iterator[IntegrityCheck]:
    """The integrity checks of a suite against its manifest, and of that against its copy in the table."""
    place = folder or storage.address
    table_read = check_readable(f"{place}/{TABLE}", lambda: read_table(storage, folder))
    yield table_read if table_read.holds else replace(table_read, hint=_LOST_TABLE)
    table = _read_table(storage, folder) if table_read.holds else None
    digest = fingerprint(table, "groups") if table is not None else ""
    copy = _manifest_copy(table, digest) if table is not None else None
    yield (whole := _check_manifest(storage, folder, f"{place}/{MANIFEST}", copy))
    if table is None or not whole.holds:
        return
    manifest = read_manifest(storage, folder)
    names = pc.unique(table["suite"]).to_pylist()
    yield IntegrityCheck(place, "suite", names == [manifest.suite], ", ".join(names))
    yield IntegrityCheck(place, "rows", table.num_rows == manifest.rows, str(table.num_rows))
    yield IntegrityCheck(place, "groups", (count := _count(table)) == manifest.groups, str(count))
    yield IntegrityCheck(place, "fingerprint", digest == manifest.fingerprint == _mark(table, manifest), digest)
    wrong = _wrong_ids(table)
    yield IntegrityCheck(place, "ids", not wrong, wrong)
    repeated = _repeated_group(table)
    yield IntegrityCheck(place, "repetitions", not repeated, repeated)


def is_half_written(storage: Storage, folder: str) -> bool:
    """Whether table and manifest are whole, but not of one another: a suite is being replaced, or its writer died."""
    try:
        manifest, table = read_manifest(storage, folder), read_table(storage, folder)
    except StoreError:
        return False
    return _mark(table, manifest) != manifest.fingerprint


def _check_manifest(storage: Storage, folder: str, place: str, copy: Manifest | None) -> IntegrityCheck:
    """Whether the manifest can be read and is the one that the suite was written with; else it can be restored."""
    name = f"{folder}/{MANIFEST}"
    restore = None
    if copy is not None:
        restore = Repair(f"restore {place} from the copy in {TABLE}", partial(put_object, storage, name, asdict(copy)))
    read = check_readable(place, lambda: read_manifest(storage, folder), restore)
    if copy is None or not read.holds:
        return read
    found = asdict(read_manifest(storage, folder))
    changes = [
        f"{key} is {shorten(repr(found[key]), 60)}, and was {shorten(repr(was), 60)}"
        for key, was in asdict(copy).items()
        if found[key] != was
    ]
    hint = "scores may have changed with it; restore the file from a copy" if changes else ""
    return IntegrityCheck(place, "manifest", not changes, "; ".join(changes), hint, restore if changes else None)


def _manifest_copy(table: pa.Table, digest: str) -> Manifest | None:
    """The manifest in the metadata of a table that is its table by the digest; older suites have none."""
    with suppress(ValueError, StoreError, AttributeError):
        copy = _parse_manifest(json.loads((table.schema.metadata or {}).get(_COPY, b"")), TABLE)
        return copy if copy.fingerprint == digest else None
    return None


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
