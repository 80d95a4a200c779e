"""Accuracy over confidence, as a curve beside the diagonal of perfect calibration."""

from dataclasses import dataclass

from counterpoint.core.quantities import counted
from counterpoint.metrics.calibration import ReliabilityBin
from counterpoint.reports.charts.svg import (
    AxisScale,
    Chart,
    Colors,
    Drawing,
    are_finite,
    interval_text,
    percent_text,
    short,
)

LEFT = 36
"""Pixels for the values of the vertical axis."""


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
        f"accuracy {interval_text(bin_.accuracy, bin_.accuracy_low, bin_.accuracy_high)}, {counted(bin_.n, 'answer')}"
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
