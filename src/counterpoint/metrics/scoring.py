"""Scores with intervals, as one long table: a row for each slice and each metric."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import isnan, nan
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from counterpoint.language.answers.rule_sets import RULE_SETS
from counterpoint.metrics.accuracy import ACCURACY_METRICS
from counterpoint.metrics.bias import BIAS
from counterpoint.metrics.gathering import GatheredOutcomes, explain_bound
from counterpoint.metrics.intervals import (
    NO_SCORE,
    UPPER,
    Counts,
    Score,
    ShareSums,
    add_by,
    cluster_columns,
    statistic_interval,
)
from counterpoint.metrics.labels import renumber
from counterpoint.metrics.metric import (
    Contents,
    Metric,
    Ratio,
    Statistic,
    applicable,
    contents_by_suite,
    displayed,
    ordered,
    whole_suites,
)
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.ranking import RANKING
from counterpoint.metrics.slices import SliceCells, Slicer, distinct_values
from counterpoint.metrics.units import STATES, Flags, Floats, OrderedPairs, Pairs, Rows, Sets, Singles

UNITS = {Pairs: "pair", OrderedPairs: "ordered pair", Sets: "group", Singles: "answer"}
"""What one case of a metric is."""

KORN_GRAUBARD, BONFERRONI = "Korn-Graubard", "Bonferroni"
"""Methods of intervals: of a mean of credit, and of the lowest of several."""

ALL_FAILED = "every query that it was asked failed"
"""Why a model has no score where nothing was answered."""

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

    def metrics_by_suite(self, contents: Mapping[tuple[str, ...], Contents]) -> dict[str, tuple[Metric, ...]]:
        """The metrics that are computed of each suite, given the contents of its tests."""
        if self.metrics:
            return {suite: tuple(dict.fromkeys(self.metrics)) for suite, *_ in contents}
        chosen = {suite: [*applicable(own, self.candidates)] for suite, own in whole_suites(contents).items()}
        for (suite, *_), own in contents.items():
            chosen[suite].extend(applicable(own, self.candidates))
        return {suite: tuple(dict.fromkeys(metrics)) for suite, metrics in chosen.items()}


def displayed_by_suite(
    contents: Mapping[tuple[str, ...], Contents], rows: Iterable[Mapping[str, Any]], request: ScoreRequest
) -> dict[str, tuple[Metric, ...]]:
    """The metrics that tables show of each suite: the named ones, else those that lead there and have a value."""
    named = tuple(request.metrics)
    valued: dict[str, set[str]] = {}
    for row in rows:
        if row["value"] is not None:
            valued.setdefault(row["suite"], set()).add(row["metric"])
    return {
        suite: named or displayed(own, [one for one in request.candidates if one.name in valued.get(suite, ())])
        for suite, own in whole_suites(contents).items()
    }


def score_table(groups: pa.Table, answers: pa.Table, by: Sequence[str] = ("test",), **request: Any) -> pa.Table:
    """The scores of one model on suites; see `ScoreRequest` for the other parameters."""
    options = ScoreRequest(by, **request)
    return score_outcomes(judge(groups, answers, options.threshold), options)


def score_outcomes(outcomes: Outcomes, request: ScoreRequest) -> pa.Table:
    """The scores of outcomes as one long table, a row for each slice and each metric; see `ScoreTotals`."""
    suites = {name: Contents() for name in distinct_values(outcomes.table, "suite")}
    totals = ScoreTotals(request, suites if request.metrics else contents_by_suite(outcomes.table, "test"))
    totals.add(outcomes)
    return totals.table()


class ScoreTotals:
    """The scores of one model, from its outcomes in one block or in several of whole pictures, in their order.

    Of a block there remain the sums over the pictures of each slice, which are added in the order of the pictures, so
    that blocks give the same scores as the whole to the last bit; and the cases of metrics that are no sums.
    """

    def __init__(self, request: ScoreRequest, contents: Mapping[tuple[str, ...], Contents]) -> None:
        self._by_suite = request.metrics_by_suite(contents)
        chosen = dict.fromkeys(metric for metrics in self._by_suite.values() for metric in metrics)
        self._request = replace(request, metrics=request.metrics or ordered(chosen))
        kinds: dict[type[Any], None] = dict.fromkeys((Singles, *(metric.unit for metric in self._request.metrics)))
        self._units = {kind: _UnitTotals(kind, self._request.metrics) for kind in kinds}
        self._states = SliceSums(len(STATES))
        self._rules: dict[str, set[str]] = {}
        self._gathered = GatheredOutcomes()

    @classmethod
    def of(
        cls, blocks: Iterable[Outcomes], request: ScoreRequest, contents: Mapping[tuple[str, ...], Contents]
    ) -> "ScoreTotals":
        """The totals of all blocks."""
        totals = cls(request, contents)
        for outcomes in blocks:
            totals.add(outcomes)
        return totals

    def add(self, outcomes: Outcomes) -> None:
        """Add the outcomes of the next pictures; those of one picture come in one block."""
        self.add_sums(self.sums_of(outcomes), outcomes)

    def sums_of(self, outcomes: Outcomes) -> "BlockSums":
        """What is to be added of a block; threads may ask for those of several blocks at once."""
        slicer = Slicer(outcomes, self._request.columns, self._request.where)
        gathered = np.zeros(len(outcomes.base), np.bool_)
        by_unit, states = list[_UnitSums](), list[Counts]()
        for kind, totals in self._units.items():
            units: Any = outcomes.units(kind)
            cells = slicer.cut(units)
            counted = totals.count_statistics(units)
            by_unit.append(totals.sums_of(units, cells, counted))
            gathered[_bases_inside(units, cells, counted)] = True
            if kind is Singles:
                codes = cells.place.astype(np.int64) * len(STATES) + units.state[cells.inside]
                counts = np.bincount(codes, minlength=len(cells.names) * len(STATES)).reshape(-1, len(STATES))
                states = list(counts.T)
        return BlockSums(by_unit, states, np.flatnonzero(gathered[outcomes.base]))

    def add_sums(self, sums: "BlockSums", outcomes: Outcomes) -> None:
        """Add the sums of the next block, and of its outcomes what metrics need that are no sums."""
        for (kind, totals), own in zip(self._units.items(), sums.by_unit, strict=True):
            places = totals.add(own)
            if kind is Singles:
                self._states.add(places, sums.states, len(totals.places))
        self._gathered.add(outcomes, sums.gathered)
        for suite, rules in _rules(outcomes).items():
            self._rules.setdefault(suite, set()).update(rules)

    def table(self) -> pa.Table:
        """One long table, a row for each slice and each metric.

        The value is null where nothing counts; the reason says so where the metric does not apply to the model. Each
        row has the number of units that are left out because a member failed or was not asked yet, and the share of
        each state among the single answers of the slice.
        """
        computed = {suite: {metric.name for metric in metrics} for suite, metrics in self._by_suite.items()}
        joined, bound = self._gathered.join(), explain_bound() if self._gathered.is_too_large else ""
        rows = [row for totals in self._units.values() for row in totals.rows(joined, self._request, bound)]
        rows = [row for row in rows if row["metric"] in computed[row["slice"][0]]]
        order = {metric.name: place for place, metric in enumerate(self._request.metrics)}
        rows.sort(key=lambda row: (row["slice"], order[row["metric"]]))
        states = self._state_shares()
        rules = {suite: ", ".join(sorted(own)) for suite, own in self._rules.items()}
        return pa.Table.from_pylist([_row(row, states, self._request, rules) for row in rows], _schema(self._request))

    def _state_shares(self) -> dict[tuple[str, ...], dict[str, float]]:
        """The number of single answers of each slice, and the share of each state among them."""
        names = self._units[Singles].places
        return {
            name: {"answers": int(own.sum())} | dict(zip(STATES, (own / own.sum()).tolist(), strict=True))
            for name, own in zip(names, self._states.sums.T, strict=True)
        }


class SliceSums:
    """Sums of some columns for each slice, to which values are added one after the other."""

    def __init__(self, columns: int) -> None:
        self.sums: Floats = np.zeros((columns, 0))

    def add(self, place: NDArray[np.integer], columns: Sequence[Floats | Counts], slices: int) -> None:
        """Add the values of each column to the slices at their places, of which there are so many by now."""
        further = np.zeros((len(self.sums), slices - self.sums.shape[1]))
        before = np.concatenate([self.sums, further], axis=1)
        places = np.concatenate([np.arange(slices), place])  # sums so far come first: the order decides the last bit
        pairs = zip(before, columns, strict=True)
        self.sums = np.array([add_by(places, np.concatenate([own, values]), slices) for own, values in pairs])


class _UnitTotals:
    """What the metrics of one unit need of each slice."""

    def __init__(self, kind: type, metrics: Iterable[Metric]) -> None:
        self._metrics = [metric for metric in metrics if metric.unit is kind]
        self._statistics = [own for own in self._metrics if isinstance(own, Statistic) and not own.lowest_of]
        self._kind = kind
        self.places: dict[tuple[str, ...], int] = {}  # of the slices
        self._left_out = SliceSums(1)
        ratios = (part for own in self._metrics for part in ([own] if isinstance(own, Ratio) else own.lowest_of))
        self._shares = {ratio: SliceSums(7) for ratio in ratios}
        self._reasons: dict[str, dict[int, int]] = {metric.name: {} for metric in self._metrics}
        self._cases = {metric: SliceSums(1) for metric in self._statistics}

    def count_statistics(self, units: Any) -> list[Flags]:
        """The units of a block that count for each metric that is no sum."""
        return [metric.counts(units) & units.counted for metric in self._statistics]

    def sums_of(self, units: Any, cells: SliceCells, counted_by: Sequence[Flags]) -> "_UnitSums":
        """What is to be added of the units of a block."""
        by_cell, shares = cells.slice_of_cell, dict[Metric, tuple[Floats, ...]]()
        counted = dict[bytes, Counts]()  # many ratios count the same units
        for ratio in self._shares:
            credit, counts = ratio.cases(units)
            squares, sums = credit * credit, cells.summed(credit)
            by_squares = sums if np.array_equal(squares, credit) else cells.summed(squares)
            if (flags := counts.tobytes()) not in counted:
                counted[flags] = cells.counted(counts)
            shares[ratio] = cluster_columns(sums, counted[flags], by_squares)
        reasons = list[tuple[str, int, int]]()
        for metric in self._metrics:  # of a ratio they are told only where nothing counts
            if metric not in shares or not add_by(by_cell, shares[metric][0], len(cells.names)).all():
                reasons += _reasons(metric, units, cells)
        left_out = cells.summed_by_slice(~units.counted)
        cases = [cells.summed_by_slice(flags) for flags in counted_by]
        return _UnitSums(cells.names, by_cell, left_out, list(shares.values()), reasons, cases)

    def add(self, sums: "_UnitSums") -> Rows:
        """Add the sums of a block; returns the place of each of its slices among all."""
        places = np.array([self.places.setdefault(name, len(self.places)) for name in sums.names], np.int64)
        by_cell = places[sums.slice_of_cell]
        self._left_out.add(places, [sums.left_out], len(self.places))
        for totals, cases in zip(self._cases.values(), sums.cases, strict=True):
            totals.add(places, [cases], len(self.places))
        for totals, columns in zip(self._shares.values(), sums.shares, strict=True):
            totals.add(by_cell, columns, len(self.places))
        for name, own, rank in sums.reasons:
            known, place = self._reasons[name], int(places[own])
            known[place] = min(known.get(place, rank), rank)
        return places

    def rows(self, gathered: Outcomes | None, request: ScoreRequest, bound: str) -> Iterator[dict[str, Any]]:
        """Each metric in each slice; `bound` says why too much was added to be gathered, if it was."""
        units: Any = gathered.units(self._kind) if gathered and self._statistics else None
        cells = Slicer(gathered, request.columns, request.where).cut(units) if gathered and units is not None else None
        for metric in self._metrics:
            if isinstance(metric, Ratio):
                scores = _ratio_scores(ShareSums.of_totals(self._shares[metric].sums))
            elif metric.lowest_of:
                scores = _lowest_scores([ShareSums.of_totals(self._shares[part].sums) for part in metric.lowest_of])
            else:
                found = _statistic_scores(metric, units, cells, request) if cells else []
                known = dict(zip(cells.names if cells else (), found, strict=True))
                reasons = (bound if cases else "" for cases in self._cases[metric].sums[0])
                nothing = (_SliceScore(NO_SCORE, 0, "", reason=reason) for reason in reasons)
                scores = [known.get(name, empty) for name, empty in zip(self.places, nothing, strict=True)]
            for (name, place), score in zip(self.places.items(), scores, strict=True):
                yield self._row(metric, name, place, score)

    def _row(self, metric: Metric, name: tuple[str, ...], place: int, score: "_SliceScore") -> dict[str, Any]:
        ends = {key: None if isnan(end := getattr(score.score, key)) else end for key in ("value", "low", "high")}
        reason, known = score.reason, self._reasons[metric.name]
        if not score.score.n and not reason and place in known:
            reason = metric.reasons[known[place]][1]
        return (
            {"slice": name, "metric": metric.name, "version": metric.version}
            | ends
            | {"n": score.score.n, "clusters": score.clusters, "method": score.method}
            | {"p": None if isnan(score.p) else score.p, "reason": reason, "unit": UNITS[self._kind]}
            | {"left_out": int(self._left_out.sums[0][place])}
        )


@dataclass(frozen=True, slots=True)
class _UnitSums:
    """What is added of the units of one kind in a block."""

    names: Sequence[tuple[str, ...]]  # of its slices
    slice_of_cell: Rows
    left_out: Floats  # units of each slice
    shares: Sequence[tuple[Floats, ...]]  # of each ratio, the columns of its cells
    reasons: Sequence[tuple[str, int, int]]  # metric, slice, and the place of a reason that holds there
    cases: Sequence[Floats]  # units of each slice that count for each metric that is no sum


@dataclass(frozen=True, slots=True)
class BlockSums:
    """What is added of a block."""

    by_unit: Sequence[_UnitSums]
    states: Sequence[Counts]  # single answers in each state, by slice
    gathered: Rows  # the rows of groups that count for a metric that is no sum


def _bases_inside(units: Any, cells: SliceCells, counted_by: Sequence[Flags]) -> Rows:
    """The bases of the groups in a slice that are counted by anything."""
    inside = np.zeros(len(units.row), np.bool_)
    inside[cells.inside] = True
    return np.asarray(units.base[inside & np.logical_or.reduce(counted_by)]) if counted_by else np.empty(0, np.int64)


def _reasons(metric: Metric, units: Any, cells: SliceCells) -> Iterator[tuple[str, int, int]]:
    """The reasons of a metric that hold in each slice, by their places."""
    for rank, (holds, _) in enumerate(metric.reasons):
        yield from (
            (metric.name, own, rank) for own in np.flatnonzero(cells.summed_by_slice(holds(units)) > 0).tolist()
        )


def _rules(outcomes: Outcomes) -> dict[str, set[str]]:
    """The rule sets by which the answers of each suite are compared; pooled suites may have several."""
    if "rules" not in outcomes.table.column_names:
        return {}
    suites, rules = (outcomes.labels(name) for name in ("suite", "rules"))
    many = max(len(rules.words), 1)
    _, used = renumber(suites.codes.astype(np.int64) * many + rules.codes, len(suites.words) * many)
    labels: dict[str, set[str]] = {}
    for suite, rule in zip(*np.divmod(used, many), strict=True):
        labels.setdefault(suites.words[suite].as_py(), set()).add(RULE_SETS[rules.words[rule].as_py()].label)
    return labels


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


def _ratio_scores(sums: ShareSums) -> list[_SliceScore]:
    """The score of a ratio in each slice."""
    columns = (sums.cases, sums.share, *sums.bounds(), sums.clusters)
    return [
        _SliceScore(Score(value, low, high, int(n)), int(clusters), KORN_GRAUBARD)
        if n
        else _SliceScore(NO_SCORE, 0, "")
        for n, value, low, high, clusters in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _lowest_scores(parts: Sequence[ShareSums]) -> list[_SliceScore]:
    """The lowest of some ratios in each slice: a value is below one of several with a Bonferroni bound on each."""
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
        return _SliceScore(score, int(np.count_nonzero(np.bincount(cluster))), method, p)

    slices = cells.units_by_slice(metric.counts(units) & units.counted)
    if len(slices) == 1:  # threads would take longer to start than to end
        return [score_slice(slices[0])]
    with ThreadPoolExecutor() as pool:
        return list(pool.map(score_slice, slices))


def _row(
    score: dict[str, Any],
    states: Mapping[tuple[str, ...], Mapping[str, float]],
    request: ScoreRequest,
    rules: Mapping[str, str],
) -> dict[str, Any]:
    named = dict(zip(request.columns, score["slice"], strict=True))
    options = {"threshold": request.threshold, "rules": rules.get(named["suite"], RULE_SETS["exact"].label)}
    own = states.get(score["slice"], {})
    if not score["n"] and own and own["failed"] and own["failed"] + own["missing"] > 1 - 1e-9:
        score = score | {"reason": ALL_FAILED}
    return named | score | dict(own) | options


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
