"""Means over families of suites: unweighted, over what a model was asked, and ranked only where that is everything."""

import pytest

from counterpoint import catalog
from counterpoint.metrics.families import OVERALL, fold_families
from counterpoint.metrics.leaderboard import (
    Layout,
    Leaderboard,
    LeaderboardCell,
    LeaderboardColumn,
    LeaderboardRow,
)

FAMILIES = {"negation": "CARETS", "order": "CARETS", "existence": "VALSE", "question-bias": "Bias"}
METRICS = {"negation": "comprehensive_accuracy", "order": "comprehensive_accuracy", "existence": "acc_r"}
COLUMNS = tuple(LeaderboardColumn(catalog.metric(METRICS.get(suite, "question_bias")), suite, "") for suite in FAMILIES)


def _row(model: str, *values: float | None) -> LeaderboardRow:
    cells = {
        column.key: LeaderboardCell(value, value - 0.1, value + 0.1, 50)
        if value is not None
        else LeaderboardCell(reason="it was not asked this")
        for column, value in zip(COLUMNS, values, strict=True)
    }
    return LeaderboardRow(model, f"{model} 1", cells)


@pytest.fixture
def board() -> Leaderboard:
    rows = (_row("fair", 0.5, 0.7, 0.8, 0.1), _row("good", 0.9, 0.7, 0.9, 0.6), _row("partly", 1.0, None, 1.0, None))
    return fold_families(Leaderboard(Layout.SUITES, COLUMNS, rows), FAMILIES)


def test_a_family_is_the_mean_of_its_suites_and_the_whole_that_of_families_of_which_more_is_better(
    board: Leaderboard,
) -> None:
    assert [column.key for column in board.columns] == [OVERALL, "family/CARETS", "family/VALSE", "family/Bias"]
    fair = next(row for row in board.rows if row.model == "fair")
    assert fair.cells["family/CARETS"].value == pytest.approx((0.5 + 0.7) / 2)
    assert fair.cells[OVERALL].value == pytest.approx((0.6 + 0.8) / 2)  # the bias is no merit
    assert fair.cells["family/CARETS"].n == 100


def test_a_model_that_was_asked_less_comes_last_however_good_its_mean_is(board: Leaderboard) -> None:
    assert [row.model for row in board.rows] == ["good", "fair", "partly"]
    partly = board.rows[-1]
    assert [row.part for row in board.rows] == ["", "", "a mean of 2 of 3 suites"]
    assert not partly.cells["family/CARETS"].whole
    assert partly.cells["family/VALSE"].whole
    assert partly.cells["family/Bias"].value is None
    assert partly.cells["family/Bias"].reason == "it was not asked this"


def test_the_suites_of_an_opened_family_follow_its_mean(board: Leaderboard) -> None:
    opened = fold_families(Leaderboard(Layout.SUITES, COLUMNS, board.rows), FAMILIES, ["CARETS"])
    keys = [column.key for column in opened.columns]
    assert keys[1:4] == ["family/CARETS", COLUMNS[0].key, COLUMNS[1].key]


def test_where_of_every_family_less_is_better_there_is_no_overall_mean() -> None:
    biased = COLUMNS[-1:]
    rows = tuple(LeaderboardRow(name, name, {biased[0].key: LeaderboardCell(0.2, 0.1, 0.3, 50)}) for name in "ab")
    board = fold_families(Leaderboard(Layout.SUITES, biased, rows), FAMILIES)
    assert [column.key for column in board.columns] == ["family/Bias"]
    assert [row.model for row in board.rows] == ["a", "b"]
