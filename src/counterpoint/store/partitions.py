"""Rows of a table in temporary files by the number of their partition."""

from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.metrics.labels import Labels
from counterpoint.store.tables import GROUPS

_MANY_WORDS = 1_000  # from which on a column of a partition is not dictionary-encoded
_CLOSED = ("relation", "mode", "state")  # columns with words of an enumeration, whose codes have eight bits

Numbers = NDArray[np.integer]


class OrderedRows(NamedTuple):
    """Rows by their partition, and where each partition ends."""

    table: pa.Table
    ends: list[int]


class PartitionedTable:
    """Rows of a table in files by the number of their partition, in the order in which they were written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._schema: pa.Schema | None = None
        self._lock = Lock()  # of the schema
        self._writers: dict[int, pa.ipc.RecordBatchStreamWriter] = {}

    def order(self, table: pa.Table, partition: Numbers, rows: Numbers | None = None) -> OrderedRows:
        """Rows by their partition, to be written: all rows of the table, or these. Threads may call this."""
        table = table.unify_dictionaries().cast(self._fixed_schema(table))
        order = np.argsort(partition.astype(np.uint16), kind="stable")  # a radix sort
        ends = np.cumsum(np.bincount(partition)).tolist()
        taken = order if rows is None else rows[order]
        columns = [_take_rows(column, taken) for column in table.columns]
        return OrderedRows(pa.table(columns, schema=table.schema), ends)

    def write(self, ordered: OrderedRows) -> None:
        """Add rows to their partitions."""
        for number, (start, end) in enumerate(zip([0, *ordered.ends], ordered.ends, strict=False)):
            if start == end:
                continue
            if number not in self._writers:
                self._writers[number] = pa.ipc.new_stream(self._file(number), ordered.table.schema)
            self._writers[number].write_table(ordered.table.slice(start, end - start))

    def close(self) -> None:
        """End writing; what was written can be read from then on."""
        for writer in self._writers.values():
            writer.close()

    def read(self, number: int, empty: pa.Table) -> pa.Table:
        """The rows of a partition; `empty` where it has none."""
        if number not in self._writers:
            return empty
        with pa.OSFile(str(self._file(number))) as file, pa.ipc.open_stream(file) as stream:
            return stream.read_all().unify_dictionaries().combine_chunks()

    def delete(self, number: int) -> None:
        """Remove a partition, which is not read again."""
        if self._writers.pop(number, None):
            self._file(number).unlink()

    def _fixed_schema(self, table: pa.Table) -> pa.Schema:
        """The schema of the first rows, without dictionaries of many words: each partition would hold all of them."""
        with self._lock:
            if self._schema is None:
                schema = table.schema
                for place, field in enumerate(table.schema):
                    if field.name in _CLOSED and pa.types.is_dictionary(field.type):
                        schema = schema.set(place, field.with_type(pa.dictionary(pa.int8(), field.type.value_type)))
                    elif pa.types.is_dictionary(field.type) and _has_many_words(table[field.name]):
                        schema = schema.set(place, field.with_type(field.type.value_type))
                    elif field.name == "gold" and _has_many_words(
                        pc.struct_field(pc.list_flatten(table["gold"]), "answer")
                    ):
                        schema = schema.set(place, field.with_type(GROUPS.field("gold").type))
                self._schema = schema
            return self._schema

    def _file(self, number: int) -> Path:
        return self._folder / f"{number}.arrows"


def _take_rows(column: pa.ChunkedArray, rows: Numbers) -> pa.Array | pa.ChunkedArray:
    """Some rows of a column; where most texts are empty, only the others are taken, as an empty one takes as long."""
    if pa.types.is_string(column.type) and not column.null_count:
        lengths = pc.binary_length(column).to_numpy()[rows]
        full = np.flatnonzero(lengths)
        if len(full) < len(rows) // 4:
            offsets = np.cumsum(np.append(0, lengths), dtype=np.int32)
            texts = pa.concat_arrays(column.take(pa.array(rows[full])).chunks or [pa.array([], pa.string())])
            data = texts.buffers()[2] or pa.py_buffer(b"")
            return pa.StringArray.from_buffers(len(rows), pa.py_buffer(offsets), data)
    return column.take(pa.array(rows))


def _has_many_words(column: pa.ChunkedArray) -> bool:
    return len(Labels.of(column).words) > _MANY_WORDS
