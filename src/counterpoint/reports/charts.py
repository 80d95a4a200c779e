"""Charts as Vega-Lite specifications: drawn by the browser in a page, and by vl-convert as SVG in a report.

Colours are names of the tokens in `style.css`, such as `var(--ink)`, so that a chart follows the page into the dark.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any, TypeAlias

from counterpoint.store.cache import Cache

Spec: TypeAlias = dict[str, Any]
"""A Vega-Lite specification."""

_TOKEN = re.compile(r"var\(--([a-z-]+)\)")

FONT = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif"

CONFIG: Mapping[str, Any] = {
    "background": None,
    "font": FONT,
    "view": {"stroke": None},
    "title": {"color": "var(--ink)", "fontSize": 15, "fontWeight": 600, "anchor": "start", "offset": 16},
    "axis": {
        "labelColor": "var(--muted)",
        "titleColor": "var(--muted)",
        "labelFontSize": 12.5,
        "titleFontSize": 12.5,
        "titleFontWeight": "normal",
        "gridColor": "var(--line)",
        "domain": False,
        "ticks": False,
        "labelPadding": 8,
        "labelFlush": False,
    },
    "legend": {"labelColor": "var(--muted)", "labelFontSize": 12.5, "offset": 8, "symbolSize": 100},
    "header": {"labelColor": "var(--ink)", "labelFontSize": 12.5, "labelFontWeight": 600, "labelAnchor": "start"},
}
"""No frame, a light grid, the sizes of the page."""


SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
PADDING: Mapping[str, int] = {"left": 0, "top": 4, "right": 16, "bottom": 4}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar: the share of a row, from 0 to 1, and how many groups it is."""

    row: str
    part: str
    share: float
    count: int


@dataclass(frozen=True, slots=True)
class Dot:
    """A share with its interval, from 0 to 1: what it is of (`row`) and which measure it is (`column`)."""

    row: str
    column: str
    value: float
    low: float
    high: float


def dots(found: Sequence[Dot], *, title: str, width: int = 220) -> Spec:
    """One line per row, one panel per column: a point on its interval, the number beside it, on a scale of 0 to 100."""
    rows = list(dict.fromkeys(dot.row for dot in found))
    columns = list(dict.fromkeys(dot.column for dot in found))
    values = [
        {
            "row": dot.row,
            "column": dot.column,
            "value": round(100 * dot.value, 2),
            "low": round(100 * dot.low, 2),
            "high": round(100 * dot.high, 2),
            "label": f"{100 * dot.value:.1f}",
        }
        for dot in found
    ]
    y = {"field": "row", "type": "nominal", "sort": rows, "axis": {"title": None, "labelLimit": 200}}
    scale = {"domain": [0, 100]}
    tips = [
        *({"field": name, "type": "nominal"} for name in ("row", "column")),
        *({"field": name, "type": "quantitative"} for name in ("value", "low", "high")),
    ]
    x = {
        "field": "value",
        "type": "quantitative",
        "scale": scale,
        "axis": {"title": None, "values": [0, 25, 50, 75, 100]},
    }
    layer = [
        {
            "mark": {"type": "rule", "strokeWidth": 4, "strokeCap": "round", "color": "var(--band)"},
            "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y, "tooltip": tips},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, "color": "var(--right)"},
            "encoding": {"x": x, "y": y, "tooltip": tips},
        },
        {
            "mark": {"type": "text", "dy": -11, "fontSize": 12.5, "color": "var(--ink)"},
            "encoding": {"x": x, "y": y, "text": {"field": "label"}},
        },
    ]
    return {
        "$schema": SCHEMA,
        "description": title,
        "title": title,
        "data": {"values": values},
        "facet": {"field": "column", "type": "nominal", "sort": columns, "title": None},
        "columns": min(max(len(columns), 1), 4),
        "spacing": {"column": 40, "row": 24},
        "spec": {"width": width, "height": {"step": 36}, "layer": layer},
        "padding": PADDING,
        "config": dict(CONFIG),
    }


def stacked(found: Sequence[Part], colors: Mapping[str, str], *, title: str, width: int = 380) -> Spec:
    """One bar per row, cut into shares of 100 per cent in the order of `colors`, which names a token for each part."""
    rows, parts = (list(dict.fromkeys(getattr(one, name) for one in found)) for name in ("row", "part"))
    order = [part for part in colors if part in parts]
    values = [
        {
            "row": one.row,
            "part": one.part,
            "share": round(100 * one.share, 2),
            "groups": one.count,
            "order": order.index(one.part),
        }
        for one in found
    ]
    return {
        "$schema": SCHEMA,
        "description": title,
        "title": title,
        "data": {"values": values},
        "width": width,
        "height": {"step": 28},
        "mark": {"type": "bar", "height": 14},
        "encoding": {
            "y": {"field": "row", "type": "nominal", "sort": rows, "axis": {"title": None, "labelLimit": 200}},
            "x": {
                "field": "share",
                "type": "quantitative",
                "scale": {"domain": [0, 100]},
                "axis": {"title": "per cent of groups", "values": [0, 25, 50, 75, 100]},
            },
            "color": {
                "field": "part",
                "type": "nominal",
                "scale": {"domain": order, "range": [colors[part] for part in order]},
                "legend": {"title": None, "orient": "top", "symbolType": "square", "columns": 4},
            },
            "order": {"field": "order"},
            "tooltip": [{"field": name, "type": "nominal"} for name in ("row", "part", "share", "groups")],
        },
        "padding": PADDING,
        "config": dict(CONFIG),
    }


def svg(spec: Spec, *, light: bool = False) -> str:
    """The chart as an SVG element whose colours are still the page's tokens, or, if `light`, those of a light page."""
    import vl_convert  # slow to load, and only needed where charts are drawn by us

    drawn: str = vl_convert.vegalite_to_svg(spec)
    return _TOKEN.sub(lambda name: tokens()[name[1]], drawn) if light else drawn


@cache
def tokens() -> Mapping[str, str]:
    """The colours of a light page by name, as the style sheet has them."""
    style = files("counterpoint.explorer").joinpath("static/style.css").read_text("utf-8")
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", style.partition("@media")[0]))


def vega(kept: Cache) -> bytes:
    """The script that draws charts in a browser: Vega, Vega-Lite and Vega-Embed, as vl-convert carries them."""

    def made() -> bytes:
        import vl_convert

        bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
        return bundle.encode()

    return kept.kept(f"vega-{version('vl-convert-python')}.js", made)
