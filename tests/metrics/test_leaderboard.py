"""The leaderboard: unweighted means over data sets, ranked only where they can be compared."""

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint import catalog
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.metrics.leaderboard import COLUMNS, TESTS, Entry, bases, board, mean_of
from counterpoint.store.groups import groups_table

DATA_SETS = ("CLEVR", "GQA", "GQA-OOD-ALL", "GQA-OOD-HEAD", "GQA-OOD-TAIL", "OK-VQA", "TextVQA", "VQA2")
TABLE_2 = {
    "MCAN": (32.87, 44.58, 41.67, 44.78, 36.59, 35.46, 8.49, 85.94),
    "MMNASNET": (31.95, 44.50, 40.24, 42.01, 37.35, 35.09, 8.81, 86.51),
    "BAN-8": (28.64, 41.86, 38.95, 40.97, 35.65, 32.88, 8.40, 81.60),
    "MDETR": (25.44, 61.42, 55.76, 59.43, 49.76, 9.83, 4.70, 44.22),
}
"""Accuracy of four models on eight data sets (Beyond Accuracy, Table 2)."""
TABLE_1 = {"MCAN": 41.30, "MMNASNET": 40.80, "BAN-8": 38.62, "MDETR": 38.82}


def _entry(percent: float, missing: float = 0.0) -> Entry:
    value = percent / 100
    return Entry(value, value - 0.01, min(value + 0.02, 1.0), 100, missing=missing)


def test_the_means_of_the_paper_come_out() -> None:
    found = board(
        {
            model: {name: {"accuracy": _entry(value)} for name, value in zip(DATA_SETS, values, strict=True)}
            for model, values in TABLE_2.items()
        }
    )
    means = {row.model: row.means["accuracy"] for row in found.rows}
    assert {model: mean.value for model, mean in means.items()} == pytest.approx(
        {model: percent / 100 for model, percent in TABLE_1.items()}, abs=1e-4
    )
    assert [row.model for row in found.rows] == ["MCAN", "MMNASNET", "MDETR", "BAN-8"]
    assert {mean.rank for mean in means.values()} == {1, 2, 3, 4}
    assert found.data_sets == DATA_SETS
    assert found.notes == ()


def test_less_bias_is_better_and_equal_means_share_a_rank() -> None:
    found = board(
        {
            model: {"x": {"question_bias": _entry(percent), "sears": _entry(percent)}}
            for model, percent in {"a": 10, "b": 20, "c": 10}.items()
        }
    )
    ranks = {row.model: (row.means["question_bias"].rank, row.means["sears"].rank) for row in found.rows}
    assert ranks == {"a": (1, 2), "b": (3, 1), "c": (1, 2)}


def test_a_mean_over_fewer_data_sets_says_so_and_is_not_ranked() -> None:
    found = board(
        {
            "whole": {"x": {"accuracy": _entry(10)}, "y": {"accuracy": _entry(30)}},
            "half": {"x": {"accuracy": _entry(90)}, "y": {"accuracy": Entry(reason="it was not asked this")}},
            "part": {"x": {"accuracy": _entry(95)}, "y": {"accuracy": _entry(95, missing=0.4)}},
        }
    )
    means = {row.model: row.means["accuracy"] for row in found.rows}
    assert [row.model for row in found.rows] == ["whole", "part", "half"]
    assert (means["whole"].rank, means["half"].rank, means["part"].rank) == (1, None, None)
    assert (means["half"].value, means["half"].data_sets, means["half"].of) == (0.9, 1, 2)
    assert "half: accuracy: over 1 of 2 data sets, so not ranked" in found.notes
    assert "part: accuracy: over all data sets, not all of them asked whole, so not ranked" in found.notes


def test_what_does_not_apply_is_blank_with_its_reason_and_never_zero() -> None:
    found = board(
        {
            "one": {"x": {"accuracy": _entry(10), "uncertainty": Entry(reason="it has no stochastic passes")}},
            "two": {"x": {"accuracy": _entry(20), "uncertainty": Entry(reason="it has no stochastic passes")}},
        }
    )
    assert [column.name for column in found.columns] == ["accuracy", "uncertainty"]
    for row in found.plain:
        assert row["measures"]["uncertainty"]["value"] is None
        assert row["measures"]["uncertainty"]["reason"] == "it has no stochastic passes"
    assert found.notes == ("two, one: uncertainty: it has no stochastic passes",)


shares = st.floats(0, 1).flatmap(
    lambda value: st.tuples(st.floats(0, value), st.floats(value, 1)).map(lambda ends: Entry(value, *ends, 5))
)


@given(st.lists(shares, min_size=1, max_size=6))
def test_an_interval_of_a_mean_holds_it_and_is_no_wider_than_the_mean_of_intervals(entries: list[Entry]) -> None:
    mean = mean_of(entries)
    assert mean.value is not None and mean.low is not None and mean.high is not None  # noqa: PT018
    assert mean.low - 1e-9 <= mean.value <= mean.high + 1e-9
    low, high = (math.fsum(getattr(one, end) for one in entries) / len(entries) for end in ("low", "high"))
    assert low - 1e-9 <= mean.low <= mean.high <= high + 1e-9


def test_the_interval_of_one_data_set_is_its_own() -> None:
    mean = mean_of([Entry(0.5, 0.25, 0.625, 9)])
    assert (mean.value, mean.low, mean.high) == (0.5, 0.25, 0.625)


def _groups(test: str, texts: str) -> pa.Table:
    made = [
        (
            test,
            Group(
                Relation.SAME,
                (Query(Picture("p:1.png"), text), Query(Picture("p:2.png"), text)),
                (Gold.of("yes"),) * 2,
            ),
        )
        for text in texts
    ]
    return groups_table(made, test)


def test_bases_are_those_of_the_plain_test_or_else_of_all_each_once() -> None:
    noise, sears = _groups("noise", "abc"), _groups("sears", "bcd")
    found = bases(pa.concat_tables([noise, sears]))
    assert found["text"].to_pylist() == ["a", "b", "c", "d"]
    assert set(found["test"].to_pylist()) == {"bases"}
    assert bases(pa.concat_tables([noise, _groups("plain", "xy")]))["text"].to_pylist() == ["x", "y"]


def test_every_column_has_a_test_and_a_name_of_its_own() -> None:
    assert len({column.name for column in COLUMNS}) == len(COLUMNS)
    assert set(TESTS) == {
        "plain",
        "question-bias",
        "picture-bias",
        "noise",
        "feature-noise",
        "sears",
        "word-noise",
    }


def test_it_is_said_of_each_measure_whether_less_of_it_is_better() -> None:
    columns = {column.name for column in COLUMNS if column.lower}
    assert columns == {"question_bias", "picture_bias", "uncertainty", "ece"}
    assert {column.name for column in COLUMNS if column.chance} == {"question_bias", "picture_bias"}
    found = {name for name in catalog.rows("metrics") if catalog.metric(name).lower_is_better}
    errors = {"ece", "ece_mass", "brier", "whole_brier", "aurc"}
    unsure = {"uncertainty", "mean_entropy", "answer_entropy"}
    assert found == {"question_bias", "picture_bias", "right_to_wrong", "ties"} | errors | unsure
