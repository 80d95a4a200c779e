"""Coverage between models: of the correct answers of one, the share that another has correct (CARETS, Tables 13-17)."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import isnan
from typing import Any

import pyarrow as pa

from counterpoint.metrics.intervals import interval_from_sums
from counterpoint.metrics.outcomes import Flags, Outcomes, Unit, judge
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.metrics.slices import Slicer

_SCHEMA = (
    *[("model", pa.string()), ("of", pa.string()), ("value", pa.float64()), ("low", pa.float64())],
    *[("high", pa.float64()), ("n", pa.int64()), ("clusters", pa.int64()), ("unit", pa.string())],
    ("threshold", pa.float64()),
)


def coverage_table(
    groups: pa.Table,
    answers: Mapping[str, pa.Table],
    by: Sequence[str] = ("test",),
    *,
    pairs: bool = False,
    **request: Any,
) -> pa.Table:
    """The coverage by `model` of the correct answers of `of`, for every two models; see `coverage_of_outcomes`."""
    options = ScoreRequest(by, **request)
    outcomes = {name: judge(groups, own, options.threshold) for name, own in answers.items()}
    return coverage_of_outcomes(outcomes, options, pairs=pairs)


def coverage_of_outcomes(outcomes: Mapping[str, Outcomes], request: ScoreRequest, *, pairs: bool = False) -> pa.Table:
    """The coverage of every two models on one suite table, a row for each slice.

    Single answers are bases and variants, each once, as in the figures of the paper; of pairs both members must be
    correct, as in its caption. What failed or was not asked for one of the two models does not count.
    """
    schema = pa.schema([*((name, pa.string()) for name in request.columns), *_SCHEMA])
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
