"""Scores as curves: over severities or k, and accuracy over confidence."""

from dataclasses import dataclass

from counterpoint.metrics.calibration import ReliabilityBin
from counterpoint.reports.charts.dots import MARK_COLORS
from counterpoint.reports.charts.svg import (
    SMALL,
    WIDTH,
    AxisScale,
    Chart,
    Colors,
    Drawing,
    are_finite,
    clean,
    interval_text,
    percent_text,
    short,
    text_width,
)

LEFT = 36
"""Pixels for the values of the vertical axis."""


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """A share with its interval, from 0 to 1, at a place of the horizontal axis."""

    x: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Series:
    """The points of one model or version, in order."""

    name: str
    points: tuple[SeriesPoint, ...]


@dataclass(frozen=True, slots=True)
class LineChart(Chart):
    """Scores with intervals over ordered places such as severities, versions or k; one line per series."""

    title: str
    series: tuple[Series, ...]
    label: str = ""

    def panels(self, colors: Colors) -> list[Drawing]:
        """One panel; the names stand at the ends of the lines where they fit, else in a legend."""
        drawing, height = Drawing(colors), 160
        tokens = {series.name: MARK_COLORS[place % len(MARK_COLORS)] for place, series in enumerate(self.series)}
        if len(self.series) > 1:
            drawing.legend(tokens, diamonds=list(tokens)[1:])
        places = list(dict.fromkeys(point.x for series in self.series for point in series.points))
        points = [point for series in self.series for point in series.points if _is_drawable(point)]
        low, high = min([0.0, *(point.low for point in points)]), max([1.0, *(point.high for point in points)])
        top = drawing.height + 10
        scale = AxisScale(100 * low, 100 * high, top + height, top, most=4)
        drawing.columns_axis(scale, LEFT)
        step = (WIDTH - LEFT - 24) / max(len(places) - 1, 1)
        at = {x: LEFT + 12 + step * place for place, x in enumerate(places)}
        _draw_place_labels(drawing, at, top + height + 15)
        for number, series in enumerate(self.series):
            self._draw_series(drawing, series, scale, at, tokens[series.name], diamond=number > 0)
        drawing.height = top + height + 20
        if self.label:
            drawing.text(WIDTH, top + height + 31, self.label, anchor="end", room=WIDTH)
            drawing.height += 16
        return [drawing]

    @staticmethod
    def _draw_series(
        drawing: Drawing, series: Series, scale: AxisScale, at: dict[str, float], color: str, *, diamond: bool
    ) -> None:
        points = [point for point in series.points if _is_drawable(point)]
        if len(points) > 1:
            drawing.path([(at[point.x], scale(100 * point.value)) for point in points], color)
        for point in points:
            x, tip = at[point.x], f"{series.name}, {point.x}: {interval_text(point.value, point.low, point.high)}"
            values = {"value": point.value, "low": point.low, "high": point.high}
            with drawing.mark(tip, name=series.name, column=point.x, **values):
                color_of_interval, width = ("band", 4) if color == "right" else (color, 1.5)
                drawing.line((x, scale(100 * point.low)), (x, scale(100 * point.high)), color_of_interval, width=width)
                drawing.dot(x, scale(100 * point.value), color, diamond=diamond)


@dataclass(frozen=True, slots=True)
class ReliabilityCurve:
    """The bins of one model."""

    model: str
    bins: tuple[ReliabilityBin, ...]


@dataclass(frozen=True, slots=True)
class ReliabilityChart(Chart):
    """Accuracy over confidence, one panel per model; the dashed diagonal is perfect calibration."""

    title: str
    curves: tuple[ReliabilityCurve, ...]

    def panels(self, colors: Colors) -> list[Drawing]:
        """One panel per model; a point is larger where a bin has more answers."""
        return [self._panel(curve, colors, named=len(self.curves) > 1) for curve in self.curves]

    @staticmethod
    def _panel(curve: ReliabilityCurve, colors: Colors, *, named: bool) -> Drawing:
        drawing, side = Drawing(colors, curve.model if named else ""), 240
        drawing.text(0, drawing.height + 11, "accuracy, per cent")
        top = drawing.height + 24
        across, up = AxisScale(0, 100, LEFT, LEFT + side, most=4), AxisScale(0, 100, top + side, top, most=4)
        for tick in across.ticks:
            drawing.line((LEFT, up(tick)), (LEFT + side, up(tick)), "line")
            drawing.text(LEFT - 8, up(tick) + 4, short(tick), anchor="end")
            drawing.text(across(tick), top + side + 15, short(tick), anchor="middle")
        drawing.line((LEFT, top + side), (LEFT + side, top), "muted", dash="4 4")
        drawing.text(LEFT + side, top + side + 31, "confidence, per cent", anchor="end")
        most = max((bin_.n for bin_ in curve.bins), default=1) or 1
        for bin_ in curve.bins:
            if are_finite(bin_.confidence, bin_.accuracy, bin_.accuracy_low, bin_.accuracy_high):
                _draw_bin(drawing, curve.model, bin_, across, up, 2.5 + 4.5 * (bin_.n / most) ** 0.5)
        drawing.height = top + side + 36
        return drawing


def _draw_bin(
    drawing: Drawing, model: str, bin_: ReliabilityBin, across: AxisScale, up: AxisScale, radius: float
) -> None:
    tip = (
        f"{model}: confidence {percent_text(bin_.confidence)}, "
        f"accuracy {interval_text(bin_.accuracy, bin_.accuracy_low, bin_.accuracy_high)}, {bin_.n:,} answers"
    )
    values = {
        "confidence": bin_.confidence,
        "value": bin_.accuracy,
        "low": bin_.accuracy_low,
        "high": bin_.accuracy_high,
    }
    with drawing.mark(tip, name=model, count=bin_.n, **values):
        x = across(100 * bin_.confidence)
        drawing.line((x, up(100 * bin_.accuracy_low)), (x, up(100 * bin_.accuracy_high)), "band", width=4)
        drawing.dot(x, up(100 * bin_.accuracy), "right", radius=radius)


def _draw_place_labels(drawing: Drawing, at: dict[str, float], y: float) -> None:
    """The places of the horizontal axis, as many as do not run into each other."""
    free = 0.0
    for x, middle in at.items():
        wide = min(text_width(clean(x), SMALL), 96)
        if middle - wide / 2 >= free:
            centre = min(middle, WIDTH - wide / 2)
            drawing.text(centre, y, x, anchor="middle", room=96)
            free = centre + wide / 2 + 6


def _is_drawable(point: SeriesPoint) -> bool:
    return are_finite(point.value, point.low, point.high)
