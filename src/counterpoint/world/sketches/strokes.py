"""Strokes that several families share: arcs, bands, leaves, and laying a thing on its side."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import cos, isqrt, pi, sin

from counterpoint.world.sketch import GROUND, Anchor, Paint, Point, Sketch


def arc(x: int, y: int, wide: int, high: int, start: int, stop: int, count: int = 8) -> list[Point]:
    """Points along an oval of half-axes `wide` and `high`, in degrees, 0 to the right, 90 down.

    >>> arc(0, 0, 10, 20, 0, 90, count=1)
    [(10, 0), (0, 20)]
    """
    angles = [pi * (start + (stop - start) * k / count) / 180 for k in range(count + 1)]
    return [(x + round(wide * cos(a)), y + round(high * sin(a))) for a in angles]


_POINTED: tuple[Point, ...] = (
    (-100, 0),
    (-75, 46),
    (-50, 78),
    (-25, 95),
    (0, 100),
    (25, 95),
    (50, 78),
    (75, 46),
    (100, 0),
)
_ROUND = arc(0, 0, 100, 100, 0, 360, 24)


def band(s: Sketch, one: Sequence[Point], other: Sequence[Point], paint: Paint = "main") -> None:
    """The surface between two edges of equally many points, which may bend as it likes."""
    for (a, b), (c, d) in zip(pairwise(one), pairwise(other), strict=True):
        corners = list(dict.fromkeys((a, b, d, c)))
        if len(corners) > 2:
            s.poly(corners, paint)


def hoop(s: Sketch, x: int, y: int, wide: int, high: int, thick: int, start: int, stop: int, paint: Paint) -> None:
    """A piece of a ring, as a handle has it; `wide` and `high` are its outer half-axes."""
    count = abs(stop - start) // 15
    inner = arc(x, y, wide - thick, high - thick, start, stop, count)
    band(s, arc(x, y, wide, high, start, stop, count), inner, paint)


def leaf(s: Sketch, start: Point, end: Point, width: int, paint: Paint = "main") -> None:
    """A shape that is pointed at both ends and widest in the middle."""
    _along(s, start, end, width, paint, [(at, side) for at, half in _POINTED for side in (half, -half)])


def bean(s: Sketch, start: Point, end: Point, width: int, paint: Paint = "main") -> None:
    """An oval that lies along any direction."""
    _along(s, start, end, width, paint, _ROUND)


def _along(s: Sketch, start: Point, end: Point, width: int, paint: Paint, form: Sequence[Point]) -> None:
    """A form of points from -100 to 100 both ways, stretched from start to end and across."""
    (x0, y0), (x1, y1) = start, end
    dx, dy = x1 - x0, y1 - y0
    long = isqrt(dx * dx + dy * dy) or 1
    edge = [
        (
            x0 + dx * (100 + at) // 200 - dy * width * side // (200 * long),
            y0 + dy * (100 + at) // 200 + dx * width * side // (200 * long),
        )
        for at, side in form
    ]
    s.poly(outline(edge), paint)


def outline(points: Sequence[Point]) -> list[Point]:
    """The corners of the smallest convex polygon around some points.

    >>> outline([(0, 0), (10, 0), (5, 4), (10, 10), (0, 10)])
    [(0, 0), (10, 0), (10, 10), (0, 10)]
    """
    ordered = sorted(set(points))
    return _chain(ordered) + _chain(ordered[::-1])


def _chain(points: Sequence[Point]) -> list[Point]:
    """One side of the outline, without its last corner, with which the other side begins."""
    chain: list[Point] = []
    for x, y in points:
        while len(chain) > 1:
            (x0, y0), (x1, y1) = chain[-2:]
            if (x1 - x0) * (y - y1) > (y1 - y0) * (x - x1):
                break
            chain.pop()
        chain.append((x, y))
    return chain[:-1]


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
