"""Charts of counts: a bar for each word of a ranking, a column for each bin of numbers."""

from collections.abc import Sequence

from counterpoint.explorer.charts import CONFIG, PADDING, SCHEMA, Spec
from counterpoint.metrics.descriptions import Bin, Ranked

LABEL = 130
"""Pixels for a word beside its bar; a longer one is cut."""


def bars(found: Sequence[Ranked], *, title: str, width: int = 150) -> Spec:
    """One bar per word, the longest first, with its share in per cent beside it."""
    values = [
        {"word": one.word, "count": one.count, "share": round(100 * one.share, 2), "label": f"{100 * one.share:.1f}"}
        for one in found
    ]
    most = max((100 * one.share for one in found), default=1.0)
    y = {"field": "word", "type": "nominal", "sort": None, "axis": {"title": None, "labelLimit": LABEL}}
    x = {"field": "share", "type": "quantitative", "scale": {"domain": [0, most]}, "axis": None}
    tips = [{"field": name, "type": "nominal"} for name in ("word", "count", "share")]
    layer = [
        {
            "mark": {"type": "bar", "height": 14, "color": "var(--band)"},
            "encoding": {"x": x, "y": y, "tooltip": tips},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 6, "fontSize": 12.5, "color": "var(--ink)"},
            "encoding": {"x": x, "y": y, "text": {"field": "label"}},
        },
    ]
    return _spec(title, values, {"width": width, "height": {"step": 24}, "layer": layer}, right=44)


def columns(found: Sequence[Bin], *, title: str, unit: str, width: int = 290) -> Spec:
    """One column per bin, with what is counted below, and how often on a light grid."""
    values = [{"bin": one.label, "count": one.count} for one in found]
    encoding = {
        "x": {
            "field": "bin",
            "type": "ordinal",
            "sort": None,
            "scale": {"paddingInner": 0.15, "paddingOuter": 0.1},
            "axis": {"title": unit, "labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 6},
        },
        "y": {"field": "count", "type": "quantitative", "axis": {"title": None, "tickCount": 3, "format": "~s"}},
        "tooltip": [{"field": name, "type": "nominal"} for name in ("bin", "count")],
    }
    drawn = {"width": width, "height": 140, "mark": {"type": "bar", "color": "var(--band)"}, "encoding": encoding}
    return _spec(title, values, drawn)


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
