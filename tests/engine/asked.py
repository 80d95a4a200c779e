"""Queries and tables of queries to ask in tests."""

from collections.abc import Sequence

import pyarrow as pa

from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.store.groups import groups_table, unique_queries


def a_table(queries: Sequence[Query]) -> pa.Table:
    """A table as suites have it, each query once."""
    return unique_queries(
        groups_table([("plain", Group(Relation.SAME, (query,), (None,))) for query in queries], "some")
    )


def some(count: int, *, pictures: int = 8, mode: Mode = Mode.ANSWER) -> list[Query]:
    """Queries on a few pictures, in no order of pictures; fewer of them are the first of more."""
    return [Query(Picture(f"p:{n % pictures}.png"), f"Is it {n}?", mode) for n in range(count)]
