"""A suite read back from the rows of an export: the same table, checked by its fingerprint, with its manifest."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from counterpoint.core.errors import StoreError
from counterpoint.exports.rows import MANIFEST
from counterpoint.store.fingerprints import fingerprint
from counterpoint.store.groups import check_groups
from counterpoint.store.suites import Manifest
from counterpoint.store.tables import GROUPS

_AGAIN = "export the suite again, or fetch its folder again"
_UNEDITED = "[]"
_SIDES = ("name", "x", "y", "width", "height")


@dataclass(frozen=True, slots=True)
class RestoredSuite:
    """The manifest and the table of an exported suite, and the files with its rows."""

    manifest: Manifest
    table: pa.Table
    files: tuple[Path, ...]

    def pictures(self, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """The pictures at these addresses that the rows hold without edits, each once, with their bytes.

        An address that leads out of a folder is left out.
        """
        left = {address for address in wanted if _is_within(address)}
        for path in self.files:
            file = pq.ParquetFile(path)
            if "image" not in file.schema_arrow.names:
                return
            for batch in file.iter_batches(32, columns=["image", "picture", "edits"]):
                for row in batch.to_pylist():
                    if row["edits"] == _UNEDITED and row["image"] and row["picture"] in left:
                        left.discard(row["picture"])
                        yield row["picture"], row["image"]["bytes"]


def restore_suite(folder: Path) -> RestoredSuite | None:
    """The suite that was exported to a folder or file as a data set or task; none where there is no such suite.

    Raises a StoreError where rows are missing or were changed, and where a folder holds several suites.
    """
    paths = [folder] if folder.is_file() else sorted(folder.rglob("*.parquet"))
    manifests = {path: found for path in paths if (found := _manifest_text(path))}
    if not manifests:
        return None
    texts = sorted(set(manifests.values()))
    if len(texts) > 1:
        folders = ", ".join(sorted({path.parent.name for path in manifests}))
        raise StoreError(f"{folder} holds several suites, in {folders}", hint="name the folder of one of them")
    try:
        manifest = Manifest(**json.loads(texts[0]))
    except (ValueError, TypeError) as problem:
        raise StoreError(f"{folder} has no manifest that can be read: {problem}", hint=_AGAIN) from problem
    columns = [name for name in pq.read_schema(next(iter(manifests))).names if name != "image"]
    try:
        table = _table(pa.concat_tables(pq.read_table(path, columns=columns) for path in manifests))
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as problem:
        raise StoreError(f"the rows in {folder} cannot be read: {problem}", hint=_AGAIN) from problem
    if fingerprint(table, "groups") != manifest.fingerprint:
        raise StoreError(f"the rows in {folder} are not those of the suite {manifest.suite}", hint=_AGAIN)
    return RestoredSuite(manifest, check_groups(table, str(folder)), tuple(manifests))


def _is_within(address: str) -> bool:
    namespace, _, path = address.partition(":")
    parts = [*path.replace("\\", "/").split("/"), namespace]
    return "\0" not in address and not {"", ".", ".."} & {*parts} and "/" not in namespace


def _manifest_text(path: Path) -> str:
    try:
        return ((pq.read_schema(path).metadata or {}).get(MANIFEST) or b"").decode()
    except (pa.ArrowException, OSError, ValueError):
        return ""  # a reader of rows reports what is wrong with it


def _table(rows: pa.Table) -> pa.Table:
    """The table of groups that rows were made of."""

    def parsed(name: str, make: Any) -> list[Any]:
        return [make(json.loads(text)) for text in rows[name].to_pylist()]

    objects = parsed("objects", lambda row: row["objects"])
    sizes = parsed("objects", lambda row: row["size"] or (None, None))
    made = {
        "text": rows["question"],
        "gold": rows["answers"].to_pylist(),
        "group_id": [int(text, 16) for text in rows["group_id"].to_pylist()],
        "query": [int(text, 16) for text in rows["query_id"].to_pylist()],
        "tags": parsed("tags", lambda row: list(row.items()) if isinstance(row, dict) else list(map(tuple, row))),
        "objects": [[dict(zip(_SIDES, thing, strict=True)) for thing in row] for row in objects],
        "width": [size[0] for size in sizes],
        "height": [size[1] for size in sizes],
    }
    columns = [made.get(field.name, rows[field.name] if field.name in rows.column_names else None) for field in GROUPS]
    arrays = [
        column.cast(field.type) if isinstance(column, pa.ChunkedArray) else pa.array(column, field.type)
        for column, field in zip(columns, GROUPS, strict=True)
    ]
    return pa.table(arrays, schema=GROUPS)
