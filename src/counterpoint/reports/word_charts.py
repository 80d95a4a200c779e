"""How often each changed word stands in captions and in foils, side by side (VALSE, Figures 3 and 4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from counterpoint.reports.charts import CONFIG, PADDING, SCHEMA, Spec

SIDES = {"captions": "var(--right)", "foils": "var(--wrong)"}
"""The two sides and their colors: captions are right, foils are wrong."""


@dataclass(frozen=True, slots=True)
class Frequency:
    """The share of a word among those of one side, from 0 to 1, and how often it is there."""

    panel: str
    side: str
    word: str
    share: float
    count: int


def frequencies(found: Sequence[Frequency], *, title: str, width: int = 280) -> Spec:
    """A panel for each part of a suite, a line for each word, a bar for each side."""
    panels = list(dict.fromkeys(one.panel for one in found))
    words = list(dict.fromkeys(one.word for one in found))
    values = [
        {
            "panel": one.panel,
            "side": one.side,
            "word": one.word,
            "share": round(100 * one.share, 3),
            "count": one.count,
        }
        for one in found
    ]
    side = {"field": "side", "type": "nominal", "sort": list(SIDES)}
    bars = {
        "mark": {"type": "bar", "height": {"band": 0.9}},
        "width": width,
        "height": {"step": 9},
        "encoding": {
            "y": {
                "field": "word",
                "type": "nominal",
                "sort": words,
                "axis": {"title": None, "labelLimit": 200},
                "scale": {"paddingInner": 0.35},
            },
            "yOffset": side,
            "x": {
                "field": "share",
                "type": "quantitative",
                "axis": {"title": "per cent of words", "tickCount": 5, "gridColor": "var(--line)"},
            },
            "color": {
                **side,
                "scale": {"domain": list(SIDES), "range": list(SIDES.values())},
                "legend": {"title": None, "orient": "top", "symbolType": "square"},
            },
            "tooltip": [{"field": name, "type": "nominal"} for name in ("word", "side", "share", "count")],
        },
    }
    return {
        "$schema": SCHEMA,
        "description": title,
        "title": title,
        "data": {"values": values},
        "facet": {"field": "panel", "type": "nominal", "sort": panels, "title": None},
        "columns": max(len(panels), 1),
        "spacing": {"column": 32},
        "spec": bars,
        "padding": {**PADDING, "left": 8},
        "config": dict(CONFIG),
    }
