"""Things that stand about, hang on walls or are carried."""

from collections.abc import Callable, Mapping

from counterpoint.world.sketch import GROUND, Appearance, Point, Rgb, Sketch

WHITE: Rgb = (252, 250, 244)
PAPER: Rgb = (250, 244, 226)
INK: Rgb = (52, 48, 50)
STEEL: Rgb = (172, 176, 184)
GLASS: Rgb = (190, 222, 236)
CRACK: Rgb = (64, 60, 66)


def box(look: Appearance) -> Sketch:
    """A box of cardboard, a crate of planks, a chest of metal or a tub of plastic, open or closed."""
    s = Sketch(material=look.material)
    wide = (920, 1120, 820)[look.variant]
    top = 330 if look.has("open") else 200
    back = top - 170
    s.poly(((wide, top), (wide + 190, back), (wide + 190, 860), (wide, GROUND)), "main.deep")
    if look.has("open"):
        s.poly(((0, top), (190, back), (wide + 190, back), (wide, top)), INK)
        s.poly(((190, back), (wide + 190, back), (wide + 150, 0), (150, 0)), "main.dark")
        s.poly(((wide, top), (wide + 190, back), (wide + 390, back + 70), (wide + 230, top + 90)), "main.light")
    else:
        s.poly(((0, top), (190, back), (wide + 190, back), (wide, top)), "main.light")
        s.anchor("top", 150, back + 100, wide + 40)
    if s.material == "plastic":
        s.rect(0, top, wide, GROUND)
    else:
        s.panel(0, top, wide, GROUND, "main")
    _box_front(s, wide, top, closed=not look.has("open"))
    if look.has("open"):
        s.poly(((0, top), (190, back), (-60, back + 60), (-220, top + 90)), "main.light")
        s.poly(((0, top), (wide, top), (wide - 70, top + 190), (-70, top + 190)), "main.light")
        s.poly(((-70, top + 170), (wide - 70, top + 170), (wide - 70, top + 190), (-70, top + 190)), "main.dark")
    s.anchor("grip", wide // 2, 700)
    return s


def _box_front(s: Sketch, wide: int, top: int, *, closed: bool) -> None:
    if s.material == "wood":
        s.bar((60, GROUND - 60), (wide - 60, top + 60), 130, "main.line", round_ends=False)
        s.bar((60, GROUND - 60), (wide - 60, top + 60), 100, "main", round_ends=False)
        for left in (0, wide - 116):
            s.rect(left, top, left + 116, GROUND, "main.line")
            s.rect(left, top, left + 100, GROUND, "main")
        for y in (top, GROUND - 116):
            s.rect(0, y, wide, y + 116, "main.line")
            s.rect(0, y, wide, y + 100, "main")
            for x in (50, wide - 50):
                s.disc(x, y + 50, 20, INK)
    elif s.material == "metal":
        s.rect(0, top, wide, top + 50, "main.dark")
        for x in (50, wide - 50):
            for y in (top + 110, GROUND - 60):
                s.disc(x, y, 26, "main.line")
        s.rect(wide // 2 - 70, top - 20, wide // 2 + 70, top + 130, STEEL)
    elif s.material == "plastic":
        s.rect(-30, top, wide + 30, top + 110, "main.light")
        s.bar((wide // 2 - 120, top + 220), (wide // 2 + 120, top + 220), 80, "main.deep")
        for x in (wide // 5, wide * 4 // 5):
            s.rect(x - 20, top + 330, x + 20, GROUND - 60, "main.dark")
        s.oval(60, top + 150, wide // 4, top + 290, "main.pale")
    elif closed:
        s.rect(wide // 2 - 60, top, wide // 2 + 60, top + 240, "main.pale")
        s.poly(
            ((wide // 2 - 60, top), (wide // 2 + 130, top - 170), (wide // 2 + 250, top - 170), (wide // 2 + 60, top)),
            "main.pale",
        )


def book(look: Appearance) -> Sketch:
    """A book: closed and upright, or open with lines on both pages."""
    s = Sketch()
    if look.has("open"):
        half = (860, 800, 920)[look.variant]
        for side in (-1, 1):
            s.poly(((0, 200), (side * half, 60), (side * half, 880), (0, GROUND)), "main")
            s.poly(((0, 900), (side * half, 780), (side * half, 880), (0, GROUND)), "main.dark")
            s.poly(((0, 130), (side * (half - 110), 0), (side * (half - 110), 740), (0, 860)), PAPER)
            for k in range(4):
                y = 180 + k * 140
                s.poly(
                    ((side * 100, y + 16), (side * 620, y - 70), (side * 620, y - 20), (side * 100, y + 66)),
                    (150, 144, 136),
                )
        s.rect(-24, 130, 24, 880, (206, 198, 180))
        s.anchor("grip", 0, 940)
        return s
    wide = (700, 800, 620)[look.variant]
    s.poly(((60, 70), (wide + 120, 0), (wide + 120, 900), (wide, GROUND), (60, GROUND)), "main.deep")
    s.poly(((wide, 70), (wide + 100, 20), (wide + 100, 910), (wide, 960)), PAPER)
    s.poly(((90, 60), (190, 0), (wide + 110, 0), (wide, 60)), PAPER)
    s.rect(0, 60, wide, GROUND, "main")
    s.rect(0, 60, 120, GROUND, "main.dark")
    s.rect(120, 60, 146, GROUND, "main.line")
    s.rect(230, 210, wide - 90, 480, "main.pale")
    for y in (270, 370):
        s.rect(290, y, wide - 150, y + 40, "main.deep")
    s.rect(230, 820, wide - 90, 860, "main.pale")
    s.anchor("grip", wide // 2, 800)
    return s


def suitcase(look: Appearance) -> Sketch:
    """A suitcase: shut and upright, or laid open with folded clothes in it."""
    s = Sketch()
    wide = (1180, 1040, 1300)[look.variant]
    if look.has("open"):
        s.poly(((80, 120), (wide - 80, 120), (wide, 620), (0, 620)), "main.dark")
        s.poly(((150, 190), (wide - 150, 190), (wide - 80, 600), (80, 600)), (238, 222, 196))
        s.bar((190, 230), (wide - 120, 570), 40, "main.line", round_ends=False)
        s.bar((wide - 190, 230), (120, 570), 40, "main.line", round_ends=False)
        s.poly(((0, 600), (wide, 600), (wide + 60, 760), (-60, 760)), (120, 92, 74))
        for k, color in enumerate(((236, 236, 240), (110, 170, 214), (238, 160, 140))):
            left = 40 + k * (wide - 80) // 3
            s.oval(left, 540, left + (wide - 80) // 3, 760, color)
        s.rect(-60, 700, wide + 60, GROUND, "main")
        s.rect(-60, 700, wide + 60, 744, "main.light")
        s.rect(-60, 950, wide + 60, GROUND, "main.dark")
        s.bar((wide // 2 - 120, 850), (wide // 2 + 120, 850), 60, INK)
        for x in (120, wide - 190):
            s.rect(x, 700, x + 70, 820, STEEL)
        s.anchor("grip", wide // 2, 850)
        return s
    s.path(((wide // 2 - 170, 200), (wide // 2 - 150, 40), (wide // 2 + 150, 40), (wide // 2 + 170, 200)), 70, INK)
    s.rect(40, 170, wide - 40, GROUND, "main")
    s.rect(0, 220, wide, 950, "main")
    for x, y in ((50, 220), (wide - 50, 220), (50, 950), (wide - 50, 950)):
        s.disc(x, y, 50, "main")
    s.rect(0, 880, wide, 950, "main.dark")
    s.rect(50, 950, wide - 50, GROUND, "main.dark")
    s.rect(50, 190, wide - 50, 240, "main.light")
    if look.variant == 1:
        for x in range(200, wide - 120, 180):
            s.rect(x, 260, x + 40, 860, "main.line")
    else:
        for x in (wide // 5, wide * 4 // 5 - 80):
            s.rect(x, 170, x + 80, GROUND, "main.deep")
            s.rect(x - 10, 400, x + 90, 500, (226, 190, 90))
    for x in (90, wide - 190):
        s.rect(x, 960, x + 100, GROUND, INK)
    s.anchor("grip", wide // 2, 40)
    return s


def backpack(look: Appearance) -> Sketch:
    """A backpack with a flap, a pocket and straps at its sides."""
    s = Sketch()
    half = (390, 440, 350)[look.variant]
    s.path(((-100, 130), (-90, 30), (90, 30), (100, 130)), 60, "main.deep")
    for side in (-1, 1):
        s.path(((side * (half - 40), 260), (side * (half + 110), 480), (side * (half + 30), 820)), 90, "main.deep")
    s.oval(-half, 60, half, 760, "main")
    s.rect(-half, 400, half, 930, "main")
    s.oval(-half, 800, half, GROUND, "main")
    s.cup(-half, 900, half, GROUND, "main.dark")
    s.oval(-half + 90, 120, -half + 240, 330, "main.light")
    s.rect(-half, 440, half, 476, "main.line")
    s.rect(-30, 430, 30, 560, (230, 196, 96))
    s.rect(-half + 90, 580, half - 90, 880, "main.dark")
    s.cup(-half + 90, 860, half - 90, 940, "main.dark")
    s.rect(-half + 90, 580, half - 90, 660, "main.light")
    if look.variant == 1:
        for side in (-1, 1):
            s.rect(side * 240 - 30, 300, side * 240 + 30, 700, "main.deep")
    s.disc(0, 690, 40, (230, 196, 96))
    s.anchor("grip", 0, 40)
    return s


def candle(look: Appearance) -> Sketch:
    """A thick candle in a dish: with a flame and a glow, or with a bare wick."""
    s = Sketch()
    half = (170, 210, 140)[look.variant]
    if look.has("lit"):
        s.oval(-290, 0, 290, 480, (255, 240, 176))
        s.oval(-200, 30, 200, 420, (255, 224, 110))
    s.rect(-14, 260, 14, 380, INK)
    if look.has("lit"):
        s.oval(-88, 130, 88, 340, (255, 128, 30))
        s.poly(((0, 20), (74, 190), (-74, 190)), (255, 128, 30))
        s.oval(-46, 190, 46, 336, (255, 240, 130))
    s.oval(-half - 200, 860, half + 200, GROUND, (122, 104, 78))
    s.oval(-half - 200, 830, half + 200, 960, (196, 168, 110))
    s.rect(-half, 380, half, 890, "main")
    s.oval(-half, 830, half, 920, "main")
    s.rect(half // 2, 380, half, 880, "main.dark")
    s.rect(-half + 30, 420, -half + 80, 840, "main.light")
    s.oval(-half, 330, half, 430, "main.light")
    s.oval(-half // 2, 356, half // 2, 410, "main.dark")
    s.rect(-14, 300, 14, 386, INK)
    s.bar((half - 40, 390), (half - 40, 560 + look.variant * 40), 60, "main.light")
    s.anchor("grip", 0, 760)
    return s


def umbrella(look: Appearance) -> Sketch:
    """An umbrella: spread wide above its handle, or rolled up and standing on its tip."""
    s = Sketch()
    if look.has("closed"):
        s.path(((0, 220), (0, 70), (60, 30), (120, 40), (140, 110)), 44, (120, 80, 50))
        s.bar((0, 930), (0, 980), 30, STEEL)
        s.poly(((-40, 220), (40, 220), (130, 360), (30, 950), (-30, 950), (-130, 360)), "main")
        s.poly(((-10, 220), (40, 220), (130, 360), (30, 950)), "main.dark")
        if look.has("striped"):
            for y, half in ((330, 110), (520, 104), (710, 70)):
                s.poly(((-half, y), (half, y + 30), (half - 14, y + 110), (-half + 14, y + 80)), "main.line")
                s.poly(((-half, y + 18), (half, y + 48), (half - 10, y + 92), (-half + 10, y + 62)), WHITE)
        s.rect(-104, 640, 104, 676, "main.deep")
        s.anchor("grip", 10, 90)
        return s
    half, low = ((640, 450), (720, 470), (580, 430))[look.variant]
    s.bar((0, 20), (0, 900), 34, STEEL)
    s.path(((0, 880), (10, 940), (60, 975), (120, 950), (125, 900)), 44, (120, 80, 50))
    s.dome(-half, 40, half, low, "main")
    s.fan(0, low, half, low - 40, 270, 360, "main.dark")
    s.fan(0, low, half * 3 // 5, low - 40, 180, 360, "main")
    if look.has("striped"):
        for outer, inner in ((half * 4 // 5, half * 3 // 5), (half * 2 // 5, half // 5)):
            for reach, paint in ((outer + 30, "main.line"), (outer, WHITE), (inner, "main.line"), (inner - 30, "main")):
                s.fan(0, low, reach, low - 40, 180, 360, paint)
    else:
        s.fan(0, low, half // 5 + 12, low - 40, 180, 360, "main.dark")
        s.fan(0, low, half // 5, low - 40, 180, 360, "main")
        s.oval(-half // 2 - 40, low - 280, -half // 2 + 80, low - 170, "main.light")
    for k in range(5):
        left = -half + 2 * half * k // 5
        s.cup(left, low - 2, left + 2 * half // 5, low + 44, "main.deep")
    s.bar((0, 0), (0, 50), 30, STEEL)
    s.anchor("grip", 0, 880)
    s.anchor("under", -half + 120, GROUND, half - 120)
    return s


def picture(look: Appearance) -> Sketch:
    """A framed landscape for the wall."""
    s = Sketch()
    wide = (1320, 1180, 840)[look.variant]
    edge = 130
    s.rect(0, 0, wide, GROUND, "main")
    s.rect(0, 0, wide, 36, "main.light")
    s.rect(0, 950, wide, GROUND, "main.dark")
    s.rect(edge - 34, edge - 34, wide - edge + 34, GROUND - edge + 34, "main.line")
    left, right, top, bottom = edge, wide - edge, edge, GROUND - edge
    middle = (left + right) // 2
    s.rect(left, top, right, bottom, (168, 214, 240))
    s.disc(right - 180, top + 170, 80, (252, 222, 110))
    s.poly(((left, 640), (middle - 120, 300), (middle + 160, 640)), (128, 140, 172))
    s.poly(((middle - 40, 640), (right - 150, 420), (right, 640)), (104, 118, 152))
    s.rect(left, 640, right, bottom, (108, 170, 92))
    s.poly(((middle - 60, 640), (middle, 640), (middle + 200, bottom), (middle - 160, bottom)), (98, 170, 222))
    return s


def mirror(look: Appearance) -> Sketch:
    """A mirror in a broad frame, whole or with a star of cracks and missing pieces."""
    s = Sketch()
    half = (340, 380, 330)[look.variant]
    if look.variant == 1:
        s.rect(-half, 0, half, GROUND, "main")
        s.rect(-half, 960, half, GROUND, "main.dark")
        s.rect(-half + 90, 90, half - 90, 910, "main.dark")
        s.rect(-half + 110, 110, half - 110, 890, GLASS)
    else:
        s.oval(-half, 0, half, GROUND, "main.dark")
        s.oval(-half, 0, half, 984, "main")
        s.oval(-half + 84, 84, half - 84, 916, "main.dark")
        s.oval(-half + 104, 104, half - 104, 896, GLASS)
    if look.has("broken"):
        rim = ((-40, 110), (130, 190), (230, 400), (200, 670), (70, 870), (-120, 830), (-220, 620), (-200, 320))
        s.poly(((-30, 440), rim[2], rim[3]), CRACK)
        s.poly(((-30, 440), rim[5], (-40, 870)), CRACK)
        s.poly(((-80, 330), rim[7], (-130, 190)), CRACK)
        for x, y in rim:
            s.bar((-30, 440), (x, y), 20, CRACK, round_ends=False)
        ring = [((x - 60) // 2, (y + 440) // 2) for x, y in rim]
        for start, end in zip(ring, (*ring[1:], ring[0]), strict=True):
            s.bar(start, end, 16, CRACK, round_ends=False)
    else:
        s.poly(((-150, 640), (-60, 740), (170, 360), (110, 260)), WHITE)
        s.poly(((0, 770), (36, 790), (200, 510), (190, 440)), WHITE)
    if look.variant == 2:
        s.disc(0, 30, 60, "main.light")
    return s


def ladder(look: Appearance) -> Sketch:
    """A ladder: two long rails and rungs between them."""
    s = Sketch(material=look.material)
    metal = s.material == "metal"
    rail, rungs = (34, 9) if metal else (50, 7)
    foot, head = ((170, 130), (190, 150), (210, 90))[look.variant]
    if look.variant == 2:
        for side in (-1, 1):
            s.bar((side * head, 30), (side * foot + 120, 980), rail - 8, "main.deep", round_ends=False)
    for k in range(rungs):
        y = 80 + 840 * k // (rungs - 1)
        half = head + (foot - head) * y // GROUND
        s.rect(-half, y, half, y + (24 if metal else 38), "main.dark")
        s.rect(-half, y, half, y + 10, "main.pale" if metal else "main.light")
    for side in (-1, 1):
        top, low = side * head, side * foot
        half = rail // 2
        s.poly(((top - half, 0), (top + half, 0), (low + half, GROUND), (low - half, GROUND)), "main")
        if metal:
            s.bar((top - 6, 0), (low - 6, GROUND), 12, "main.pale", round_ends=False)
            s.rect(low - 26, 970, low + 26, GROUND, INK)
        else:
            s.bar((top + 8, 60), (low + 8, 700), 8, "main.line", round_ends=False)
            s.bar((top - 10, 400), (low - 10, 960), 8, "main.line", round_ends=False)
    s.anchor("grip", 0, 500)
    return s


def flag(look: Appearance) -> Sketch:
    """A flag that flies from a pole, striped or plain."""
    s = Sketch()
    s.oval(-70, 960, 70, GROUND, (110, 112, 118))
    s.rect(-16, 20, 16, 985, STEEL)
    s.rect(-16, 20, -6, 985, (222, 224, 228))
    s.disc(0, 24, 28, (236, 190, 70))
    wide, high = ((640, 380), (720, 340), (560, 420))[look.variant]
    waves = (70, 40, 66, 100, 84, 60)
    for k in range(5):
        left, right = 10 + wide * k // 5, 10 + wide * (k + 1) // 5
        up, down = waves[k], waves[k + 1]
        s.poly(_strip(left, right, up, down, 0, high), "main")
        if look.has("striped"):
            for top in (high // 5, high * 3 // 5):
                s.poly(_strip(left, right, up, down, top - 6, top + high // 5 + 6), "main.line")
                s.poly(_strip(left, right, up, down, top + 14, top + high // 5 - 14), WHITE)
        s.poly(_strip(left, right, up, down, high - 26, high), "main.dark")
    s.anchor("grip", 0, 700)
    return s


def _strip(left: int, right: int, up: int, down: int, top: int, bottom: int) -> tuple[Point, ...]:
    return (left, up + top), (right, down + top), (right, down + bottom), (left, up + bottom)


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = {
    "box": box,
    "book": book,
    "suitcase": suitcase,
    "backpack": backpack,
    "candle": candle,
    "umbrella": umbrella,
    "picture": picture,
    "mirror": mirror,
    "ladder": ladder,
    "flag": flag,
}
