"""Furniture: seen from the front and a little from above, so that things can stand on it, lie on it and be under it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from counterpoint.world.sketch import GROUND, Appearance, Paint, Point, Rgb, Sketch

BOOKS: Sequence[Rgb] = ((206, 62, 58), (60, 116, 190), (242, 192, 62), (72, 150, 92), (132, 84, 168), (236, 136, 66))
DARK: Rgb = (46, 40, 40)
LEGS: Mapping[str, int] = {"wood": 74, "metal": 38, "plastic": 92}


def surface(s: Sketch, corners: Sequence[Point], paint: str = "main") -> None:
    """A slanted face with the signs of its material; the corners are back left, back right, front right, front left."""
    s.poly(corners, paint)
    if s.material == "wood":
        for along, start, stop in ((180, 60, 900), (450, 0, 760), (720, 140, 1000)):
            s.poly(_piece(corners, (start, along), (stop, along + 110)), _sign(paint, "line"))
    elif s.material == "metal":
        for start, stop in ((160, 280), (330, 370), (700, 760)):
            s.poly(_piece(corners, (start, 0), (stop, 1000)), _sign(paint, "pale"))
        s.poly(_piece(corners, (282, 0), (318, 1000)), _sign(paint, "dark"))
    elif s.material == "plastic":
        (left, top), (right, bottom) = _within(corners, 120, 180), _within(corners, 460, 560)
        s.oval(min(left, right), min(top, bottom), max(left, right), max(top, bottom), _sign(paint, "pale"))


def _sign(paint: str, shade: str) -> str:
    return f"{paint.partition('.')[0]}.{shade}"


def _within(corners: Sequence[Point], across: int, along: int) -> Point:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = corners
    left_x, left_y = ax + (dx - ax) * along // 1000, ay + (dy - ay) * along // 1000
    right_x, right_y = bx + (cx - bx) * along // 1000, by + (cy - by) * along // 1000
    return left_x + (right_x - left_x) * across // 1000, left_y + (right_y - left_y) * across // 1000


def _piece(corners: Sequence[Point], start: Point, stop: Point) -> Sequence[Point]:
    ends = ((start[0], start[1]), (stop[0], start[1]), (stop[0], stop[1]), (start[0], stop[1]))
    return [_within(corners, across, along) for across, along in ends]


def leg(s: Sketch, x: int, top: int, bottom: int, paint: str = "main", *, lean: int = 0) -> None:
    """One leg, as thick as its material asks for, its foot moved sideways by `lean`."""
    half = LEGS.get(s.material, 64) // 2
    foot = half * 2 // 3 if s.material == "plastic" else half
    s.poly(((x - half, top), (x + half, top), (x + lean + foot, bottom), (x + lean - foot, bottom)), paint)
    if s.material == "metal":
        s.bar((x - half // 3, top), (x + lean - half // 3, bottom), 14, _sign(paint, "pale"), round_ends=False)
    elif s.material == "wood":
        s.bar(
            (x + half // 3, top + 20), (x + lean + half // 3, bottom - 40), 10, _sign(paint, "line"), round_ends=False
        )
    elif s.material == "plastic":
        s.bar((x - half // 3, top + 60), (x + lean // 2 - half // 3, (top + bottom) // 2), 18, _sign(paint, "pale"))


def fallen(s: Sketch) -> Sketch:
    """The same thing lying on its left side, with nowhere left to sit."""
    left = s.extent()[0]
    return replace(
        s,
        shapes=[replace(h, points=tuple((y, GROUND - x + left) for x, y in h.points)) for h in s.shapes],
        anchors={},
    )


def chair(look: Appearance) -> Sketch:
    """A chair that faces right: slats of wood, bent tubes of metal, or a shell of plastic."""
    s = Sketch(material=look.material)
    wide = (0, 40, -30)[look.variant]
    near, far = 470 + wide, 650 + wide
    leg(s, 226, 480, 920, "main.dark")
    leg(s, far - 40, 500, 920, "main.dark")
    _chair_back(s, look.variant)
    surface(s, ((250, 490), (far, 490), (near, 575), (50, 575)), "main.light" if s.material == "plastic" else "main")
    s.poly(((near, 575), (far, 490), (far, 545), (near, 640)), "main.deep")
    s.rect(40, 575, near, 640, "main.dark")
    leg(s, 84, 620, GROUND)
    leg(s, near - 44, 620, GROUND)
    if s.material != "plastic":
        s.bar((90, 830), (near - 44, 830), 34, "main.dark", round_ends=False)
    if look.has("overturned"):
        return fallen(s)
    s.anchor("seat", 270, 535)
    s.anchor("top", 160, 545, near - 20)
    s.anchor("under", 130, GROUND, near - 90)
    return s


def _chair_back(s: Sketch, variant: int) -> None:
    if s.material == "plastic":
        s.poly(((50, 600), (255, 520), (240, 70), (200, 20), (90, 20), (30, 90)))
        s.oval(70, 70, 140, 260, "main.pale")
    elif s.material == "metal":
        for foot, head in (((66, 600), (40, 60)), ((236, 520), (216, 20))):
            s.bar(foot, head, 44, "main")
            s.bar(foot, head, 14, "main.pale")
        surface(s, ((30, 60), (226, 10), (234, 250), (44, 310)))
    else:
        for y in (60, 210, 360)[: 3 - variant % 2]:
            surface(s, ((40, y), (230, y - 45), (232, y + 45), (46, y + 100)))
        s.bar((230, 520), (216, 25), 46, "main.dark", round_ends=False)
        s.bar((70, 620), (42, 30), 62, "main")


def table(look: Appearance) -> Sketch:
    """A table with a deep plate, and room between its legs."""
    s = Sketch(material=look.material)
    half = (880, 1040, 800)[look.variant]
    inner = half - 130
    leg(s, -inner + 60, 150, 930, "main.dark")
    leg(s, inner - 60, 150, 930, "main.dark")
    if look.variant == 1 or s.material == "":
        s.rect(-inner, 190, inner, 290, "main.deep")
    if s.material == "metal":
        s.bar((-inner, 780), (inner, 780), 30, "main.dark", round_ends=False)
    splay = 60 if look.variant == 2 else 0
    for side in (-1, 1):
        leg(s, side * (inner - splay + 30), 190, GROUND, lean=side * splay)
    if s.material == "plastic":
        s.oval(-half, 110, half, 240, "main.dark")
        s.oval(-half, 0, half, 200)
        s.oval(60 - half * 2 // 3, 30, -half // 6, 90, "main.pale")
    else:
        surface(s, ((-half + 130, 0), (half - 130, 0), (half, 140), (-half, 140)))
        s.rect(-half, 140, half, 210 if s.material == "wood" else 185, "main.dark")
    s.anchor("top", -half + 50, 90, half - 50)
    s.anchor("under", -inner + 110, GROUND, inner - 110)
    return s


def couch(look: Appearance) -> Sketch:
    """A soft couch with round arms, wide enough for two or three."""
    s = Sketch()
    half, count = ((980, 2), (1120, 3), (920, 2))[look.variant]
    arm = 230
    for x in (-half + 120, half - 120):
        s.rect(x - 40, 900, x + 40, GROUND, (92, 62, 42))
    s.rect(-half + 100, 60, half - 100, 700, "main.dark")
    s.oval(-half + 100, 0, half - 100, 130, "main.dark")
    wide = (2 * half - 2 * arm) // count
    for k in range(count):
        left = -half + arm + k * wide
        s.rect(left + 12, 70, left + wide - 12, 560, "main")
        s.dome(left + 12, 20, left + wide - 12, 75, "main.light")
        if look.variant == 2:
            for x in (left + wide // 4, left + wide * 3 // 4):
                s.disc(x, 260, 26, "main.deep")
    s.poly(((-half + arm + 60, 500), (half - arm - 60, 500), (half - arm, 640), (-half + arm, 640)), "main.light")
    s.rect(-half + arm, 640, half - arm, 760, "main")
    s.rect(-half + 60, 760, half - 60, 930, "main.dark")
    for k in range(1, count):
        x = -half + arm + k * wide
        s.rect(x - 9, 510, x + 9, 760, "main.line")
    for left in (-half, half - arm):
        s.rect(left, 420, left + arm, 930)
        s.oval(left - 10, 310, left + arm + 10, 540, "main.light")
        s.oval(left + 50, 370, left + arm - 50, 480, "main.line")
    s.anchor("seat", -half + arm + 200, 560, half - arm - 200)
    s.anchor("top", -half + arm + 80, 600, half - arm - 80)
    return s


def bed(look: Appearance) -> Sketch:
    """A made bed with its head to the left: a pillow, a sheet turned down and a wide blanket."""
    s = Sketch()
    right = (1760, 1900, 1680)[look.variant]
    for x in (60, right - 100):
        s.rect(x, 700, x + 90, GROUND, "main.deep")
    if look.variant == 1:
        s.oval(-10, 0, 270, 420, "main.dark")
        s.rect(-10, 200, 270, 800, "main.dark")
    else:
        s.poly(((0, 90), (200, 0), (240, 0), (240, 760), (0, 800)), "main.dark")
        s.rect(0, 100, 50, GROUND, "main.deep")
    s.poly(((230, 470), (right - 90, 470), (right, 610), (70, 610)), (250, 248, 240))
    s.rect(60, 610, right, 690, (226, 224, 218))
    s.oval(130, 370, 470, 580, (206, 206, 204))
    s.oval(130, 360, 470, 560, (255, 254, 248))
    s.poly(((600, 450), (right - 80, 450), (right + 20, 600), (490, 600)), "main.light")
    s.rect(490, 600, right + 20, 830, "main")
    s.rect(490, 790, right + 20, 830, "main.line")
    s.poly(((520, 446), (640, 446), (540, 600), (420, 600)), (244, 242, 236))
    s.rect(420, 600, 540, 830, (220, 218, 212))
    if look.variant == 2:
        for x in range(680, right, 240):
            s.disc(x, 700, 44, "main.line")
    s.rect(60, 690, 430, 760, "main.dark")
    s.rect(right - 40, 380 if look.variant != 1 else 460, right + 60, GROUND, "main.dark")
    s.rect(right - 40, 380 if look.variant != 1 else 460, right - 14, GROUND, "main.light")
    s.anchor("seat", 800, 540, right - 300)
    s.anchor("top", 620, 550, right - 140)
    return s


def bench(look: Appearance) -> Sketch:
    """A long bench with a back: planks of wood, or bars of metal."""
    s = Sketch(material=look.material)
    half = (900, 1020, 820)[look.variant]
    post = half - 150
    for side in (-1, 1):
        s.rect(side * post - 34, 20, side * post + 34, 900, "main.deep")
    if s.material == "metal":
        s.rect(-half, 20, half, 90)
        s.rect(-half, 330, half, 390)
        s.rect(-half, 34, half, 56, "main.pale")
        for k in range(11):
            x = -half + 50 + (2 * half - 100) * k // 10
            s.rect(x - 20, 90, x + 20, 330)
    else:
        planks = ((0, 120), (165, 285), (330, 430)) if look.variant != 2 else ((0, 190), (240, 420))
        for top, bottom in planks:
            s.panel(-half, top, half, bottom)
    surface(s, ((-half + 90, 500), (half - 90, 500), (half + 30, 610), (-half - 30, 610)), "main.light")
    s.rect(-half - 30, 610, half + 30, 680, "main.dark")
    for side in (-1, 1):
        leg(s, side * (post + 20), 680, GROUND)
        if look.variant == 1:
            s.path(((side * half, 360), (side * (half + 20), 380), (side * (half + 20), 610)), 60, "main.dark")
    s.anchor("seat", -half + 260, 540, half - 260)
    s.anchor("top", -half + 120, 570, half - 120)
    s.anchor("under", -post + 110, GROUND, post - 110)
    return s


def bookshelf(look: Appearance) -> Sketch:
    """A tall storage, full of colourful books or with nothing in it."""
    s = Sketch(material=look.material)
    wide, count = ((620, 4), (720, 3), (540, 4))[look.variant]
    s.rect(0, 30, wide, GROUND, "main.dark")
    s.rect(50, 60, wide - 50, 860, (70, 58, 52))
    step = 790 // count
    for k in range(count):
        floor = 70 + (k + 1) * step
        s.rect(50, floor - step + 30, wide - 50, floor, "main.deep")
        if look.has("full"):
            _books(s, 58, wide - 58, floor, step * 3 // 4, k)
        else:
            s.poly(((50, floor - 34), (wide - 50, floor - 34), (wide - 50, floor), (50, floor)), "main.dark")
        s.rect(30, floor - 4, wide - 30, floor + 34, "main.light")
    for left in (0, wide - 62):
        s.panel(left, 30, left + 62, GROUND)
        for y in range(110, 860, 120) if s.material == "metal" else ():
            s.rect(left + 20, y, left + 42, y + 36, "main.deep")
    s.panel(0, 870, wide, GROUND)
    s.poly(((40, 0), (wide - 40, 0), (wide + 10, 44), (-10, 44)), "main.light")
    s.rect(-10, 44, wide + 10, 78, "main")
    s.anchor("top", 20, 26, wide - 20)
    return s


def _books(s: Sketch, left: int, right: int, floor: int, high: int, row: int) -> None:
    x, k = left, row * 2
    while x < right - 30:
        wide = min((84, 62, 96, 70, 88)[(k + row) % 5], right - x)
        top = floor - high + (0, 26, 10, 40, 4)[(k * 2 + row) % 5]
        s.rect(x, top, x + wide - 5, floor, BOOKS[(k + row) % len(BOOKS)])
        if k % 3 == 0:
            s.rect(x + wide // 5, top + 30, x + wide * 4 // 5, top + 52, (246, 236, 214))
        x, k = x + wide, k + 1


def cabinet(look: Appearance) -> Sketch:
    """A low cabinet with two doors, wide open or shut."""
    s = Sketch(material=look.material)
    wide = (1180, 1320, 1060)[look.variant]
    middle = wide // 2
    for x in (50, wide - 130):
        s.rect(x, 930, x + 80, GROUND, "main.deep")
    s.rect(0, 120, wide, 950, "main.dark")
    if look.variant == 1:
        s.panel(50, 180, wide - 50, 320)
        s.rect(middle - 110, 236, middle + 110, 266, "main.line")
    top = 350 if look.variant == 1 else 190
    if look.has("open"):
        s.rect(50, top, wide - 50, 910, DARK)
        s.rect(50, (top + 910) // 2 - 10, wide - 50, (top + 910) // 2 + 34, "main.deep")
        s.rect(50, 876, wide - 50, 910, "main.deep")
        surface(s, ((-300, top + 50), (50, top), (50, 910), (-300, 980)))
        surface(s, ((wide - 50, top), (wide + 300, top + 50), (wide + 300, 980), (wide - 50, 910)))
        for x in (-300, wide + 264):
            s.rect(x, top + 50, x + 36, 980, "main.line")
    else:
        for left, right in ((50, middle - 14), (middle + 14, wide - 50)):
            s.panel(left, top, right, 910)
            for y in (50, 100, 150) if s.material == "metal" else ():
                s.rect(left + 130, top + y, right - 130, top + y + 22, "main.line")
        s.rect(middle - 14, top, middle + 14, 910, "main.deep")
        for x in (middle - 90, middle + 50):
            s.rect(x, (top + 910) // 2 - 90, x + 40, (top + 910) // 2 + 60, "main.line")
    surface(s, ((80, 0), (wide - 80, 0), (wide + 30, 100), (-30, 100)), "main.light")
    s.rect(-30, 100, wide + 30, 150, "main")
    s.anchor("top", 20, 64, wide - 20)
    return s


def stool(look: Appearance) -> Sketch:
    """A round stool without a back."""
    s = Sketch(material=look.material)
    half = (330, 380, 290)[look.variant]
    for side in (-1, 1):
        leg(s, side * (half - 170), 130, 930, "main.deep", lean=side * 70)
    s.bar((-half + 60, 640), (half - 60, 640), 46 if s.material != "metal" else 30, "main.dark", round_ends=False)
    for side in (-1, 1):
        leg(s, side * (half - 80), 150, GROUND, lean=side * 100)
    s.oval(-half, 70, half, 280, "main.dark")
    s.rect(-half, 110, half, 175, "main.dark")
    s.oval(-half, 0, half, 220, "main.light" if s.material == "" else "main")
    _round_signs(s, half)
    if look.has("overturned"):
        return fallen(s)
    s.anchor("seat", 0, 120)
    s.anchor("top", -half + 110, 130, half - 110)
    s.anchor("under", -half + 150, GROUND, half - 150)
    return s


def _round_signs(s: Sketch, half: int) -> None:
    line: Paint = "main.line"
    if s.material == "wood":
        for inset in (half // 5, half // 2, half * 3 // 4):
            s.oval(-half + inset, inset * 110 // half, half - inset, 220 - inset * 110 // half, line)
            s.oval(-half + inset + 24, inset * 110 // half + 12, half - inset - 24, 208 - inset * 110 // half)
    elif s.material == "metal":
        s.poly(((-half // 2, 200), (-half // 6, 216), (half // 6, 4), (-half // 6, 4)), "main.pale")
        s.poly(((0, 216), (half // 10, 216), (half * 3 // 7, 12), (half // 3, 12)), "main.pale")
    elif s.material == "plastic":
        s.oval(-half * 2 // 3, 36, -half // 10, 104, "main.pale")


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = {
    "chair": chair,
    "table": table,
    "couch": couch,
    "bed": bed,
    "bench": bench,
    "bookshelf": bookshelf,
    "cabinet": cabinet,
    "stool": stool,
}
