"""Scores with intervals, as one long table: a row for each slice and each measure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint.core.groups import Relation
from counterpoint.core.ids import Plain
from counterpoint.metrics.accuracy import ACCURACY_METRICS, Ratio, no_diagnosis
from counterpoint.metrics.bias import BIAS
from counterpoint.metrics.bootstrap import RESAMPLES, Counts, bootstrap_interval, seeded_rng
from counterpoint.metrics.intervals import Score, interval_from_sums
from counterpoint.metrics.metric import Metric, Statistic, estimate_interval
from counterpoint.metrics.ordered_pairs import OrderedPairs, ordered_pairs
from counterpoint.metrics.outcomes import STATES, Floats, Outcomes, Pairs, Sets, Singles, judge
from counterpoint.metrics.ranking import RANKING
from counterpoint.metrics.slices import SliceCells, Slicer

UNITS = {Pairs: "pair", OrderedPairs: "ordered pair", Sets: "group", Singles: "answer"}
"""What one case of a measure is."""

_NARROW = 200  # resamples of a statistic where there can be any number of slices


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """What to score: cut by which columns, after which filter, by which measures, with which intervals."""

    by: Sequence[str] = ("test",)
    where: Mapping[str, str] = field(default_factory=dict)
    metrics: Sequence[Metric] = ()  # the usual ones, where none is named
    threshold: float = 0.5
    resamples: int = RESAMPLES
    seed: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that name a slice; the suite is always the first."""
        return ("suite", *(name for name in self.by if name != "suite"))

    @property
    def closed(self) -> bool:
        """Tags and filters can make any number of slices, so they get the closed form in the place of resamples."""
        return bool(self.where) or any(name.startswith("tag:") for name in self.columns)


def score_table(groups: pa.Table, answers: pa.Table, by: Sequence[str] = ("test",), **request: Any) -> pa.Table:
    """The scores of one model on suites; see `Request` for what else can be said."""
    asked = ScoreRequest(by, **request)
    return score_outcomes(judge(groups, answers, asked.threshold), asked)


def default_metrics(outcomes: Outcomes) -> tuple[Metric, ...]:
    """The measures that are taken when none is named: those of one relation only where a group has it."""
    own = {Relation.RANKS: RANKING, Relation.SWAP: BIAS}
    relations = outcomes.labels("relation")
    return (
        *ACCURACY_METRICS,
        *(one for relation, more in own.items() if relations.where([relation]).any() for one in more),
    )


def score_outcomes(outcomes: Outcomes, request: ScoreRequest) -> pa.Table:
    """The same from outcomes that are already there.

    The value is null where nothing counts; the reason says so where the measure does not apply to the model. Beside
    each score stand the units left out because a member failed or was not asked yet, and what became of the single
    answers of the slice, as shares.
    """
    request = request if request.metrics else replace(request, metrics=default_metrics(outcomes))
    slicer = Slicer(outcomes, request.columns, request.where)
    singles = outcomes.singles()
    cells = slicer.cut(singles)
    states = _states(singles, cells)
    found = list(_scores(singles, cells, request))
    del cells, singles
    for kind, unit in _UNITS.items():
        if not any(metric.unit is kind for metric in request.metrics):
            continue
        units = unit(outcomes)
        found += _scores(units, slicer.cut(units), request)
    order = {metric.name: place for place, metric in enumerate(request.metrics)}
    found.sort(key=lambda row: (row["slice"], order[row["metric"]]))
    rules = _rules(outcomes)
    return pa.Table.from_pylist([_row(row, states, request, rules) for row in found], _schema(request))


_Taken = Callable[[int], tuple[Score, str, int]]
"""From the place of a slice to the score, how its interval was made, and how many clusters it has."""

_UNITS: Mapping[type, Callable[[Outcomes], Pairs | OrderedPairs | Sets]] = {
    Pairs: Outcomes.pairs,
    Sets: Outcomes.sets,
    OrderedPairs: ordered_pairs,
}


def _rules(outcomes: Outcomes) -> dict[str, str]:
    """The rule set by which the answers of each suite are compared."""
    if "rules" not in outcomes.table.column_names:
        return {}
    known = outcomes.table.select(["suite", "rules"]).unify_dictionaries()  # suites of several rule sets have several
    return {row["suite"]: row["rules"] for row in known.group_by(["suite", "rules"]).aggregate([]).to_pylist()}


