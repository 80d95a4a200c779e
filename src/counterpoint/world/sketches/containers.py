"""Vessels, seen a little from above, so that what is in them shows."""

from collections.abc import Callable, Mapping
from math import isqrt

from counterpoint.world.sketch import Appearance, Paint, Point, Rgb, Sketch
from counterpoint.world.sketches.strokes import arc, band, bean, hoop, laid_down, leaf

HOLLOW: Rgb = (46, 40, 44)
COFFEE, FOAM = (150, 88, 40), (238, 212, 170)
STEAM: Rgb = (248, 248, 250)
STEEL, STEEL_DARK = (190, 194, 202), (122, 126, 136)
DIRT, DIRT_DARK = (112, 74, 36), (78, 50, 26)
GREEN, GREEN_DARK = (72, 146, 66), (40, 100, 48)
PETALS: tuple[Rgb, ...] = ((240, 92, 110), (250, 196, 60), (238, 238, 246))


def _tub(s: Sketch, left: int, right: int, top: int, lean: int, rim: int) -> None:
    """An open vessel that narrows downward by `lean` at each side, shaded at its right, with its material on it."""
    low = 1000 - rim // 2
    wide, base = right - left, right - left - 2 * lean
    s.oval(left + lean, low - rim // 2, right - lean, 1000, "main.dark")
    s.poly(((left, top), (right, top), (right - lean, low), (left + lean, low)), "main.dark")
    shade = wide // 6
    s.oval(left + lean, low - rim // 2, right - lean - base // 8, 990)
    s.poly(((left, top), (right - shade, top), (right - lean - base // 6, low), (left + lean, low)))
    _sign(s, left, right, top + rim // 2, low, lean)


def _sign(s: Sketch, left: int, right: int, top: int, low: int, lean: int) -> None:
    """What shows that a round wall is of wood, metal or plastic: staves and hoops, sheen, a gloss."""
    wide, base = right - left, right - left - 2 * lean
    if s.material == "wood":
        for k in range(1, 6):
            s.bar((left + wide * k // 6, top), (left + lean + base * k // 6, low), 26, "main.line", round_ends=False)
        for y in (top + (low - top) // 5, top + (low - top) * 4 // 5):
            inset = lean * (y - top) // max(low - top, 1)
            s.rect(left + inset - 10, y, right - inset + 10, y + 70, STEEL_DARK)
    elif s.material == "metal":
        for a, b in ((14, 28), (36, 42), (66, 78)):
            s.poly(_slat(left, right, top, low, lean, a, b), "main.pale")
        for y in (top + (low - top) // 8, low - (low - top) // 6):
            inset = lean * (y - top) // max(low - top, 1)
            s.rect(left + inset, y, right - inset, y + 30, STEEL_DARK)
    elif s.material == "plastic":
        bean(s, (left + wide // 5, low - (low - top) // 5), (left + wide // 5, top + 20), wide // 6, "main.pale")
        s.disc(left + wide // 5, low - (low - top) // 14, wide // 16, "main.pale")


def _slat(left: int, right: int, top: int, low: int, lean: int, start: int, stop: int) -> tuple[Point, ...]:
    """An upright piece of a wall, from one to another hundredth of its width."""
    wide, base = right - left, right - left - 2 * lean
    return (
        (left + wide * start // 100, top),
        (left + wide * stop // 100, top),
        (left + lean + base * stop // 100, low),
        (left + lean + base * start // 100, low),
    )


def _mouth(s: Sketch, left: int, top: int, right: int, bottom: int, inside: Paint = HOLLOW) -> None:
    """The rim of a vessel and what is to be seen within."""
    edge = (right - left) // 22
    s.oval(left, top, right, bottom, "main.light")
    s.oval(left + edge, top + edge * 2 // 3, right - edge, bottom - edge * 2 // 3, inside)


def cup(look: Appearance) -> Sketch:
    """A cup with a handle: full of a pale brown drink that steams, or dark within."""
    s = Sketch(material=look.material)
    wide, lean = ((800, 70), (860, 190), (720, 20))[look.variant]
    hoop(s, wide - 70, 500, 330, 310, 110, -80, 80, "main.dark")
    _tub(s, 0, wide, 140, lean, 240)
    if look.has("full"):
        _mouth(s, 0, 0, wide, 290, COFFEE)
        s.oval(wide // 6, 70, wide * 5 // 6, 220, FOAM)
        s.oval(wide * 2 // 5, 110, wide * 7 // 10, 180, COFFEE)
        for x in (wide // 3, wide * 2 // 3):
            s.path(((x, 40), (x + 60, -60), (x - 30, -160), (x + 30, -260)), 70, STEAM)
    else:
        _mouth(s, 0, 0, wide, 290)
        s.cup(wide // 8, 150, wide * 7 // 8, 255, "main.deep")
    s.anchor("grip", wide + 180, 500)
    return s


def bottle(look: Appearance) -> Sketch:
    """A bottle with a label; overturned, it lies in what it has spilt."""
    s = Sketch()
    half, neck = ((170, 420), (200, 480), (150, 360))[look.variant]
    s.rect(-70, 0, 70, 90, STEEL_DARK)
    s.rect(-55, 90, 55, neck, "main.dark")
    s.rect(-55, 90, 25, neck)
    s.rect(-70, 110, 70, 150, "main.dark")
    for shift, paint in ((0, "main.dark"), (-60, "main")):
        s.dome(-half, neck - 170, half + shift, neck + 60, paint)
        s.rect(-half, neck + 50, half + shift, 960, paint)
        s.rect(-half + 40, 940, half - 40, 1000, paint)
    s.rect(-half, 660, half, 820, (250, 246, 232))
    s.disc(0, 740, 55, "main.dark")
    s.rect(-half + 45, neck + 40, -half + 95, 590, "main.pale")
    s.rect(-35, 170, -5, neck - 30, "main.pale")
    s.anchor("grip", 0, 540)
    if not look.has("overturned"):
        return s
    spilt = Sketch()
    spilt.oval(820, 940, 1420, 1000, (120, 178, 226))
    spilt.oval(1180, 900, 1330, 980, (150, 200, 238))
    fallen = laid_down(s)
    return Sketch("", spilt.shapes + fallen.shapes, fallen.anchors)


def plate(look: Appearance) -> Sketch:
    """A wide plate seen from above at a slant: clean or with brown blotches, in one piece or in several."""
    s = Sketch()
    broken = look.has("broken")
    if broken:
        _shards(s)
    else:
        s.oval(0, 130, 2100, 1000, "main.deep")
        s.oval(0, 90, 2100, 960, "main.dark")
        s.oval(0, 40, 2100, 930)
        s.oval(360, 190, 1740, 750, "main.line")
        s.oval(390, 230, 1710, 745)
        s.oval(520, 280, 1580, 690, "main.light")
        s.oval(590, 330, 1600, 700)
        s.anchor("top", 620, 560, 1480)
    if look.has("dirty"):
        for x, y, r in ((640, 380, 240), (1440, 600, 270), (830, 720, 170), (1560, 330, 150), (300, 600, 140)):
            s.oval(x - r, y - r // 2, x + r, y + r // 2, DIRT)
            s.oval(x - r // 2, y - r // 4, x + r // 2, y + r // 4, DIRT_DARK)
    s.anchor("grip", 2000, 560)
    return s


_CRACK = (
    (50, 1000),
    (140, 1110),
    (230, 960),
    (330, 1120),
    (430, 950),
    (540, 1100),
    (640, 930),
    (740, 1080),
    (830, 960),
)


def _shards(s: Sketch) -> None:
    """Two halves of a plate with a jagged gap between them, and splinters."""
    for side, x, y in ((-1, -170, 50), (1, 240, 90)):
        _half(s, side, x - side * 60, y + 70, 1050, 410, "main.deep")
        _half(s, side, x, y, 1050, 410, "main")
        _half(s, side, x, y, 700, 280, "main.light")
    for x, y in ((1090, 890), (2180, 900), (90, 915)):
        s.poly(((x - 100, y + 70), (x + 30, y - 100), (x + 150, y + 70)), "main.deep")
        s.poly(((x - 100, y + 35), (x + 30, y - 110), (x + 140, y + 35)))


def _half(s: Sketch, side: int, x: int, y: int, wide: int, high: int, paint: Paint) -> None:
    """The part of an oval to the left or right of the crack."""
    levels = [(at, crack) for at, crack in _CRACK if abs(at - 440) <= high]
    rim = [(1030 + x + side * _half_width(at - 440, wide, high), at + y) for at, _ in levels]
    cut = [(crack + x, at + y) for at, crack in levels]
    band(s, rim, cut, paint)


def _half_width(y: int, wide: int, high: int) -> int:
    """How far an oval reaches sideways at a height above or below its middle."""
    return wide * isqrt(max(high * high - y * y, 0)) // high


def bowl(look: Appearance) -> Sketch:
    """A round bowl: heaped, or dark within."""
    s = Sketch(material=look.material)
    wide = (1500, 1350, 1650)[look.variant]
    mid, top = wide // 2, 230
    s.rect(mid - 300, 900, mid + 300, 1000, "main.deep")
    s.fan(mid, top, mid, 720, 0, 180, "main.dark")
    s.fan(mid - 40, top, mid - 40, 670, 0, 180)
    _bowl_sign(s, mid, top)
    heaped = look.has("full")
    _mouth(s, 0, top - 200, wide, top + 190)
    if heaped:
        _heap(s, mid, top + 60, wide * 42 // 100, 330, ((250, 222, 140), (232, 178, 84)))
    else:
        s.cup(wide // 9, top, wide * 8 // 9, top + 150, "main.deep")
    s.anchor("grip", wide - 80, 460)
    return s


def _bowl_sign(s: Sketch, mid: int, top: int) -> None:
    if s.material == "wood":
        for k, high in enumerate((610, 430)):
            hoop(s, mid - 40, top, mid - 80 - 40 * k, high, 50, 12, 168, "main.line")
    elif s.material == "metal":
        hoop(s, mid, top + 40, mid - 60, 600, 110, 95, 165, "main.pale")
        hoop(s, mid, top + 40, mid - 240, 420, 50, 100, 160, "main.pale")
        hoop(s, mid, top + 40, mid - 60, 600, 60, 20, 65, "main.pale")
    elif s.material == "plastic":
        bean(s, (mid // 3, top + 240), (mid * 2 // 3, top + 470), 150, "main.pale")
        s.disc(mid * 5 // 6, top + 530, 40, "main.pale")


def _heap(s: Sketch, mid: int, low: int, half: int, high: int, tints: tuple[Rgb, ...]) -> None:
    """A pile of round things, the far ones first."""
    rows = ((high, (-30, 30)), (high * 2 // 3, (-62, -20, 22, 64)), (high // 4, (-92, -46, 0, 46, 92)))
    r = half * 30 // 100
    for k, (rise, places) in enumerate(rows):
        for j, at in enumerate(places):
            x, y = mid + (half - r // 2) * at // 100, low - rise
            s.disc(x, y + 14, r + 14, (92, 60, 34))
            s.disc(x, y, r, tints[(j + k) % len(tints)])


def vase(look: Appearance) -> Sketch:
    """A bellied vase with flowers; broken, a jagged stump among its shards."""
    s = Sketch()
    belly = (260, 290, 230)[look.variant]
    if look.has("broken"):
        _stump(s, belly)
        s.anchor("grip", 0, 850)
        return s
    for x, y, tint in ((-190, 150, 0), (190, 170, 1), (0, 90, 2)):
        s.bar((0, 470), (x, y), 30, GREEN_DARK)
        leaf(s, (x // 3, 400), (x // 3 + (-170 if x < 0 else 170), 300), 80, GREEN)
        for dx, dy in ((0, -60), (58, -18), (36, 50), (-36, 50), (-58, -18)):
            s.disc(x + dx, y + dy, 46, PETALS[tint])
        s.disc(x, y, 36, (200, 130, 30))
    s.poly(((-130, 410), (130, 410), (85, 560), (-85, 560)), "main.dark")
    s.oval(-belly, 500, belly, 960, "main.dark")
    s.oval(-belly, 500, belly - 50, 950)
    s.poly(((-130, 410), (80, 410), (45, 560), (-85, 560)))
    s.poly(((-100, 900), (100, 900), (140, 1000), (-140, 1000)), "main.dark")
    s.oval(-135, 390, 135, 440, "main.deep")
    s.rect(-belly + 14, 690, belly - 14, 740, "main.line")
    bean(s, (-belly * 3 // 5, 680), (-belly // 3, 560), 60, "main.pale")
    s.anchor("grip", 0, 600)
    return s


def _stump(s: Sketch, belly: int) -> None:
    """What is left standing of a vase, with its pieces around it."""
    s.bar((-belly - 260, 960), (belly + 120, 985), 30, GREEN_DARK)
    for dx, dy in ((0, -50), (50, -10), (30, 40), (-30, 40), (-50, -10)):
        s.disc(-belly - 290 + dx, 930 + dy, 42, PETALS[0])
    s.disc(-belly - 290, 930, 32, (200, 130, 30))
    s.poly(((-100, 900), (100, 900), (140, 1000), (-140, 1000)), "main.dark")
    floor = arc(0, 740, belly, 230, 0, 180, 6)
    jag = [
        (belly, 560),
        (belly * 2 // 3, 700),
        (belly // 3, 540),
        (0, 690),
        (-belly // 3, 500),
        (-belly * 2 // 3, 640),
        (-belly, 500),
    ]
    band(s, [(x, y - 20) for x, y in jag[::-1]], [(x, 760) for x, _ in jag[::-1]], "main.deep")
    band(s, jag, floor)
    s.rect(-belly + 14, 760, belly - 14, 800, "main.line")
    for x, y, size in ((belly + 120, 900, 110), (belly + 330, 930, 80), (-belly - 90, 880, 90), (belly + 60, 620, 60)):
        s.poly(((x - size, y + size // 2), (x, y - size), (x + size, y + size * 3 // 4)), "main.dark")
        s.poly(((x - size, y + size // 2), (x, y - size), (x + size * 3 // 4, y + size // 3)))


def teapot(look: Appearance) -> Sketch:
    """A pot-bellied teapot with its spout to the right and a knob on its lid."""
    s = Sketch()
    wide = (0, 60, -40)[look.variant]
    hoop(s, 230 - wide, 560, 330, 280, 95, 90, 270, "main.dark")
    upper = [(880 + wide, 560), (1060 + wide, 530), (1150 + wide, 400), (1190 + wide, 290), (1260 + wide, 230)]
    lower = [(860 + wide, 880), (1120 + wide, 760), (1260 + wide, 580), (1310 + wide, 380), (1400 + wide, 280)]
    band(s, upper, lower)
    s.rect(320, 900, 820, 1000, "main.deep")
    s.oval(140 - wide, 230, 1000 + wide, 980, "main.dark")
    s.oval(140 - wide, 230, 930 + wide, 950)
    s.dome(330, 120, 810, 330, "main.light")
    s.rect(310, 300, 830, 350, "main.line")
    s.disc(570, 90, 85, "main.dark")
    s.disc(560, 80, 70)
    bean(s, (250, 640), (370, 400), 110, "main.pale")
    if look.variant == 1:
        s.rect(170 - wide, 600, 970 + wide, 660, "main.line")
    s.anchor("grip", -60 - wide, 560)
    return s


def basket(look: Appearance) -> Sketch:
    """A woven basket with a high handle: heaped with berries, or dark within."""
    s = Sketch()
    wide = (1100, 1000, 1200)[look.variant]
    mid = wide // 2
    s.oval(0, 400, wide, 620, "main.deep")
    s.oval(50, 430, wide - 50, 610, HOLLOW)
    if look.has("full"):
        _heap(s, mid, 520, wide * 44 // 100, 330, ((150, 36, 92), (74, 62, 150), (208, 58, 88)))
    hoop(s, mid, 520, mid - 20, 520, 90, 180, 360, "main.dark")
    left, right, low = 90, wide - 90, 1000
    s.poly(((0, 540), (wide, 540), (right, low), (left, low)))
    for k in range(3):
        y = 640 + 115 * k
        for j in range(6):
            start, stop = 3 + 16 * j + 8 * (k % 2), 3 + 16 * j + 8 * (k % 2) + 8
            shift = (90 * (y - 540) // 460, 90 * (y + 64 - 540) // 460)
            span = (wide - 2 * shift[0], wide - 2 * shift[1])
            s.poly(
                (
                    (shift[0] + span[0] * start // 100, y),
                    (shift[0] + span[0] * stop // 100, y),
                    (shift[1] + span[1] * stop // 100, y + 64),
                    (shift[1] + span[1] * start // 100, y + 64),
                ),
                "main.line",
            )
    s.bar((10, 550), (wide - 10, 550), 80, "main.light")
    s.anchor("grip", mid, 40)
    return s


def bucket(look: Appearance) -> Sketch:
    """A bucket with a bail; overturned, it lies on its side with its mouth to the right."""
    s = Sketch(material=look.material)
    wide, lean = ((800, 120), (880, 170), (760, 70))[look.variant]
    fallen = look.has("overturned")
    if not fallen:
        hoop(s, wide // 2, 330, wide // 2, 330, 45, 180, 360, STEEL_DARK)
        s.bar((wide // 2 - 110, 25), (wide // 2 + 110, 25), 75, (150, 104, 60))
    _tub(s, 0, wide, 330, lean, 200)
    _mouth(s, 0, 220, wide, 450)
    s.cup(wide // 8, 340, wide * 7 // 8, 425, "main.deep")
    s.anchor("grip", wide // 2, 25)
    if not fallen:
        return s
    s.oval(wide // 6, 260, wide * 5 // 6, 410, HOLLOW)
    hoop(s, wide // 2, 330, wide // 2, 260, 45, 180, 360, STEEL_DARK)
    return laid_down(s)


def pot(look: Appearance) -> Sketch:
    """A cooking pot with two ears and a lid."""
    s = Sketch()
    wide = (1100, 1000, 1220)[look.variant]
    for left, right in ((-170, 60), (wide - 60, wide + 170)):
        s.rect(left, 480, right, 580, HOLLOW)
    s.oval(0, 800, wide, 1000, "main.dark")
    s.rect(0, 380, wide, 900, "main.dark")
    s.oval(0, 790, wide - 150, 980)
    s.rect(0, 380, wide - 150, 885)
    s.rect(90, 440, 190, 860, "main.light")
    s.rect(230, 440, 260, 860, "main.light")
    s.rect(-40, 350, wide + 40, 420, STEEL)
    s.dome(0, 140, wide, 360)
    s.dome(60, 170, wide // 2, 340, "main.light")
    s.dome(170, 200, wide - 200, 360)
    s.rect(-20, 330, wide + 20, 370, "main.deep")
    s.rect(wide // 2 - 50, 70, wide // 2 + 50, 160, STEEL_DARK)
    s.oval(wide // 2 - 130, 0, wide // 2 + 130, 110, HOLLOW)
    s.anchor("grip", wide + 120, 530)
    return s


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = {
    "cup": cup,
    "bottle": bottle,
    "plate": plate,
    "bowl": bowl,
    "vase": vase,
    "teapot": teapot,
    "basket": basket,
    "bucket": bucket,
    "pot": pot,
}
