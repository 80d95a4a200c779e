"""Buildings: walls in their own colour, roofs in slate, and windows that tell whether somebody is in."""

from collections.abc import Callable, Mapping

from counterpoint.world.sketch import Appearance, Point, Sketch
from counterpoint.world.sketches.outlines import rounded

SLATE = (72, 76, 94)
SLATE_DARK = (54, 56, 72)
TRIM = (250, 248, 240)
SHADOW = (40, 30, 28)
LIGHT = (255, 222, 74)
GLOW = (255, 244, 188)
NIGHT = (62, 78, 102)
STONE = (150, 152, 156)
HAY = (226, 186, 82)


def _window(s: Sketch, left: int, top: int, wide: int, high: int, *, lit: bool) -> None:
    """A window with white bars, bright if somebody is in."""
    if lit:
        rounded(s, left - 38, top - 38, left + wide + 38, top + high + 38, 36, GLOW)
    s.rect(left - 16, top - 16, left + wide + 16, top + high + 16, TRIM)
    s.rect(left, top, left + wide, top + high, LIGHT if lit else NIGHT)
    s.rect(left + wide // 2 - 7, top, left + wide // 2 + 7, top + high, TRIM)
    s.rect(left, top + high // 2 - 7, left + wide, top + high // 2 + 7, TRIM)
    s.rect(left - 28, top + high + 10, left + wide + 28, top + high + 34, TRIM)


def _front_door(s: Sketch, left: int, top: int, right: int) -> None:
    s.rect(left - 18, top - 18, right + 18, 1000, TRIM)
    s.rect(left, top, right, 1000, "main.deep")
    s.rect(left + 24, top + 30, right - 24, top + 130, "main.dark")
    s.disc(right - 26, (top + 1000) // 2 + 30, 14, LIGHT)
    s.rect(left - 40, 970, right + 40, 1000, STONE)


def _walls(s: Sketch, left: int, top: int, right: int) -> None:
    """Bricks, level boards or smooth plaster, down to the ground."""
    if s.material == "wood":
        s.rect(left, top, right, 1000)
        for y in range(top + 60, 990, 66):
            s.rect(left, y, right, y + 13, "main.line")
    else:
        s.panel(left, top, right, 1000)
    if s.material == "brick":
        _dark_bricks(s, left, top, right)
    s.rect(left, top, right, top + 34, "main.dark")


def _dark_bricks(s: Sketch, left: int, top: int, right: int) -> None:
    """Some bricks burnt darker than the rest, so that even a white wall shows that it is of brick."""
    rows = (1000 - top) // 60
    for k in range(rows):
        upper, lower = top + (1000 - top) * k // rows + 5, top + (1000 - top) * (k + 1) // rows - 5
        for number, x in enumerate(range(left + 50 + 55 * (k % 2), right - 110, 110)):
            if (number * 3 + k * 5) % 4 == 0:
                s.rect(x + 5, upper, x + 105, lower, "main.dark")


def house(look: Appearance) -> Sketch:
    """A cottage with its gable to us, a house of two floors, or a low one with a dormer."""
    s = Sketch(material=look.material)
    (_cottage, _town_house, _bungalow)[look.variant](s, look.has("lit"))
    return s


def _chimney(s: Sketch, left: int, top: int, bottom: int) -> None:
    s.rect(left, top, left + 100, bottom, (160, 84, 66))
    s.rect(left - 14, top, left + 114, top + 34, (120, 60, 50))


def _cottage(s: Sketch, lit: bool) -> None:
    _chimney(s, 770, 60, 330)
    s.poly(((60, 460), (525, 70), (990, 460)))
    _walls(s, 60, 440, 990)
    s.rect(60, 440, 990, 476, "main")
    for start, end in (((525, 40), (-20, 480)), ((525, 40), (1070, 480))):
        s.bar(start, end, 84, SLATE)
        s.bar((start[0], start[1] + 52), (end[0], end[1] + 52), 26, TRIM, round_ends=False)
    s.disc(525, 290, 66, TRIM)
    s.disc(525, 290, 50, LIGHT if lit else NIGHT)
    for left in (140, 730):
        _window(s, left, 560, 180, 210, lit=lit)
    _front_door(s, 440, 590, 610)


def _town_house(s: Sketch, lit: bool) -> None:
    _chimney(s, 150, 0, 200)
    _walls(s, 0, 250, 940)
    s.poly(((-60, 270), (90, 50), (850, 50), (1000, 270)), SLATE)
    s.poly(((-60, 270), (-30, 226), (970, 226), (1000, 270)), SLATE_DARK)
    s.rect(-50, 262, 990, 288, TRIM)
    for left in (90, 380, 670):
        _window(s, left, 350, 180, 190, lit=lit)
    for left in (90, 380):
        _window(s, left, 690, 180, 190, lit=lit)
    _front_door(s, 680, 650, 850)


def _bungalow(s: Sketch, lit: bool) -> None:
    _chimney(s, 1120, 20, 300)
    _walls(s, 0, 420, 1400)
    s.poly(((-80, 450), (160, 90), (1240, 90), (1480, 450)), SLATE)
    s.poly(((-80, 450), (-50, 405), (1450, 405), (1480, 450)), SLATE_DARK)
    s.poly(((430, 410), (430, 230), (600, 80), (770, 230), (770, 410)))
    for start, end in (((600, 60), (390, 245)), ((600, 60), (810, 245))):
        s.bar(start, end, 50, SLATE_DARK)
    _window(s, 520, 250, 160, 120, lit=lit)
    s.rect(-70, 440, 1470, 466, TRIM)
    for left, wide in ((110, 260), (980, 300)):
        _window(s, left, 570, wide, 200, lit=lit)
    _front_door(s, 590, 570, 780)


def barn(look: Appearance) -> Sketch:
    """A barn with a broken gable and two great doors, shut with white crosses or swung wide on the dark inside."""
    s = Sketch(material=look.material)
    wide, shoulder = ((1000, 190), (1120, 230), (1000, 190))[look.variant]
    half = wide // 2
    if look.variant == 2:
        _silo(s, wide - 20)
    s.poly(((0, 480), (130, shoulder), (half, 30), (wide - 130, shoulder), (wide, 480), (wide, 1000), (0, 1000)))
    s.rect(0, 930, wide, 1000, "main.dark")
    for x in range(90, wide, 100):
        rise = max(470 - (470 - shoulder) * min(x, wide - x) // 130, 210 - min(x, wide - x) * 130 // half)
        s.rect(x, rise, x + (14 if look.material else 8), 1000, "main.line" if look.material else "main.dark")
    roof: tuple[Point, ...] = (
        (-30, 500),
        (118, shoulder - 10),
        (half, 36),
        (wide - 118, shoulder - 10),
        (wide + 30, 500),
    )
    s.path([(x, y + 40) for x, y in roof], 26, TRIM)
    s.path(roof, 70, SLATE)
    s.rect(half - 98, 222, half + 98, 398, TRIM)
    s.rect(half - 74, 246, half + 74, 398, SHADOW)
    s.dome(half - 74, 330, half + 74, 398, HAY)
    if look.has("open"):
        _open_doors(s, half)
    else:
        _shut_doors(s, half)
    return s


def _silo(s: Sketch, left: int) -> None:
    s.rect(left, 260, left + 300, 1000, (184, 188, 196))
    s.rect(left + 220, 260, left + 300, 1000, (152, 156, 166))
    s.dome(left - 10, 110, left + 310, 270, SLATE)
    for y in range(380, 1000, 130):
        s.rect(left, y, left + 300, y + 14, (132, 136, 148))


def _shut_doors(s: Sketch, half: int) -> None:
    s.rect(half - 284, 496, half + 284, 1000, TRIM)
    for left in (half - 256, half + 14):
        right = left + 242
        s.rect(left, 524, right, 1000, "main.dark")
        s.bar((left + 10, 540), (right - 10, 984), 34, TRIM, round_ends=False)
        s.bar((right - 10, 540), (left + 10, 984), 34, TRIM, round_ends=False)
        s.rect(left, 974, right, 1000, TRIM)


def _open_doors(s: Sketch, half: int) -> None:
    s.rect(half - 284, 496, half + 284, 1000, TRIM)
    s.rect(half - 256, 524, half + 256, 1000, SHADOW)
    s.dome(half - 20, 880, half + 240, 1000, HAY)
    for way in (-1, 1):
        hinge, edge = half + way * 256, half + way * 450
        s.poly(((hinge, 520), (edge, 480), (edge, 1030), (hinge, 1000)), TRIM)
        near, far = hinge + way * 26, edge - way * 22
        s.poly(((near, 548), (far, 516), (far, 994), (near, 968)), "main.dark")
        s.bar((near, 556), (far, 984), 28, TRIM, round_ends=False)
        s.bar((near, 960), (far, 526), 28, TRIM, round_ends=False)


def tent(look: Appearance) -> Sketch:
    """A ridge tent, a dome or a pointed one, its flap tied back on the dark inside or zipped up."""
    s = Sketch()
    opened = look.has("open")
    (_ridge_tent, _dome_tent, _bell_tent)[look.variant](s, opened)
    return s


def _flap(s: Sketch, top: Point, left: int, right: int, opened: bool) -> None:
    """The way in: a dark wedge with its flaps rolled aside, or a seam with a zip."""
    x, y = top
    if opened:
        s.poly(((x, y), (right, 1000), (left, 1000)), SHADOW)
        for edge, way in ((left, 1), (right, -1)):
            s.poly(((x, y), (edge + way * 90, 880), (edge + way * 30, 1000), (edge - way * 40, 1000)), "main.light")
            s.bar((edge - way * 10, 860), (edge + way * 100, 850), 40, TRIM)
    else:
        s.poly(((x, y), (right, 1000), (left, 1000)), "main.light")
        s.bar((x, y), ((left + right) // 2, 1000), 26, TRIM, round_ends=False)
        for k in range(1, 6):
            at = y + (1000 - y) * k // 6
            middle = x + ((left + right) // 2 - x) * k // 6
            s.rect(middle - 34, at - 9, middle + 34, at + 9, SLATE)


def _ridge_tent(s: Sketch, opened: bool) -> None:
    s.bar((-110, 985), (300, 260), 18, TRIM)
    s.bar((1930, 985), (1400, 120), 18, TRIM)
    s.poly(((520, 30), (1400, 90), (1800, 1000), (1040, 1000)), "main")
    s.poly(((960, 800), (1715, 800), (1800, 1000), (1040, 1000)), "main.dark")
    s.poly(((520, 30), (1040, 1000), (0, 1000)), "main.dark")
    _flap(s, (520, 170), 240, 800, opened)
    s.bar((520, 0), (520, 80), 36, SLATE)
    s.bar((520, 40), (1400, 100), 30, "main.line")


def _dome_tent(s: Sketch, opened: bool) -> None:
    s.dome(0, 10, 1700, 1000, "main")
    s.fan(850, 1000, 850, 990, 310, 360, "main.dark")
    s.fan(850, 1000, 850, 990, 180, 230, "main.dark")
    s.path(((850, 10), (480, 330), (270, 980)), 34, "main.line")
    s.path(((850, 10), (1220, 330), (1430, 980)), 34, "main.line")
    _flap(s, (850, 330), 520, 1180, opened)
    s.rect(0, 972, 520 if opened else 1700, 1000, "main.deep")
    s.rect(1180, 972, 1700, 1000, "main.deep")


def _bell_tent(s: Sketch, opened: bool) -> None:
    s.bar((560, 60), (650, -10), 30, (140, 100, 62))
    s.bar((640, 60), (550, -10), 30, (140, 100, 62))
    s.poly(((600, 20), (1200, 960), (1160, 1000), (40, 1000), (0, 960)))
    s.poly(((600, 20), (1200, 960), (1160, 1000), (860, 1000)), "main.dark")
    s.poly(((417, 307), (783, 307), (833, 385), (367, 385)), "main.line")
    _flap(s, (600, 440), 370, 830, opened)


def lighthouse(look: Appearance) -> Sketch:
    """A banded tower by the sea; lit, it throws a beam to either side."""
    s = Sketch()
    lit, slim = look.has("lit"), (0, 24, -24)[look.variant]
    if lit:
        s.poly(((300, 150), (-330, 20), (-330, 300)), GLOW)
        s.poly(((300, 150), (930, 20), (930, 300)), GLOW)
        s.disc(300, 150, 130, (255, 236, 140))
    left, right = (200 + slim, 130 + slim), (400 - slim, 470 - slim)
    bands = 7
    for k in range(bands):
        y0, y1 = 270 + 690 * k // bands, 270 + 690 * (k + 1) // bands
        l0, l1 = (left[0] + (left[1] - left[0]) * j // bands for j in (k, k + 1))
        r0, r1 = (right[0] + (right[1] - right[0]) * j // bands for j in (k, k + 1))
        s.poly(((l0, y0), (r0, y0), (r1, y1), (l1, y1)), TRIM if k % 2 else "main")
        s.poly(((r0 - 60, y0), (r0, y0), (r1, y1), (r1 - 70, y1)), (222, 220, 214) if k % 2 else "main.dark")
        s.rect(l1, y1 - 4, r1, y1 + 4, "main.line")
    for y in (440, 640):
        rounded(s, 275, y, 325, y + 70, 20, NIGHT)
    s.dome(245, 830, 355, 920, SLATE)
    s.rect(245, 875, 355, 970, SLATE)
    s.poly(((60, 1000), (110, 950), (490, 950), (540, 1000)), STONE)
    s.rect(222, 96, 378, 240, LIGHT if lit else (150, 172, 186))
    s.disc(300, 165, 46, (255, 252, 232) if lit else NIGHT)
    for x in (222, 292, 362):
        s.rect(x, 96, x + 16, 240, SLATE_DARK)
    s.dome(200, 20, 400, 104, "main")
    s.rect(200, 90, 400, 108, "main.dark")
    s.bar((300, 30), (300, 6), 14, SLATE_DARK)
    s.rect(170, 232, 430, 272, SLATE_DARK)
    for x in range(174, 430, 50):
        s.rect(x, 190, x + 10, 240, SLATE_DARK)
    s.rect(170, 184, 430, 196, SLATE_DARK)
    return s


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = {
    "house": house,
    "barn": barn,
    "tent": tent,
    "lighthouse": lighthouse,
}
