"""Toys: bright, and meant to be thrown, flown, ridden or hugged."""

from collections.abc import Callable, Mapping
from itertools import pairwise

from counterpoint.world.sketch import Appearance, Paint, Point, Rgb, Sketch
from counterpoint.world.sketches.strokes import arc, band, bean, outline

WHITE: Rgb = (252, 252, 248)
STRING: Rgb = (96, 88, 84)
INK: Rgb = (34, 30, 32)


def ball(look: Appearance) -> Sketch:
    """A ball with a gloss, its stripes a little aslant."""
    s = Sketch()
    s.oval(0, 0, 1000, 1000, "main.dark")
    s.oval(0, 0, 940, 940)
    if look.has("striped"):
        lean = (20, -20, 35)[look.variant]
        for start, stop in ((-46, -32), (-6, 8), (34, 48)):
            _belt(s, lean, start - 3, stop + 3, "main.deep")
            _belt(s, lean, start, stop, WHITE)
    elif look.variant == 1:
        s.disc(500, 500, 60, "main.dark")
    s.oval(170, 130, 390, 320, "main.light")
    s.anchor("grip", 500, 500)
    return s


def _belt(s: Sketch, lean: int, start: int, stop: int, paint: Paint) -> None:
    """A straight stripe across the ball, between two angles of its right edge."""
    right = arc(490, 490, 490, 490, lean + start, lean + stop, 3)
    left = arc(490, 490, 490, 490, lean + 180 - stop, lean + 180 - start, 3)
    s.poly(outline(right + left), paint)


def kite(look: Appearance) -> Sketch:
    """A diamond with a tail of bows, and a string that ends where a hand would hold it."""
    s = Sketch()
    half = (300, 260, 340)[look.variant]
    s.path(((0, 620), (-70, 700), (20, 780), (-60, 860), (0, 930)), 22, STRING)
    for x, y in ((-50, 700), (0, 780), (-40, 862)):
        s.poly(((x, y), (x - 90, y - 45), (x - 90, y + 45)), "main.dark")
        s.poly(((x, y), (x + 90, y - 45), (x + 90, y + 45)), "main.dark")
    s.path(((0, 300), (140, 640), (180, 1000)), 16, STRING)
    s.poly(((0, 0), (half, 250), (0, 640), (-half, 250)))
    s.poly(((0, 0), (half, 250), (0, 640)), "main.dark")
    if look.has("striped"):
        for top, low in ((140, 220), (370, 460)):
            _across(s, half, top - 22, low + 22, "main.deep")
            _across(s, half, top, low, WHITE)
    else:
        s.bar((-half, 250), (half, 250), 26, "main.line", round_ends=False)
        s.bar((0, 0), (0, 640), 26, "main.line", round_ends=False)
    s.anchor("grip", 180, 1000)
    return s


def _across(s: Sketch, half: int, top: int, low: int, paint: Paint) -> None:
    """A level stripe over a kite."""

    def reach(y: int) -> int:
        return half * y // 250 if y <= 250 else half * (640 - y) // 390

    a, b = reach(top), reach(low)
    s.poly(((-a, top), (a, top), (b, low), (-b, low)), paint)


