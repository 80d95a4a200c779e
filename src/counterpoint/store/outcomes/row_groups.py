"""Some rows of a long Parquet file, read without the rest: parts of equal length, of which only those in demand are."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from counterpoint.store.cache import Recent

ROWS = 512
"""Rows in each part of the files that are read in this way, unless they are very long."""

PARTS = 128
"""Parts from which on they are longer, as every part of every file costs memory."""

_RECENT = Recent[tuple[Path, int, tuple[str, ...] | None], pa.Table](lambda table: int(table.nbytes), 160_000_000)


def length(rows: int) -> int:
    """How long the parts of a file with so many rows are.

    >>> length(60_000), length(250_000)
    (512, 2048)
    """
    long = ROWS
    while long * PARTS < rows:
        long *= 2
    return long


@lru_cache(256)
def _about(path: Path) -> pq.FileMetaData:
    return pq.read_metadata(path)


def taken(path: Path, rows: NDArray[np.int64], columns: Sequence[str] | None = None) -> pa.Table:
    """These rows of a file, in this order."""
    about = _about(path)
    long = about.row_group(0).num_rows if about.num_row_groups else ROWS
    parts = np.unique(rows // long)
    found = _parts(path, parts, columns)
    starts = np.searchsorted(parts, rows // long) * long  # every part but the last is full, so places follow
    return found.take(pa.array(starts + rows % long))


def sought(path: Path, column: str, wanted: NDArray[np.uint64], columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of a file, ordered by one of its columns, that have one of these numbers in it."""
    about, numbers = _about(path), np.unique(wanted)
    ends = _ends(path, column) if about.num_rows else np.empty(0, np.uint64)
    first, last = np.searchsorted(ends, numbers), np.searchsorted(ends, numbers, side="right")
    # a number may go on in the next part
    reach = [np.arange(one, two + 1) for one, two in zip(first, last, strict=True)]
    parts = np.unique(np.concatenate([*reach, np.empty(0, np.int64)]).astype(np.int64))
    parts = parts[parts < len(ends)]
    found = _parts(path, parts, columns)
    return found.filter(pc.is_in(found[column], value_set=pa.array(numbers)))


def _parts(path: Path, parts: NDArray[np.int64], columns: Sequence[str] | None) -> pa.Table:
    """Some parts below each other; those that were read last are in memory, as visitors stay near where they were."""
    wanted = None if columns is None else tuple(columns)
    found = {part: _RECENT.get((path, part, wanted)) for part in parts.tolist()}
    missing = [part for part, table in found.items() if table is None]
    if missing or not found:
        with pq.ParquetFile(path, metadata=_about(path), memory_map=True) as file:
            for part in missing:
                found[part] = file.read_row_group(part, columns=columns, use_threads=False)
                _RECENT.put((path, part, wanted), found[part])
            if not found:
                return file.read_row_groups([], columns=columns, use_threads=False)
    return pa.concat_tables(found.values())


@lru_cache(256)
def _ends(path: Path, column: str) -> NDArray[np.uint64]:
    """The highest number in each part."""
    about = _about(path)
    place = [about.schema.column(one).path for one in range(about.num_columns)].index(column)
    highest = (about.row_group(part).column(place).statistics.max for part in range(about.num_row_groups))
    return np.fromiter(highest, np.uint64, about.num_row_groups)
