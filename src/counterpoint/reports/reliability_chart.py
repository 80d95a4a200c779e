"""The curve of reliability: how right a model is, by how sure it is, beside the line where both are the same."""

from collections.abc import Mapping, Sequence

from counterpoint.metrics.calibration import ReliabilityBin
from counterpoint.reports.charts import CONFIG, PADDING, SCHEMA, Spec

_AXIS = {"values": [0, 25, 50, 75, 100]}


def reliability_chart(curves: Mapping[str, Sequence[ReliabilityBin]], *, title: str, width: int = 220) -> Spec:
    """A panel for each model: a point for each bin on its interval, larger where there are more answers."""
    values = [
        {
            "model": model,
            "confidence": round(100 * one.confidence, 2),
            "accuracy": round(100 * one.accuracy, 2),
            "low": round(100 * one.accuracy_low, 2),
            "high": round(100 * one.accuracy_high, 2),
            "answers": one.n,
        }
        for model, bins in curves.items()
        for one in bins
    ]
    scale = {"domain": [0, 100]}
    x = {"field": "confidence", "type": "quantitative", "scale": scale, "axis": {**_AXIS, "title": "how sure"}}
    y = {"field": "accuracy", "type": "quantitative", "scale": scale, "axis": {**_AXIS, "title": "how right"}}
    tips = [{"field": name, "type": "quantitative"} for name in ("confidence", "accuracy", "low", "high", "answers")]
    layer = [
        {
            "transform": [{"calculate": "[0, 100]", "as": "end"}, {"flatten": ["end"]}],
            "mark": {"type": "line", "strokeDash": [4, 4], "color": "var(--muted)"},
            "encoding": {"x": {**x, "field": "end"}, "y": {**y, "field": "end"}},
        },
        {
            "mark": {"type": "rule", "strokeWidth": 4, "strokeCap": "round", "color": "var(--band)"},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "tooltip": tips},
        },
        {
            "mark": {"type": "point", "filled": True, "opacity": 1, "color": "var(--right)"},
            "encoding": {
                "x": x,
                "y": y,
                "size": {"field": "answers", "type": "quantitative", "legend": None, "scale": {"range": [20, 160]}},
                "tooltip": tips,
            },
        },
    ]
    return {
        "$schema": SCHEMA,
        "description": title,
        "title": title,
        "data": {"values": values},
        "facet": {"field": "model", "type": "nominal", "sort": list(curves), "title": None},
        "columns": min(max(len(curves), 1), 4),
        "spacing": {"column": 40, "row": 24},
        "spec": {"width": width, "height": width, "layer": layer},
        "padding": PADDING,
        "config": dict(CONFIG),
    }
