"""Scores: values and counts as a naive loop has them, the identities of the paper, intervals that can be trusted."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from answer_tables import Made, Member, Said, made, tables
from hypothesis import given
from hypothesis import strategies as st
from naive import Case, cases

from counterpoint import catalog
from counterpoint.metrics.accuracy import ACCURACY_METRICS
from counterpoint.metrics.intervals import clustered_interval
from counterpoint.metrics.metric import Ratio
from counterpoint.metrics.ranking import RANKING
from counterpoint.metrics.scoring import score_table
from counterpoint.metrics.units import Pairs

NAMES = {"suite": lambda c: c.group.suite, "test": lambda c: c.group.test, "kind": lambda c: c.group.kind}
COLUMNS: dict[str, Callable[[Case], str | None]] = {
    **NAMES,
    "tag:edit": lambda c: c.tags.get("edit"),
    "tag:class": lambda c: c.tags.get("class"),
}


def _rows(table: pa.Table, columns: tuple[str, ...]) -> dict[tuple[str, ...], dict[str, Any]]:
    return {(*(row[name] for name in columns), row["metric"]): row for row in table.to_pylist()}


@given(
    made(),
    st.lists(st.sampled_from(["test", "kind", "tag:edit", "tag:class"]), unique=True, max_size=2),
    st.sampled_from([0.3, 0.5, 1.0]),
    st.booleans(),
)
def test_scores_are_those_of_a_loop(groups: list[Made], by: list[str], threshold: float, shuffled: bool) -> None:
    table, answers, _ = tables(groups, shuffled=shuffled)
    columns = ("suite", *by)
    rows = _rows(score_table(table, answers, by, metrics=ACCURACY_METRICS, threshold=threshold), columns)
    naive: dict[tuple[str, ...], list[Case]] = {}
    for unit, found in cases(groups, threshold).items():
        for case in found:
            words = [word for name in columns if (word := COLUMNS[name](case)) is not None]
            for metric in (m.name for m in ACCURACY_METRICS if _unit(m) == unit and len(words) == len(columns)):
                naive.setdefault((*words, metric), []).append(case)
    assert set(rows) == set(naive)
    for key, found in naive.items():
        row, metric = rows[key], str(key[-1])
        earned = [case for case in found if metric in case.credit]
        assert row["n"] == len(earned)
        assert row["left_out"] == sum(not case.counted for case in found)
        assert row["clusters"] == len({case.cluster for case in earned})
        assert row["threshold"] == threshold
        if earned:
            assert row["value"] == pytest.approx(sum(case.credit[metric] for case in earned) / len(earned))
            assert 0 <= row["low"] <= row["value"] + 1e-9
            assert row["value"] - 1e-9 <= row["high"] <= 1
        else:
            assert (row["value"], row["low"], row["high"]) == (None, None, None)
        if earned:
            closed = clustered_interval(
                [case.credit[metric] for case in earned], [str(case.cluster) for case in earned]
            )
            assert (row["low"], row["high"]) == pytest.approx((closed.low, closed.high), abs=1e-6)


def _unit(metric: Ratio[Any]) -> str:
    return {"Pairs": "pair", "Sets": "group", "Singles": "answer"}[metric.unit.__name__]


@given(made())
def test_states_are_counted_beside_every_score(groups: list[Made]) -> None:
    table, answers, _ = tables(groups)
    for row in score_table(table, answers, ()).to_pylist():
        states = [
            member.said.state if member.said else "missing"
            for group in groups
            if group.suite == row["suite"]
            for member in group.members
        ]
        assert row["answers"] == len(states)
        for state in ("ok", "unparsed", "refused", "failed", "missing"):
            assert row[state] == pytest.approx(states.count(state) / len(states))


@given(made())
def test_a_filter_keeps_what_it_says(groups: list[Made]) -> None:
    table, answers, _ = tables(groups)
    kept, only, _ = tables([group for group in groups if group.kind == "exist"])
    metrics = (*ACCURACY_METRICS, *RANKING)
    one = score_table(table, answers, where={"kind": "exist"}, metrics=metrics)
    other = score_table(kept, only, where={"kind": "exist"}, metrics=metrics)
    assert one.to_pylist() == other.to_pylist()


def _suite(answer: Callable[[str, Random], str], pictures: int = 60) -> tuple[pa.Table, pa.Table]:
    """Rephrasings and negations of yes/no questions, three groups to a picture, each with two variants."""
    rng, groups = Random(3), []
    for picture in range(pictures):
        for _ in range(3):
            truth = rng.choice(["yes", "no"])
            turned = {"yes": "no", "no": "yes"}[truth]
            for relation, golds in (("same", (truth,) * 3), ("differs", (truth, turned, turned))):
                members = tuple(Member({gold: 1.0}, Said(value=answer(gold, rng))) for gold in golds)
                groups.append(Made(members, relation, relation, f"world:{picture}.png"))
    table, answers, _ = tables(groups)
    return table, answers


def _values(table: pa.Table, test: str) -> dict[str, float]:
    return {row["metric"]: row["value"] for row in table.to_pylist() if row["test"] == test}


def test_a_model_that_knows_gold_has_all_of_everything() -> None:
    table = score_table(*_suite(lambda gold, rng: gold))
    assert set(table["value"].to_pylist()) == {1.0}
    assert set(table["high"].to_pylist()) == {1.0}
    assert all(0.9 < low < 1 for low in table["low"].to_pylist())
    assert set(table["method"].to_pylist()) == {"Korn-Graubard"}


def test_a_model_that_always_says_yes_is_consistent_where_answers_must_agree_and_never_where_they_must_differ() -> None:
    table = score_table(*_suite(lambda gold, rng: "yes"))
    same, differs = _values(table, "same"), _values(table, "differs")
    assert same["self_consistency"] == 1.0
    assert same["accuracy"] == same["comprehensive_accuracy"] == same["all_right"] < 0.7
    assert differs["self_consistency"] == differs["comprehensive_accuracy"] == 0.0
    assert differs["accuracy"] == 0.5


def test_on_yes_no_pairs_the_three_metrics_of_the_paper_hang_together() -> None:
    """Both right or both wrong is consistent, so CONS = 2 C-ACC + 1 - 2 ACC, as CARETS Tables 11 and 12 have it."""
    table = score_table(*_suite(lambda gold, rng: gold if rng.random() < 0.7 else rng.choice(["yes", "no"])))
    for test in ("same", "differs"):
        found = _values(table, test)
        assert found["self_consistency"] == pytest.approx(
            2 * found["comprehensive_accuracy"] + 1 - 2 * found["accuracy"]
        )
        assert found["accuracy"] == pytest.approx((found["base_accuracy"] + found["variant_accuracy"]) / 2)
        assert found["all_right"] <= found["comprehensive_accuracy"] <= found["accuracy"]
        assert found["worst_case"] == found["all_right"]


def test_intervals_do_not_depend_on_company_or_order() -> None:
    groups, answers = _suite(lambda gold, rng: gold if rng.random() < 0.7 else "yes")
    whole = score_table(groups, answers)
    assert set(whole["method"].to_pylist()) == {"Korn-Graubard"}
    alone = score_table(groups.filter(pa.compute.equal(groups["test"], "same")), answers)
    assert [row for row in whole.to_pylist() if row["test"] == "same"] == alone.to_pylist()
    order = list(range(groups.num_rows))
    Random(1).shuffle(order)
    assert score_table(groups.take(pa.array(order)), answers).equals(whole)
    assert score_table(groups, answers, seed=1).equals(whole)  # no interval has a random draw


def test_a_metric_of_ones_own_is_scored_like_ours() -> None:
    rad = Ratio("rad", Pairs, lambda p: p.variant_right, counts=lambda p: p.gold & p.base_right)
    groups, answers = _suite(lambda gold, rng: "yes")
    found = {row["test"]: row["value"] for row in score_table(groups, answers, metrics=[rad]).to_pylist()}
    assert found == {"same": 1.0, "differs": 0.0}


def test_a_suite_that_nobody_was_asked_has_no_number() -> None:
    group = Made((Member({"yes": 1.0}, None), Member({"yes": 1.0}, None)))
    for row in score_table(*tables([group, replace(group, test="order")])[:2]).to_pylist():
        assert (row["value"], row["n"], row["missing"], row["method"]) == (None, 0, 1.0, "")


def test_synonyms_are_one_answer_and_two_literal_ones() -> None:
    gold = {"gray": 1.0, "grey": 1.0}
    pairs = [("gray", "grey"), ("gray", "gray"), ("blue", "red"), ("blue", "blue")]
    groups, answers, _ = tables(
        [Made((Member(gold, Said(value=one)), Member(gold, Said(value=two)))) for one, two in pairs]
    )
    chosen = [catalog.metric(name) for name in ("self_consistency", "literal_consistency", "comprehensive_accuracy")]
    rows = score_table(groups, answers, (), metrics=chosen).to_pylist()
    assert [row["value"] for row in rows] == [0.75, 0.5, 0.5]
