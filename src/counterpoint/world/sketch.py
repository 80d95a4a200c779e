"""A drawing of one thing as a value: convex shapes in whole numbers, with paints by role, parts and anchors.

A sketch stands on a ground line at y = 1000 and is as high as its kind is in life, from y = 0 at the top; x grows to
the right from anywhere, and a thing with a front faces right. Nothing here knows colours or places: a paint is a role,
such as `main` or `shirt`, perhaps with a shade (`main.dark`), or a fixed (red, green, blue).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from math import cos, isqrt, pi, sin
from typing import TypeAlias

Point: TypeAlias = tuple[int, int]
Rgb: TypeAlias = tuple[int, int, int]
Paint: TypeAlias = str | Rgb
Extent: TypeAlias = tuple[int, int, int, int]

GROUND = 1000
_TURN = [(round(4096 * cos(pi * d / 180)), round(4096 * sin(pi * d / 180))) for d in range(360)]


@dataclass(frozen=True, slots=True)
class Appearance:
    """How one thing of a kind appears, but for its colours: what a sketch depends on."""

    kind: str
    states: tuple[str, ...] = ()
    pose: str = ""
    material: str = ""
    variant: int = 0  # 0, 1 or 2: builds of one kind that differ in shape
    wearing: tuple[str, ...] = ()  # a person's clothes; a striped one is called "striped shirt"

    def has(self, state: str) -> bool:
        """Whether this state is to be seen."""
        return state in self.states

    def wears(self, garment: str) -> bool:
        """Whether the person wears this, striped or plain."""
        return garment in self.wearing or f"striped {garment}" in self.wearing


@dataclass(frozen=True, slots=True)
class Shape:
    """A filled convex polygon, or the oval between two corners, and the part of the thing it belongs to."""

    points: tuple[Point, ...]
    paint: Paint
    part: str = ""
    oval: bool = False


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where something else may be: on the level line from `left` to `right` at height `y`."""

    left: int
    right: int
    y: int

    @property
    def middle(self) -> int:
        """Half-way between left and right."""
        return (self.left + self.right) // 2


