"""The leaderboard: models by metrics, in one value for terminals, reports, pages and notebooks.

In the layout `suites` a column is a metric on a suite or one of its tests. In the layout `datasets` it is the
unweighted mean of a metric over data sets (Beyond Accuracy, Table 1): a mean over fewer data sets than other models
have, or over a data set that was asked only in part, is shown and not ranked, since a harder data set may be the one
that is missing. A metric that does not apply to a model has no value, and a reason.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint.core.groups import Relation
from counterpoint.metrics.accuracy import answer_accuracy
from counterpoint.metrics.bias import picture_bias, question_bias
from counterpoint.metrics.calibration import ece
from counterpoint.metrics.metric import MISSING_ABILITY, Ability, Contents, Metric, MetricKind, displayed
from counterpoint.metrics.paired_tests import detectable_effect
from counterpoint.metrics.robustness import (
    mean_robustness,
    picture_feature_robustness,
    question_feature_robustness,
    robustness,
)
from counterpoint.metrics.uncertainty import uncertainty
from counterpoint.metrics.units import Rows

FEW_SUITES = 4
"""The number of suites up to which each shows all its displayed metrics; of more suites each shows the first."""
BASES = "bases"
"""The test of columns that are computed from the answers to bases."""
PLAIN = "plain"
"""The test whose questions are the bases of a data set, where it has that test."""
NOT_ASKED = "it was not asked this"


class Layout(StrEnum):
    """What the columns of a leaderboard are."""

    SUITES = "suites"
    DATASETS = "datasets"


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What a model costs; a figure that is unknown has a reason, by its name.

    Queries a second are those of whole runs, decoding and writing included; the seconds of a query are those of its
    batch divided by the size of the batch. Both are means over all runs in a lab, on whatever machine they ran.
    Tokens and prices are those of models that state them.
    """

    parameters: int | None = None
    queries_per_second: float | None = None
    seconds_per_query: float | None = None
    tokens_per_query: float | None = None
    price_per_1000: float | None = None  # queries
    currency: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON has them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class LeaderboardColumn:
    """A metric on a suite, one of its tests or a saved slice; in the layout `datasets` on a test of every data set."""

    metric: Metric
    suite: str = ""
    test: str = ""
    name: str = ""  # in the layout `datasets`
    title: str = ""
    slice: str = ""  # saved in the lab

    @property
    def key(self) -> str:
        """The name of the column in addresses and JSON."""
        place = ("slice", self.slice) if self.slice else (self.suite, self.test)
        return self.name or "/".join(filter(None, (*place, self.metric.name)))

    @property
    def place(self) -> str:
        """What a table calls the groups of the column."""
        return f"slice {self.slice}" if self.slice else self.test or self.suite

    @property
    def heading(self) -> str:
        """The name of the column in a table."""
        return self.title or self.metric.phrase

    def to_dict(self) -> dict[str, Any]:
        """The column as JSON has it, with the metadata of its metric."""
        names = ("title", "term", "description", "lower_is_better", "range", "kind", "version")
        place = {"key": self.key, "suite": self.suite, "test": self.test, "metric": self.metric.name}
        place |= {"slice": self.slice} if self.slice else {}
        return place | {name: getattr(self.metric, name) for name in names}


