"""Scores with intervals, as one long table: a row for each slice and each metric."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import isnan, nan
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint.language.answers.rule_sets import RULE_SETS
from counterpoint.metrics.accuracy import ACCURACY_METRICS
from counterpoint.metrics.bias import BIAS
from counterpoint.metrics.intervals import NO_SCORE, UPPER, Score, ShareSums, statistic_interval
from counterpoint.metrics.metric import (
    Metric,
    Ratio,
    Statistic,
    applicable,
    contents_by_suite,
    displayed,
    no_diagnosis,
    ordered,
)
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.ranking import RANKING
from counterpoint.metrics.slices import SliceCells, Slicer, distinct_values
from counterpoint.metrics.units import STATES, OrderedPairs, Pairs, Rows, Sets, Singles

UNITS = {Pairs: "pair", OrderedPairs: "ordered pair", Sets: "group", Singles: "answer"}
"""What one case of a metric is."""

KORN_GRAUBARD, BONFERRONI = "Korn-Graubard", "Bonferroni"
"""Methods of intervals: of a mean of credit, and of the lowest of several."""

DEFAULT_METRICS: tuple[Metric, ...] = (*ACCURACY_METRICS, *RANKING, *BIAS)
"""The metrics among which those that apply are chosen where a request lists no candidates."""


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """What to score: cut by which columns, after which filter, by which metrics, with which intervals.

    Of each suite the named `metrics` are computed, or, where none is named, those of the `candidates` that apply to it.
    """

    by: Sequence[str] = ("test",)
    where: Mapping[str, str] = field(default_factory=dict)
    metrics: Sequence[Metric] = ()
    threshold: float = 0.5
    seed: int = 0  # of the sign flips of calibration
    candidates: Sequence[Metric] = DEFAULT_METRICS
    pool: bool = False  # score all suites as one

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that name a slice; the suite is always the first."""
        return ("suite", *(name for name in self.by if name != "suite"))

    def metrics_by_suite(self, groups: pa.Table) -> dict[str, tuple[Metric, ...]]:
        """The metrics that are computed of each suite in a table of groups."""
        if self.metrics:
            return {suite: tuple(dict.fromkeys(self.metrics)) for (suite,) in distinct_values(groups, "suite")}
        chosen: dict[str, list[Metric]] = {}
        for cut in ((), ("test",)):
            for (suite, *_), contents in contents_by_suite(groups, *cut).items():
                chosen.setdefault(suite, []).extend(applicable(contents, self.candidates))
        return {suite: tuple(dict.fromkeys(metrics)) for suite, metrics in chosen.items()}


def displayed_by_suite(
    groups: pa.Table, rows: Iterable[Mapping[str, Any]], request: ScoreRequest
) -> dict[str, tuple[Metric, ...]]:
    """The metrics that tables show of each suite: the named ones, else those that lead there and have a value."""
    named = tuple(request.metrics)
    valued: dict[str, set[str]] = {}
    for row in rows:
        if row["value"] is not None:
            valued.setdefault(row["suite"], set()).add(row["metric"])
    return {
        suite: named or displayed(contents, [one for one in request.candidates if one.name in valued.get(suite, ())])
        for (suite,), contents in contents_by_suite(groups).items()
    }


def score_table(groups: pa.Table, answers: pa.Table, by: Sequence[str] = ("test",), **request: Any) -> pa.Table:
    """The scores of one model on suites; see `ScoreRequest` for the other parameters."""
    options = ScoreRequest(by, **request)
    return score_outcomes(judge(groups, answers, options.threshold), options)