def balloon(look: Appearance) -> Sketch:
    """A balloon on a string, which ends where a hand would hold it."""
    s = Sketch()
    wide = (270, 240, 300)[look.variant]
    s.path(((0, 640), (45, 730), (-35, 830), (25, 920), (0, 1000)), 20, STRING)
    s.poly(((0, 580), (-65, 665), (65, 665)), "main.dark")
    for shift, paint in ((0, "main.dark"), (-35, "main")):
        s.oval(-wide, 0, wide + shift, 520 + shift, paint)
        s.poly(((-wide + 30, 340), (wide - 30 + shift, 340), (60 + shift, 600), (-60, 600)), paint)
    bean(s, (-wide * 2 // 3, 280), (-wide // 4, 70), 110, "main.pale")
    s.anchor("grip", 0, 1000)
    return s


def frisbee(look: Appearance) -> Sketch:
    """A flat disc with a thick lip and rings, a little tilted."""
    s = Sketch()
    lean = (130, 90, 170)[look.variant]
    low, high = (0, 440 - lean), (2000, 440 + lean)
    for drop, paint in ((150, "main.deep"), (75, "main.dark"), (0, "main")):
        bean(s, (low[0], low[1] + drop), (high[0], high[1] + drop), 860 - lean, paint)
    for inset, paint in ((350, "main.line"), (410, "main"), (750, "main.line"), (800, "main.light")):
        wide = (860 - lean) * (1000 - inset) // 1000
        rise = lean * (1000 - inset) // 1000
        bean(s, (inset, 425 - rise), (2000 - inset, 425 + rise), wide, paint)
    s.anchor("grip", 1000, 500)
    return s


def teddy_bear(look: Appearance) -> Sketch:
    """A sitting bear with round ears and pale paws."""
    s = Sketch()
    pad = "main.pale"
    for x in (190, 610):
        s.disc(x, 120, 115, "main.dark")
        s.disc(x, 125, 60, pad)
    s.oval(170, 480, 630, 1000, "main.dark")
    s.oval(170, 470, 610, 960)
    s.oval(270, 590, 530, 900, "main.light")
    bean(s, (250, 520), (20, 800), 190, "main.dark")
    bean(s, (550, 520), (780, 800), 190, "main.dark")
    for x in (150, 650):
        s.disc(x, 860, 145, "main.dark")
        s.disc(x, 850, 130, "main")
        s.disc(x, 860, 75, pad)
    s.oval(110, 40, 690, 560, "main.dark")
    s.oval(110, 30, 680, 530)
    s.oval(270, 300, 530, 520, pad)
    for x in (270, 530):
        s.disc(x, 270, 42, INK)
    s.oval(350, 320, 450, 395, INK)
    s.bar((400, 390), (400, 440), 20, INK)
    if look.variant == 1:
        s.poly(((400, 570), (260, 500), (260, 650)), (196, 40, 60))
        s.poly(((400, 570), (540, 500), (540, 650)), (196, 40, 60))
    s.anchor("grip", 400, 700)
    return s


def surfboard(look: Appearance) -> Sketch:
    """A long pointed board on end, with a line down its middle."""
    s = Sketch()
    half = (170, 150, 190)[look.variant]
    left, right = _side(-half), _side(half)
    band(s, [(x + 14, y) for x, y in left], [(x + 14, y) for x, y in right], "main.dark")
    band(s, left, right)
    if look.has("striped"):
        for top, low in ((230, 300), (450, 520), (670, 740)):
            for margin, paint in ((16, "main.deep"), (0, WHITE)):
                a, b = _width(half, top - margin), _width(half, low + margin)
                s.poly(((-a, top - margin), (a, top - margin), (b, low + margin), (-b, low + margin)), paint)
    else:
        s.rect(-9, 40, 9, 985, "main.line")
    bean(s, (-half * 2 // 3, 480), (-half * 2 // 5, 180), 36, "main.pale")
    s.anchor("grip", 0, 560)
    return s


_OUTLINE = (
    (0, 0),
    (40, 28),
    (90, 48),
    (170, 68),
    (280, 86),
    (420, 98),
    (600, 100),
    (780, 90),
    (900, 72),
    (970, 46),
    (1000, 20),
)


def _side(half: int) -> list[Point]:
    return [(half * share // 100, y) for y, share in _OUTLINE]


def _width(half: int, y: int) -> int:
    (y0, a), (y1, b) = next((one, other) for one, other in pairwise(_OUTLINE) if one[0] <= y <= other[0])
    return half * (a * (y1 - y) + b * (y - y0)) // (100 * (y1 - y0))


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = {
    "ball": ball,
    "kite": kite,
    "balloon": balloon,
    "frisbee": frisbee,
    "teddy bear": teddy_bear,
    "surfboard": surfboard,
}