def _scores(
    units: Pairs | OrderedPairs | Sets | Singles, cells: SliceCells, request: ScoreRequest
) -> Iterator[dict[str, Any]]:
    """Each measure of these units in each slice."""
    left_out = cells.summed_by_slice(~units.counted)
    for metric in request.metrics:
        if metric.unit is type(units):
            for place, row in enumerate(_measured(metric, units, cells, request)):
                yield row | {"unit": UNITS[metric.unit], "left_out": int(left_out[place])}


def _measured(metric: Metric, units: Any, cells: SliceCells, request: ScoreRequest) -> list[dict[str, Any]]:
    """One measure in each slice; slices are resampled side by side, each with luck of its own."""
    taken = (
        _shares(metric, units, cells, request) if isinstance(metric, Ratio) else _values(metric, units, cells, request)
    )

    def row(place: int) -> dict[str, Any]:
        score, method, clusters = taken(place)
        ends = {key: None if isnan(end := getattr(score, key)) else end for key in ("value", "low", "high")}
        why = "" if score.n or metric.why is no_diagnosis else metric.why(units, cells.units_of(place))
        named = {"slice": cells.names[place], "metric": metric.name}
        return named | ends | {"n": score.n, "clusters": clusters, "method": method, "reason": why}

    with ThreadPoolExecutor() as pool:
        return list(pool.map(row, range(len(cells.names))))


def _shares(metric: Ratio[Any], units: Any, cells: SliceCells, request: ScoreRequest) -> _Taken:
    """A share in the slice at a place."""
    credit, counts = metric.cases(units)
    sums, cases, squares = cells.summed(credit), cells.counted(counts), cells.summed_by_slice(credit * credit)

    def taken(place: int) -> tuple[Score, str, int]:
        own = cells.range_of(place)
        score, method = _interval(sums[own], cases[own], float(squares[place]), _seed(cells, place, request), request)
        return score, method, int(np.count_nonzero(cases[own]))

    return taken


def _values(metric: Statistic[Any], units: Any, cells: SliceCells, request: ScoreRequest) -> _Taken:
    """What is no share, in the slice at a place."""
    counts = metric.counts(units) & units.counted
    resamples = min(request.resamples, _NARROW) if request.closed else request.resamples
    by_slice = cells.units_by_slice(counts)

    def taken(place: int) -> tuple[Score, str, int]:
        rows = by_slice[place]
        rng = seeded_rng(*_seed(cells, place, request))
        cluster = units.cluster[rows]
        score, method = estimate_interval(metric.of(units, rows), cluster, rng, resamples)
        return score, method, len(np.unique(cluster)) if score.n else 0

    return taken


def _seed(cells: SliceCells, place: int, request: ScoreRequest) -> list[Plain]:
    return [request.seed, list(cells.names[place])]  # equal cases have equal intervals, whatever the measure


def _interval(
    sums: Floats, cases: Counts, squares: float, seed: list[Plain], request: ScoreRequest
) -> tuple[Score, str]:
    if not request.closed:
        return bootstrap_interval(sums, cases, squares, seeded_rng(*seed), request.resamples)
    used = cases > 0
    score = interval_from_sums(sums[used], cases[used], squares)
    return score, "clustered" if score.n else ""


def _states(singles: Singles, cells: SliceCells) -> dict[tuple[str, ...], dict[str, float]]:
    """How many single answers each slice has, and the share of each state among them."""
    many = len(STATES)
    table = np.bincount(cells.place * many + singles.state[cells.inside], minlength=len(cells.names) * many)
    return {
        name: {"answers": int(own.sum())} | dict(zip(STATES, (own / own.sum()).tolist(), strict=True))
        for name, own in zip(cells.names, table.reshape(-1, many), strict=True)
    }


def _row(
    found: dict[str, Any],
    states: Mapping[tuple[str, ...], Mapping[str, float]],
    request: ScoreRequest,
    rules: Mapping[str, str],
) -> dict[str, Any]:
    named = dict(zip(request.columns, found["slice"], strict=True))
    how = {"threshold": request.threshold, "rules": rules.get(named["suite"], "exact")}
    return named | found | dict(states.get(found["slice"], {})) | how


def _schema(request: ScoreRequest) -> pa.Schema:
    number, count, word = pa.float64(), pa.int64(), pa.string()
    return pa.schema(
        [
            *((name, word) for name in request.columns),
            *[("metric", word), ("unit", word), ("value", number), ("low", number), ("high", number)],
            *[("n", count), ("clusters", count), ("method", word), ("reason", word)],
            *[("threshold", number), ("rules", word)],
            *[("left_out", count), ("answers", count), *((state, number) for state in STATES)],
        ]
    )
