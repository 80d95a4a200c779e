"""Models on the same suites, case by case: differences, corrected tests, minimum detectable effects, coverage."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, permutations
from math import isnan, nan
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from counterpoint.core.errors import CounterpointError
from counterpoint.metrics.intervals import ShareSums, jackknife, jackknife_groups
from counterpoint.metrics.metric import (
    Contents,
    Metric,
    MetricKind,
    Ratio,
    Statistic,
    applicable,
    contents_by_suite,
    ordered,
)
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.paired_tests import (
    ALPHA,
    LowestDifference,
    RatioDifference,
    detectable_effect,
    holm,
    statistic_difference,
)
from counterpoint.metrics.scoring import BONFERRONI, ScoreRequest
from counterpoint.metrics.slices import SliceCells, Slicer, distinct_values
from counterpoint.metrics.units import Flags, Rows, Unit

TIE, TOO_FEW = "tie", "too few"
"""Verdicts beside `first` and `second`: chance explains the difference, or there are too few pictures or cases."""

LINEARISED = "linearised"
"""The method of the interval of a difference of ratios."""

_SCHEMA = (
    *[("metric", pa.string()), ("first", pa.float64()), ("second", pa.float64()), ("difference", pa.float64())],
    *[("low", pa.float64()), ("high", pa.float64()), ("n", pa.int64()), ("first_n", pa.int64())],
    *[("second_n", pa.int64()), ("clusters", pa.int64()), ("p", pa.float64()), ("holm", pa.float64())],
    *[("verdict", pa.string()), ("detectable", pa.float64()), ("method", pa.string()), ("version", pa.int64())],
    ("threshold", pa.float64()),
)


def compare_outcomes(first: Outcomes, second: Outcomes, request: ScoreRequest) -> pa.Table:
    """Compare the outcomes of two models on one suite table.

    Of each suite the named metrics are compared, or, where none is named, those that lead on such suites. Units that
    both models answered enter, and each model has the value of its own cases among them: the denominator of a ratio is
    its own. P values are corrected over the slices of each metric, and are null with fewer than 20 pictures or with
    fewer than 10 cases of a model. The verdict is `first`, `second`, `tie` or `too few`, and respects the direction of
    the metric; it is empty where a metric has none.
    """
    by_suite = compared_metrics(first.table, request)
    rows: list[dict[str, Any]] = []
    metrics = tuple(request.metrics) or ordered(dict.fromkeys(m for own in by_suite.values() for m in own))
    for metric in metrics:
        if metric.kind is MetricKind.PLUG_IN:
            hint = "compare ece_squared, which has no such bias, and see counterpoint score for the rest"
            raise CounterpointError(f"{metric.name} is raised by chance, and cannot tell two models apart", hint=hint)
    for metric, units in _paired_units(first, second, metrics, request):
        differences = [row for row in _differences(metric, units) if metric in by_suite[row["slice"][0]]]
        rows += _corrected([(metric, row) for row in differences])
    order = {metric.name: place for place, metric in enumerate(metrics)}
    rows.sort(key=lambda row: (row["slice"], order[row["metric"]]))
    return _table(rows, request)


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
        values = [nan if row["p"] is None else row["p"] for row in own]
        for row, corrected in zip(own, holm(values), strict=True):
            verdict = _verdict(row, corrected, by_name[name])
            row |= {"holm": None if isnan(corrected) else corrected, "verdict": verdict}
    return rows


def compare_on_suites(outcomes: Iterable[tuple[Outcomes, Outcomes, Metric]]) -> list[dict[str, Any]]:
    """Compare two models on several suites, each by a metric of its own.

    The rows are those of `compare_outcomes`, one for each suite on which both models have cases; p values are corrected
    over these suites, and the detectable effect is that of as many tests.
    """
    request = ScoreRequest(())
    paired = [own for first, second, metric in outcomes for own in _paired_units(first, second, [metric], request)]
    ratios = [(metric, units) for metric, units in paired if isinstance(metric, Ratio)]
    others = [(metric, units) for metric, units in paired if not isinstance(metric, Ratio)]
    rows = [*_ratio_rows(ratios), *((metric, row) for metric, units in others for row in _differences(metric, units))]
    differences = [(metric, row) for metric, row in rows if row["n"]]
    corrected: list[dict[str, Any]] = _table(_corrected(differences), request).to_pylist()
    return corrected


def paired_differences(
    first: Outcomes, second: Outcomes, metrics: Sequence[Metric]
) -> dict[tuple[str, str], tuple[float, float]]:
    """The difference of two models and its p value by suite and metric, without the intervals that take most time.

    A metric that is raised by chance cannot tell models apart, and has none; nan is a p value that cannot be told.
    """
    told = [metric for metric in metrics if metric.kind is not MetricKind.PLUG_IN]
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for metric, units in _paired_units(first, second, told, ScoreRequest(())):
        for (suite,), value, p in zip(units.cells.names, *_values_and_p(metric, units), strict=True):
            found[suite, metric.name] = float(value), float(p)
    return found


def _corrected(differences: Sequence[tuple[Metric, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Rows of differences with Holm's correction over all of them, verdict and detectable effect."""
    tests = max(sum(not isnan(row["p"]) for _, row in differences), 1)
    rows = []
    for (metric, row), corrected in zip(differences, holm([row["p"] for _, row in differences]), strict=True):
        verdict = _verdict(row, corrected, metric)
        effect = detectable_effect(row["error"], row["n"], tests) if row["n"] and row["error"] >= 0 else None
        rows.append(row | {"holm": corrected, "verdict": verdict, "detectable": effect, "version": metric.version})
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
    """Whether a metric leads on a suite, or on suites of the same relations in general, and can tell models apart."""
    general = Contents(relations=contents.relations)
    return metric.kind is not MetricKind.PLUG_IN and (metric.leads(contents) or metric.leads(general))


