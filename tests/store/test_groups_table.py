"""Groups as rows: what goes in comes out, and what does not fit is refused with its place."""

import sys
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from tabled import calm, groups, pairs, queries, some_groups

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Edit, Picture
from counterpoint.store import groups as stored
from counterpoint.store.groups import check_groups, groups_table, unique_queries
from counterpoint.store.tables import GROUPS


@calm
@given(pairs())
def test_queries_come_back_as_they_were(given_pairs: list[tuple[str, Group]]) -> None:
    table = groups_table(given_pairs, "suite")
    asked = [query for _, group in given_pairs for query in group.queries]
    assert stored.read_queries(table) == asked
    assert table["query"].to_pylist() == [query.id for query in asked]
    assert check_groups(table, "here") is table


@calm
@given(pairs())
def test_a_row_holds_what_its_group_holds(given_pairs: list[tuple[str, Group]]) -> None:
    rows = iter(groups_table(given_pairs, "suite").to_pylist())
    for test, group in given_pairs:
        for role, (_, gold) in enumerate(zip(group.queries, group.gold, strict=True)):
            row = next(rows)
            assert (row["suite"], row["test"], row["role"], row["relation"]) == ("suite", test, role, group.relation)
            assert (row["group_id"], row["kind"], row["proof"]) == (group.id, group.kind, group.proof)
            credits_ = None if gold is None else [{"answer": a, "credit": c} for a, c in gold.answers]
            assert row["gold"] == credits_
            assert [one["name"] for one in row["objects"]] == [one.name for one in group.objects]
            assert [one["x"] for one in row["objects"]] == [one.box and one.box.x for one in group.objects]
            assert row["tags"] == list(group.tags[role] if group.tags else ())
            assert row["width"] == (group.size and group.size.width)
    assert next(rows, None) is None


def test_no_groups_make_an_empty_table() -> None:
    table = groups_table([], "suite")
    assert table.schema.equals(GROUPS, check_metadata=True)
    assert stored.read_queries(table) == []


def test_a_number_and_a_text_that_looks_like_it_stay_apart() -> None:
    asked = [Query(Picture("a:b", (Edit("blur", (argument,)),)), "?") for argument in (6, "6")]
    table = groups_table([("t", Group(Relation.SAME, tuple(asked), (None, None)))], "suite")
    assert [query.picture.edits[0].arguments for query in stored.read_queries(table) if query.picture] == [(6,), ("6",)]


def test_a_query_without_a_picture_is_not_one_with_an_empty_address() -> None:
    asked = (Query(None, "?"), Query(Picture(""), "?"))
    table = groups_table([("t", Group(Relation.SAME, asked, (None, None)))], "suite")
    assert table["picture"].to_pylist() == [None, ""]
    assert stored.read_queries(table) == list(asked)


def test_each_query_is_to_be_asked_once_in_the_order_of_the_table() -> None:
    first, second = Query(None, "One?"), Query(None, "Two?")
    made = [("t", Group(Relation.SAME, asked, (None, None))) for asked in ((second, first), (first, second))]
    assert unique_queries(groups_table(made, "suite"))["text"].to_pylist() == ["Two?", "One?"]


def test_half_a_character_is_refused_by_name() -> None:
    with pytest.raises(StoreError, match="half a character"):
        groups_table([("t", Group(Relation.SAME, (Query(None, "a\ud800b"),), (None,)))], "suite")


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        ("relation", "similar"),
        ("mode", "shout"),
        ("edits", "[[1]]"),
        ("edits", "{"),
        ("feature_edits", '[["a",[1.5],0]]'),
    ],
)
def test_what_no_column_may_hold_is_refused_with_row_and_group(column: str, wrong: str) -> None:
    table = groups_table(some_groups(2), "suite")
    place = table.column_names.index(column)
    broken = pa.array([*table[column].to_pylist()[:-1], wrong], pa.string())
    with pytest.raises(StoreError, match=rf"file, row 3, group {some_groups(2)[1][1].id:016x}: {column}") as said:
        check_groups(table.set_column(place, column, broken), "file")
    assert said.value.hint


def _calls(count: int) -> int:
    """The function calls by which so many groups are tabled."""
    made = [("t", Group(Relation.SAME, (Query(Picture(f"a:{n}"), "?"),), (Gold.of("yes"),))) for n in range(count)]
    events = Counter[str]()
    sys.setprofile(lambda frame, event, argument: events.update([event]))
    try:
        table = groups_table(made, "suite")
    finally:
        sys.setprofile(None)
    assert table.num_rows == count
    return events["call"] + events["c_call"]


def test_the_work_of_tabling_grows_with_the_number_of_groups_and_not_faster() -> None:
    few, many = _calls(100), _calls(400)
    assert few < many < 4.5 * few


@calm
@given(queries(), groups())
def test_the_first_row_of_a_group_is_its_base(query: Query, group: Group) -> None:
    table = groups_table([("a", group), ("b", Group(Relation.GOLD, (query,), (None,)))], "suite")
    bases = table.filter(pc.equal(table["role"], 0))
    assert bases["group_id"].to_pylist() == [group.id, Group(Relation.GOLD, (query,), (None,)).id]
    assert np.all(np.diff(table["role"].to_numpy().astype(int))[: len(group.queries) - 1] == 1)
