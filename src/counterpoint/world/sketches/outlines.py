"""Outlines that several families draw with: rounded corners and rings."""

from counterpoint.world.sketch import Paint, Point, Sketch

_QUARTER = ((1000, 0), (966, 259), (866, 500), (707, 707), (500, 866), (259, 966))
_ROUND: tuple[Point, ...] = tuple(
    point
    for turn in ((1, 0, 0, 1), (0, -1, 1, 0), (-1, 0, 0, -1), (0, 1, -1, 0))
    for point in [(turn[0] * x + turn[1] * y, turn[2] * x + turn[3] * y) for x, y in _QUARTER]
)


def rounded(s: Sketch, left: int, top: int, right: int, bottom: int, by: int, paint: Paint = "main") -> None:
    """A rectangle whose corners are rounded by so much."""
    far, near = by, by * 3 // 10
    s.poly(
        (
            (left, top + far),
            (left + near, top + near),
            (left + far, top),
            (right - far, top),
            (right - near, top + near),
            (right, top + far),
            (right, bottom - far),
            (right - near, bottom - near),
            (right - far, bottom),
            (left + far, bottom),
            (left + near, bottom - near),
            (left, bottom - far),
        ),
        paint,
    )


def ring(s: Sketch, x: int, y: int, radius: int, width: int, paint: Paint = "main", *, arc: range = range(24)) -> None:
    """A circle's rim one can see through, or an arc of it in 24ths of a turn, 0 to the right and going down."""
    inner = radius - width
    for k in arc:
        (ax, ay), (bx, by) = _ROUND[k % 24], _ROUND[(k + 1) % 24]
        s.poly(
            (
                (x + ax * radius // 1000, y + ay * radius // 1000),
                (x + bx * radius // 1000, y + by * radius // 1000),
                (x + bx * inner // 1000, y + by * inner // 1000),
                (x + ax * inner // 1000, y + ay * inner // 1000),
            ),
            paint,
        )
