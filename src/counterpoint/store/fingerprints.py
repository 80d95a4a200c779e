"""Fingerprints of tables, which depend on the rows alone, not on their order, the file, or the writer.

Each row becomes one line: a text as its length in bytes, a colon and the text; a whole number in digits; a fraction as
the digits of its 64 bits; a list as its length, a bracket, its members and a bracket; nothing as a dash; each followed
by a semicolon. The lines are sorted by their bytes and hashed one after the other. All by columns.
"""

from hashlib import blake2b

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.store.tables import as_lists

_NOTHING = "-"


def fingerprint(table: pa.Table, name: str) -> str:
    """A digest of all rows, as 32 hexadecimal digits."""
    digest = blake2b(f"{name};{';'.join(table.column_names)};".encode(), digest_size=16)
    if table.num_rows:
        fields = [_fields(table[column].combine_chunks()) for column in table.column_names]
        lines = pc.binary_join_element_wise(*fields, pa.scalar("", pa.large_string())).cast(pa.large_binary())
        digest.update(_text_bytes(lines.take(pc.sort_indices(lines))))
    return digest.hexdigest()


def _fields(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Each value as a self-delimiting text."""
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks)
    kind = values.type
    if pa.types.is_string(kind):
        values = values.cast(pa.large_string())
        texts = _joined(pc.binary_length(values).cast(pa.large_string()), ":", values)
    elif pa.types.is_integer(kind):
        texts = values.cast(pa.large_string())
    elif pa.types.is_floating(kind):
        texts = values.cast(pa.float64()).view(pa.int64()).cast(pa.large_string())
    elif pa.types.is_struct(kind):
        texts = _unless_null(values, _joined(*(_fields(member) for member in values.flatten())))
    elif pa.types.is_list(kind) or pa.types.is_map(kind):
        texts = _lists(values)
    else:
        raise AssertionError(f"no column of a table of groups holds {kind}")
    return _joined(pc.fill_null(texts, _NOTHING), ";")


def _lists(values: pa.Array) -> pa.Array:
    values = as_lists(values)
    members = pa.LargeListArray.from_arrays(_starts(values), _fields(values.flatten()))
    texts = _joined(
        pc.list_value_length(members).cast(pa.large_string()),
        "[",
        pc.binary_join(members, pa.scalar("", pa.large_string())),
        "]",
    )
    return _unless_null(values, texts)


def _unless_null(values: pa.Array, texts: pa.Array) -> pa.Array:
    return pc.if_else(values.is_null(), pa.scalar(None, pa.large_string()), texts)


def _starts(values: pa.Array) -> pa.Array:
    sizes = pc.fill_null(pc.list_value_length(values), 0).cast(pa.int64())
    return pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(sizes)])


def _joined(*texts: pa.Array | str) -> pa.Array:
    parts = [pa.scalar(text, pa.large_string()) if isinstance(text, str) else text for text in texts]
    return pc.binary_join_element_wise(*parts, pa.scalar("", pa.large_string()))


def _text_bytes(lines: pa.Array) -> memoryview:
    """The bytes of all lines, one after the other."""
    whole = pa.concat_arrays([lines])  # begins at its own first byte
    _, offsets, content = whole.buffers()
    ends = memoryview(offsets).cast("q")
    return memoryview(content)[ends[0] : ends[len(whole)]]
