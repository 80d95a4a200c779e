"""Random access to the rows of a long file: only row groups of Parquet, or batches of Arrow, that hold them are read.

Arrow files are written and read several times as fast, and are larger; SQL does not read them.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from counterpoint.store.cache import LRUCache

SHORTEST = 512
"""Rows of a row group, unless the file is very long."""

MOST = 128
"""Row groups from which on they are longer, as each costs memory for its metadata."""

BATCH = 2048
"""Rows of a batch of an Arrow file."""

_row_groups = LRUCache[tuple[Path, int, tuple[str, ...] | None], pa.Table](160_000_000)
_metadata = LRUCache[Path, pq.FileMetaData](256, size=lambda metadata: 1)
_maxima = LRUCache[tuple[Path, str], NDArray[np.uint64]](256, size=lambda maxima: 1)


def row_group_size(rows: int) -> int:
    """Return the length of the row groups of a file with so many rows.

    >>> row_group_size(60_000), row_group_size(250_000)
    (512, 2048)
    """
    size = SHORTEST
    while size * MOST < rows:
        size *= 2
    return size


def take_rows(path: Path, rows: NDArray[np.int64], columns: Sequence[str] | None = None) -> pa.Table:
    """Read these rows of a file, in this order."""
    size = BATCH if _is_arrow(path) else _row_group_rows(path)
    groups = np.unique(rows // size)
    table = _read_row_groups(path, groups, columns)
    starts = np.searchsorted(groups, rows // size) * size  # every row group but the last is full
    return table.take(pa.array(starts + rows % size))


def find_rows(path: Path, column: str, wanted: NDArray[np.uint64], columns: Sequence[str] | None = None) -> pa.Table:
    """Read the rows of a file, sorted by one of its columns, whose value there is one of those wanted."""
    values = np.unique(wanted)
    maxima = _row_group_maxima(path, column) if _read_metadata(path).num_rows else np.empty(0, np.uint64)
    first, last = np.searchsorted(maxima, values), np.searchsorted(maxima, values, side="right")
    # equal values may go on in the next row group
    spans = [np.arange(start, stop + 1) for start, stop in zip(first, last, strict=True)]
    groups = np.unique(np.concatenate([*spans, np.empty(0, np.int64)]).astype(np.int64))
    table = _read_row_groups(path, groups[groups < len(maxima)], columns)
    return table.filter(pc.is_in(table[column], value_set=pa.array(values)))


def write_arrow(table: pa.Table, path: Path) -> None:
    """Write a table as an Arrow file."""
    how = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema, options=how) as writer:
        writer.write_table(table, max_chunksize=BATCH)


def read_arrow(path: Path) -> pa.Table:
    """Read a whole Arrow file in one chunk."""
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all().combine_chunks()


def _is_arrow(path: Path) -> bool:
    return path.suffix == ".arrow"


def _row_group_rows(path: Path) -> int:
    metadata = _read_metadata(path)
    return int(metadata.row_group(0).num_rows) if metadata.num_row_groups else SHORTEST


def _read_metadata(path: Path) -> pq.FileMetaData:
    return _metadata.get_or_make(path, lambda: pq.read_metadata(path))


def _read_row_groups(path: Path, groups: NDArray[np.int64], columns: Sequence[str] | None) -> pa.Table:
    """Concatenate some row groups; those read last are cached, as visitors stay near where they were."""
    wanted = None if columns is None else tuple(columns)
    tables = {group: _row_groups.get((path, group, wanted)) for group in groups.tolist()}
    missing = [group for group, table in tables.items() if table is None]
    read = _read_batches if _is_arrow(path) else _read_parquet
    for group, table in zip(missing, read(path, missing, columns) if missing else (), strict=True):
        tables[group] = table
        _row_groups.put((path, group, wanted), table)
    return pa.concat_tables(tables.values()) if tables else read(path, [], columns)[0]


def _read_parquet(path: Path, groups: Sequence[int], columns: Sequence[str] | None) -> list[pa.Table]:
    """Return each of some row groups; an empty table, if there are none."""
    with pq.ParquetFile(path, metadata=_read_metadata(path), memory_map=True) as file:
        spans = [[group] for group in groups] or [[]]
        return [file.read_row_groups(span, columns=columns, use_threads=False) for span in spans]


def _read_batches(path: Path, batches: Sequence[int], columns: Sequence[str] | None) -> list[pa.Table]:
    """Return each of some batches without dictionaries, as each would hold them whole; an empty table, if none."""
    with pa.memory_map(str(path)) as source:
        file = pa.ipc.open_file(source)
        plain = pa.schema([pa.field(field.name, _decoded(field.type)) for field in file.schema])
        tables = [pa.Table.from_batches([file.get_batch(batch)]) for batch in batches] or [file.schema.empty_table()]
        return [table.cast(plain).select(columns or plain.names) for table in tables]


def _decoded(kind: pa.DataType) -> pa.DataType:
    """Return a type without dictionaries, those within lists included."""
    if pa.types.is_list(kind):
        return pa.list_(_decoded(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_decoded(field.type)) for field in kind])
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _row_group_maxima(path: Path, column: str) -> NDArray[np.uint64]:
    """Return the highest value of a column in each row group, from the file's statistics."""

    def read() -> NDArray[np.uint64]:
        metadata = _read_metadata(path)
        place = [metadata.schema.column(number).path for number in range(metadata.num_columns)].index(column)
        groups = range(metadata.num_row_groups)
        maxima = (metadata.row_group(group).column(place).statistics.max for group in groups)
        return np.fromiter(maxima, np.uint64, metadata.num_row_groups)

    return _maxima.get_or_make((path, column), read)
