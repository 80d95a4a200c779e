"""Models on the same suites, case by case: differences, corrected tests, minimum detectable effects, coverage."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, permutations
from math import isnan
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from counterpoint.core.errors import CounterpointError
from counterpoint.metrics.intervals import interval_from_sums, seeded_rng
from counterpoint.metrics.metric import Contents, Metric, Ratio, applicable, contents_by_suite, ordered
from counterpoint.metrics.outcomes import (
    Flags,
    OrderedPairs,
    Outcomes,
    Pairs,
    Sets,
    Singles,
    Unit,
    ordered_pairs,
)
from counterpoint.metrics.paired_tests import (
    ALPHA,
    clustered_detectable_effect,
    holm,
    mcnemar,
    mcnemar_detectable_effect,
    paired_difference,
)
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.metrics.slices import Slicer, distinct_values

TIE = "tie"
_HINT = "compare a metric that is, such as acc_r, and see counterpoint score for the rest"

_SCHEMA = (
    *[("metric", pa.string()), ("first", pa.float64()), ("second", pa.float64()), ("difference", pa.float64())],
    *[("low", pa.float64()), ("high", pa.float64()), ("n", pa.int64()), ("clusters", pa.int64())],
    *[("first_only", pa.int64()), ("second_only", pa.int64()), ("mcnemar", pa.float64()), ("paired", pa.float64())],
    *[("p", pa.float64()), ("holm", pa.float64()), ("verdict", pa.string()), ("detectable", pa.float64())],
    *[("method", pa.string()), ("threshold", pa.float64())],
)


def compare_outcomes(first: Outcomes, second: Outcomes, request: ScoreRequest) -> pa.Table:
    """Compare the outcomes of two models on one suite table.

    Of each suite the named metrics are compared, or, where none is named, the ratios that lead on such suites. Only
    cases that count for both models enter. Metrics without fractional credit have McNemar's exact test and the paired
    test over clusters, and both must reject (`p` is the larger one); fractional ones have the second alone. P values
    are corrected over the slices of each metric; the verdict is `first`, `second` or `tie`, and respects the direction
    of the metric.
    """
    by_suite = compared_metrics(first.table, request)
    rows: list[dict[str, Any]] = []
    metrics = tuple(request.metrics) or ordered(dict.fromkeys(m for own in by_suite.values() for m in own))
    for metric in metrics:
        if not isinstance(metric, Ratio):
            raise CounterpointError(f"{metric.name} is no mean over cases, and cannot be compared by case", hint=_HINT)
        differences = [
            row for row in _differences(metric, first, second, request) if metric in by_suite[row["slice"][0]]
        ]
        tests = max(sum(row["n"] > 0 for row in differences), 1)
        for row, corrected in zip(differences, holm([row["p"] for row in differences]), strict=True):
            verdict = _verdict(row, corrected, lower_is_better=metric.lower_is_better)
            rows.append(row | {"holm": corrected, "verdict": verdict, "detectable": _detectable(row, tests)})
    order = {metric.name: place for place, metric in enumerate(metrics)}
    rows.sort(key=lambda row: (row["slice"], order[row["metric"]]))
    schema = pa.schema([*((name, pa.string()) for name in request.columns), *_SCHEMA])
    return pa.Table.from_pylist([_row(row, request) for row in rows], schema)


def compare_with_reference(
    reference: Outcomes, others: Sequence[Outcomes], candidates: Sequence[Metric]
) -> list[dict[str, Any]]:
    """Compare several models with a reference on one suite: the whole of it, and its tests where these are several.

    The rows are those of `compare_outcomes` with the number of the other model as `other` and an empty test for the
    whole suite; p values are corrected over all slices and models of a metric.
    """
    several = len(distinct_values(reference.table, "test")) > 1
    rows = [
        {"test": "", "other": number} | row
        for by in ((), ("test",))[: 1 + several]
        for number, other in enumerate(others)
        for row in compare_outcomes(reference, other, ScoreRequest(by, candidates=candidates)).to_pylist()
        if row["n"]
    ]
    by_name = {metric.name: metric for metric in candidates}
    for name in {row["metric"] for row in rows}:
        own = [row for row in rows if row["metric"] == name]
        for row, corrected in zip(own, holm([row["p"] for row in own]), strict=True):
            verdict = _verdict(row, corrected, lower_is_better=by_name[name].lower_is_better)
            row |= {"holm": corrected, "verdict": verdict}
    return rows


def compared_metrics(groups: pa.Table, request: ScoreRequest) -> dict[str, tuple[Metric, ...]]:
    """The metrics by which models are compared on each suite in a table of groups."""
    if request.metrics:
        return {suite: tuple(request.metrics) for (suite,) in contents_by_suite(groups)}
    return {
        suite: tuple(metric for metric in applicable(contents, request.candidates) if _is_compared(metric, contents))
        for (suite,), contents in contents_by_suite(groups).items()
    }


def _is_compared(metric: Metric, contents: Contents) -> bool:
    """Whether a metric leads on a suite, or on suites of the same relations in general, and can be compared by case."""
    general = Contents(relations=contents.relations)
    return isinstance(metric, Ratio) and (metric.leads(contents) or metric.leads(general))


def _differences(
    metric: Ratio[Any], first: Outcomes, second: Outcomes, request: ScoreRequest
) -> Iterator[dict[str, Any]]:
    first_units, second_units = _units(metric, first), _units(metric, second)
    cells = Slicer(first, request.columns, request.where).cut(first_units)
    (a, a_counts), (b, b_counts) = metric.cases(first_units), metric.cases(second_units)
    both = a_counts & b_counts
    a, b = np.where(both, a, 0.0), np.where(both, b, 0.0)
    binary = metric.hit(first_units).dtype == np.bool_
    n, sum_a, sum_b = (cells.summed_by_slice(values) for values in (both, a, b))
    only_a, only_b = (cells.summed_by_slice(values) for values in (a > b, b > a))
    sums, counts, squares = cells.summed(a - b), cells.counted(both), cells.summed_by_slice((a - b) ** 2)
    for place, name in enumerate(cells.names):
        own, many = cells.range_of(place), int(n[place])
        rng = seeded_rng(request.seed, list(name))
        difference = paired_difference(sums[own], counts[own], float(squares[place]), rng, request.resamples)
        discordant = int(only_a[place]), int(only_b[place])
        exact = mcnemar(*discordant) if binary and many else None
        yield {
            "slice": name,
            "metric": metric.name,
            "first": sum_a[place] / many if many else None,
            "second": sum_b[place] / many if many else None,
            "difference": difference.value,
            "low": difference.low,
            "high": difference.high,
            "n": many,
            "clusters": int(np.count_nonzero(counts[own])),
            "first_only": discordant[0],
            "second_only": discordant[1],
            "mcnemar": exact,
            "paired": difference.p,
            "p": difference.p if exact is None else max(exact, difference.p),
            "method": difference.method,
            "error": difference.error,
        }


def _units(metric: Ratio[Any], outcomes: Outcomes) -> Any:
    if metric.unit is OrderedPairs:
        return ordered_pairs(outcomes)
    return {Pairs: outcomes.pairs, Sets: outcomes.sets, Singles: outcomes.singles}[metric.unit]()


def _verdict(row: dict[str, Any], corrected: float, *, lower_is_better: bool) -> str:
    """Which model is better, or a tie where the corrected test does not reject."""
    if not row["n"]:
        return ""
    if corrected >= ALPHA:
        return TIE
    return "first" if (row["difference"] > 0) != lower_is_better else "second"


def _detectable(row: dict[str, Any], tests: int) -> float | None:
    """The minimum detectable effect of the tests that are made."""
    if not row["n"]:
        return None
    clusters = clustered_detectable_effect(row["error"], row["n"], tests)
    if row["mcnemar"] is None:
        return clusters
    return max(clusters, mcnemar_detectable_effect(row["first_only"] + row["second_only"], row["n"], tests))


def _row(row: dict[str, Any], request: ScoreRequest) -> dict[str, Any]:
    named = dict(zip(request.columns, row["slice"], strict=True)) | {"threshold": request.threshold}
    known = {key: None if isinstance(value, float) and isnan(value) else value for key, value in row.items()}
    return named | known


_COVERAGE_SCHEMA = (
    *[("model", pa.string()), ("of", pa.string()), ("value", pa.float64()), ("low", pa.float64())],
    *[("high", pa.float64()), ("n", pa.int64()), ("clusters", pa.int64()), ("unit", pa.string())],
    ("threshold", pa.float64()),
)


def coverage_of_outcomes(outcomes: Mapping[str, Outcomes], request: ScoreRequest, *, pairs: bool = False) -> pa.Table:
    """The coverage of every two models on one suite table, a row for each slice.

    Single answers are bases and variants, each once, as in the figures of the paper; of pairs both members must be
    correct, as in its caption. What failed or was not asked for one of the two models does not count.
    """
    schema = pa.schema([*((name, pa.string()) for name in request.columns), *_COVERAGE_SCHEMA])
    if not outcomes:
        return schema.empty_table()
    shared = next(iter(outcomes.values()))
    unit: Unit = shared.pairs() if pairs else shared.singles()
    cells = Slicer(shared, request.columns, request.where).cut(unit)
    correct = {name: _correct(own, pairs) for name, own in outcomes.items()}
    rows: list[dict[str, Any]] = []
    for model, of in permutations(outcomes, 2):
        (hit, answered), (wanted, counted) = correct[model], correct[of]
        counts = wanted & counted & answered
        hits, cases = cells.summed(counts & hit), cells.counted(counts)
        for place, name in enumerate(cells.names):
            own = cells.range_of(place)
            used = cases[own] > 0
            score = interval_from_sums(hits[own][used], cases[own][used], float(hits[own].sum()))
            ends = {key: None if isnan(end := getattr(score, key)) else end for key in ("value", "low", "high")}
            rows.append(
                dict(zip(request.columns, name, strict=True))
                | {"model": model, "of": of, "n": score.n, "clusters": int(used.sum())}
                | {"unit": "pair" if pairs else "answer", "threshold": request.threshold}
                | ends
            )
    rows.sort(key=lambda row: tuple(row[name] for name in request.columns))
    return pa.Table.from_pylist(rows, schema)


def _correct(outcomes: Outcomes, pairs: bool) -> tuple[Flags, Flags]:
    """The units that are correct, and those that have gold and an answer."""
    if pairs:
        units = outcomes.pairs()
        return units.base_right & units.variant_right, units.counted & units.gold
    singles = outcomes.singles()
    return singles.right, singles.counted & singles.gold


OutcomesOf: TypeAlias = Callable[[str], Outcomes]
"""The outcomes of a model, by its name."""
Tie: TypeAlias = tuple[str, str, str]
"""A test, a metric, and a model that is best by it or tied with the best; the whole suite has an empty test."""


def find_ties(scores: Sequence[Mapping[str, Any]], outcomes: OutcomesOf, metrics: Sequence[Metric]) -> list[Tie]:
    """The ties of every column that a leaderboard of one suite can have, from its rows of scores.

    Only the ratios among the metrics can be compared case by case.
    """
    ratios = {metric.name: metric for metric in metrics if isinstance(metric, Ratio)}
    columns = dict(_columns(scores, ratios))
    tests = _PairedTests(outcomes, ratios)
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

    Each other model is compared with the best, and the p values are corrected by Holm for their number.
    """
    if not scores:
        return frozenset()
    best = _best(scores)
    others = sorted(set(scores) - {best})
    corrected = holm([p(best, other) for other in others])
    return frozenset([best, *(name for name, value in zip(others, corrected, strict=True) if value >= ALPHA)])


