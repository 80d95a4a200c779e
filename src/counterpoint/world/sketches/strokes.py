"""Strokes that several families share: arcs, bands, leaves, and laying a thing on its side."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import cos, isqrt, pi, sin

from counterpoint.world.sketch import GROUND, Anchor, Paint, Point, Sketch

_POINTED = (0, 46, 78, 95, 100, 95, 78, 46, 0)
_ROUND = (0, 66, 87, 97, 100, 97, 87, 66, 0)


def arc(x: int, y: int, wide: int, high: int, start: int, stop: int, count: int = 8) -> list[Point]:
    """Points along an oval of half-axes `wide` and `high`, in degrees, 0 to the right, 90 down.

    >>> arc(0, 0, 10, 20, 0, 90, count=1)
    [(10, 0), (0, 20)]
    """
    angles = [pi * (start + (stop - start) * k / count) / 180 for k in range(count + 1)]
    return [(x + round(wide * cos(a)), y + round(high * sin(a))) for a in angles]


def band(s: Sketch, one: Sequence[Point], other: Sequence[Point], paint: Paint = "main") -> None:
    """The surface between two edges of equally many points, which may bend as it likes."""
    for (a, b), (c, d) in zip(pairwise(one), pairwise(other), strict=True):
        corners = list(dict.fromkeys((a, b, d, c)))
        if len(corners) > 2:
            s.poly(corners, paint)


def hoop(s: Sketch, x: int, y: int, wide: int, high: int, thick: int, start: int, stop: int, paint: Paint) -> None:
    """A piece of a ring, as a handle has it; `wide` and `high` are its outer half-axes."""
    inner = arc(x, y, wide - thick, high - thick, start, stop)
    band(s, arc(x, y, wide, high, start, stop), inner, paint)


def leaf(s: Sketch, start: Point, end: Point, width: int, paint: Paint = "main") -> None:
    """A shape that is pointed at both ends and widest in the middle."""
    _along(s, start, end, width, paint, _POINTED)


def bean(s: Sketch, start: Point, end: Point, width: int, paint: Paint = "main") -> None:
    """An oval that lies along any direction."""
    _along(s, start, end, width, paint, _ROUND)


def _along(s: Sketch, start: Point, end: Point, width: int, paint: Paint, widths: Sequence[int]) -> None:
    (x0, y0), (x1, y1) = start, end
    dx, dy = x1 - x0, y1 - y0
    long, last = isqrt(dx * dx + dy * dy) or 1, len(widths) - 1
    sides: tuple[list[Point], list[Point]] = ([], [])
    for k, wide in enumerate(widths):
        x, y = x0 + dx * k // last, y0 + dy * k // last
        out = (-dy * width * wide // (200 * long), dx * width * wide // (200 * long))
        sides[0].append((x + out[0], y + out[1]))
        sides[1].append((x - out[0], y - out[1]))
    s.poly(list(dict.fromkeys([*sides[0], *reversed(sides[1])])), paint)


def laid_down(s: Sketch) -> Sketch:
    """The same thing fallen to the right: what was its top points right, and its right side lies on the ground."""
    edge = s.extent()[2]

    def turned(x: int, y: int) -> Point:
        return GROUND - y, GROUND - edge + x

    shapes = [replace(shape, points=tuple(turned(x, y) for x, y in shape.points)) for shape in s.shapes]
    anchors = {}
    for name, a in s.anchors.items():
        x, y = turned(a.middle, a.y)
        anchors[name] = Anchor(x, x, y)
    return Sketch(s.material, shapes, anchors)
