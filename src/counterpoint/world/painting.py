"""Sketches on a canvas: roles become colours, whole numbers become larger whole numbers, and nothing else happens.

The canvas is three times as large as the picture and is reduced at the end, which smooths every edge; all arithmetic is
on integers, so one scene gives one picture on every machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from PIL import ImageDraw

from counterpoint.core.pictures import Box
from counterpoint.world.sketch import GROUND, Anchor, Extent, Paint, Point, Rgb, Sketch

FINE = 3
"""How many canvas pixels make one picture pixel, each way."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a sketch stands: its middle and its ground line on the canvas, and how many pixels are 1000 units."""

    x: int
    y: int
    height: int
    mirrored: bool = False

    def point(self, x: int, y: int) -> Point:
        """A point of the sketch on the canvas."""
        return (
            self.x + ((-x if self.mirrored else x) * self.height) // GROUND,
            self.y + ((y - GROUND) * self.height) // GROUND,
        )

    def extent(self, extent: Extent) -> Extent:
        """A rectangle of the sketch on the canvas, its last row and column included."""
        (x0, y0), (x1, y1) = self.point(extent[0], extent[1]), self.point(extent[2], extent[3])
        return min(x0, x1), y0, max(x0, x1), y1

    def anchor(self, anchor: Anchor) -> Anchor:
        """An anchor of the sketch on the canvas."""
        (x0, y), (x1, _) = self.point(anchor.left, anchor.y), self.point(anchor.right, anchor.y)
        return Anchor(min(x0, x1), max(x0, x1), y)


def box_of(extent: Extent) -> Box:
    """The picture pixels that a rectangle of canvas pixels touches."""
    left, top, right, bottom = extent
    x, y = left // FINE, top // FINE
    return Box(x, y, right // FINE + 1 - x, bottom // FINE + 1 - y)


def paint(draw: ImageDraw.ImageDraw, sketch: Sketch, colors: Mapping[str, Rgb], at: Placement) -> None:
    """Paint a sketch, from back to front."""
    left, ground, height, turn = at.x, at.y, at.height, -at.height if at.mirrored else at.height
    fills: dict[Paint, Rgb] = {}
    for shape in sketch.shapes:
        fill = fills.get(shape.paint)
        if fill is None:
            fill = fills[shape.paint] = shaded(shape.paint, colors)
        points = [(left + x * turn // GROUND, ground + (y - GROUND) * height // GROUND) for x, y in shape.points]
        if shape.oval:
            (x0, y0), (x1, y1) = points
            draw.ellipse((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), fill=fill)
        else:
            fill_polygon(draw, points, fill)


def fill_polygon(draw: ImageDraw.ImageDraw, points: Sequence[Point], color: Rgb | int) -> None:
    """Fill a polygon, alike on every machine.

    Pillow follows an edge by adding up a float slope, which processors round in more than one way. Edges are therefore
    cut where it takes 2, 4, 8… rows to the next cut: such slopes are exact, and so is everything made of them.
    """
    if len(points) == 4:
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = points
        if y0 == y1 and y2 == y3 and x0 == x3 and x1 == x2:
            draw.rectangle((min(x0, x1), min(y0, y2), max(x0, x1), max(y0, y2)), fill=color)
            return
    cut: list[int] = []
    x0, y0 = points[-1]
    for x1, y1 in points:
        if x1 != x0:
            if y1 > y0:
                for x, y in _cuts(x1 - x0, y1 - y0):
                    cut += x0 + x, y0 + y
            elif y1 < y0:  # from the other end, so that both directions are cut at the same points
                for x, y in reversed(_cuts(x0 - x1, y0 - y1)):
                    cut += x1 + x, y1 + y
        cut += x1, y1
        x0, y0 = x1, y1
    draw.polygon(cut, fill=color)


@lru_cache(1 << 17)
def _cuts(across: int, down: int) -> tuple[Point, ...]:
    """Where an edge that goes down is to be cut, as steps from its start.

    >>> _cuts(12, 8), _cuts(10, 5), _cuts(7, 5)
    ((), (), ((6, 4),))
    """
    rows = down // gcd(across, down)
    if rows & (rows - 1) == 0:
        return ()
    steps, y = [], 0
    for power in range(down.bit_length() - 1, -1, -1):
        if down >> power & 1 and (y := y + (1 << power)) < down:
            steps.append(((2 * across * y + down) // (2 * down), y))
    return tuple(steps)


def stroke(draw: ImageDraw.ImageDraw, start: Point, end: Point, width: int, color: Rgb) -> None:
    """Draw a straight stroke with square ends."""
    sketch = Sketch()
    sketch.bar(start, end, width, color, round_ends=False)
    for shape in sketch.shapes:
        fill_polygon(draw, shape.points, color)


def shaded(role: Paint, colors: Mapping[str, Rgb]) -> Rgb:
    """The colour of a paint: a role of the thing, perhaps darker or lighter, or the colour itself.

    >>> shaded("main.dark", {"main": (200, 100, 40)})
    (150, 75, 30)
    """
    if isinstance(role, tuple):
        return role
    name, _, shade = role.partition(".")
    return _shade(colors[name], shade)


@lru_cache(4096)
def _shade(color: Rgb, shade: str) -> Rgb:
    if not shade:
        return color
    bright = sum(color) > 240
    red, green, blue = (
        {
            "dim": v * 7 // 8,
            "dark": v * 3 // 4,
            "deep": v // 2,
            "light": v + (255 - v) * 2 // 5,
            "pale": v + (255 - v) * 7 // 10,
            "line": v * 3 // 5 if bright else v + (255 - v) * 2 // 5,
        }[shade]
        for v in color
    )
    return red, green, blue
