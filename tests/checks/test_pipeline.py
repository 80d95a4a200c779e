"""Checks one after the other: order, actions, effects, marks and losses."""

from collections.abc import Sequence

import pyarrow as pa
import pytest
from foil_tables import applied, bases, group, pictured, table_of
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.checks.check import INSTRUMENTS, ORDER, Action, Check, CheckContext, Rejections, default_action
from counterpoint.checks.model_checks import REASONS, entailment
from counterpoint.checks.pipeline import CheckStep, apply_checks, tag_groups
from counterpoint.checks.text_checks import SAME, duplicates, length, minimality
from counterpoint.checks.text_pairs import TextPairs, group_numbers
from counterpoint.core.groups import Group, Query, Relation

ROWS = [("a dog", "a dog"), ("a cat on a box", "a cat atop a box"), ("a cat on a box", "a cat in a box"), ("a", "b")]


def _tags(table: pa.Table) -> list[list[tuple[str, str]]]:
    return list(table["tags"].to_pylist())


def test_each_check_sees_what_those_before_it_left() -> None:
    found = applied(pictured(ROWS), duplicates, entailment)
    assert [(effect.seen, effect.kept) for effect in found.summaries] == [(4, 3), (3, 2)]
    assert [effect.dropped for effect in found.summaries] == [
        {SAME: 1},
        {REASONS["entailment"]: 1},
    ]
    assert bases(found.table) == ["a cat on a box", "a"]
    assert [(loss.group, loss.check) for loss in found.dropped] == [(0, "duplicates"), (1, "entailment")]


def test_another_order_leaves_the_same_and_says_who_dropped_what() -> None:
    found = applied(pictured(ROWS), entailment, duplicates)
    assert [effect.seen - effect.kept for effect in found.summaries] == [2, 0]
    assert bases(found.table) == ["a cat on a box", "a"]


def test_a_check_that_only_marks_puts_a_tag_on_every_row_of_the_group() -> None:
    found = applied(pictured(ROWS), entailment, action=Action.MARK)
    assert found.table.num_rows == 8
    assert found.summaries[0].marked == {REASONS["entailment"]: 2}
    reason = [("check:entailment", REASONS["entailment"])]
    assert _tags(found.table) == [reason] * 4 + [[]] * 4
    assert found.table.schema == pictured(ROWS).schema


def test_marking_again_leaves_one_mark() -> None:
    once = applied(pictured(ROWS), entailment, action=Action.MARK).table
    assert applied(once, entailment, action=Action.MARK).table.equals(once)


def test_a_check_that_is_off_in_a_test_sees_nothing_of_it() -> None:
    table = pa.concat_tables([pictured(ROWS, "one"), pictured(ROWS, "other")])
    step = CheckStep(duplicates, CheckContext({}), lambda test: Action.DROP if test == "one" else Action.OFF)
    found = apply_checks(table, [step])
    assert found.summaries[0].tests == {"one": {"seen": 4, "dropped": 1, "marked": 0}}
    assert found.table.num_rows == 14


def test_one_bad_foil_drops_its_group() -> None:
    table = table_of([group(("a dog", "a cat", "a dog")), group(("a dog", "a cow"), "two")])
    found = applied(table, duplicates)
    assert found.table["text"].to_pylist() == ["a dog", "a cow"]


def test_a_group_without_variants_is_kept_and_counted() -> None:
    alone = table_of([Group(Relation.SAME, (Query(None, "Is it?"),), (None,), test="plain")])
    found = applied(alone, duplicates, length, minimality)
    assert found.table.equals(alone)
    assert found.summaries[0].seen == 1


def test_rows_of_a_group_need_not_be_neighbors() -> None:
    table = pictured(ROWS)
    mixed = table.take(pa.array([7, 2, 0, 5, 3, 4, 6, 1]))
    found = applied(mixed, duplicates)
    assert sorted(found.table["text"].to_pylist()) == sorted(table["text"].to_pylist()[2:])


def test_a_record_has_no_time_and_can_be_written_as_json() -> None:
    nothing = Check(
        "nothing", "", lambda pairs, given: Rejections(pairs.group - pairs.group - 1, [], {"a": {"b": float("nan")}})
    )
    record = applied(pictured(ROWS), nothing).summaries[0].record
    assert "seconds" not in record
    assert record["notes"] == {"a": {"b": None}}


@given(st.lists(st.lists(st.sampled_from("xyz"), max_size=2), min_size=1, max_size=6), st.data())
def test_a_mark_leaves_every_other_tag_where_it_was(names: list[list[str]], data: st.DataObject) -> None:
    tags = pa.array([[(name, name * 2) for name in own] for own in names], pa.map_(pa.string(), pa.string()))
    table = pa.table({"tags": tags})
    numbers = pa.array(range(len(names))).to_numpy().astype("int32")
    values = data.draw(st.dictionaries(st.integers(0, len(names) - 1), st.sampled_from(["good", "bad"])))
    found = tag_groups(table, numbers, "x", values)["tags"].to_pylist()
    for number, own in enumerate(names):
        before = [(name, name * 2) for name in own if name != "x"]
        assert found[number] == before + ([("x", values[number])] if number in values else [])


def test_the_usual_checks_are_those_of_the_paper() -> None:
    def tests(check: str, action: Action) -> set[str]:
        return {test for test in INSTRUMENTS if default_action(check, test) is action}

    assert tests("grammar", Action.DROP) == tests("entailment", Action.DROP) == {"plurals", "relations"}
    assert tests("entailment", Action.MARK) == {"action-replacement", "actant-swap"}
    assert tests("duplicates", Action.DROP) == tests("length", Action.DROP) == set(INSTRUMENTS)
    assert default_action("duplicates", "anything else") is Action.DROP
    assert default_action("grammar", "anything else") is Action.OFF
    assert {check for own in INSTRUMENTS.values() for check in own} <= set(ORDER)


@pytest.mark.parametrize("count", [0, 1, 7])
def test_pairs_are_those_of_a_naive_walk(count: int) -> None:
    groups = [group((f"caption {n}", *(f"foil {n} {k}" for k in range(n % 3))), str(n)) for n in range(count)]
    table = table_of(groups)
    pairs = TextPairs.of(table, group_numbers(table))
    texts: Sequence[str] = pairs.texts.all
    found = [(texts[one], texts[other]) for one, other in zip(pairs.caption, pairs.foil, strict=True)]
    assert found == [(one.base.text, variant.text) for one in groups for variant in one.variants]
