"""The leaderboard: unweighted means over data sets, ranked only where they can be compared."""

import math
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import sample

from benchmarks.interval_coverage import draw_rates
from counterpoint import catalog
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.metrics.data_set_leaderboard import (
    DATA_SET_COLUMNS,
    DATA_SET_TESTS,
    data_set_name,
    data_sets_leaderboard,
    question_rows,
)
from counterpoint.metrics.intervals import interval_from_sums
from counterpoint.metrics.leaderboard import (
    Competitor,
    Layout,
    Leaderboard,
    LeaderboardCell,
    LeaderboardColumn,
    LeaderboardRow,
    lead_metric,
    mean_cell,
    missing_reason,
    row_notes,
    suites_leaderboard,
)
from counterpoint.metrics.metric import Contents
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


def _board(cells: dict[str, dict[str, dict[str, LeaderboardCell]]]) -> Leaderboard:
    return data_sets_leaderboard({model: Competitor(f"{model} 1") for model in cells}, cells)


def _entry(percent: float, missing: float = 0.0, failed: float = 0.0) -> LeaderboardCell:
    value = percent / 100
    return LeaderboardCell(value, value - 0.01, min(value + 0.02, 1.0), 100, missing=missing, failed=failed)


def test_the_means_of_the_paper_come_out() -> None:
    found = _board(
        {
            model: {name: {"accuracy": _entry(value)} for name, value in zip(DATA_SETS, values, strict=True)}
            for model, values in TABLE_2.items()
        }
    )
    means = {row.model: row.cells["accuracy"] for row in found.rows}
    assert {model: mean.value for model, mean in means.items()} == pytest.approx(
        {model: percent / 100 for model, percent in TABLE_1.items()}, abs=1e-4
    )
    assert [row.model for row in found.rows] == ["MCAN", "MMNASNET", "MDETR", "BAN-8"]
    assert {mean.rank for mean in means.values()} == {1, 2, 3, 4}
    assert found.data_sets == DATA_SETS
    assert found.notes == ()


def test_less_bias_is_better_and_equal_means_share_a_rank() -> None:
    found = _board(
        {
            model: {"x": {"question_bias": _entry(percent), "sears": _entry(percent)}}
            for model, percent in {"a": 10, "b": 20, "c": 10}.items()
        }
    )
    ranks = {row.model: (row.cells["question_bias"].rank, row.cells["sears"].rank) for row in found.rows}
    assert ranks == {"a": (1, 2), "b": (3, 1), "c": (1, 2)}


def test_a_mean_over_fewer_data_sets_says_so_and_is_not_ranked() -> None:
    found = _board(
        {
            "whole": {"x": {"accuracy": _entry(10)}, "y": {"accuracy": _entry(30)}},
            "half": {"x": {"accuracy": _entry(90)}, "y": {"accuracy": LeaderboardCell(reason="it was not asked this")}},
            "part": {"x": {"accuracy": _entry(95)}, "y": {"accuracy": _entry(95, missing=0.4)}},
            "some": {"x": {"accuracy": _entry(94)}, "y": {"accuracy": _entry(95, failed=0.4)}},
        }
    )
    means = {row.model: row.cells["accuracy"] for row in found.rows}
    assert [row.model for row in found.rows] == ["whole", "part", "some", "half"]
    assert [means[name].rank for name in ("whole", "half", "part", "some")] == [1, None, None, None]
    assert (means["half"].value, means["half"].data_sets, means["half"].of) == (0.9, 1, 2)
    assert "half: accuracy: over 1 of 2 data sets, so not ranked" in found.notes
    assert "part, some: accuracy: over all data sets, not all of them answered whole, so not ranked" in found.notes


def test_what_does_not_apply_is_blank_with_its_reason_and_never_zero() -> None:
    found = _board(
        {
            "one": {
                "x": {"accuracy": _entry(10), "uncertainty": LeaderboardCell(reason="it has no stochastic passes")}
            },
            "two": {
                "x": {"accuracy": _entry(20), "uncertainty": LeaderboardCell(reason="it has no stochastic passes")}
            },
        }
    )
    assert [column.name for column in found.columns] == ["accuracy", "uncertainty"]
    for row in found.to_dict()["rows"]:
        assert row["cells"]["uncertainty"]["value"] is None
        assert row["cells"]["uncertainty"]["reason"] == "it has no stochastic passes"
    assert found.notes == ("two, one: uncertainty: it has no stochastic passes",)


shares = st.floats(0, 1).flatmap(
    lambda value: st.tuples(st.floats(0, value), st.floats(value, 1)).map(lambda ends: LeaderboardCell(value, *ends, 5))
)