def score_outcomes(outcomes: Outcomes, request: ScoreRequest) -> pa.Table:
    """The scores of outcomes as one long table, a row for each slice and each metric.

    The value is null where nothing counts; the reason says so where the metric does not apply to the model. Each row
    has the number of units that are left out because a member failed or was not asked yet, and the share of each state
    among the single answers of the slice.
    """
    by_suite = request.metrics_by_suite(outcomes.table)
    chosen = list(dict.fromkeys(metric for metrics in by_suite.values() for metric in metrics))
    request = replace(request, metrics=request.metrics or ordered(chosen))
    slicer = Slicer(outcomes, request.columns, request.where)
    singles = outcomes.singles()
    cells = slicer.cut(singles)
    states = _states(singles, cells)
    rows = list(_scores(singles, cells, request))
    del cells, singles
    for kind in dict.fromkeys(metric.unit for metric in request.metrics):
        if kind is not Singles:
            units = outcomes.units(kind)
            rows += _scores(units, slicer.cut(units), request)
    computed = {suite: {metric.name for metric in metrics} for suite, metrics in by_suite.items()}
    rows = [row for row in rows if row["metric"] in computed[row["slice"][0]]]
    order = {metric.name: place for place, metric in enumerate(request.metrics)}
    rows.sort(key=lambda row: (row["slice"], order[row["metric"]]))
    rules = _rules(outcomes)
    return pa.Table.from_pylist([_row(row, states, request, rules) for row in rows], _schema(request))


def _rules(outcomes: Outcomes) -> dict[str, str]:
    """The rule set by which the answers of each suite are compared."""
    if "rules" not in outcomes.table.column_names:
        return {}
    known = outcomes.table.select(["suite", "rules"]).unify_dictionaries()  # pooled suites may have several
    labels: dict[str, set[str]] = {}
    for row in known.group_by(["suite", "rules"]).aggregate([]).to_pylist():
        labels.setdefault(row["suite"], set()).add(RULE_SETS[row["rules"]].label)
    return {suite: ", ".join(sorted(own)) for suite, own in labels.items()}


def _scores(
    units: Pairs | OrderedPairs | Sets | Singles, cells: SliceCells, request: ScoreRequest
) -> Iterator[dict[str, Any]]:
    """Each metric of these units in each slice."""
    left_out = cells.summed_by_slice(~units.counted)
    for metric in request.metrics:
        if metric.unit is type(units):
            for place, row in enumerate(_score_slices(metric, units, cells, request)):
                yield row | {"unit": UNITS[metric.unit], "left_out": int(left_out[place])}


def _score_slices(metric: Metric, units: Any, cells: SliceCells, request: ScoreRequest) -> Iterator[dict[str, Any]]:
    """One metric in each slice."""
    if isinstance(metric, Ratio):
        scores = _ratio_scores(metric, units, cells)
    elif metric.lowest_of:
        scores = _lowest_scores(metric, units, cells)
    else:
        scores = _statistic_scores(metric, units, cells, request)
    for place, score in enumerate(scores):
        ends = {key: None if isnan(end := getattr(score.score, key)) else end for key in ("value", "low", "high")}
        diagnosed = not score.score.n and not score.reason and metric.diagnose is not no_diagnosis
        reason = metric.diagnose(units, cells.units_of(place)) if diagnosed else score.reason
        p = None if isnan(score.p) else score.p
        yield (
            {"slice": cells.names[place], "metric": metric.name, "version": metric.version}
            | ends
            | {"n": score.score.n, "clusters": score.clusters, "method": score.method, "p": p, "reason": reason}
        )


@dataclass(frozen=True, slots=True)
class _SliceScore:
    """The score of one slice: its number of clusters, the method of its interval, and a p value where it has one."""

    score: Score
    clusters: int
    method: str
    p: float = nan
    reason: str = ""


def slice_sums(metric: Ratio[Any], units: Any, cells: SliceCells) -> ShareSums:
    """The sums of a ratio in each slice, from which its interval follows."""
    credit, counts = metric.cases(units)
    return ShareSums.of(
        cells.summed(credit), cells.counted(counts), cells.summed_by_slice(credit * credit), cells.slice_of_cell
    )