def _best(scores: Mapping[str, float]) -> str:
    return max(sorted(scores), key=lambda name: scores[name])


def _columns(
    scores: Sequence[Mapping[str, Any]], ratios: Mapping[str, Ratio[Any]]
) -> Iterator[tuple[tuple[str, str], dict[str, float]]]:
    """Each test and metric with the values of the models, signed so that the best is the largest."""
    rows = [row for row in scores if row["by"] in ("suite", "test") and row["n"] and row["metric"] in ratios]
    rows.sort(key=lambda row: (row["by"], row["test"], row["metric"]))
    for (_, test, metric), column in groupby(rows, key=lambda row: (row["by"], row["test"], row["metric"])):
        sign = -1 if ratios[metric].lower_is_better else 1
        yield (test, metric), {row["model"]: sign * row["value"] for row in column}


class _PairedTests:
    """Paired tests of models: pairs are gathered first, so that each two models are compared once."""

    def __init__(self, outcomes: OutcomesOf, ratios: Mapping[str, Ratio[Any]]) -> None:
        self._outcomes, self._ratios = outcomes, ratios
        self._requested: dict[tuple[frozenset[str], bool], dict[str, None]] = {}
        self._p: dict[tuple[frozenset[str], str, str], float] = {}

    def add(self, best: str, other: str, metric: str, test: str) -> None:
        """Request a test."""
        self._requested.setdefault((frozenset((best, other)), bool(test)), {})[metric] = None

    def run(self) -> None:
        """Run all tests that were requested."""
        for models, by_test in sorted(self._requested, key=lambda key: (sorted(key[0]), key[1])):
            ratios = [self._ratios[name] for name in self._requested[models, by_test]]
            request = ScoreRequest(by=("test",) if by_test else (), metrics=ratios)
            first, second = map(self._outcomes, sorted(models))
            for row in compare_outcomes(first, second, request).to_pylist():
                if row["n"]:
                    self._p[models, row["metric"], row.get("test") or ""] = float(row["p"])

    def p(self, best: str, other: str, metric: str, test: str) -> float:
        """The p value; nan where both models have no answer in common, so that they are neither different nor tied."""
        return self._p.get((frozenset((best, other)), metric, test), float("nan"))