@dataclass
class Sketch:
    """Shapes from back to front, and anchors; built by its methods in the order of painting."""

    material: str = ""
    shapes: list[Shape] = field(default_factory=list)
    anchors: dict[str, Anchor] = field(default_factory=dict)
    _part: str = ""

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """What is drawn inside belongs to this part, which becomes an object with a box of its own."""
        before, self._part = self._part, name
        yield
        self._part = before

    def anchor(self, name: str, left: int, y: int, right: int | None = None) -> None:
        """Name a point, or a level line, at which other things can be put."""
        self.anchors[name] = Anchor(left, left if right is None else right, y)

    def poly(self, points: Sequence[Point], paint: Paint = "main") -> None:
        """A filled polygon; it has to be convex, since only those look alike on every machine (tests see to that)."""
        self.shapes.append(Shape(tuple(points), paint, self._part))

    def rect(self, left: int, top: int, right: int, bottom: int, paint: Paint = "main") -> None:
        """A filled rectangle."""
        self.shapes.append(Shape(((left, top), (right, top), (right, bottom), (left, bottom)), paint, self._part))

    def oval(self, left: int, top: int, right: int, bottom: int, paint: Paint = "main") -> None:
        """A filled oval between two corners."""
        self.shapes.append(Shape(((left, top), (right, bottom)), paint, self._part, oval=True))

    def disc(self, x: int, y: int, radius: int, paint: Paint = "main") -> None:
        """A filled circle."""
        self.oval(x - radius, y - radius, x + radius, y + radius, paint)

    def bar(self, start: Point, end: Point, width: int, paint: Paint = "main", *, round_ends: bool = True) -> None:
        """A straight stroke, thick enough to be seen."""
        (x0, y0), (x1, y1) = start, end
        dx, dy = x1 - x0, y1 - y0
        long = isqrt(dx * dx + dy * dy) or 1
        sx, sy = -dy * width // (2 * long), dx * width // (2 * long)
        quad = ((x0 + sx, y0 + sy), (x1 + sx, y1 + sy), (x1 - sx, y1 - sy), (x0 - sx, y0 - sy))
        if dx or dy:
            self.shapes.append(Shape(quad, paint, self._part))
        if round_ends:
            self.disc(x0, y0, width // 2, paint)
            self.disc(x1, y1, width // 2, paint)

    def path(self, points: Sequence[Point], width: int, paint: Paint = "main") -> None:
        """A bent stroke through several points, round at each."""
        for start, end in pairwise(points):
            self.bar(start, end, width, paint, round_ends=False)
        for x, y in points:
            self.disc(x, y, width // 2, paint)

    def fan(self, x: int, y: int, wide: int, high: int, start: int, stop: int, paint: Paint = "main") -> None:
        """A slice of an oval of half-axes `wide` and `high`, between two angles in degrees, 0 to the right, 90 down."""
        assert 0 < stop - start <= 180, "a slice of more than half is not convex"
        step = 10 if max(wide, high) > 60 else 30  # a small rim of many corners would be dented by rounding
        angles = [*range(start, stop, step), stop]
        rim = [(x + wide * _TURN[d % 360][0] // 4096, y + high * _TURN[d % 360][1] // 4096) for d in angles]
        self.shapes.append(Shape(((x, y), *rim) if stop - start < 180 else tuple(rim), paint, self._part))

    def dome(self, left: int, top: int, right: int, bottom: int, paint: Paint = "main") -> None:
        """The upper half of an oval, standing on its flat side at `bottom`."""
        self.fan((left + right) // 2, bottom, (right - left) // 2, bottom - top, 180, 360, paint)

    def cup(self, left: int, top: int, right: int, bottom: int, paint: Paint = "main") -> None:
        """The lower half of an oval, hanging from its flat side at `top`."""
        self.fan((left + right) // 2, top, (right - left) // 2, bottom - top, 0, 180, paint)

    def panel(self, left: int, top: int, right: int, bottom: int, paint: str = "main") -> None:
        """A rectangle that shows what the thing is made of: grain, sheen, gloss, bricks."""
        self.rect(left, top, right, bottom, paint)
        wide, high = right - left, bottom - top
        if self.material == "wood":
            for k in range(1, 4):
                if wide > high:
                    y = top + high * k // 4
                    self.rect(
                        left + wide * (k % 2) // 8,
                        y,
                        right - wide * (k // 2) // 7,
                        y + max(high // 22, 5),
                        f"{paint}.line",
                    )
                else:
                    x = left + wide * k // 4
                    self.rect(
                        x,
                        top + high * (k % 2) // 8,
                        x + max(wide // 22, 5),
                        bottom - high * (k // 2) // 7,
                        f"{paint}.line",
                    )
        elif self.material == "metal":
            lean = min(wide, high) // 3
            for at, thick in ((wide // 5, wide // 8 + 6), (wide // 5 + wide // 5, wide // 20 + 4)):
                lo, hi = left + at, min(left + at + thick, right - 1)
                self.poly(
                    ((lo, bottom), (hi, bottom), (min(hi + lean, right), top), (min(lo + lean, right - 1), top)),
                    f"{paint}.pale",
                )
        elif self.material == "plastic":
            inset = min(wide, high) // 8 + 2
            self.oval(left + inset, top + inset, left + inset + wide // 3, top + inset + high // 5 + 4, f"{paint}.pale")
        elif self.material == "brick":
            rows = max(high // 60, 2)
            for k in range(1, rows):
                self.rect(left, top + high * k // rows - 4, right, top + high * k // rows + 4, f"{paint}.pale")
            for k in range(rows):
                for x in range(left + 50 + 55 * (k % 2), right - 8, 110):
                    self.rect(x - 4, top + high * k // rows, x + 4, top + high * (k + 1) // rows, f"{paint}.pale")

    def extents(self) -> dict[str, Extent]:
        """The smallest rectangle around each part, in the order of painting; what belongs to none is the part ""."""
        xs: dict[str, list[int]] = {}
        ys: dict[str, list[int]] = {}
        for shape in self.shapes:
            here, there = zip(*shape.points, strict=True)
            xs.setdefault(shape.part, []).extend(here)
            ys.setdefault(shape.part, []).extend(there)
        return {part: (min(xs[part]), min(ys[part]), max(xs[part]), max(ys[part])) for part in xs}

    def extent(self, part: str | None = None) -> Extent:
        """The smallest rectangle around all that is drawn, or around one part."""
        chosen = [point for shape in self.shapes if part is None or shape.part == part for point in shape.points]
        xs, ys = [x for x, _ in chosen], [y for _, y in chosen]
        return min(xs), min(ys), max(xs), max(ys)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its parts, in the order of painting."""
        return tuple(dict.fromkeys(shape.part for shape in self.shapes if shape.part))


def convex(points: Sequence[Point]) -> bool:
    """Whether the corners turn one way only, going round once.

    >>> convex([(0, 0), (10, 0), (10, 10), (0, 10)]), convex([(0, 0), (10, 0), (5, 1), (5, 9)])
    (True, False)
    """
    turns = []
    for k, (x1, y1) in enumerate(points):
        (x0, y0), (x2, y2) = points[k - 1], points[(k + 1) % len(points)]
        turn = (x1 - x0) * (y2 - y1) - (y1 - y0) * (x2 - x1)
        if turn:
            turns.append(turn > 0)
    return len(set(turns)) <= 1 and len(points) >= 3
