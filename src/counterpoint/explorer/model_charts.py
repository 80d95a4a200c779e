"""The charts of one model: how its scores are spread, how it stands beside another, how right it is when it is sure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from counterpoint.explorer.reading import Known, Reading
from counterpoint.metrics.calibration import ReliabilityBin
from counterpoint.metrics.intervals import interval_from_sums
from counterpoint.reports.charts import CONFIG, PADDING, SCHEMA, Dot, Spec

RANGES = 10
"""Equal ranges from 0 to 1 into which scores are counted."""


@dataclass(frozen=True, slots=True)
class Range:
    """The samples whose score lies in a range, which holds its lower end, and the last one both."""

    low: float
    high: float
    samples: int
    share: float


def ranges(reading: Reading, suite: str, model: Known, measure: str) -> tuple[Range, ...]:
    """The share of samples in each range of scores; a sample is a base query, counted once, with its mean score."""
    asked = reading.database.source("verdicts", model=model.slug, suite=suite)
    sql = f"""
        SELECT least(floor(score * {RANGES} + 1e-6), {RANGES - 1})::INT AS place, count(*) AS found
        FROM (SELECT avg("{measure}") AS score FROM {asked} WHERE "{measure}" IS NOT NULL GROUP BY base_query)
        GROUP BY ALL
    """
    found = {row["place"]: row["found"] for row in reading.database.rows(sql)}
    total = sum(found.values())
    if not total:
        return ()
    ends = [(number / RANGES, (number + 1) / RANGES, found.get(number, 0)) for number in range(RANGES)]
    return tuple(Range(low, high, samples, samples / total) for low, high, samples in ends)


def spread(found: Sequence[Range], *, title: str, width: int = 460) -> Spec:
    """A column for each range of scores, in per cent of the data set."""
    values = [
        {
            "range": f"{100 * one.low:.0f}–{100 * one.high:.0f}",
            "share": round(100 * one.share, 2),
            "samples": one.samples,
            "label": f"{100 * one.share:.1f}" if one.samples else "",
        }
        for one in found
    ]
    x = {
        "field": "range",
        "type": "ordinal",
        "sort": None,
        "axis": {"title": "score of a sample, in per cent", "labelAngle": 0, "labelOverlap": "greedy", "grid": False},
    }
    y = {
        "field": "share",
        "type": "quantitative",
        "axis": {"title": "per cent of samples", "tickCount": 4},
        "scale": {"domain": [0, 100]},
    }
    tips = [{"field": name, "type": "nominal"} for name in ("range", "share", "samples")]
    layer = [
        {
            "mark": {"type": "bar", "color": "var(--right)", "cornerRadiusTopLeft": 2, "cornerRadiusTopRight": 2},
            "encoding": {"x": x, "y": y, "tooltip": tips},
        },
        {
            "mark": {"type": "text", "dy": -8, "fontSize": 12.5, "color": "var(--ink)"},
            "encoding": {"x": x, "y": y, "text": {"field": "label"}},
        },
    ]
    return _spec(title, values, width, 180, layer)


def profile(found: Sequence[Dot], *, title: str, width: int = 420) -> Spec:
    """One line per measure, a point on its interval for each of two models; the first is filled, the second hollow."""
    values = [
        {
            "row": dot.row,
            "model": dot.column,
            "value": round(100 * dot.value, 2),
            "low": round(100 * dot.low, 2),
            "high": round(100 * dot.high, 2),
        }
        for dot in found
    ]
    rows, models = (list(dict.fromkeys(value[name] for value in values)) for name in ("row", "model"))
    colors = ["var(--right)", "var(--muted)"][: len(models)]
    y = {"field": "row", "type": "nominal", "sort": rows, "axis": {"title": None, "labelLimit": 220}}
    x = {
        "field": "value",
        "type": "quantitative",
        "scale": {"domain": [min([0.0, *(round(100 * dot.low, 2) for dot in found)]), 100]},
        "axis": {"title": "per cent", "values": [0, 25, 50, 75, 100]},
    }
    color = {
        "field": "model",
        "type": "nominal",
        "scale": {"domain": models, "range": colors},
        "legend": {"title": None, "orient": "top", "columns": 2, "labelLimit": 260},
    }
    shape = {
        "field": "model",
        "scale": {"domain": models, "range": ["circle", "diamond"][: len(models)]},
        "legend": color["legend"],
    }
    tips = [{"field": name, "type": "nominal"} for name in ("row", "model", "value", "low", "high")]
    offset = {"field": "model", "sort": models}
    layer = [
        {
            "mark": {"type": "rule", "strokeWidth": 3, "strokeCap": "round", "opacity": 0.4},
            "encoding": {
                "x": {**x, "field": "low"},
                "x2": {"field": "high"},
                "y": y,
                "yOffset": offset,
                "color": color,
                "tooltip": tips,
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {
                "x": x,
                "y": y,
                "yOffset": offset,
                "color": color,
                "shape": shape,
                "tooltip": tips,
            },
        },
    ]
    return _spec(title, values, width, {"step": 14 * len(models) or 14}, layer)


def curve(reading: Reading, suite: str, model: Known, bins: int = 10) -> tuple[ReliabilityBin, ...]:
    """How right a model is, by how sure it is, over the bases that it answered with a probability."""
    asked = reading.database.source("outcomes", model=model.slug, suite=suite)
    sql = f"""
        SELECT greatest(least(ceil(confidence * {bins} - 1e-5) - 1, {bins - 1}), 0)::INT AS place, picture,
            sum(correct) AS earned, count(*) AS n, sum(correct * correct) AS squares, sum(confidence) AS sure
        FROM {asked} WHERE role = 0 AND confidence IS NOT NULL AND correct IS NOT NULL GROUP BY ALL ORDER BY ALL
    """
    rows: dict[int, list[Mapping[str, float]]] = {}
    for row in reading.database.rows(sql):
        rows.setdefault(row["place"], []).append(row)
    return tuple(_bin(place, own, bins) for place, own in rows.items())


def _bin(place: int, rows: Sequence[Mapping[str, float]], bins: int) -> ReliabilityBin:
    sums, counts = (np.array([row[name] for row in rows]) for name in ("earned", "n"))
    score = interval_from_sums(sums.astype(np.float64), counts.astype(np.int64), sum(row["squares"] for row in rows))
    sure = sum(row["sure"] for row in rows) / score.n
    return ReliabilityBin(place / bins, (place + 1) / bins, score.n, sure, score.value, score.low, score.high)


def _spec(
    title: str, values: Sequence[object], width: int, height: int | dict[str, int], layer: Sequence[object]
) -> Spec:
    return {
        "$schema": SCHEMA,
        "description": title,
        "title": title,
        "data": {"values": values},
        "width": width,
        "height": height,
        "layer": layer,
        "padding": PADDING,
        "config": dict(CONFIG),
    }