@given(st.lists(shares, min_size=1, max_size=6))
def test_an_interval_of_a_mean_holds_it_and_is_no_wider_than_the_mean_of_intervals(
    entries: list[LeaderboardCell],
) -> None:
    mean = mean_cell(entries)
    assert mean.value is not None and mean.low is not None and mean.high is not None  # noqa: PT018
    assert mean.low - 1e-9 <= mean.value <= mean.high + 1e-9
    low, high = (math.fsum(getattr(entry, end) for entry in entries) / len(entries) for end in ("low", "high"))
    assert low - 1e-9 <= mean.low <= mean.high <= high + 1e-9


def _overlap(shared: float, one: int, other: int) -> float:
    return shared


@pytest.mark.parametrize("correlation", sample([0.2, 0.5, 0.8], 1))
def test_a_mean_over_data_sets_that_share_pictures_holds_the_truth(correlation: float) -> None:
    rng, repetitions, held = np.random.default_rng(5), 1000, {0.0: 0, 1.0: 0}
    for _ in range(repetitions):
        rates = draw_rates(rng, 0.7, correlation, (50,))  # of the pictures, whatever is asked about them
        sums = [rng.binomial(4, rates).astype(np.float64) for _ in range(3)]
        scores = [interval_from_sums(own, np.full(50, 4), float(own.sum())) for own in sums]
        cells = [LeaderboardCell(score.value, score.low, score.high, score.n) for score in scores]
        for overlap in held:
            mean = mean_cell(cells, partial(_overlap, overlap))
            held[overlap] += (mean.low or 0) <= 0.7 <= (mean.high or 0)
    assert held[1.0] >= 0.93 * repetitions
    assert held[0.0] < held[1.0], "those of independent data sets are too narrow"


def test_the_interval_of_one_data_set_is_its_own() -> None:
    mean = mean_cell([LeaderboardCell(0.5, 0.25, 0.625, 9)])
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


def test_questions_of_a_data_set_are_its_bases_each_once() -> None:
    groups = pa.concat_tables([_groups("noise", "abc"), _groups("sears", "bcd")])
    assert groups["text"].take(pa.array(question_rows(groups))).to_pylist() == ["a", "b", "c", "d"]


def test_every_column_has_a_test_and_a_name_of_its_own() -> None:
    assert len({column.name for column in DATA_SET_COLUMNS}) == len(DATA_SET_COLUMNS)
    assert set(DATA_SET_TESTS) == {
        "plain",
        "question-bias",
        "picture-bias",
        "noise",
        "feature-noise",
        "sears",
        "word-noise",
    }


def test_each_metric_has_a_direction() -> None:
    columns = {column.name for column in DATA_SET_COLUMNS if column.metric.lower_is_better}
    assert columns == {"question_bias", "picture_bias", "uncertainty", "ece"}
    assert {column.name for column in DATA_SET_COLUMNS if column.metric.chance} == {
        "question_bias",
        "picture_bias",
        "ece",
    }
    found = {name for name in catalog.rows("metrics") if catalog.metric(name).lower_is_better}
    errors = {"ece", "ece_chance", "ece_mass", "ece_mass_chance", "ece_squared", "brier", "whole_brier", "aurc"}
    unsure = {"uncertainty", "mean_entropy", "answer_entropy"}
    assert found == {"question_bias", "picture_bias", "right_to_wrong", "survived", "ties"} | errors | unsure


def _score(value: float | None, **more: object) -> dict[str, object]:
    about = {"unit": "answer", "left_out": 0, "answers": 9, "missing": 0.0, "failed": 0.0, "reason": ""}
    return {"value": value, "low": value, "high": value, "n": 9} | about | more


def test_suites_show_the_metrics_that_lead_there_and_models_are_ordered_by_the_shared_one() -> None:
    contents = {
        ("order", ""): Contents(frozenset(["order"]), frozenset(["same"])),
        ("sears", ""): Contents(frozenset(["sears"]), frozenset(["same"])),
        ("captions", ""): Contents(frozenset(["counting"]), frozenset(["ranks"])),
    }
    scores = {
        ("order", "", "accuracy", "a"): _score(0.5),
        ("order", "", "accuracy", "b"): _score(0.75),
        ("order", "", "worst_case", "a"): _score(0.1),
        ("sears", "", "robustness", "a"): _score(0.5),
        ("sears", "", "accuracy", "a"): _score(0.5),
        ("sears", "", "accuracy", "b"): _score(0.75),
        ("captions", "", "acc_r", "b"): _score(0.25),
    }
    models = {"a": Competitor("a 1", abilities=frozenset(["answers"])), "b": Competitor("b 1")}
    found = suites_leaderboard(models, scores, contents, catalog.metrics(), ties=[("order", "", "accuracy", "b")])
    assert [column.key for column in found.columns] == [
        "order/accuracy",
        "sears/robustness",
        "sears/accuracy",
        "captions/acc_r",
    ]
    assert lead_metric(found.columns) == catalog.metric("accuracy")
    first, second = found.rows
    assert (first.model, second.model) == ("b", "a")
    assert (first.cells["order/accuracy"].tie, second.cells["order/accuracy"].tie) == (True, False)
    assert second.cells["captions/acc_r"].reason == "it gives no scores to texts"
    assert first.cells["sears/robustness"].reason == "it was not asked this"
    assert "a: captions ranking accuracy: it gives no scores to texts" in found.notes


