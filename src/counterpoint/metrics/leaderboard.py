"""The leaderboard: models by metrics, in one value for terminals, reports, pages and notebooks.

In the layout `suites` a column is a metric on a suite or one of its tests; in the layout `datasets` it is the mean of a
metric over data sets. Models are ordered by a mean. One with scores on fewer suites or data sets than others, or on
such that were asked or answered only in part, comes after them and says so, since the harder ones may be missing. A
metric that does not apply to a model has no value, and a reason.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from itertools import combinations
from math import sqrt
from statistics import NormalDist
from typing import Any

from counterpoint.core.groups import Relation
from counterpoint.metrics.metric import MISSING_ABILITY, Ability, Contents, Metric, displayed
from counterpoint.metrics.paired_tests import detectable_effect
from counterpoint.metrics.scoring import UNITS
from counterpoint.metrics.units import Singles

FEW_SUITES = 4
"""The number of suites up to which each shows all its displayed metrics; of more suites each shows the first."""
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


TOLERATED = 0.01
"""The share of queries without an answer up to which a score counts as whole: of thousands, some fail on any server."""


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
    failed: float = 0.0  # the share of queries without a reply
    data_sets: int = 0
    of: int = 0  # the data sets on which any model has a value
    partial: bool = False  # a data set was asked or answered only in part
    rank: int | None = None  # 1 is best; none where models cannot be compared

    @property
    def in_part(self) -> bool:
        """Whether so many queries were not asked, or failed, that a lack of hard ones could order models."""
        return self.missing + self.failed > TOLERATED

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
    part: str = ""  # why it stands after other models: it has scores on a part of what they have scores on
    is_floor: bool = False  # what can be had without looking, or without thinking

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON has it."""
        own = {"model": self.model, "fingerprint": self.fingerprint, "part": self.part, "is_floor": self.is_floor}
        cells = {key: asdict(cell) for key, cell in self.cells.items()}
        sets = {name: {key: asdict(cell) for key, cell in cells.items()} for name, cells in self.data_sets.items()}
        return own | {"cost": self.cost.to_dict(), "cells": cells, "data_sets": sets}


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Columns with metadata, rows with the best model first, and notes on empty cells and missing ranks."""

    layout: Layout
    columns: tuple[LeaderboardColumn, ...] = ()
    rows: tuple[LeaderboardRow, ...] = ()
    data_sets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    order: str = ""  # the metric by whose mean the rows are ordered

    def is_undecided(self, key: str) -> bool:
        """Whether a column ranks no model, since most of more than three cannot be told from the best."""
        cells = [row.cells[key] for row in self.rows if row.cells[key].value is not None]
        return len(cells) > 3 and sum(cell.tie for cell in cells) > len(cells) / 2

    def is_best(self, row: LeaderboardRow, key: str) -> bool:
        """Whether a table marks a cell: its model is no floor, and the best of a column that ranks, or tied with it."""
        cell = row.cells[key]
        return (cell.tie or cell.rank == 1) and not row.is_floor and not self.is_undecided(key)

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
    """A model of a leaderboard: its fingerprint, its cost, its abilities where known, and whether it is a floor."""

    fingerprint: str
    cost: ModelCost = field(default_factory=ModelCost)
    abilities: frozenset[str] | None = None
    is_floor: bool = False


ScoreKey = tuple[str, str, str, str]
"""A suite, a test (empty for the whole suite), a metric and a model."""
ScoreRows = Mapping[ScoreKey, Mapping[str, Any]]
"""Rows of scores with value, low, high, n, unit, reason, left_out, answers, missing and failed."""


def missing_reason(metric: Metric, row: Mapping[str, Any] | None, abilities: Collection[str] | None = None) -> str:
    """Why a model has no value by a metric, from its row of scores, if there is one, and what the model can do."""
    needed = (Ability.SCORES,) if metric.needs is Ability.SCORES else (Ability.ANSWERS, metric.needs)
    for ability in needed:
        if abilities is not None and ability is not Ability.PROBABILITIES and ability not in abilities:
            return MISSING_ABILITY[ability]
    if row is None or row["missing"] >= 1:
        return NOT_ASKED
    is_asked = not row["missing"] or (row["unit"] == UNITS[Singles] and row["left_out"] < row["answers"])
    return str(row["reason"] or (metric.not_applicable if is_asked else NOT_ASKED))


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
    scores: ScoreRows,
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
            is_floor=model.is_floor,
        )
        for title, model in models.items()
    ]
    lead = lead_metric(columns)
    if lead:
        unit = "tests" if any(column.test for column in columns) else "suites"
        leading = [column for column in columns if column.metric == lead]
        means = {row.model: _lead_mean(row, leading) for row in rows}
        rows = order_rows(rows, means, f"{lead.phrase} on", unit, lower_is_better=lead.lower_is_better)
    board = Leaderboard(Layout.SUITES, columns, tuple(rows), order=lead.name if lead else "")
    return replace(board, notes=row_notes(board, rows))


def lead_metric(columns: Sequence[LeaderboardColumn]) -> Metric | None:
    """The metric by whose mean models are ordered: that of most columns, the first by rank among equals."""
    counts = Counter(column.metric for column in columns)
    return min(counts, key=lambda metric: (-counts[metric], metric.rank, metric.name), default=None)


def _suite_cell(
    column: LeaderboardColumn, title: str, model: Competitor, scores: ScoreRows, ties: Collection[ScoreKey]
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
        failed=row["failed"],
    )


def _family(contents: Contents) -> int:
    return (Relation.RANKS in contents.relations) + 2 * (Relation.SWAP in contents.relations)


def order_rows(
    rows: Iterable[LeaderboardRow],
    means: Mapping[str, LeaderboardCell],
    what: str,
    unit: str = "suites",
    *,
    lower_is_better: bool = False,
) -> list[LeaderboardRow]:
    """The rows, the best mean first; a mean over fewer suites or in part comes after the others, and is marked so.

    >>> rows = [LeaderboardRow("easy", "1", {}), LeaderboardRow("all", "2", {})]
    >>> means = {"easy": LeaderboardCell(0.9, data_sets=1, of=9), "all": LeaderboardCell(0.6, data_sets=9, of=9)}
    >>> [(row.model, row.part) for row in order_rows(rows, means, "accuracy on")]
    [('all', ''), ('easy', 'accuracy on 1 of 9 suites')]
    """
    sign = 1 if lower_is_better else -1
    lacks = {title: (mean.of - mean.data_sets, mean.partial) for title, mean in means.items()}
    least = min(lacks.values(), default=(0, False))

    def part(title: str) -> str:
        mean = means[title]
        if mean.value is None or lacks[title] == least:
            return ""
        return f"{what} {mean.data_sets} of {mean.of} {unit}{', in part' * mean.partial}"

    marked = [replace(row, part=part(row.model)) for row in rows]
    return sorted(marked, key=lambda row: (*lacks[row.model], sign * (means[row.model].value or 0.0), row.model))


def _lead_mean(row: LeaderboardRow, columns: Sequence[LeaderboardColumn]) -> LeaderboardCell:
    """The mean of a model over some columns, with its number of suites, or of tests where these are columns."""
    counted = [column.key for column in columns if column.test] or [column.key for column in columns]
    cells = [row.cells[column.key] for column in columns if row.cells[column.key].value is not None]
    many = sum(row.cells[key].value is not None for key in counted)
    mean = mean_cell(cells) if cells else LeaderboardCell()
    return replace(mean, data_sets=many, of=len(counted))


def _suite_note(cell: LeaderboardCell) -> str:
    if cell.value is None:
        return cell.reason
    parts = ["not all of it was asked"] * (cell.missing > 0) + ["some of its queries failed"] * (cell.failed > 0)
    return ", and ".join(parts)


def mean_cell(
    cells: Sequence[LeaderboardCell], correlation: Callable[[int, int], float] = lambda one, other: 0.0
) -> LeaderboardCell:
    """The unweighted mean with a 95 % interval, from cells and the ends of their intervals.

    Each end of an interval is as far from the mean as the root of the summed squared distances of its parts allows,
    and of the products of any two by their `correlation` (Zou and Donner, 2008), so that asymmetric intervals stay so.

    >>> mean = mean_cell([LeaderboardCell(0.5, 0.4, 0.7), LeaderboardCell(0.7, 0.4, 0.7)])
    >>> round(mean.value, 3), round(mean.low, 3), round(mean.high, 3)
    (0.6, 0.442, 0.7)
    """
    n = len(cells)
    value = sum(_number(cell.value) for cell in cells) / n
    partial = any(cell.in_part for cell in cells)
    if any(cell.low is None for cell in cells):
        return LeaderboardCell(value, data_sets=n, of=n, partial=partial)
    below = _summed([_number(cell.value) - _number(cell.low) for cell in cells], correlation) / n
    above = _summed([_number(cell.high) - _number(cell.value) for cell in cells], correlation) / n
    return LeaderboardCell(value, value - below, value + above, data_sets=n, of=n, partial=partial)


def _summed(distances: Sequence[float], correlation: Callable[[int, int], float]) -> float:
    """The distance of an end of a sum from its value, from those of its parts."""
    products = sum(
        2 * distances[one] * distances[other] * correlation(one, other)
        for one, other in combinations(range(len(distances)), 2)
    )
    return sqrt(sum(own**2 for own in distances) + products)


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
    """The notes on some rows of a leaderboard: why cells are empty or not ranked, and why models stand after others."""
    if board.layout is Layout.DATASETS:
        return tuple(_notes(rows, board.columns, _mean_note))
    later = [f"{row.model}: {row.part}, so listed after models that have more" for row in rows if row.part]
    return (*_notes(rows, board.columns, _suite_note), *later)


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
            comma = "; " if any("," in heading for heading in own) else ", "  # "contrast consistency, 5" is one
            shared.setdefault((comma.join(own), note), []).append(row.model)
    return (f"{', '.join(models)}: {names}: {note}" for (names, note), models in shared.items())


def _mean_note(cell: LeaderboardCell) -> str:
    if cell.value is None:
        return cell.reason
    if cell.whole:
        return ""
    over = f"over {cell.data_sets} of {cell.of} data sets" if cell.data_sets < cell.of else "over all data sets"
    return f"{over}, {'not all of them answered whole, ' * cell.partial}so not ranked"


def _number(value: float | None) -> float:
    assert value is not None, "only cells with a value are averaged"
    return value