def _ratio_scores(metric: Ratio[Any], units: Any, cells: SliceCells) -> list[_SliceScore]:
    """The score of a ratio in each slice."""
    sums = slice_sums(metric, units, cells)
    columns = (sums.cases, sums.share, *sums.bounds(), sums.clusters)
    return [
        _SliceScore(Score(value, low, high, int(n)), int(clusters), KORN_GRAUBARD)
        if n
        else _SliceScore(NO_SCORE, 0, "")
        for n, value, low, high, clusters in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _lowest_scores(metric: Statistic[Any], units: Any, cells: SliceCells) -> list[_SliceScore]:
    """The lowest of some ratios in each slice: a value is below one of several with a Bonferroni bound on each."""
    parts = [slice_sums(part, units, cells) for part in metric.lowest_of]
    share, low = (np.min(own, axis=0) for own in ([part.share for part in parts], [part.bounds()[0] for part in parts]))
    high = np.min([part.bounds(1 - (1 - UPPER) / len(parts))[1] for part in parts], axis=0)
    return [
        _SliceScore(Score(value, below, max(above, value), int(n)), int(clusters), BONFERRONI)
        if n
        else _SliceScore(NO_SCORE, 0, "")
        for n, value, below, above, clusters in zip(parts[0].cases, share, low, high, parts[0].clusters, strict=True)
    ]


def _statistic_scores(
    metric: Statistic[Any], units: Any, cells: SliceCells, request: ScoreRequest
) -> list[_SliceScore]:
    """The score of a statistic in each slice."""

    def score_slice(rows: Rows) -> _SliceScore:
        cluster = units.cluster[rows]
        score, method, error = statistic_interval(metric, metric.prepare(units, rows), cluster)
        if not score.n:
            return _SliceScore(NO_SCORE, 0, "")
        if error > metric.largest_error:
            reason = f"its standard error is above {100 * metric.largest_error:g} points: too few cases tell it"
            return _SliceScore(NO_SCORE, 0, "", reason=reason)
        p = metric.test(units, rows, request.seed) if metric.test else nan
        return _SliceScore(score, len(np.unique(cluster)), method, p)

    slices = cells.units_by_slice(metric.counts(units) & units.counted)
    if len(slices) == 1:  # threads would take longer to start than to end
        return [score_slice(slices[0])]
    with ThreadPoolExecutor() as pool:
        return list(pool.map(score_slice, slices))


def _states(singles: Singles, cells: SliceCells) -> dict[tuple[str, ...], dict[str, float]]:
    """The number of single answers of each slice, and the share of each state among them."""
    many = len(STATES)
    table = np.bincount(cells.place * many + singles.state[cells.inside], minlength=len(cells.names) * many)
    return {
        name: {"answers": int(own.sum())} | dict(zip(STATES, (own / own.sum()).tolist(), strict=True))
        for name, own in zip(cells.names, table.reshape(-1, many), strict=True)
    }


def _row(
    score: dict[str, Any],
    states: Mapping[tuple[str, ...], Mapping[str, float]],
    request: ScoreRequest,
    rules: Mapping[str, str],
) -> dict[str, Any]:
    named = dict(zip(request.columns, score["slice"], strict=True))
    options = {"threshold": request.threshold, "rules": rules.get(named["suite"], "exact")}
    return named | score | dict(states.get(score["slice"], {})) | options


def _schema(request: ScoreRequest) -> pa.Schema:
    number, count, word = pa.float64(), pa.int64(), pa.string()
    return pa.schema(
        [
            *((name, word) for name in request.columns),
            *[
                ("metric", word),
                ("version", count),
                ("unit", word),
                ("value", number),
                ("low", number),
                ("high", number),
            ],
            *[("n", count), ("clusters", count), ("method", word), ("p", number), ("reason", word)],
            *[("threshold", number), ("rules", word)],
            *[("left_out", count), ("answers", count), *((state, number) for state in STATES)],
        ]
    )