@dataclass(frozen=True, slots=True)
class LeaderboardCell:
    """A score of one model; without a value, the reason why. Means also have the number of data sets and a rank."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""
    chance: float | None = None
    tie: bool = False  # the best of its column, or tied with it by a paired test
    missing: float = 0.0  # the share of queries that were not asked
    data_sets: int = 0
    of: int = 0  # the data sets on which any model has a value
    partial: bool = False  # a data set was asked only in part
    rank: int | None = None  # 1 is best; none where models cannot be compared

    @property
    def whole(self) -> bool:
        """Whether a mean is over all data sets, each of them whole."""
        return self.value is not None and self.data_sets == self.of and not self.partial


DataSetCells = Mapping[str, Mapping[str, LeaderboardCell]]
"""Cells by data set and column."""


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A model with its cells by column key, its cost, and in the layout `datasets` the cells behind its means."""

    model: str
    fingerprint: str
    cells: Mapping[str, LeaderboardCell]
    cost: ModelCost = field(default_factory=ModelCost)
    data_sets: DataSetCells = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON has it."""
        own = {"model": self.model, "fingerprint": self.fingerprint, "cost": self.cost.to_dict()}
        cells = {key: asdict(cell) for key, cell in self.cells.items()}
        sets = {name: {key: asdict(cell) for key, cell in cells.items()} for name, cells in self.data_sets.items()}
        return own | {"cells": cells, "data_sets": sets}


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Columns with metadata, rows with the best model first, and notes on empty cells and missing ranks."""

    layout: Layout
    columns: tuple[LeaderboardColumn, ...] = ()
    rows: tuple[LeaderboardRow, ...] = ()
    data_sets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    order: str = ""  # the metric by whose mean the rows are ordered

    def to_dict(self) -> dict[str, Any]:
        """The leaderboard as JSON has it."""
        return {
            "layout": self.layout,
            "columns": [column.to_dict() for column in self.columns],
            "rows": [row.to_dict() for row in self.rows],
            "data_sets": list(self.data_sets),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Competitor:
    """A model of a leaderboard: its fingerprint, its cost, and its abilities where they are known."""

    fingerprint: str
    cost: ModelCost = field(default_factory=ModelCost)
    abilities: frozenset[str] | None = None


ScoreKey = tuple[str, str, str, str]
"""A suite, a test (empty for the whole suite), a metric and a model."""
Scores = Mapping[ScoreKey, Mapping[str, Any]]
"""Rows of scores with value, low, high, n, reason and missing."""


def missing_reason(metric: Metric, row: Mapping[str, Any] | None, abilities: Collection[str] | None = None) -> str:
    """Why a model has no value by a metric, from its row of scores, if there is one, and what the model can do."""
    needed = (Ability.SCORES,) if metric.needs is Ability.SCORES else (Ability.ANSWERS, metric.needs)
    for ability in needed:
        if abilities is not None and ability is not Ability.PROBABILITIES and ability not in abilities:
            return MISSING_ABILITY[ability]
    if row is None or row["missing"] >= 1:
        return NOT_ASKED
    return str(row["reason"] or (NOT_ASKED if row["missing"] else metric.not_applicable))


def suite_columns(
    scores: Iterable[ScoreKey],
    contents: Mapping[tuple[str, str], Contents],
    metrics: Sequence[Metric],
    chosen: Sequence[str] = (),
) -> tuple[LeaderboardColumn, ...]:
    """The columns of suites and tests: the chosen metrics, else those displayed, that any model has a value by.

    `scores` are the keys of scores that have a value. Questions come first, then captions, then exchanged inputs.
    """
    valued: dict[tuple[str, str], set[str]] = {}
    for suite, test, metric, _ in scores:
        valued.setdefault((suite, test), set()).add(metric)
    single = len({suite for suite, _ in contents}) == 1 or len(contents) <= FEW_SUITES
    columns: list[LeaderboardColumn] = []
    for (suite, test), own in sorted(contents.items(), key=lambda item: (_family(item[1]), item[0])):
        known = [metric for metric in metrics if metric.name in valued.get((suite, test), ())]
        if chosen:
            first = tuple(metric for name in chosen for metric in known if metric.name == name)
        else:
            first = displayed(own, known)
        columns += [LeaderboardColumn(metric, suite, test) for metric in (first if single or chosen else first[:1])]
    return tuple(columns)


def suites_leaderboard(
    models: Mapping[str, Competitor],
    scores: Scores,
    contents: Mapping[tuple[str, str], Contents],
    metrics: Sequence[Metric],
    *,
    ties: Collection[ScoreKey] = frozenset(),
    chosen: Sequence[str] = (),
) -> Leaderboard:
    """The leaderboard of suites and tests, from the scores of models by title."""
    valued = [key for key, row in scores.items() if row["value"] is not None]
    columns = suite_columns(valued, contents, metrics, chosen)
    rows = [
        LeaderboardRow(
            title,
            model.fingerprint,
            {column.key: _suite_cell(column, title, model, scores, ties) for column in columns},
            model.cost,
        )
        for title, model in models.items()
    ]
    lead = lead_metric(columns)
    if lead:
        rows.sort(key=lambda row: _order(row.model, lead, contents, scores))
    notes = tuple(_notes(rows, columns, _suite_note))
    return Leaderboard(Layout.SUITES, columns, tuple(rows), notes=notes, order=lead.name if lead else "")


def lead_metric(columns: Sequence[LeaderboardColumn]) -> Metric | None:
    """The metric by whose mean models are ordered: that of most columns, the first by rank among equals."""
    counts = Counter(column.metric for column in columns)
    return min(counts, key=lambda metric: (-counts[metric], metric.rank, metric.name), default=None)


def _suite_cell(
    column: LeaderboardColumn, title: str, model: Competitor, scores: Scores, ties: Collection[ScoreKey]
) -> LeaderboardCell:
    key = (column.suite, column.test, column.metric.name, title)
    row = scores.get(key)
    if row is None or row["value"] is None:
        return LeaderboardCell(reason=missing_reason(column.metric, row, model.abilities))
    chance = scores.get((column.suite, column.test, column.metric.chance, title))
    return LeaderboardCell(
        row["value"],
        row["low"],
        row["high"],
        row["n"],
        chance=chance["value"] if chance else None,
        tie=key in ties,
        missing=row["missing"],
    )


def _family(contents: Contents) -> int:
    return (Relation.RANKS in contents.relations) + 2 * (Relation.SWAP in contents.relations)


def _order(title: str, metric: Metric, contents: Iterable[tuple[str, str]], scores: Scores) -> tuple[bool, float, str]:
    rows = [scores.get((suite, test, metric.name, title)) for suite, test in contents]
    values = [row["value"] for row in rows if row is not None and row["value"] is not None]
    mean = sum(values) / len(values) if values else 0.0
    return not values, mean if metric.lower_is_better else -mean, title


def _suite_note(cell: LeaderboardCell) -> str:
    return cell.reason if cell.value is None else "not all of it was asked" if cell.missing > 0 else ""


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
    return LeaderboardCell(row["value"], row["low"], row["high"], row["n"], chance=chance, missing=missing)


def data_sets_leaderboard(models: Mapping[str, Competitor], cells: Mapping[str, DataSetCells]) -> Leaderboard:
    """The leaderboard of means over data sets, from the cells of each model by title."""
    data_sets = tuple(sorted({data_set for own in cells.values() for data_set in own}))
    columns = tuple(
        column for column in DATA_SET_COLUMNS if any(_column_cells(own, column.key) for own in cells.values())
    )
    means: dict[str, dict[str, LeaderboardCell]] = {title: {} for title in cells}
    for column in columns:
        of = len({data_set for own in cells.values() for data_set in _valued(own, column.key)})
        column_means = {title: _mean_cell(own, column.key, of) for title, own in cells.items()}
        if column.metric.kind is not MetricKind.PLUG_IN:
            column_means = rank_cells(column_means, lower_is_better=column.metric.lower_is_better)
        for title, cell in column_means.items():
            means[title][column.key] = cell
    rows = [
        LeaderboardRow(title, models[title].fingerprint, own, models[title].cost, cells[title])
        for title, own in means.items()
    ]
    rows.sort(key=_by_accuracy)
    notes = tuple(_notes(rows, columns, _mean_note))
    return Leaderboard(Layout.DATASETS, columns, tuple(rows), data_sets, notes, order=DATA_SET_COLUMNS[0].metric.name)


def mean_cell(cells: Sequence[LeaderboardCell]) -> LeaderboardCell:
    """The unweighted mean with a 95 % interval, from independent cells and the ends of their intervals.

    Each end of an interval is as far from the mean as the root of the summed squared distances of its parts allows
    (Zou and Donner, 2008), so that asymmetric intervals stay asymmetric.

    >>> mean = mean_cell([LeaderboardCell(0.5, 0.4, 0.7), LeaderboardCell(0.7, 0.4, 0.7)])
    >>> round(mean.value, 3), round(mean.low, 3), round(mean.high, 3)
    (0.6, 0.442, 0.7)
    """
    n = len(cells)
    value = sum(_number(cell.value) for cell in cells) / n
    partial = any(cell.missing > 0 for cell in cells)
    if any(cell.low is None for cell in cells):
        return LeaderboardCell(value, data_sets=n, of=n, partial=partial)
    below = sqrt(sum((_number(cell.value) - _number(cell.low)) ** 2 for cell in cells)) / n
    above = sqrt(sum((_number(cell.high) - _number(cell.value)) ** 2 for cell in cells)) / n
    return LeaderboardCell(value, value - below, value + above, data_sets=n, of=n, partial=partial)


def rank_cells(cells: Mapping[str, LeaderboardCell], *, lower_is_better: bool) -> dict[str, LeaderboardCell]:
    """The means of a column with their ranks; equal ones share a rank, and those that are not whole have none."""
    sign = 1 if lower_is_better else -1
    values = {title: sign * _number(cell.value) for title, cell in cells.items() if cell.whole}
    ranks = {title: 1 + sum(other < own for other in values.values()) for title, own in values.items()}
    return {title: replace(cell, rank=ranks.get(title)) for title, cell in cells.items()}


def detectable_difference(cells: Sequence[LeaderboardCell]) -> float | None:
    """The smallest difference between two models of a column that a test would find with a power of 80 %.

    The standard errors follow from the intervals, those of the middle models taken as if they were independent, so that
    the paired test of the same models finds no less; its level is shared by all models, as by Holm's correction.

    >>> cells = [LeaderboardCell(0.5, 0.4, 0.6, 100)] * 4
    >>> round(detectable_difference(cells), 2)
    0.23
    """
    widths = sorted((cell.high - cell.low, cell.n) for cell in cells if cell.low is not None and cell.high is not None)
    if len(widths) < 2:
        return None
    width, n = widths[len(widths) // 2]
    error = sqrt(2) * width / (2 * NormalDist().inv_cdf(0.975))
    return detectable_effect(error, n, len(widths) - 1) if n and error > 0 else None


def row_notes(board: Leaderboard, rows: Sequence[LeaderboardRow]) -> tuple[str, ...]:
    """The notes on some rows of a leaderboard."""
    return tuple(_notes(rows, board.columns, _mean_note if board.layout is Layout.DATASETS else _suite_note))


def _notes(
    rows: Iterable[LeaderboardRow],
    columns: Sequence[LeaderboardColumn],
    note_of: Callable[[LeaderboardCell], str],
) -> Iterable[str]:
    """Notes on cells, each once for all models and columns that share it."""
    shared: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        headings: dict[str, list[str]] = {}
        for column in columns:
            if note := note_of(row.cells[column.key]):
                heading = f"{column.test or column.suite} {column.heading}" if column.suite else column.heading
                headings.setdefault(note, []).append(heading)
        for note, own in headings.items():
            shared.setdefault((", ".join(own), note), []).append(row.model)
    return (f"{', '.join(models)}: {names}: {note}" for (names, note), models in shared.items())


def _column_cells(cells: DataSetCells, key: str) -> dict[str, LeaderboardCell]:
    return {data_set: own[key] for data_set, own in cells.items() if key in own}


def _valued(cells: DataSetCells, key: str) -> dict[str, LeaderboardCell]:
    return {data_set: cell for data_set, cell in _column_cells(cells, key).items() if cell.value is not None}


def _mean_cell(cells: DataSetCells, key: str, of: int) -> LeaderboardCell:
    if valued := list(_valued(cells, key).values()):
        return replace(mean_cell(valued), of=of)
    reasons = dict.fromkeys(cell.reason for cell in _column_cells(cells, key).values() if cell.reason)
    return LeaderboardCell(of=of, reason="; ".join(reasons) or "no data set has it")


def _by_accuracy(row: LeaderboardRow) -> tuple[bool, float, str]:
    cell = row.cells.get(DATA_SET_COLUMNS[0].key, LeaderboardCell())
    return not cell.whole, -(cell.value or 0.0), row.model


def _mean_note(cell: LeaderboardCell) -> str:
    if cell.value is None:
        return cell.reason
    if cell.whole:
        return ""
    over = f"over {cell.data_sets} of {cell.of} data sets" if cell.data_sets < cell.of else "over all data sets"
    return f"{over}, {'not all of them asked whole, ' * cell.partial}so not ranked"


def _number(value: float | None) -> float:
    assert value is not None, "only cells with a value are averaged"
    return value
