"""Tables as Parquet: writing, and validated reading."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from counterpoint.core.errors import StoreError
from counterpoint.store.folder import StorageFolder
from counterpoint.store.tables import check_table

_UNIQUE = {"query", "group_id"}  # ids hardly repeat, so a dictionary of them only costs
_REMEDY = "restore the file from a copy, or delete it and make it anew"


def to_parquet(table: pa.Table) -> bytes:
    """A table as the bytes of a Parquet file."""
    sink = pa.BufferOutputStream()
    plain = [name for name in table.column_names if name not in _UNIQUE]
    how = {"compression": "zstd", "compression_level": 1, "use_dictionary": plain}
    pq.write_table(table, sink, write_page_checksum=True, **how)  # a flipped bit is then noticed
    content: bytes = sink.getvalue().to_pybytes()
    return content


def read_parquet(
    storage: StorageFolder, name: str, table: str, columns: Sequence[str] | None = None, encoded: Sequence[str] = ()
) -> pa.Table:
    """The table in a file, checked against its schema; only these columns, if named; `encoded` ones as dictionaries."""
    place = str(storage.path(name))
    wanted = None if columns is None else list(columns)
    with storage.open(name) as file:
        try:
            how = {"read_dictionary": list(encoded), "page_checksum_verification": True}
            opened = pq.ParquetFile(file, pre_buffer=True, **how)
            held = opened.schema_arrow.names
            found = opened.read(None if wanted is None else [column for column in wanted if column in held])
        except (pa.ArrowException, OSError, ValueError) as problem:
            fact = f"{place} cannot be read as Parquet: {_first_line(problem)}"
            raise StoreError(fact, hint=_REMEDY) from problem
    return check_table(found, table, place, wanted, encoded)


def _first_line(problem: Exception) -> str:
    return str(problem).strip().partition("\n")[0] or type(problem).__name__
