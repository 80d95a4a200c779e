"""Scores as points on their intervals: a row per model or metric, a panel or a mark per column."""

from collections.abc import Sequence
from dataclasses import dataclass

from counterpoint.reports.charts.svg import (
    TEXT,
    WIDTH,
    AxisScale,
    Chart,
    Colors,
    Drawing,
    are_finite,
    interval_text,
    percent_text,
)

NAMES, ROW = 160, 26
"""Pixels for a name, and for the height of a row."""
MARK_COLORS = ("right", "muted", "wrong", "accent", "ink")
"""The colour tokens of models whose points share a row, in order."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A share with its interval, from 0 to 1: the row it is in, and the column or model that it belongs to."""

    row: str
    column: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class DotChart(Chart):
    """Scores with intervals on a common scale: one panel per column, or all columns as marks in one panel."""

    title: str
    dots: tuple[Dot, ...]
    overlaid: bool = False

    def panels(self, colors: Colors) -> list[Drawing]:
        """One panel per column, or one for all."""
        dots = [dot for dot in self.dots if are_finite(dot.value, dot.low, dot.high)]
        columns = list(dict.fromkeys(dot.column for dot in dots))
        scale = _percent_scale(dots, NAMES + 12, WIDTH - (14 if self.overlaid else 48))
        if self.overlaid:
            return [_overlaid_panel(dots, columns, scale, colors)]
        return [_panel(name, [dot for dot in dots if dot.column == name], scale, colors) for name in columns]


def _percent_scale(dots: Sequence[Dot], start: float, stop: float) -> AxisScale:
    low, high = min([0.0, *(dot.low for dot in dots)]), max([1.0, *(dot.high for dot in dots)])
    return AxisScale(100 * low, 100 * high, start, stop, most=4)


def _panel(name: str, dots: Sequence[Dot], scale: AxisScale, colors: Colors) -> Drawing:
    drawing = Drawing(colors, name)
    top = drawing.height
    drawing.rows_axis(scale, top, top + ROW * len(dots))
    for place, dot in enumerate(dots):
        y = top + ROW * (place + 0.5)
        drawing.text(0, y + 4, dot.row, color="ink", size=TEXT, room=NAMES)
        _draw_dot(drawing, dot, scale, y, "right")
        drawing.text(WIDTH, y + 4, percent_text(dot.value), color="ink", size=TEXT, anchor="end")
    return drawing


def _overlaid_panel(dots: Sequence[Dot], columns: Sequence[str], scale: AxisScale, colors: Colors) -> Drawing:
    drawing = Drawing(colors)
    rows = list(dict.fromkeys(dot.row for dot in dots))
    tokens = {name: MARK_COLORS[place % len(MARK_COLORS)] for place, name in enumerate(columns)}
    drawing.legend(tokens, diamonds=columns[1:])
    top, height = drawing.height, max(14 * len(columns), ROW)
    drawing.rows_axis(scale, top, top + height * len(rows), "per cent")
    for place, row in enumerate(rows):
        middle = top + height * (place + 0.5)
        drawing.text(0, middle + 4, row, color="ink", size=TEXT, room=NAMES)
        for dot in dots:
            if dot.row == row:
                number = columns.index(dot.column)
                y = middle + 12 * (number - (len(columns) - 1) / 2)
                _draw_dot(drawing, dot, scale, y, tokens[dot.column], diamond=number > 0)
    return drawing


def _draw_dot(drawing: Drawing, dot: Dot, scale: AxisScale, y: float, color: str, *, diamond: bool = False) -> None:
    tip = f"{dot.row}, {dot.column}: {interval_text(dot.value, dot.low, dot.high)}"
    with drawing.mark(tip, name=dot.row, column=dot.column, value=dot.value, low=dot.low, high=dot.high):
        color_of_interval, width = ("band", 4) if color == "right" else (color, 1.5)
        drawing.line((scale(100 * dot.low), y), (scale(100 * dot.high), y), color_of_interval, width=width)
        drawing.dot(scale(100 * dot.value), y, color, diamond=diamond)
