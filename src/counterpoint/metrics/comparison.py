"""Models on the same suites, case by case: differences, corrected tests, minimum detectable effects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isnan, nan
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint.core.errors import CounterpointError
from counterpoint.metrics.gathering import GatheredOutcomes, explain_bound
from counterpoint.metrics.intervals import Counts, ShareSums, add_by, cluster_columns, jackknife, jackknife_groups
from counterpoint.metrics.metric import (
    Contents,
    Metric,
    MetricKind,
    Ratio,
    Statistic,
    applicable,
    contents_by_suite,
    ordered,
    whole_suites,
)
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.paired_tests import (
    ALPHA,
    LowestDifference,
    RatioDifference,
    detectable_effect,
    holm,
    paired_columns,
    statistic_difference,
)
from counterpoint.metrics.scoring import BONFERRONI, ScoreRequest, SliceSums
from counterpoint.metrics.slices import SliceCells, Slicer, distinct_values
from counterpoint.metrics.units import Flags, Floats, Rows

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
    return compare_blocks([(first, second)], contents_by_suite(first.table), request)


def compare_blocks(
    blocks: Iterable[tuple[Outcomes, Outcomes]], contents: Mapping[tuple[str, ...], Contents], request: ScoreRequest
) -> pa.Table:
    """The same table from the outcomes of both models in blocks of whole pictures, in their order."""
    return _table(_corrected_by_metric(_differences(blocks, contents, request)), request)


def compare_with_reference(
    reference: Outcomes, others: Sequence[Outcomes], candidates: Sequence[Metric]
) -> list[dict[str, Any]]:
    """Compare several models with a reference on one suite: the whole of it, and its tests where these are several.

    The rows are those of `compare_outcomes` with the number of the other model as `other` and an empty test for the
    whole suite; p values and detectable effects are corrected over all slices and models of a metric.
    """
    several = len(distinct_values(reference.table, "test")) > 1
    contents = contents_by_suite(reference.table)
    differences = []
    for by in ((), ("test",))[: 1 + several]:
        request = ScoreRequest(by, candidates=candidates)
        for number, other in enumerate(others):
            pairs = _differences([(reference, other)], contents, request)
            place = {"test": "", "other": number}
            differences += [(metric, place | _row(row, request)) for metric, row in pairs if row["n"]]
    return [_known(row) for row in _corrected_by_metric(differences)]


def compare_on_suites(outcomes: Iterable[tuple[Outcomes, Outcomes, Metric]]) -> list[dict[str, Any]]:
    """Compare two models on several suites, each by a metric of its own.

    The rows are those of `compare_outcomes`, one for each suite on which both models have cases; p values are corrected
    over these suites, and the detectable effect is that of as many tests.
    """
    request = ScoreRequest(())
    pairs = [(metric, ComparisonTotals.of([pair], [metric], request)) for *pair, metric in outcomes]
    ratios = [(metric, totals) for metric, totals in pairs if isinstance(metric, Ratio)]
    others = [(metric, totals) for metric, totals in pairs if not isinstance(metric, Ratio)]
    rows = [*_ratio_rows(ratios), *((metric, row) for metric, totals in others for row in totals.rows(metric))]
    differences = [(metric, row) for metric, row in rows if row["n"]]
    corrected: list[dict[str, Any]] = _table(_corrected(differences), request).to_pylist()
    return corrected


def paired_differences(
    blocks: Iterable[Sequence[Outcomes]], metrics: Sequence[Metric]
) -> dict[tuple[str, str], tuple[float, float]]:
    """The difference of two models and its p value by suite and metric, without the intervals that take most time.

    Of every block there are the outcomes of both. A metric that is raised by chance cannot tell models apart, and has
    none; nan is a p value that cannot be told.
    """
    told = [metric for metric in metrics if metric.kind is not MetricKind.PLUG_IN]
    found: dict[tuple[str, str], tuple[float, float]] = {}
    totals = ComparisonTotals.of(blocks, told, ScoreRequest(()))
    for metric in told:
        for (suite,), value, p in totals.p_values(metric):
            found[suite, metric.name] = float(value), float(p)
    return found


def _differences(
    blocks: Iterable[tuple[Outcomes, Outcomes]], contents: Mapping[tuple[str, ...], Contents], request: ScoreRequest
) -> list[tuple[Metric, dict[str, Any]]]:
    """The difference of both models by each metric of each slice, in the order of tables, before any correction."""
    by_suite = compared_metrics(contents, request)
    metrics = tuple(request.metrics) or ordered(dict.fromkeys(m for own in by_suite.values() for m in own))
    for metric in metrics:
        if metric.kind is MetricKind.PLUG_IN:
            hint = "compare ece_squared, which has no such bias, and see counterpoint score for the rest"
            raise CounterpointError(f"{metric.name} is raised by chance, and cannot tell two models apart", hint=hint)
    totals = ComparisonTotals.of(blocks, metrics, request)
    totals.check_bound(metrics)
    rows = [(metric, row) for metric in metrics for row in totals.rows(metric) if metric in by_suite[row["slice"][0]]]
    order = {metric: place for place, metric in enumerate(metrics)}
    return sorted(rows, key=lambda pair: (pair[1]["slice"], order[pair[0]]))


def _corrected_by_metric(differences: Sequence[tuple[Metric, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The same rows in their order, each corrected over all of its metric."""
    own: dict[Metric, list[tuple[Metric, dict[str, Any]]]] = {}
    for metric, row in differences:
        own.setdefault(metric, []).append((metric, row))
    corrected = {metric: iter(_corrected(pairs)) for metric, pairs in own.items()}
    return [next(corrected[metric]) for metric, _ in differences]