def test_a_model_that_failed_on_more_than_one_query_in_a_hundred_comes_after_the_others() -> None:
    contents = {("s", ""): Contents(frozenset(["one"]), frozenset(["same"]))}
    scores = {
        ("s", "", "accuracy", "whole"): _score(0.5),
        ("s", "", "accuracy", "flaky"): _score(0.9, failed=0.5),
        ("s", "", "accuracy", "both"): _score(0.9, failed=0.5, missing=0.1),
        ("s", "", "accuracy", "one lost"): _score(0.6, failed=0.001),
    }
    board = suites_leaderboard({name: Competitor(name) for *_, name in scores}, scores, contents, catalog.metrics())
    assert [(row.model, row.part) for row in board.rows] == [
        ("one lost", ""),
        ("whole", ""),
        ("both", "accuracy on 1 of 1 suites, in part"),
        ("flaky", "accuracy on 1 of 1 suites, in part"),
    ]
    assert "one lost, flaky: s accuracy: some of its queries failed" in board.notes
    assert "both: s accuracy: not all of it was asked, and some of its queries failed" in board.notes


def test_of_the_tests_of_one_suite_a_model_may_lack_some() -> None:
    contents = {("s", test): Contents(frozenset([test or "one"]), frozenset(["same"])) for test in ("", "one", "two")}
    scores = {("s", test, "accuracy", "whole"): _score(0.5) for test in ("", "one", "two")}
    scores |= {("s", test, "accuracy", "easy"): _score(0.9) for test in ("", "one")}
    models = {"easy": Competitor("1"), "scorer": Competitor("2"), "whole": Competitor("3")}
    board = suites_leaderboard(models, scores, contents, catalog.metrics())
    assert [(row.model, row.part) for row in board.rows] == [
        ("whole", ""),
        ("easy", "accuracy on 1 of 2 tests"),
        ("scorer", ""),  # its cells say why they are empty
    ]


@pytest.mark.parametrize(
    ("metric", "abilities", "reason"),
    [
        ("accuracy", ["scores", "features"], "it scores texts, and answers no questions"),
        ("picture_feature_robustness", ["answers"], "it does not let its features be changed"),
        ("uncertainty", ["answers", "samples"], "it was not asked this"),
        ("acc_r", ["answers"], "it gives no scores to texts"),
        ("ece", ["answers"], "it was not asked this"),
    ],
)
def test_a_model_says_what_it_cannot_do_and_what_it_was_not_asked(
    metric: str, abilities: list[str], reason: str
) -> None:
    assert missing_reason(catalog.metric(metric), None, abilities) == reason


def test_what_does_not_apply_says_so_in_the_words_of_its_metric() -> None:
    assert missing_reason(catalog.metric("self_consistency"), _score(None)) == (
        "no pair here must be answered alike or differently"
    )
    assert missing_reason(catalog.metric("ece"), _score(None, reason="because")) == "because"


def test_precision_without_a_yes_among_some_answers_is_not_called_unasked() -> None:
    precision = catalog.metric("yes_precision")
    assert "no answer is yes" in missing_reason(precision, _score(None, missing=0.5, left_out=4))
    assert missing_reason(precision, _score(None, missing=0.5, left_out=9)) == "it was not asked this"


def test_data_sets_are_named_by_their_suites() -> None:
    assert data_set_name("gqa-noise", ["noise"], "gqa val") == "gqa"
    assert data_set_name("noise", ["noise"], "gqa val") == "gqa val"
    assert data_set_name("noise", ["noise"]) == "noise"
    assert data_set_name("own", ["noise", "plain"], "gqa val") == "own"


def test_notes_tell_columns_apart_whose_titles_have_commas() -> None:
    metrics = [catalog.metric(name) for name in ("comprehensive_accuracy", "accuracy")]
    columns = tuple(LeaderboardColumn(metric, "a suite", title=f"{metric.title}, 5") for metric in metrics)
    row = LeaderboardRow("tower", "1", {column.key: LeaderboardCell(reason="it scores texts") for column in columns})
    (note,) = row_notes(Leaderboard(Layout.SUITES, columns), [row])
    assert note.count("; ") == 1
    assert note.endswith(": it scores texts")
