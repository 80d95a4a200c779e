"""Coverage: how much of what one model has right another has right too."""

from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint.metrics.intervals import ShareSums, cluster_columns
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.scoring import ScoreRequest, SliceSums
from counterpoint.metrics.slices import Slicer
from counterpoint.metrics.units import Flags, Unit

_SCHEMA = (
    *[("model", pa.string()), ("of", pa.string()), ("value", pa.float64()), ("low", pa.float64())],
    *[("high", pa.float64()), ("n", pa.int64()), ("clusters", pa.int64()), ("unit", pa.string())],
    ("threshold", pa.float64()),
)


def coverage_of_outcomes(outcomes: Mapping[str, Outcomes], request: ScoreRequest, *, pairs: bool = False) -> pa.Table:
    """The coverage of every two models on one suite table, a row for each slice.

    Single answers are bases and variants, each once, as in the figures of the paper; of pairs both members must be
    correct, as in its caption. What failed or was not asked for one of the two models does not count.
    """
    return coverage_of_blocks([outcomes] if outcomes else [], request, pairs=pairs)


def coverage_of_blocks(
    blocks: Iterable[Mapping[str, Outcomes]], request: ScoreRequest, *, pairs: bool = False
) -> pa.Table:
    """The same from outcomes in blocks of whole pictures, in their order."""
    places, totals = dict[tuple[str, ...], int](), dict[tuple[str, str], SliceSums]()
    for outcomes in blocks:
        shared = next(iter(outcomes.values()))
        unit: Unit = shared.pairs() if pairs else shared.singles()
        cells = Slicer(shared, request.columns, request.where).cut(unit)
        place = np.array([places.setdefault(name, len(places)) for name in cells.names], np.int64)[cells.slice_of_cell]
        correct = {name: _correct(own, pairs) for name, own in outcomes.items()}
        for model, of in permutations(outcomes, 2):
            (hit, answered), (wanted, counted) = correct[model], correct[of]
            counts = wanted & counted & answered
            credit = cells.summed(counts & hit)
            columns = cluster_columns(credit, cells.counted(counts), credit)
            totals.setdefault((model, of), SliceSums(7)).add(place, columns, len(places))
    rows: list[dict[str, Any]] = []
    for (model, of), own in totals.items():
        sums = ShareSums.of_totals(own.sums)
        columns = (sums.share, *sums.bounds(), sums.cases, sums.clusters)
        for name, value, low, high, n, clusters in zip(places, *(column.tolist() for column in columns), strict=True):
            ends = {"value": value, "low": low, "high": high} if n else dict.fromkeys(("value", "low", "high"))
            rows.append(
                dict(zip(request.columns, name, strict=True))
                | {"model": model, "of": of, "n": int(n), "clusters": int(clusters)}
                | {"unit": "pair" if pairs else "answer", "threshold": request.threshold}
                | ends
            )
    rows.sort(key=lambda row: tuple(row[name] for name in request.columns))
    schema = pa.schema([*((name, pa.string()) for name in request.columns), *_SCHEMA])
    return pa.Table.from_pylist(rows, schema)


def _correct(outcomes: Outcomes, pairs: bool) -> tuple[Flags, Flags]:
    """The units that are correct, and those that have gold and an answer."""
    if pairs:
        units = outcomes.pairs()
        return units.base_right & units.variant_right, units.counted & units.gold
    singles = outcomes.singles()
    return singles.right, singles.counted & singles.gold
