"""What animals have in common: eyes, legs, a round body, and the z of a sleeper."""

from counterpoint.world.sketch import Paint, Point, Rgb, Sketch

INK: Rgb = (34, 30, 34)
NIGHT: Rgb = (58, 66, 112)
SNOW: Rgb = (250, 249, 245)
HORN: Rgb = (230, 208, 156)
ROSE: Rgb = (238, 142, 148)
BEAK: Rgb = (246, 158, 36)


def eye(s: Sketch, x: int, y: int, size: int = 40, *, shut: bool = False) -> None:
    """An open eye looking right, or the line of a shut one; both can be seen on a coat of any colour."""
    if shut:
        s.path(((x - size, y), (x, y + size // 2), (x + size, y)), max(size // 2, 18), "main.line")
    else:
        s.disc(x, y, size, SNOW)
        s.disc(x + size // 5, y, size * 3 // 4, INK)
        s.disc(x + size // 3, y - size // 4, size // 4, SNOW)


def leg(s: Sketch, hip: Point, foot: Point, width: int, paint: Paint = "main", *, hoof: Paint = "") -> None:
    """A leg that tapers to a paw, or to a hoof of its own paint."""
    (x0, y0), (x1, y1) = hip, foot
    thin = width * 2 // 3
    s.poly(((x0 - width // 2, y0), (x0 + width // 2, y0), (x1 + thin // 2, y1), (x1 - thin // 2, y1)), paint)
    if hoof:
        s.poly(
            (
                (x1 - thin // 2, y1 - thin),
                (x1 + thin // 2, y1 - thin),
                (x1 + thin * 2 // 3, y1),
                (x1 - thin * 2 // 3, y1),
            ),
            hoof,
        )
    else:
        s.oval(x1 - thin // 2, y1 - thin, x1 + width * 3 // 4, y1, paint)


def stride(s: Sketch, hip: Point, foot: Point, width: int, paint: Paint = "main", *, hoof: Paint = "") -> None:
    """A leg stretched out in running."""
    s.bar(hip, foot, width, paint)
    s.disc(*foot, width * 3 // 5, hoof or paint)


def barrel(s: Sketch, rear: Point, front: Point, width: int) -> None:
    """A round body lying between two points, lighter above and in the shade below."""
    (x0, y0), (x1, y1) = rear, front
    s.bar(rear, front, width, "main.dark")
    s.bar((x0 - width // 16, y0 - width // 16), (x1 + width // 16, y1 - width // 16), width * 7 // 8)


def snooze(s: Sketch, x: int, y: int, size: int = 190) -> None:
    """Two letters z that rise from a sleeper, the upper one smaller."""
    for left, top, wide in ((x, y, size), (x + size * 5 // 4, y - size * 4 // 5, size * 2 // 3)):
        right, bottom, thick = left + wide, top + wide, wide // 5
        for paint, rim in ((SNOW, wide // 10), (NIGHT, 0)):
            s.rect(left - rim, top - rim, right + rim, top + thick + rim, paint)
            s.rect(left - rim, bottom - thick - rim, right + rim, bottom + rim, paint)
            s.poly(
                (
                    (right - thick * 3 // 2 - rim, top + thick),
                    (right + rim, top + thick),
                    (left + thick * 3 // 2 + rim, bottom - thick),
                    (left - rim, bottom - thick),
                ),
                paint,
            )
