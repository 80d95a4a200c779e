"""Scores with intervals, as one long table: a row for each slice and each metric."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint.core.ids import Plain
from counterpoint.language.answers.rule_sets import RULE_SETS
from counterpoint.metrics.accuracy import ACCURACY_METRICS
from counterpoint.metrics.bias import BIAS
from counterpoint.metrics.intervals import (
    RESAMPLES,
    Counts,
    Score,
    bootstrap_interval,
    estimate_interval,
    interval_from_sums,
    seeded_rng,
)
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
from counterpoint.metrics.outcomes import (
    STATES,
    Floats,
    OrderedPairs,
    Outcomes,
    Pairs,
    Sets,
    Singles,
    judge,
    ordered_pairs,
)
from counterpoint.metrics.ranking import RANKING
from counterpoint.metrics.slices import SliceCells, Slicer

UNITS = {Pairs: "pair", OrderedPairs: "ordered pair", Sets: "group", Singles: "answer"}
"""What one case of a metric is."""

SLICE_RESAMPLES = 100
"""Resamples of a statistic on the tests and kinds of a suite, where there are many of them."""
_NARROW = 200  # resamples of a statistic where there can be any number of slices

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
    resamples: int = RESAMPLES
    seed: int = 0
    candidates: Sequence[Metric] = DEFAULT_METRICS
    pool: bool = False  # score all suites as one

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that name a slice; the suite is always the first."""
        return ("suite", *(name for name in self.by if name != "suite"))

    @property
    def closed(self) -> bool:
        """Whether intervals have the closed form: tags and filters can make too many slices for resamples."""
        return bool(self.where) or any(name.startswith("tag:") or name == "gold" for name in self.columns)

    def metrics_by_suite(self, groups: pa.Table) -> dict[str, tuple[Metric, ...]]:
        """The metrics that are computed of each suite in a table of groups."""
        chosen: dict[str, list[Metric]] = {}
        for cut in ((), ("test",)):
            for (suite, *_), contents in contents_by_suite(groups, *cut).items():
                chosen.setdefault(suite, []).extend(self.metrics or applicable(contents, self.candidates))
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
    for kind, unit in _UNITS.items():
        if not any(metric.unit is kind for metric in request.metrics):
            continue
        units = unit(outcomes)
        rows += _scores(units, slicer.cut(units), request)
    computed = {suite: {metric.name for metric in metrics} for suite, metrics in by_suite.items()}
    rows = [row for row in rows if row["metric"] in computed[row["slice"][0]]]
    order = {metric.name: place for place, metric in enumerate(request.metrics)}
    rows.sort(key=lambda row: (row["slice"], order[row["metric"]]))
    rules = _rules(outcomes)
    return pa.Table.from_pylist([_row(row, states, request, rules) for row in rows], _schema(request))


_SliceScore = Callable[[int], tuple[Score, str, int]]
"""From the place of a slice to the score, the method of its interval, and its number of clusters."""

_UNITS: Mapping[type, Callable[[Outcomes], Pairs | OrderedPairs | Sets]] = {
    Pairs: Outcomes.pairs,
    Sets: Outcomes.sets,
    OrderedPairs: ordered_pairs,
}


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


def _score_slices(metric: Metric, units: Any, cells: SliceCells, request: ScoreRequest) -> list[dict[str, Any]]:
    """One metric in each slice; slices are resampled in parallel, each with an rng of its own."""
    score_slice = (
        _shares(metric, units, cells, request) if isinstance(metric, Ratio) else _values(metric, units, cells, request)
    )

    def row(place: int) -> dict[str, Any]:
        score, method, clusters = score_slice(place)
        ends = {key: None if isnan(end := getattr(score, key)) else end for key in ("value", "low", "high")}
        diagnosed = not score.n and metric.diagnose is not no_diagnosis
        reason = metric.diagnose(units, cells.units_of(place)) if diagnosed else ""
        named = {"slice": cells.names[place], "metric": metric.name, "version": metric.version}
        return named | ends | {"n": score.n, "clusters": clusters, "method": method, "reason": reason}

    with ThreadPoolExecutor() as pool:
        return list(pool.map(row, range(len(cells.names))))


def _shares(metric: Ratio[Any], units: Any, cells: SliceCells, request: ScoreRequest) -> _SliceScore:
    """The score of a ratio in the slice at a place."""
    credit, counts = metric.cases(units)
    sums, cases, squares = cells.summed(credit), cells.counted(counts), cells.summed_by_slice(credit * credit)

    def score_slice(place: int) -> tuple[Score, str, int]:
        own = cells.range_of(place)
        score, method = _interval(sums[own], cases[own], float(squares[place]), _seed(cells, place, request), request)
        return score, method, int(np.count_nonzero(cases[own]))

    return score_slice


def _values(metric: Statistic[Any], units: Any, cells: SliceCells, request: ScoreRequest) -> _SliceScore:
    """The score of a statistic in the slice at a place."""
    counts = metric.counts(units) & units.counted
    resamples = min(request.resamples, _NARROW) if request.closed else request.resamples
    by_slice = cells.units_by_slice(counts)

    def score_slice(place: int) -> tuple[Score, str, int]:
        rows = by_slice[place]
        rng = seeded_rng(*_seed(cells, place, request))
        cluster = units.cluster[rows]
        score, method = estimate_interval(metric.prepare(units, rows), cluster, rng, resamples)
        return score, method, len(np.unique(cluster)) if score.n else 0

    return score_slice


def _seed(cells: SliceCells, place: int, request: ScoreRequest) -> list[Plain]:
    return [request.seed, list(cells.names[place])]  # equal cases have equal intervals, whatever the metric


def _interval(
    sums: Floats, cases: Counts, squares: float, seed: list[Plain], request: ScoreRequest
) -> tuple[Score, str]:
    if not request.closed:
        return bootstrap_interval(sums, cases, squares, seeded_rng(*seed), request.resamples)
    used = cases > 0
    score = interval_from_sums(sums[used], cases[used], squares)
    return score, "clustered" if score.n else ""


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
            *[("n", count), ("clusters", count), ("method", word), ("reason", word)],
            *[("threshold", number), ("rules", word)],
            *[("left_out", count), ("answers", count), *((state, number) for state in STATES)],
        ]
    )