@dataclass(frozen=True, slots=True)
class _PairedUnits:
    """The units of two models, those that both answered, and their slices."""

    units: tuple[Any, Any]
    both: Flags
    cells: SliceCells

    def sums(self, ratio: Ratio[Any]) -> tuple[ShareSums, ShareSums]:
        """The sums of a ratio of each model over the units that both answered."""
        first, second = (self._sums(ratio, own) for own in self.units)
        return first, second

    def _sums(self, ratio: Ratio[Any], units: Any) -> ShareSums:
        credit, counts = ratio.cases(units)
        credit = np.where(self.both, credit, 0.0)
        squares, cells = self.cells.summed_by_slice(credit * credit), self.cells
        return ShareSums.of(cells.summed(credit), cells.counted(counts & self.both), squares, cells.slice_of_cell)


def _paired_units(
    first: Outcomes, second: Outcomes, metrics: Iterable[Metric], request: ScoreRequest
) -> Iterator[tuple[Metric, _PairedUnits]]:
    """Each metric with the units it counts; those of one kind follow each other, so that units are made once."""
    slicer = Slicer(first, request.columns, request.where)
    for unit, own in groupby(sorted(metrics, key=lambda metric: metric.unit.__name__), key=lambda metric: metric.unit):
        units = first.units(unit), second.units(unit)
        paired = _PairedUnits(units, units[0].counted & units[1].counted, slicer.cut(units[0]))
        for metric in own:
            yield metric, paired


def paired_sums(
    first: Outcomes, second: Outcomes, ratio: Ratio[Any], where: Mapping[str, str]
) -> tuple[tuple[ShareSums, ShareSums], Rows] | None:
    """The sums of a ratio of two models over the units of one suite that both answered, and their slices."""
    request = ScoreRequest((), where)
    ((_, units),) = _paired_units(first, second, [ratio], request)
    return (units.sums(ratio), units.cells.slice_of_cell) if units.cells.names else None


def _ratio_difference(
    metric: Metric, units: _PairedUnits
) -> tuple[RatioDifference | LowestDifference, list[tuple[ShareSums, ShareSums]]]:
    """The difference of a ratio, or of the lowest of several, and the sums of each."""
    sums = [units.sums(part) for part in ((metric,) if isinstance(metric, Ratio) else metric.lowest_of)]
    place = units.cells.slice_of_cell
    parts = [[RatioDifference(first, second, place) for _, second in sums] for first, _ in sums]
    return (parts[0][0] if len(parts) == 1 else LowestDifference(parts)), sums


def _ratio_rows(paired: Sequence[tuple[Ratio[Any], _PairedUnits]]) -> list[tuple[Metric, dict[str, Any]]]:
    """The differences of ratios on several suites; the search for bounds takes as long for one as for all of them."""
    if not paired:
        return []
    sums = [units.sums(metric) for metric, units in paired]
    starts = np.cumsum([0, *(len(first.cases) for first, _ in sums)])
    place = np.concatenate(
        [units.cells.slice_of_cell + start for start, (_, units) in zip(starts, paired, strict=False)]
    )
    first, second = (ShareSums.concatenate(own) for own in zip(*sums, strict=True))
    rows = _difference_columns(RatioDifference(first, second, place), [(first, second)])
    names = [(metric, name) for metric, units in paired for name in units.cells.names]
    return [
        (metric, _difference_row(metric, name, *values, LINEARISED))
        for (metric, name), values in zip(names, rows, strict=True)
    ]


def _difference_columns(
    difference: RatioDifference | LowestDifference, sums: Sequence[tuple[ShareSums, ShareSums]]
) -> Iterator[tuple[Any, ...]]:
    """What a row says of each slice: both shares, the difference with its bounds, p and error, and the counts."""
    low, high = difference.bounds()
    first, second = (np.min([part.share for part in own], axis=0) for own in zip(*sums, strict=True))
    return zip(
        *(first, second, difference.value, low, high, difference.p(), difference.error),
        *(sums[0][0].cases, sums[0][1].cases, difference.clusters),
        strict=True,
    )


