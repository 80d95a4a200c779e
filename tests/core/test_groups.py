"""Queries and groups: what their ids cover, what a group promises, and how gold gives credit."""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import groups, queries, words

from counterpoint.core.groups import Gold, Group, Mode, Query, Relation, text_query_id
from counterpoint.core.pictures import Edit, Picture

OTHERWISE: dict[str, Any] = {
    "picture": Picture("another:picture.png", (Edit("another"),)),
    "text": "Another text?",
    "mode": Mode.SCORE,
    "choices": ("another", "choice"),
    "context": "another context",
    "edits": (Edit("another"),),
}


@given(queries())
def test_a_query_that_differs_in_any_field_has_another_id(query: Query) -> None:
    assert set(OTHERWISE) == {field.name for field in fields(Query)}
    query = replace(query, mode=Mode.ANSWER)
    others = [replace(query, **{name: value}) for name, value in OTHERWISE.items()]
    assert len({query.id, *(other.id for other in others)}) == 1 + len(others)


@given(queries(), queries())
def test_two_queries_share_an_id_only_if_they_are_equal(one: Query, other: Query) -> None:
    assert (one.id == other.id) == (one == other)


@given(st.text(), st.text(st.characters()))
def test_a_plain_query_has_its_id_without_being_made(address: str, text: str) -> None:
    for picture in (Picture(address), Picture(address, (Edit("blur", ("6",)),))):
        assert text_query_id(picture, text) == Query(picture, text).id
    assert text_query_id(Picture("a:b.png"), "half \ud800") == Query(Picture("a:b.png"), "half \ud800").id


def test_a_word_that_moves_from_one_field_to_the_next_changes_the_id() -> None:
    spread = [
        Query(None, "a", context="b"),
        Query(None, "b", context="a"),
        Query(None, "", context="ab"),
        Query(None, "", choices=("a", "b")),
        Query(None, "", choices=("ab",)),
        Query(None, "a", choices=("b",)),
        Query(Picture("a"), "b"),
        Query(Picture(""), "ab"),
        Query(Picture("", (Edit("a"),)), "b"),
        Query(Picture(""), "b", edits=(Edit("a"),)),
        Query(None, "b", edits=(Edit("a"),)),
    ]
    assert len({query.id for query in spread}) == len(spread)


@given(queries(), st.text())
def test_asking_otherwise_changes_the_text_alone(query: Query, text: str) -> None:
    assert query.with_text(text) == replace(query, text=text)


@given(groups())
def test_a_group_is_its_base_and_its_variants(group: Group) -> None:
    assert (group.base, *group.variants) == group.queries


@given(groups())
def test_a_groups_id_covers_relation_and_queries_in_order_but_not_gold(group: Group) -> None:
    forgotten = replace(group, gold=(None,) * len(group.queries), proof="another", kind="another")
    assert forgotten.id == group.id
    relations = {replace(group, relation=relation).id for relation in Relation}
    assert len(relations) == len(Relation)
    turned = replace(group, queries=group.queries[::-1], gold=group.gold[::-1])
    assert (turned.id == group.id) == (turned.queries == group.queries)


def test_a_group_without_a_base_or_with_gold_for_others_is_refused() -> None:
    asked = (Query(None, "Is it?"),)
    for queries_, gold, tags in (((), (), ()), (asked, (), ()), (asked, (None,), ((), ()))):
        with pytest.raises(AssertionError):
            Group(Relation.SAME, queries_, gold, tags=tags)


@given(st.lists(words, min_size=1, max_size=10))
def test_votes_give_a_third_each_up_to_the_whole(votes: list[str]) -> None:
    gold = Gold.from_votes(votes)
    for answer in (*set(votes), "nobody said this"):
        assert gold.credit(answer) == min(votes.count(answer) / 3, 1)
    assert votes.count(gold.best) == max(map(votes.count, votes))


def test_every_answer_named_as_gold_is_fully_right() -> None:
    gold = Gold.of("sofa", "couch")
    assert (gold.best, gold.credit("sofa"), gold.credit("couch"), gold.credit("bed")) == ("sofa", 1, 1, 0)