def _corrected(differences: Sequence[tuple[Metric, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Rows of differences with Holm's correction over all of them, verdict and detectable effect."""
    tests = max(sum(not isnan(row["p"]) for _, row in differences), 1)
    rows = []
    for (metric, row), corrected in zip(differences, holm([row["p"] for _, row in differences]), strict=True):
        verdict = _verdict(row, corrected, metric)
        is_told = row["n"] and row["error"] >= 0
        effect = detectable_effect(row["error"], row["n"], tests, row["clusters"]) if is_told else None
        rows.append(row | {"holm": corrected, "verdict": verdict, "detectable": effect, "version": metric.version})
    return rows


def compared_metrics(
    contents: Mapping[tuple[str, ...], Contents], request: ScoreRequest
) -> dict[str, tuple[Metric, ...]]:
    """The metrics by which models are compared on each suite, from the contents of suites or of their tests."""
    return {
        suite: tuple(request.metrics)
        or tuple(metric for metric in applicable(own, request.candidates) if _is_compared(metric, own))
        for suite, own in whole_suites(contents).items()
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
        credit, counts, squares = self.by_cell(ratio, units)
        place = self.cells.slice_of_cell
        return ShareSums.of(credit, counts, add_by(place, squares, len(self.cells.names)), place)

    def by_cell(self, ratio: Ratio[Any], units: Any) -> tuple[Floats, Counts, Floats]:
        """Credit, cases and squared credit of each cell, over the units that both answered."""
        credit, counts = ratio.cases(units)
        credit, cells = np.where(self.both, credit, 0.0), self.cells
        return cells.summed(credit), cells.counted(counts & self.both), cells.summed(credit * credit)


def _pair_units(first: Outcomes, second: Outcomes, unit: type[Any], slicer: Slicer) -> _PairedUnits:
    units = first.units(unit), second.units(unit)
    return _PairedUnits(units, units[0].counted & units[1].counted, slicer.cut(units[0]))


class ComparisonTotals:
    """The differences of two models, from their outcomes in one block or in several of whole pictures, in their order.

    Of a block there remain sums over the pictures of each slice, as in `scoring.ScoreTotals`, and the groups that count
    for metrics that are no sums; so blocks give the same differences as the whole to the last bit.
    """

    def __init__(self, metrics: Iterable[Metric], request: ScoreRequest) -> None:
        self._request, chosen = request, list(metrics)
        self._units = {kind: _UnitDifferences(kind, chosen) for kind in dict.fromkeys(own.unit for own in chosen)}
        self._gathered = GatheredOutcomes(), GatheredOutcomes()
        self._restored: tuple[Outcomes, Outcomes] | None = None

    @classmethod
    def of(
        cls, blocks: Iterable[Sequence[Outcomes]], metrics: Iterable[Metric], request: ScoreRequest
    ) -> "ComparisonTotals":
        """The totals of all blocks."""
        totals = cls(metrics, request)
        for first, second in blocks:
            totals.add(first, second)
        return totals

    def add(self, first: Outcomes, second: Outcomes) -> None:
        """Add the outcomes of both models on the next pictures."""
        slicer = self._slicer(first)
        is_gathered = np.zeros(len(first.base), np.bool_)
        for kind, differences in self._units.items():
            is_gathered[differences.add(_pair_units(first, second, kind, slicer))] = True
        rows = np.flatnonzero(is_gathered[first.base])
        for gathered, own in zip(self._gathered, (first, second), strict=True):
            gathered.add(own, rows)

    def check_bound(self, metrics: Iterable[Metric]) -> None:
        """Raise a CounterpointError where more cases count for a metric that is no sum than are kept."""
        if any(own.is_too_large for own in self._gathered):
            name = next(metric.name for metric in metrics if metric in self._units[metric.unit].statistics)
            raise CounterpointError(f"{name} cannot be compared: {explain_bound()}", hint="or name other metrics")

    def rows(self, metric: Metric) -> list[dict[str, Any]]:
        """The difference of both models in each slice."""
        units = self._units[metric.unit]
        if isinstance(metric, Statistic) and not metric.lowest_of:
            return self._statistic_rows(metric)
        difference, sums = units.difference(metric)
        method = LINEARISED if len(sums) == 1 else BONFERRONI
        return [
            _difference_row(metric, name, *values, method)
            for name, values in zip(units.places, _difference_columns(difference, sums), strict=True)
        ]

    def p_values(self, metric: Metric) -> Iterable[tuple[tuple[str, ...], float, float]]:
        """The difference and its p value in each slice, without the interval that takes most of the time."""
        if isinstance(metric, Statistic) and not metric.lowest_of:
            return [(row["slice"], row["difference"], row["p"]) for row in self._statistic_rows(metric)]
        units = self._units[metric.unit]
        difference, _ = units.difference(metric)
        return zip(units.places, difference.value, difference.p(), strict=True)

    def ratio(self, metric: Ratio[Any]) -> tuple[tuple[ShareSums, ShareSums], Floats, Sequence[tuple[str, ...]]]:
        """The sums of a ratio of each model, those of `paired_columns`, and the names of the slices."""
        units = self._units[metric.unit]
        return units.sums(metric), units.cross[metric, metric].sums, list(units.places)

    def _statistic_rows(self, metric: Statistic[Any]) -> list[dict[str, Any]]:
        if self._restored is None and (first := self._gathered[0].join()) and (second := self._gathered[1].join()):
            self._restored = first, second
        found = dict[tuple[str, ...], dict[str, Any]]()
        if self._restored is not None:
            paired = _pair_units(*self._restored, metric.unit, self._slicer(self._restored[0]))
            found = {row["slice"]: row for row in _statistic_differences(metric, paired)}
        nothing = (*(nan,) * 7, 0, 0, 0, "")
        names = self._units[metric.unit].places
        return [found.get(name) or _difference_row(metric, name, *nothing) for name in names]

    def _slicer(self, outcomes: Outcomes) -> Slicer:
        return Slicer(outcomes, self._request.columns, self._request.where)


class _UnitDifferences:
    """What the differences of metrics of one unit need of each slice."""

    def __init__(self, kind: type[Any], metrics: Iterable[Metric]) -> None:
        own = [metric for metric in metrics if metric.unit is kind]
        self.statistics = [metric for metric in own if isinstance(metric, Statistic) and not metric.lowest_of]
        self.places: dict[tuple[str, ...], int] = {}  # of the slices
        ratios = [_ratios(metric) for metric in own if metric not in self.statistics]
        self._sums = {ratio: (SliceSums(7), SliceSums(7)) for parts in ratios for ratio in parts}
        self.cross = {pair: SliceSums(5) for parts in ratios for pair in product(parts, repeat=2)}

    def add(self, paired: _PairedUnits) -> Rows:
        """Add the units of a block; returns the bases of the groups that count for a metric that is no sum."""
        cells = paired.cells
        places = np.array([self.places.setdefault(name, len(self.places)) for name in cells.names], np.int64)
        by_cell, slices = places[cells.slice_of_cell], len(self.places)
        credit = {ratio: [paired.by_cell(ratio, units) for units in paired.units] for ratio in self._sums}
        for ratio, both in self._sums.items():
            for totals, columns in zip(both, credit[ratio], strict=True):
                totals.add(by_cell, cluster_columns(*columns), slices)
        for (one, other), totals in self.cross.items():
            (s, n, _), (t, m, _) = credit[one][0], credit[other][1]
            totals.add(by_cell, paired_columns((s, n.astype(np.float64)), (t, m.astype(np.float64))), slices)
        counted = np.zeros(len(paired.both), np.bool_)
        for metric in self.statistics:
            for units in paired.units:
                counted |= metric.counts(units)
        inside = np.zeros(len(paired.both), np.bool_)
        inside[cells.inside] = True
        return np.asarray(paired.units[0].base[counted & paired.both & inside])

    def sums(self, ratio: Ratio[Any]) -> tuple[ShareSums, ShareSums]:
        """The sums of a ratio of each model."""
        first, second = (ShareSums.of_totals(own.sums) for own in self._sums[ratio])
        return first, second

    def difference(
        self, metric: Metric
    ) -> tuple[RatioDifference | LowestDifference, list[tuple[ShareSums, ShareSums]]]:
        """The difference of a ratio, or of the lowest of several, and the sums of each."""
        ratios = _ratios(metric)
        sums = [self.sums(ratio) for ratio in ratios]
        parts = [
            [
                RatioDifference(first, second, self.cross[one, other].sums)
                for other, (_, second) in zip(ratios, sums, strict=True)
            ]
            for one, (first, _) in zip(ratios, sums, strict=True)
        ]
        return (parts[0][0] if len(parts) == 1 else LowestDifference(parts)), sums


def _ratios(metric: Metric) -> Sequence[Ratio[Any]]:
    """The ratio itself, or those of which a metric is the lowest."""
    return (metric,) if isinstance(metric, Ratio) else metric.lowest_of


def paired_sums(
    first: Outcomes, second: Outcomes, ratio: Ratio[Any], where: Mapping[str, str]
) -> tuple[tuple[ShareSums, ShareSums], Rows] | None:
    """The sums of a ratio of two models over the units of one suite that both answered, and their slices."""
    units = _pair_units(first, second, ratio.unit, Slicer(first, ("suite",), where))
    return (units.sums(ratio), units.cells.slice_of_cell) if units.cells.names else None


def _ratio_rows(ratios: Sequence[tuple[Ratio[Any], ComparisonTotals]]) -> list[tuple[Metric, dict[str, Any]]]:
    """The differences of ratios on several suites; the search for bounds takes as long for one as for all of them."""
    if not ratios:
        return []
    sums, cross, names = zip(*(totals.ratio(metric) for metric, totals in ratios), strict=True)
    first, second = (ShareSums.concatenate(own) for own in zip(*sums, strict=True))
    difference = RatioDifference(first, second, np.concatenate(cross, axis=1))
    slices = [(metric, name) for (metric, _), own in zip(ratios, names, strict=True) for name in own]
    return [
        (metric, _difference_row(metric, name, *values, LINEARISED))
        for (metric, name), values in zip(slices, _difference_columns(difference, [(first, second)]), strict=True)
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
        found = statistic_difference(replicated[0], replicated[1], clusters, min(n), metric.range[1] - metric.range[0])
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
    return pa.Table.from_pylist([_known(_row(row, request)) for row in rows], schema)


def _row(row: dict[str, Any], request: ScoreRequest) -> dict[str, Any]:
    named = dict(zip(request.columns, row["slice"], strict=True)) | {"threshold": request.threshold}
    return named | row


def _known(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with numbers of Python, and null where there is none."""
    return {key: _number(value) if isinstance(value, float) else value for key, value in row.items()}


def _number(value: float) -> float | None:
    return None if isnan(value) else float(value)
