"""Ties: the best model of each column of a leaderboard, and those that a paired test does not tell apart from it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np

from counterpoint.metrics.comparison import ComparisonTotals
from counterpoint.metrics.leaderboard import TOLERATED
from counterpoint.metrics.metric import Metric, MetricKind
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.paired_tests import ALPHA, holm
from counterpoint.metrics.scoring import ScoreRequest

OutcomesOf: TypeAlias = Callable[[str], Iterable[Outcomes]]
"""The outcomes of a model in blocks of whole pictures, the same for all models, by its name."""
Tie: TypeAlias = tuple[str, str, str]
"""A test, a metric, and a model that is best by it or tied with the best; the whole suite has an empty test."""


def find_ties(scores: Sequence[Mapping[str, Any]], outcomes: OutcomesOf, metrics: Sequence[Metric]) -> list[Tie]:
    """The ties of every column that a leaderboard of one suite can have, from its rows of scores.

    A metric that cannot tell models apart, or by which none is better, has none. The best model is one
    that lacks no more answers than the order of models tolerates: one that lacks more may lack the hard ones.
    Where its value is the highest, it is tied if a paired test says so, and those that such a test finds worse are not.
    """
    told = {metric.name: metric for metric in metrics if metric.directed and metric.kind is not MetricKind.PLUG_IN}
    columns = dict(_columns(scores, told))
    tests = _PairedTests(outcomes, told)
    for (test, metric), column in columns.items():
        for best in {column.best, column.highest}:
            for other in sorted(set(column.values) - {best}):
                tests.add(best, other, metric, test)
    tests.run()
    return [
        (test, metric, model)
        for (test, metric), column in columns.items()
        for model in sorted(_tied(column, lambda best, other: tests.p(best, other, metric, test)))  # noqa: B023
    ]


@dataclass(frozen=True, slots=True)
class _Column:
    """The values of models, signed so that the best is the largest, each with its cases; and how much they lack."""

    values: Mapping[str, tuple[float, int]]
    lacks: Mapping[str, float]  # the share of queries without an answer

    @property
    def highest(self) -> str:
        """The model with the highest value."""
        return _highest(self.values)

    @property
    def best(self) -> str:
        """The model with the highest value among those that count as whole, or where none does, that lack least."""
        most = max(TOLERATED, min(self.lacks.values()))
        return _highest({name: value for name, value in self.values.items() if self.lacks[name] <= most})


def _tied(column: _Column, p: Callable[[str, str], float]) -> frozenset[str]:
    """The models that are tied with the best, and not worse than the one with the highest value."""
    tied = tied_with_best(column.values, p, column.best)
    if column.highest == column.best:
        return tied
    others = sorted(set(column.values) - {column.highest})
    corrected = holm([p(column.highest, other) for other in others])
    return tied - {name for name, value in zip(others, corrected, strict=True) if value < ALPHA}


def tied_with_best(scores: Iterable[str], p: Callable[[str, str], float], best: str) -> frozenset[str]:
    """The best model of a column, and those that a paired test does not find worse.

    Each other model is compared with the best, and the p values are corrected by Holm for their number. Where no p
    value can be told, none is the best.
    """
    others = sorted(set(scores) - {best})
    corrected = holm([p(best, other) for other in others])
    if others and np.isnan(corrected).all():
        return frozenset()
    return frozenset([best, *(name for name, value in zip(others, corrected, strict=True) if value >= ALPHA)])


def _highest(values: Mapping[str, tuple[float, int]]) -> str:
    """The model with the highest value; of equal ones that with most cases."""
    return max(sorted(values), key=lambda name: values[name])


def _columns(
    scores: Sequence[Mapping[str, Any]], metrics: Mapping[str, Metric]
) -> Iterator[tuple[tuple[str, str], _Column]]:
    """Each test and metric with the values of the models."""
    rows = [row for row in scores if row["by"] in ("suite", "test") and row["n"] and row["metric"] in metrics]
    rows.sort(key=lambda row: (row["by"], row["test"], row["metric"]))
    for (_, test, metric), same in groupby(rows, key=lambda row: (row["by"], row["test"], row["metric"])):
        sign, own = -1 if metrics[metric].lower_is_better else 1, list(same)
        values = {row["model"]: (sign * row["value"], row["n"]) for row in own}
        yield (test, metric), _Column(values, {row["model"]: row["missing"] + row["failed"] for row in own})


class _PairedTests:
    """Paired tests of models: pairs are gathered first, so that each two models are compared once."""

    def __init__(self, outcomes: OutcomesOf, metrics: Mapping[str, Metric]) -> None:
        self._outcomes, self._metrics = outcomes, metrics
        self._requested: dict[tuple[frozenset[str], bool], dict[str, None]] = {}
        self._p: dict[tuple[frozenset[str], str, str], tuple[float, str]] = {}  # with the better model

    def add(self, best: str, other: str, metric: str, test: str) -> None:
        """Request a test."""
        self._requested.setdefault((frozenset((best, other)), bool(test)), {})[metric] = None

    def run(self) -> None:
        """Run all tests that were requested."""
        for models, by_test in sorted(self._requested, key=lambda key: (sorted(key[0]), key[1])):
            metrics = [self._metrics[name] for name in self._requested[models, by_test]]
            request = ScoreRequest(by=("test",) if by_test else (), metrics=metrics)
            blocks = zip(*map(self._outcomes, sorted(models)), strict=True)
            totals = ComparisonTotals.of(blocks, metrics, request)
            for metric in metrics:
                for (_, *test), difference, p in totals.p_values(metric):
                    first_is_better = (difference < 0) if metric.lower_is_better else (difference > 0)
                    better = "" if difference == 0 else min(models) if first_is_better else max(models)
                    self._p[models, metric.name, "".join(test)] = float(p), better

    def p(self, best: str, other: str, metric: str, test: str) -> float:
        """The p value of the other being worse; nan where too little is in common, so that none is and none is tied."""
        p, better = self._p.get((frozenset((best, other)), metric, test), (float("nan"), ""))
        return 1.0 if better == other and p == p else p
