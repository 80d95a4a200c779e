"""Tags added to all rows of some groups of a table."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.checks.text_pairs import Codes


def tag_groups(table: pa.Table, group: Codes, name: str, values: Mapping[int, str]) -> pa.Table:
    """Tag every row of the groups that have a value; an earlier tag of the same name is removed everywhere."""
    column = table["tags"]
    tags = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    tags = _remove_tag(tags, name)
    if values:
        tags = _add_tag(tags, group, name, values)
    return table.set_column(table.column_names.index("tags"), table.schema.field("tags"), tags)


def _remove_tag(tags: pa.Array, name: str) -> pa.Array:
    kept = np.asarray(pc.not_equal(tags.keys, name))
    if kept.all():
        return tags
    starts = tags.offsets.to_numpy()
    before = np.concatenate([[0], np.cumsum(kept)])
    keys, items = (side.filter(pa.array(kept)) for side in (tags.keys, tags.items))
    return pa.MapArray.from_arrays(pa.array(before[starts - starts[0]], pa.int32()), keys, items)


def _add_tag(tags: pa.Array, group: Codes, name: str, values: Mapping[int, str]) -> pa.Array:
    distinct = sorted(set(values.values()))
    by_group = np.full(int(group.max(initial=0)) + 1, -1, np.int64)
    by_group[list(values)] = [distinct.index(value) for value in values.values()]
    code = by_group[group]
    sizes = np.diff(tags.offsets.to_numpy())
    ends = np.cumsum(sizes + (code >= 0))
    new = ends[code >= 0] - 1  # the last slot of each row that gains a tag
    old = np.ones(int(ends[-1]), np.bool_)
    old[new] = False
    take = np.empty(len(old), np.int64)
    take[old] = np.arange(old.sum())
    take[new] = old.sum() + code[code >= 0]
    keys = pa.concat_arrays([tags.keys, pa.array([name] * len(distinct), pa.string())]).take(pa.array(take))
    items = pa.concat_arrays([tags.items, pa.array(distinct, pa.string())]).take(pa.array(take))
    return pa.MapArray.from_arrays(pa.array(np.concatenate([[0], ends]), pa.int32()), keys, items)
