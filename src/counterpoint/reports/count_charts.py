"""Charts of counts: a bar for each word of a ranking, a column for each bin of numbers."""

from collections.abc import Sequence
from typing import Any

from counterpoint.metrics.data_statistics import HistogramBin, RankedWord
from counterpoint.reports.charts import CONFIG, PADDING, SCHEMA, Spec

LABEL, TICK = 128, 32
"""Pixels for a word beside its bar, where a longer one is cut, and for a number beside columns."""
_FILL = {"color": "var(--accent)", "fillOpacity": 0.7}


def bars(found: Sequence[RankedWord], *, title: str, most: float | None = None, width: int = 164) -> Spec:
    """One bar per word, in their order, with its share in per cent beside it; `most` is the share of a full bar."""
    values = [
        {"word": one.word, "count": one.count, "share": round(100 * one.share, 2), "label": f"{100 * one.share:.1f}"}
        for one in found
    ]
    full = most or max((one.share for one in found), default=1.0)
    y = {"field": "word", "type": "nominal", "sort": None, "axis": _edge(LABEL, labelLimit=LABEL - 8)}
    x = {"field": "share", "type": "quantitative", "scale": {"domain": [0, 100 * full]}, "axis": None}
    tips = [{"field": name, "type": "nominal"} for name in ("word", "count", "share")]
    layer = [
        {
            "mark": {"type": "bar", "height": 14, **_FILL},
            "encoding": {"x": x, "y": y, "tooltip": tips},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 6, "fontSize": 12.5, "color": "var(--ink)"},
            "encoding": {"x": x, "y": y, "text": {"field": "label"}},
        },
    ]
    return _spec(title, values, {"width": width, "height": {"step": 24}, "layer": layer}, right=44)


def columns(found: Sequence[HistogramBin], *, title: str, width: int = 290) -> Spec:
    """One column per bin, with its numbers below, and how often they came on a light grid."""
    values = [{"bin": one.label, "count": one.count} for one in found]
    encoding = {
        "x": {
            "field": "bin",
            "type": "ordinal",
            "sort": None,
            "scale": {"paddingInner": 0.15, "paddingOuter": 0.1},
            "axis": {"title": None, "labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 6},
        },
        "y": {"field": "count", "type": "quantitative", "axis": _edge(TICK, tickCount=3, format="~s")},
        "tooltip": [{"field": name, "type": "nominal"} for name in ("bin", "count")],
    }
    marks = ({"color": "var(--paper)"}, _FILL)  # so that the grid does not shine through
    layer = [{"mark": {"type": "bar", **mark}, "encoding": encoding} for mark in marks]
    return _spec(title, values, {"width": width, "height": 140, "layer": layer})


def _edge(room: int, **more: Any) -> dict[str, Any]:
    """An axis of a fixed room, so that charts below each other begin on one line."""
    return {"title": None, "minExtent": room, "maxExtent": room, **more}


def _spec(title: str, values: Sequence[object], drawn: Spec, right: int = 16) -> Spec:
    return {
        "$schema": SCHEMA,
        "description": title,
        "title": title,
        "data": {"values": values},
        **drawn,
        "padding": {**PADDING, "right": right},
        "config": dict(CONFIG),
    }
