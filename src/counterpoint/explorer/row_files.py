"""Some rows of a long Parquet file, read without the rest: parts of equal length, of which only those in demand are."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

ROWS = 2048
"""Rows in each part of the files that are read in this way."""


@lru_cache(256)
def _about(path: Path) -> pq.FileMetaData:
    return pq.read_metadata(path)


def taken(path: Path, rows: NDArray[np.int64], columns: Sequence[str] | None = None) -> pa.Table:
    """These rows of a file, in this order."""
    about = _about(path)
    long = about.row_group(0).num_rows if about.num_row_groups else ROWS
    parts = np.unique(rows // long)
    with pq.ParquetFile(path, metadata=about, memory_map=True) as file:
        found = file.read_row_groups(
            parts.tolist(), columns=None if columns is None else list(columns), use_threads=False
        )
    starts = np.searchsorted(parts, rows // long) * long  # every part but the last is full, so places follow
    return found.take(pa.array(starts + rows % long))
