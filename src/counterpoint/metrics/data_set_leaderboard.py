"""The leaderboard of means over data sets (Beyond Accuracy, Table 1), and the tests from which its columns come.

A mean over fewer data sets than other models have, or over a data set that was asked only in part, is shown and not
ranked, since a harder data set may be the one that is missing.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint.metrics.accuracy import answer_accuracy
from counterpoint.metrics.bias import picture_bias, question_bias
from counterpoint.metrics.calibration import ece
from counterpoint.metrics.leaderboard import (
    Competitor,
    DataSetCells,
    Layout,
    Leaderboard,
    LeaderboardCell,
    LeaderboardColumn,
    LeaderboardRow,
    mean_cell,
    missing_reason,
    order_rows,
    row_notes,
)
from counterpoint.metrics.metric import Ability, MetricKind
from counterpoint.metrics.robustness import (
    mean_robustness,
    picture_feature_robustness,
    question_feature_robustness,
    robustness,
)
from counterpoint.metrics.uncertainty import uncertainty
from counterpoint.metrics.units import Rows

BASES = "bases"
"""The test of columns that are computed from the answers to bases."""
PLAIN = "plain"
"""The test whose questions are the bases of a data set, where it has that test."""
DATA_SET_COLUMNS = (
    LeaderboardColumn(replace(answer_accuracy, name="accuracy", title="Accuracy"), test=BASES, name="accuracy"),
    LeaderboardColumn(question_bias, test="question-bias", name="question_bias"),
    LeaderboardColumn(picture_bias, test="picture-bias", name="picture_bias"),
    LeaderboardColumn(mean_robustness, test="noise", name="pixel_noise", title="pixel noise"),
    LeaderboardColumn(
        picture_feature_robustness, test="feature-noise", name="picture_features", title="picture features"
    ),
    LeaderboardColumn(
        question_feature_robustness, test="feature-noise", name="question_features", title="question features"
    ),
    LeaderboardColumn(robustness, test="sears", name="sears", title="SEARs"),
    LeaderboardColumn(robustness, test="word-noise", name="word_noise", title="word noise"),
    LeaderboardColumn(uncertainty, test=BASES, name="uncertainty"),
    LeaderboardColumn(ece, test=BASES, name="ece", title="ECE"),
)
"""The columns of the layout `datasets`, in the order of Table 1; those that the paper lacks follow the nearest."""
DATA_SET_TESTS = (PLAIN, *dict.fromkeys(column.test for column in DATA_SET_COLUMNS if column.test != BASES))
"""The tests that any of them is computed on."""


def data_set_name(suite: str, tests: Collection[str], source: str = "") -> str:
    """The data set of a suite: its name without the test that ends it; the source of one that is named by its test.

    >>> data_set_name("shifted-noise", ["noise"]), data_set_name("noise", ["noise"], "world test")
    ('shifted', 'world test')
    >>> data_set_name("my-questions", ["plain"], "plain")
    'my-questions'
    """
    if len(tests) == 1:
        (test,) = tests
        if suite == test:
            return source or suite
        return suite.removesuffix(f"-{test}")
    return suite


def question_rows(groups: pa.Table) -> Rows:
    """The rows of the questions of a data set: its bases, each query where it occurs first."""
    rows = np.flatnonzero(groups["role"].to_numpy() == 0)
    _, first = np.unique(groups["query"].to_numpy()[rows], return_index=True)
    return rows[np.sort(first)]


def data_set_cell(
    column: LeaderboardColumn,
    row: Mapping[str, Any],
    chance: float | None = None,
    abilities: Collection[str] | None = None,
) -> LeaderboardCell:
    """A cell of one data set, from a row of scores."""
    missing = float(row["missing"])
    if column.metric.needs is Ability.SAMPLES and row["n"] and row["n"] < row["answers"]:
        missing = max(missing, 1 - row["n"] / row["answers"])  # only some of the bases have stochastic passes
    if row["value"] is None:
        return LeaderboardCell(reason=missing_reason(column.metric, row, abilities), missing=missing)
    value, low, high, n, failed = (row[name] for name in ("value", "low", "high", "n", "failed"))
    return LeaderboardCell(value, low, high, n, chance=chance, missing=missing, failed=failed)


Overlaps = Mapping[tuple[str, str], float]
"""By two data sets, in the order of their names, the correlation that pictures which both have can give to scores."""


def data_sets_leaderboard(
    models: Mapping[str, Competitor], cells: Mapping[str, DataSetCells], overlaps: Overlaps = MappingProxyType({})
) -> Leaderboard:
    """The leaderboard of means over data sets, from the cells of each model by title."""
    data_sets = tuple(sorted({data_set for own in cells.values() for data_set in own}))
    columns = tuple(
        column for column in DATA_SET_COLUMNS if any(_column_cells(own, column.key) for own in cells.values())
    )
    means: dict[str, dict[str, LeaderboardCell]] = {title: {} for title in cells}
    for column in columns:
        of = len({data_set for own in cells.values() for data_set in _valued(own, column.key)})
        column_means = {title: _mean_cell(own, column.key, of, overlaps) for title, own in cells.items()}
        if column.metric.kind is not MetricKind.PLUG_IN:
            column_means = rank_cells(column_means, lower_is_better=column.metric.lower_is_better)
        for title, cell in column_means.items():
            means[title][column.key] = cell
    rows = [
        LeaderboardRow(
            title, models[title].fingerprint, own, models[title].cost, cells[title], is_floor=models[title].is_floor
        )
        for title, own in means.items()
    ]
    first = DATA_SET_COLUMNS[0]
    leading = {title: own.get(first.key, LeaderboardCell()) for title, own in means.items()}
    rows = order_rows(rows, leading, f"{first.metric.phrase} on", "data sets")
    board = Leaderboard(Layout.DATASETS, columns, tuple(rows), data_sets, order=first.metric.name)
    return replace(board, notes=row_notes(board, rows))


def rank_cells(cells: Mapping[str, LeaderboardCell], *, lower_is_better: bool) -> dict[str, LeaderboardCell]:
    """The means of a column with their ranks; equal ones share a rank, and those that are not whole have none."""
    sign = 1 if lower_is_better else -1
    values = {title: sign * (cell.value or 0.0) for title, cell in cells.items() if cell.whole}
    ranks = {title: 1 + sum(other < own for other in values.values()) for title, own in values.items()}
    return {title: replace(cell, rank=ranks.get(title)) for title, cell in cells.items()}


def _column_cells(cells: DataSetCells, key: str) -> dict[str, LeaderboardCell]:
    return {data_set: own[key] for data_set, own in cells.items() if key in own}


def _valued(cells: DataSetCells, key: str) -> dict[str, LeaderboardCell]:
    return {data_set: cell for data_set, cell in _column_cells(cells, key).items() if cell.value is not None}


def _mean_cell(cells: DataSetCells, key: str, of: int, overlaps: Overlaps) -> LeaderboardCell:
    if valued := dict(sorted(_valued(cells, key).items())):
        names = list(valued)
        mean = mean_cell([*valued.values()], lambda one, other: overlaps.get((names[one], names[other]), 0.0))
        return replace(mean, of=of)
    reasons = dict.fromkeys(cell.reason for cell in _column_cells(cells, key).values() if cell.reason)
    return LeaderboardCell(of=of, reason="; ".join(reasons) or "no data set has it")
