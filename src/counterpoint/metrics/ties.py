"""Ties: the best model of each column of a leaderboard, and those that a paired test does not tell apart from it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np

from counterpoint.metrics.comparison import ComparisonTotals
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

    A metric that cannot tell models apart, or by which none is better, has none.
    """
    told = {metric.name: metric for metric in metrics if metric.directed and metric.kind is not MetricKind.PLUG_IN}
    columns = dict(_columns(scores, told))
    tests = _PairedTests(outcomes, told)
    for (test, metric), values in columns.items():
        best = _best(values)
        for other in sorted(set(values) - {best}):
            tests.add(best, other, metric, test)
    tests.run()
    return [
        (test, metric, model)
        for (test, metric), values in columns.items()
        for model in sorted(tied_with_best(values, lambda best, other: tests.p(best, other, metric, test)))  # noqa: B023
    ]


def tied_with_best(scores: Mapping[str, float], p: Callable[[str, str], float]) -> frozenset[str]:
    """The best model of a column, and those that a paired test does not tell apart from it.

    Each other model is compared with the best, and the p values are corrected by Holm for their number. Where no p
    value can be told, none is the best.
    """
    if not scores:
        return frozenset()
    best = _best(scores)
    others = sorted(set(scores) - {best})
    corrected = holm([p(best, other) for other in others])
    if others and np.isnan(corrected).all():
        return frozenset()
    return frozenset([best, *(name for name, value in zip(others, corrected, strict=True) if value >= ALPHA)])


def _best(scores: Mapping[str, float]) -> str:
    return max(sorted(scores), key=lambda name: scores[name])


def _columns(
    scores: Sequence[Mapping[str, Any]], metrics: Mapping[str, Metric]
) -> Iterator[tuple[tuple[str, str], dict[str, float]]]:
    """Each test and metric with the values of the models, signed so that the best is the largest."""
    rows = [row for row in scores if row["by"] in ("suite", "test") and row["n"] and row["metric"] in metrics]
    rows.sort(key=lambda row: (row["by"], row["test"], row["metric"]))
    for (_, test, metric), column in groupby(rows, key=lambda row: (row["by"], row["test"], row["metric"])):
        sign = -1 if metrics[metric].lower_is_better else 1
        yield (test, metric), {row["model"]: sign * row["value"] for row in column}


class _PairedTests:
    """Paired tests of models: pairs are gathered first, so that each two models are compared once."""

    def __init__(self, outcomes: OutcomesOf, metrics: Mapping[str, Metric]) -> None:
        self._outcomes, self._metrics = outcomes, metrics
        self._requested: dict[tuple[frozenset[str], bool], dict[str, None]] = {}
        self._p: dict[tuple[frozenset[str], str, str], float] = {}

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
                for (_, *test), _, p in totals.p_values(metric):
                    self._p[models, metric.name, "".join(test)] = float(p)

    def p(self, best: str, other: str, metric: str, test: str) -> float:
        """The p value; nan where too little is in common for one, so that models are neither different nor tied."""
        return self._p.get((frozenset((best, other)), metric, test), float("nan"))
