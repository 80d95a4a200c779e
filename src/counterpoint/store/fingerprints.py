"""Fingerprints: digests of the rows of tables, which depend neither on the file nor on who wrote it."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from hashlib import blake2b
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.store.tables import as_lists

_NOTHING = "-"


def fingerprint(table: pa.Table, name: str) -> str:
    """A digest of all rows, as 32 hexadecimal digits, which depends neither on their order, the file, nor the writer.

    Each row becomes one line: a text as its length in bytes, a colon and the text; a whole number in digits; a fraction
    as the digits of its 64 bits; a list as its length, a bracket, its members and a bracket; nothing as a dash; each
    followed by a semicolon. The lines are sorted by their bytes and hashed one after the other. All by columns.
    """
    digest = blake2b(f"{name};{';'.join(table.column_names)};".encode(), digest_size=16)
    if table.num_rows:
        parts = [part for column in table.column_names for part in _parts(_whole(table[column]))]
        lines = _joined(parts).cast(pa.large_binary())
        digest.update(_bytes(lines.take(pc.sort_indices(lines))))
    return digest.hexdigest()


class RowDigest:
    """A digest of rows in their order, whatever parts they come in; several times as fast as `fingerprint`.

    Each column is several streams of bytes, each hashed for itself: which values there are, the lengths of texts and
    lists, and the values, numbers in 64 bits. The digest is that of the digests of all streams.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns, self._streams = list(columns), defaultdict[str, "blake2b"](partial(blake2b, digest_size=16))
        self.rows = 0

    def update(self, table: pa.Table) -> None:
        """Add the rows of the next part."""
        for batch in table.select(self._columns).to_batches():
            for name, values in zip(self._columns, batch.columns, strict=True):
                self._add(name, values)
        self.rows += table.num_rows

    def to_dict(self) -> dict[str, Any]:
        """The number of rows, and the digest as 32 hexadecimal digits."""
        whole = blake2b(digest_size=16)
        for name in sorted(self._streams):
            whole.update(f"{name};{self._streams[name].hexdigest()};".encode())
        return {"rows": self.rows, "digest": whole.hexdigest()}

    def _add(self, name: str, values: pa.Array) -> None:
        kind = values.type
        self._put(f"{name} valid", values.is_valid().cast(pa.uint8()))
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            texts = pc.fill_null(values, "").cast(pa.large_binary())
            self._put(f"{name} length", pc.binary_length(texts))
            self._streams[name].update(_bytes(texts))
        elif pa.types.is_struct(kind):
            for field, member in zip(kind, values.flatten(), strict=True):
                self._add(f"{name}.{field.name}", member)
        elif pa.types.is_list(kind):
            self._put(f"{name} length", pc.fill_null(pc.list_value_length(values), 0).cast(pa.int64()))
            self._add(f"{name}[]", values.flatten())
        else:
            wide = pa.float64() if pa.types.is_floating(kind) else pa.uint64()
            self._put(name, pc.fill_null(values.cast(wide), 0))

    def _put(self, name: str, numbers: pa.Array) -> None:
        plain = numbers.to_numpy(zero_copy_only=False)
        self._streams[name].update(plain.astype(plain.dtype.newbyteorder("<"), copy=False).tobytes())


def _bytes(texts: pa.Array) -> memoryview:
    """The bytes of all texts of a large array, one after the other."""
    whole = pa.concat_arrays([texts])  # begins at its own first byte
    _, offsets, content = whole.buffers()
    ends = memoryview(offsets).cast("q")
    return memoryview(content or b"")[ends[0] : ends[len(whole)]]


def _whole(column: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """A column as one array; texts of more than 1 GiB have 64-bit offsets."""
    large = column.type == pa.string() and column.nbytes > 1 << 30
    return (column.cast(pa.large_string()) if large else column).combine_chunks()


def _parts(values: pa.Array | pa.ChunkedArray) -> list[pa.Array | str]:
    """Texts that joined are a self-delimiting text of each value."""
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks)
    kind, parts = values.type, list[pa.Array | str]()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
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
