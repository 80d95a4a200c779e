"""A score over the versions of a model, with intervals, changes and the baseline."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from counterpoint.reports.charts.svg import (
    SMALL,
    WIDTH,
    AxisScale,
    Chart,
    Colors,
    Drawing,
    fit,
    interval_text,
    percent_text,
    text_width,
)

LEFT, HEIGHT, HEAD = 36, 128, 20
"""Pixels for the values of the vertical axis, for the plot, and above it for the marks of changes."""


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """The score of a version, from 0 to 1; `change` is its difference to the version before, where that holds."""

    version: str
    value: float
    low: float | None = None
    high: float | None = None
    change: float | None = None
    is_better: bool | None = None  # whether the change is for the better, where the metric has a direction
    is_baseline: bool = False
    about: str = ""  # what its tooltip says beside the score


@dataclass(frozen=True, slots=True)
class SeriesChart(Chart):
    """Scores of versions in their order, on a scale that ends at `low` and `high`; the baseline is a dashed line."""

    title: str
    name: str
    points: tuple[SeriesPoint, ...]
    low: float = 0.0
    high: float = 1.0

    def panels(self, colors: Colors) -> list[Drawing]:
        """One panel."""
        drawing = Drawing(colors, self.name)
        top = drawing.height + HEAD
        up = AxisScale(100 * self.low, 100 * self.high, top + HEIGHT, top, most=4)
        across = _places(len(self.points))
        _draw_changes(drawing, self.points, across, top)
        drawing.columns_axis(up, LEFT)
        for point in self.points:
            if point.is_baseline:
                drawing.line((LEFT, up(100 * point.value)), (WIDTH, up(100 * point.value)), "muted", dash="4 4")
        tops = [up(100 * point.value) for point in self.points]
        for place in range(1, len(tops)):
            drawing.line((across[place - 1], tops[place - 1]), (across[place], tops[place]), "right", width=1.5)
        for x, point in zip(across, self.points, strict=True):
            _draw_point(drawing, point, x, up)
        _draw_labels(drawing, [point.version for point in self.points], across, top + HEIGHT + 17)
        drawing.height = top + HEIGHT + 24
        return [drawing]


def _places(number: int) -> list[float]:
    """Where the versions stand, from left to right; a single one in the middle."""
    first, last = LEFT + 12.0, WIDTH - 12.0
    if number == 1:
        return [(first + last) / 2]
    return [first + (last - first) * place / (number - 1) for place in range(number)]


def _draw_changes(drawing: Drawing, points: Sequence[SeriesPoint], across: Sequence[float], top: float) -> None:
    """Shade what lies between a version that changed and the one before, and write above it by how much."""
    room = across[1] - across[0] if len(across) > 1 else 0.0
    for place, point in enumerate(points):
        if point.change is None or not place:
            continue
        drawing.rect(across[place - 1], top, room, HEIGHT, "line")
        color = "ink" if point.is_better is None else "right-text" if point.is_better else "wrong-text"
        sign, by = "▲" if point.change > 0 else "▼", percent_text(abs(point.change))
        whole = f"{sign} {by}"
        text = whole if text_width(whole, SMALL) <= room - 2 else sign
        middle = (across[place - 1] + across[place]) / 2
        drawing.text(middle, top - 6, text, color=color, anchor="middle", weight=600)


def _draw_point(drawing: Drawing, point: SeriesPoint, x: float, up: AxisScale) -> None:
    ends = (point.value if point.low is None else point.low, point.value if point.high is None else point.high)
    name = f"{point.version} (baseline)" if point.is_baseline else point.version
    tip = f"{name}: {interval_text(point.value, *ends)}{'; ' if point.about else ''}{point.about}"
    with drawing.mark(tip, name=point.version, value=point.value, low=ends[0], high=ends[1]):
        drawing.line((x, up(100 * ends[0])), (x, up(100 * ends[1])), "band", width=4)
        drawing.dot(x, up(100 * point.value), "right", radius=3.5, diamond=point.is_baseline)


def _draw_labels(drawing: Drawing, versions: Sequence[str], across: Sequence[float], y: float) -> None:
    """Write as many names below the axis as have room, the first and the last always."""
    names = short_labels(versions)
    gap = across[1] - across[0] if len(across) > 1 else float(WIDTH - LEFT)
    widest = min(max(text_width(name, SMALL) for name in names), 120.0)
    every = max(1, -int(-(widest + 8) // gap))
    last = len(names) - 1
    for place, (name, x) in enumerate(zip(names, across, strict=True)):
        if place == last or (place % every == 0 and (last - place) * gap >= widest + 8):
            anchor = "end" if place == last and last else "start" if place == 0 and last else "middle"
            edge = {"end": 12, "start": -12, "middle": 0}[anchor]
            half = text_width(fit(name, widest, SMALL), SMALL) / 2
            is_inside = x - half >= LEFT and x + half <= WIDTH
            at, how = (x, "middle") if is_inside else (x + edge, anchor)
            drawing.text(at, y, name, anchor=how, room=widest)


def short_labels(versions: Sequence[str]) -> list[str]:
    """The names of versions without what all have in common at their beginning, up to a sign that ends a word.

    >>> short_labels(["step-500", "step-1000"]), short_labels(["v1", "v2"]), short_labels(["step-500"])
    (['500', '1000'], ['v1', 'v2'], ['step-500'])
    """
    alike = (
        takewhile(lambda signs: len(set(signs)) == 1, zip(*versions, strict=False)) if len(set(versions)) > 1 else ()
    )
    cut = max((place for place, (sign, *_) in enumerate(alike, 1) if not sign.isalnum()), default=0)
    labels = [version[cut:] for version in versions]
    return labels if all(labels) else list(versions)
