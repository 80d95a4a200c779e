"""Groups as tables: groups to rows, built by columns, and rows back to queries."""

import json
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.ids import canonical, hex_id
from counterpoint.core.pictures import Edit, Picture, edits_content
from counterpoint.store.joins import has_duplicates
from counterpoint.store.tables import GROUPS, as_lists

QUERY_COLUMNS = ("query", "picture", "edits", "feature_edits", "context", "text", "mode", "choices")
"""The columns that make up a query."""
_SIDES = ("x", "y", "width", "height")  # empty for what has no box


def groups_table(groups: Iterable[tuple[str, Group]], suite: str) -> pa.Table:
    """The table of a suite, from pairs of test and group; one row per query, the base first."""
    pairs = list(groups)
    tests, kept = [test for test, _ in pairs], [group for _, group in pairs]
    sizes = np.array([len(group.queries) for group in kept], dtype=np.int64)
    queries = [query for group in kept for query in group.queries]
    ends = np.cumsum(sizes)
    rows = np.repeat(np.arange(len(kept)), sizes)  # the group of each row

    def spread(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
        return _array(values, kind).take(pa.array(rows))

    columns = {
        "suite": pa.repeat(pa.scalar(suite, pa.string()), len(rows)),
        "test": spread(tests, pa.string()),
        "group_id": spread([group.id for group in kept], pa.uint64()),
        "role": pa.array(np.arange(len(rows)) - np.repeat(ends - sizes, sizes), pa.uint16()),
        "relation": spread([str(group.relation) for group in kept], pa.string()),
        "kind": spread([group.kind for group in kept], pa.string()),
        **_shown(queries),
        "gold": _gold([gold for group in kept for gold in group.gold]),
        "objects": _objects(kept).take(pa.array(rows)),
        "width": spread([group.size and group.size.width for group in kept], pa.int32()),
        "height": spread([group.size and group.size.height for group in kept], pa.int32()),
        "tags": _tags([tags for group in kept for tags in (group.tags or ((),) * len(group.queries))]),
        "proof": spread([group.proof for group in kept], pa.string()),
        "query": pa.array([query.id for query in queries], pa.uint64()),
    }
    return pa.table([columns[field.name] for field in GROUPS], schema=GROUPS)


def unique_queries(table: pa.Table) -> pa.Table:
    """Each query once, in the order of first occurrence."""
    ids = table["query"].to_numpy()
    if not has_duplicates(ids):
        return table.select(QUERY_COLUMNS)
    first = np.zeros(len(ids), np.bool_)
    first[np.unique(ids, return_index=True)[1]] = True
    return table.select(QUERY_COLUMNS).filter(pa.array(first))


def read_queries(table: pa.Table) -> list[Query]:
    """The queries of the rows of a table; their ids are its column `query`."""
    addresses, texts, modes, contexts, pixels, features = (
        table[name].to_pylist() for name in ("picture", "text", "mode", "context", "edits", "feature_edits")
    )
    edits, mode = cache(lambda line: edits_of(json.loads(line))), {mode.value: mode for mode in Mode}
    shared = cache(lambda address, line: None if address is None else Picture(address, edits(line)))
    columns = {
        "picture": map(shared, addresses, pixels),
        "text": texts,
        "mode": map(mode.__getitem__, modes),
        "choices": _choices(table["choices"]),
        "context": contexts,
        "edits": map(edits, features),
    }
    return _made_of(columns, table.num_rows)


def _made_of(columns: Mapping[str, Iterable[Any]], count: int) -> list[Query]:
    """Queries from a column for each field; to fill slots a column at a time takes a third of a constructor's time."""
    queries = [Query.__new__(Query) for _ in range(count)]
    for name, values in columns.items():
        deque(map(getattr(Query, name).__set__, queries, values), maxlen=0)
    return queries


def _choices(column: pa.ChunkedArray) -> list[tuple[str, ...]]:
    """The choices of each row; most tables offer none, and lists are converted one by one."""
    if not pc.any(pc.greater(pc.list_value_length(column), 0)).as_py():
        return [()] * len(column)
    return [tuple(offered) for offered in column.to_pylist()]


def check_groups(table: pa.Table, place: str) -> pa.Table:
    """The table, after a check of the values of the columns that it has; StoreError names the first invalid row."""
    kinds: dict[str, type[Relation | Mode]] = {"relation": Relation, "mode": Mode}
    for column, known in ((name, kind) for name, kind in kinds.items() if name in table.column_names):
        names = [member.value for member in known]
        if set(pc.unique(table[column].unify_dictionaries()).to_pylist()) - set(names):
            fits = pc.is_in(table[column].cast(pa.string()), value_set=pa.array(names, pa.string()))
            _refuse(table, place, pc.invert(fits), column, f"is none of {', '.join(known)}")
    for column in (name for name in ("edits", "feature_edits") if name in table.column_names):
        broken = pa.array([line for line in pc.unique(table[column]).to_pylist() if not _readable(line)], pa.string())
        _refuse(table, place, pc.is_in(table[column], value_set=broken), column, "is no chain of edits")
    for column in (name for name in ("choices", "gold", "objects", "tags") if name in table.column_names):
        _refuse(table, place, _holds_nothing(table[column], _SIDES), column, "holds nothing in one place")
    return table


def _holds_nothing(column: pa.ChunkedArray, optional: Collection[str] = ()) -> pa.Array:
    """Which lists have a null member, or a null in a required field of one."""
    hit = np.zeros(len(column), np.bool_)
    if len(column):
        lists = as_lists(pa.concat_arrays(column.chunks))
        members = lists.flatten()
        empty = members.is_null()
        for field in members.type if pa.types.is_struct(members.type) else ():
            if field.name not in optional:
                empty = pc.or_(empty, pc.struct_field(members, field.name).is_null())
        hit[pc.list_parent_indices(lists).filter(empty).to_numpy()] = True
    return pa.array(hit)


def _refuse(table: pa.Table, place: str, wrong: pa.ChunkedArray, column: str, fact: str) -> None:
    row = pc.index(wrong, True).as_py()
    if row >= 0:
        group, value = hex_id(table["group_id"][row].as_py()), table[column][row].as_py()
        hint = "generate the suite again, or restore it from a copy"
        raise StoreError(f"{place}, row {row}, group {group}: {column} {value!r} {fact}", hint=hint)


def _shown(queries: Sequence[Query]) -> dict[str, pa.Array]:
    pictures = [query.picture for query in queries]
    line = cache(lambda edits: canonical(edits_content(edits)))  # a table has few chains of edits and many rows
    return {
        "picture": _array([picture and picture.address for picture in pictures], pa.string()),
        "edits": _array([line(picture.edits if picture else ()) for picture in pictures], pa.string()),
        "feature_edits": _array([line(query.edits) for query in queries], pa.string()),
        "context": _array([query.context for query in queries], pa.string()),
        "text": _array([query.text for query in queries], pa.string()),
        "mode": _array([query.mode for query in queries], pa.string()),
        "choices": _list([query.choices for query in queries], lambda all_: _array(all_, pa.string())),
    }


def _gold(golds: Sequence[Gold | None]) -> pa.Array:
    def credits_of(pairs: list[tuple[str, float]]) -> pa.Array:
        kind = GROUPS.field("gold").type.value_type
        return _struct(kind, [answer for answer, _ in pairs], [credit for _, credit in pairs])

    return _list([None if gold is None else gold.answers for gold in golds], credits_of)


def _objects(groups: Sequence[Group]) -> pa.Array:
    def things(objects: list[Any]) -> pa.Array:
        boxes = [thing.box for thing in objects]
        sides = ([box and getattr(box, side) for box in boxes] for side in _SIDES)
        return _struct(GROUPS.field("objects").type.value_type, [thing.name for thing in objects], *sides)

    return _list([group.objects for group in groups], things)


def _tags(tags: Sequence[tuple[tuple[str, str], ...]]) -> pa.Array:
    pairs = list(chain.from_iterable(tags))
    keys, values = (_array(list(map(itemgetter(side), pairs)), pa.string()) for side in (0, 1))
    return pa.MapArray.from_arrays(_offsets(tags), keys, values)


def _struct(kind: pa.StructType, *columns: Sequence[Any]) -> pa.Array:
    fields = [kind.field(place) for place in range(kind.num_fields)]
    arrays = [_array(column, field.type) for column, field in zip(columns, fields, strict=True)]
    return pa.StructArray.from_arrays(arrays, fields=fields)


def _list(members: Sequence[Sequence[Any] | None], array: Callable[[list[Any]], pa.Array]) -> pa.Array:
    flat = array(list(chain.from_iterable(member for member in members if member)))
    absent = pa.array([member is None for member in members], pa.bool_())
    return pa.ListArray.from_arrays(_offsets(members), flat, mask=absent)


def _offsets(members: Sequence[Sequence[Any] | None]) -> pa.Array:
    sizes = np.fromiter([len(member) if member else 0 for member in members], np.int64, len(members))
    return pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32())


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError as problem:
        fact = f"{problem.object!r} cannot be stored: it holds half a character"
        raise StoreError(fact, hint="mend the annotations that it comes from") from problem


def edits_of(rows: Iterable[Any]) -> tuple[Edit, ...]:
    """Edits from their names, arguments and seeds, as JSON has them."""
    return tuple(Edit(name, tuple(arguments), seed) for name, arguments, seed in rows)


def _readable(line: str) -> bool:
    try:
        chain_ = edits_of(json.loads(line))
        return canonical(edits_content(chain_)) == line and all(
            isinstance(edit.name, str)
            and isinstance(edit.seed, int)
            and all(isinstance(value, str | int) and not isinstance(value, bool) for value in edit.arguments)
            for edit in chain_
        )
    except (ValueError, TypeError):
        return False
