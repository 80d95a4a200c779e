"""Two models on the same suites, pair by pair: who is better where, which differences are ties, what could be seen."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint.core.errors import CounterpointError
from counterpoint.core.groups import Relation
from counterpoint.metrics.accuracy import Ratio, accuracy, comprehensive_accuracy, self_consistency
from counterpoint.metrics.bootstrap import seeded_rng
from counterpoint.metrics.ordered_pairs import OrderedPairs, ordered_pairs
from counterpoint.metrics.outcomes import Outcomes, Pairs, Sets, Singles, judge
from counterpoint.metrics.paired_tests import (
    ALPHA,
    clustered_detectable_effect,
    holm,
    mcnemar,
    mcnemar_detectable_effect,
    paired_difference,
)
from counterpoint.metrics.ranking import acc_r
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.metrics.slices import Slicer

METRICS: tuple[Ratio[Any], ...] = (accuracy, self_consistency, comprehensive_accuracy)
"""The measures that are compared when none is named, where pairs have gold or must agree."""

TIE = "tie"
_HINT = "compare a measure that is, such as acc_r, and see counterpoint score for the rest"

_SCHEMA = (
    *[("metric", pa.string()), ("first", pa.float64()), ("second", pa.float64()), ("difference", pa.float64())],
    *[("low", pa.float64()), ("high", pa.float64()), ("n", pa.int64()), ("clusters", pa.int64())],
    *[("first_only", pa.int64()), ("second_only", pa.int64()), ("mcnemar", pa.float64()), ("paired", pa.float64())],
    *[("p", pa.float64()), ("holm", pa.float64()), ("verdict", pa.string()), ("seen", pa.float64())],
    *[("method", pa.string()), ("threshold", pa.float64())],
)


def compare_table(
    groups: pa.Table, first: pa.Table, second: pa.Table, by: Sequence[str] = ("test",), **request: Any
) -> pa.Table:
    """Two models' answers compared, a row for each slice and measure; see `Request` for what else can be said."""
    asked = ScoreRequest(by, **request)
    return compare_outcomes(judge(groups, first, asked.threshold), judge(groups, second, asked.threshold), asked)


def default_comparisons(outcomes: Outcomes) -> tuple[Ratio[Any], ...]:
    """The measures that are compared when none is named: ranking too, where captions are ranked above foils."""
    return (*METRICS, acc_r) if outcomes.labels("relation").where([Relation.RANKS]).any() else METRICS


def compare_outcomes(first: Outcomes, second: Outcomes, request: ScoreRequest) -> pa.Table:
    """The same from outcomes on one suite table.

    Only cases that count for both models enter. Measures that hit or miss have McNemar's exact test and the paired
    test over clusters, and both must speak (`p` is the larger one); fractional ones have the second alone. P values
    are corrected over the slices of each measure; the verdict is `first`, `second` or `tie`, where the better of two
    has less of a measure like bias.
    """
    request = request if request.metrics else replace(request, metrics=default_comparisons(first))
    rows: list[dict[str, Any]] = []
    for metric in request.metrics:
        if not isinstance(metric, Ratio):
            raise CounterpointError(
                f"{metric.name} is no share of cases, and cannot be compared case by case", hint=_HINT
            )
        found = list(_differences(metric, first, second, request))
        tests = max(sum(row["n"] > 0 for row in found), 1)
        for row, corrected in zip(found, holm([row["p"] for row in found]), strict=True):
            verdict = _verdict(row, corrected, lower=metric.lower)
            rows.append(row | {"holm": corrected, "verdict": verdict, "seen": _seen(row, tests)})
    order = {metric.name: place for place, metric in enumerate(request.metrics)}
    rows.sort(key=lambda row: (row["slice"], order[row["metric"]]))
    schema = pa.schema([*((name, pa.string()) for name in request.columns), *_SCHEMA])
    return pa.Table.from_pylist([_row(row, request) for row in rows], schema)


def _differences(
    metric: Ratio[Any], first: Outcomes, second: Outcomes, request: ScoreRequest
) -> Iterator[dict[str, Any]]:
    one, other = _units(metric, first), _units(metric, second)
    cells = Slicer(first, request.columns, request.where).cut(one)
    (a, a_counts), (b, b_counts) = metric.cases(one), metric.cases(other)
    both = a_counts & b_counts
    a, b = np.where(both, a, 0.0), np.where(both, b, 0.0)
    whole = metric.hit(one).dtype == np.bool_
    n, sum_a, sum_b = (cells.summed_by_slice(values) for values in (both, a, b))
    only_a, only_b = (cells.summed_by_slice(values) for values in (a > b, b > a))
    sums, counts, squares = cells.summed(a - b), cells.counted(both), cells.summed_by_slice((a - b) ** 2)
    for place, name in enumerate(cells.names):
        own, many = cells.range_of(place), int(n[place])
        rng = seeded_rng(request.seed, list(name))
        found = paired_difference(sums[own], counts[own], float(squares[place]), rng, request.resamples)
        discordant = int(only_a[place]), int(only_b[place])
        exact = mcnemar(*discordant) if whole and many else None
        yield {
            "slice": name,
            "metric": metric.name,
            "first": sum_a[place] / many if many else None,
            "second": sum_b[place] / many if many else None,
            "difference": found.value,
            "low": found.low,
            "high": found.high,
            "n": many,
            "clusters": int(np.count_nonzero(counts[own])),
            "first_only": discordant[0],
            "second_only": discordant[1],
            "mcnemar": exact,
            "paired": found.p,
            "p": found.p if exact is None else max(exact, found.p),
            "method": found.method,
            "error": found.error,
        }


def _units(metric: Ratio[Any], outcomes: Outcomes) -> Any:
    if metric.unit is OrderedPairs:
        return ordered_pairs(outcomes)
    return {Pairs: outcomes.pairs, Sets: outcomes.sets, Singles: outcomes.singles}[metric.unit]()


def _verdict(row: dict[str, Any], corrected: float, *, lower: bool) -> str:
    """Who is better, where luck does not explain the difference."""
    if not row["n"]:
        return ""
    if corrected >= ALPHA:
        return TIE
    return "first" if (row["difference"] > 0) != lower else "second"


def _seen(row: dict[str, Any], tests: int) -> float | None:
    if not row["n"]:
        return None
    clusters = clustered_detectable_effect(row["error"], row["n"], tests)
    if row["mcnemar"] is None:
        return clusters
    return max(clusters, mcnemar_detectable_effect(row["first_only"] + row["second_only"], row["n"], tests))


def _row(found: dict[str, Any], request: ScoreRequest) -> dict[str, Any]:
    named = dict(zip(request.columns, found["slice"], strict=True)) | {"threshold": request.threshold}
    known = {key: None if isinstance(value, float) and isnan(value) else value for key, value in found.items()}
    return named | known
