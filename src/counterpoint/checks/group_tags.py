"""Tags added to the rows of some groups of a table."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.checks.text_pairs import Codes


def tag_groups(table: pa.Table, group: Codes, name: str, values: Mapping[int, str]) -> pa.Table:
    """The table with a tag on every row of the groups that have a value; a tag of this name from before goes."""
    tags = _without(_one(table["tags"]), name)
    if values:
        tags = _with(tags, group, name, values)
    return table.set_column(table.column_names.index("tags"), table.schema.field("tags"), tags)


def _one(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _without(tags: pa.Array, name: str) -> pa.Array:
    kept = np.asarray(pc.not_equal(tags.keys, name))
    if kept.all():
        return tags
    starts = tags.offsets.to_numpy()
    before = np.concatenate([[0], np.cumsum(kept)])
    keys, items = (side.filter(pa.array(kept)) for side in (tags.keys, tags.items))
    return pa.MapArray.from_arrays(pa.array(before[starts - starts[0]], pa.int32()), keys, items)


def _with(tags: pa.Array, group: Codes, name: str, values: Mapping[int, str]) -> pa.Array:
    words = sorted(set(values.values()))
    number = np.full(int(group.max(initial=0)) + 1, -1, np.int64)
    number[list(values)] = [words.index(value) for value in values.values()]
    own = number[group]
    sizes = np.diff(tags.offsets.to_numpy())
    ends = np.cumsum(sizes + (own >= 0))
    new = ends[own >= 0] - 1  # the last place of each row that gains a tag
    old = np.ones(int(ends[-1]), np.bool_)
    old[new] = False
    take = np.empty(len(old), np.int64)
    take[old] = np.arange(old.sum())
    take[new] = old.sum() + own[own >= 0]
    keys = pa.concat_arrays([tags.keys, pa.array([name] * len(words), pa.string())]).take(pa.array(take))
    items = pa.concat_arrays([tags.items, pa.array(words, pa.string())]).take(pa.array(take))
    return pa.MapArray.from_arrays(pa.array(np.concatenate([[0], ends]), pa.int32()), keys, items)