def _differences(metric: Metric, units: _PairedUnits) -> list[dict[str, Any]]:
    """The difference of both models in each slice."""
    if isinstance(metric, Statistic) and not metric.lowest_of:
        return _statistic_differences(metric, units)
    difference, sums = _ratio_difference(metric, units)
    method = LINEARISED if len(sums) == 1 else BONFERRONI
    return [
        _difference_row(metric, name, *values, method)
        for name, values in zip(units.cells.names, _difference_columns(difference, sums), strict=True)
    ]


def _values_and_p(metric: Metric, units: _PairedUnits) -> tuple[Sequence[float], Sequence[float]]:
    """The difference of both models and its p value in each slice, without the interval that takes most of the time."""
    if isinstance(metric, Statistic) and not metric.lowest_of:
        rows = _statistic_differences(metric, units)
        return [row["difference"] for row in rows], [row["p"] for row in rows]
    difference, _ = _ratio_difference(metric, units)
    return list(difference.value), list(difference.p())


def _statistic_differences(metric: Statistic[Any], paired: _PairedUnits) -> list[dict[str, Any]]:
    """The difference of a statistic in each slice, jackknifed over the same groups of pictures."""
    units, cells = paired.units, paired.cells
    counts = [metric.counts(own) & paired.both for own in units]
    rows = zip(cells.names, *(cells.units_by_slice(own) for own in counts), strict=True)
    differences = []
    for name, *places in rows:
        cluster = [own.cluster[place] for own, place in zip(units, places, strict=True)]
        group, groups, clusters = jackknife_groups(np.concatenate(cluster))
        shares = np.split(group, [len(places[0])])
        replicated = [
            jackknife(metric.prepare(own, place), share, groups)
            for own, place, share in zip(units, places, shares, strict=True)
        ]
        n = [0 if isnan(own.value) else len(place) for own, place in zip(replicated, places, strict=True)]
        found = statistic_difference(replicated[0], replicated[1], clusters, min(n))
        differences.append(
            _difference_row(
                *(metric, name, replicated[0].value, replicated[1].value),
                *(found.value, found.low, found.high, found.p, found.error),
                *(*n, clusters, "jackknife"),
            )
        )
    return differences


def _difference_row(metric: Metric, name: tuple[str, ...], *values: Any) -> dict[str, Any]:
    names = ("first", "second", "difference", "low", "high", "p", "error", "first_n", "second_n", "clusters", "method")
    row = {"slice": name, "metric": metric.name} | dict(zip(names, values, strict=True))
    row |= {key: int(row[key]) for key in ("first_n", "second_n", "clusters")}
    row["n"] = min(row["first_n"], row["second_n"])
    if not row["n"]:
        row |= dict.fromkeys(("difference", "low", "high", "p", "error"), nan) | {"method": ""}
    return row


def _verdict(row: Mapping[str, Any], corrected: float, metric: Metric) -> str:
    """Which model is better, or a tie where the corrected test does not reject."""
    if not row["n"] or not metric.directed:
        return ""
    if isnan(corrected):
        return TOO_FEW
    if corrected >= ALPHA:
        return TIE
    return "first" if (row["difference"] > 0) != metric.lower_is_better else "second"


def _table(rows: Iterable[dict[str, Any]], request: ScoreRequest) -> pa.Table:
    schema = pa.schema([*((name, pa.string()) for name in request.columns), *_SCHEMA])
    return pa.Table.from_pylist([_row(row, request) for row in rows], schema)


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
        credit = (counts & hit).astype(np.float64)
        sums = ShareSums.of(
            cells.summed(credit), cells.counted(counts), cells.summed_by_slice(credit), cells.slice_of_cell
        )
        columns = (sums.share, *sums.bounds(), sums.cases, sums.clusters)
        for name, value, low, high, n, clusters in zip(cells.names, *(own.tolist() for own in columns), strict=True):
            ends = {"value": value, "low": low, "high": high} if n else dict.fromkeys(("value", "low", "high"))
            rows.append(
                dict(zip(request.columns, name, strict=True))
                | {"model": model, "of": of, "n": int(n), "clusters": int(clusters)}
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
            first, second = map(self._outcomes, sorted(models))
            for metric, units in _paired_units(first, second, metrics, request):
                for (_, *test), p in zip(units.cells.names, _values_and_p(metric, units)[1], strict=True):
                    self._p[models, metric.name, "".join(test)] = p

    def p(self, best: str, other: str, metric: str, test: str) -> float:
        """The p value; nan where too little is in common for one, so that models are neither different nor tied."""
        return self._p.get((frozenset((best, other)), metric, test), float("nan"))
