"""Animals of the farm on four legs: horses, cows, sheep and pigs."""

from counterpoint.world.sketch import Appearance, Paint, Point, Rgb, Sketch
from counterpoint.world.sketches.anatomy import HORN, INK, ROSE, SNOW, barrel, eye, leg, stride

FACE: Rgb = (92, 78, 76)
HOOF: Rgb = (64, 54, 50)
MUD: Rgb = (80, 54, 28)
DRY_MUD: Rgb = (132, 98, 58)

PALE_PATCHES = (
    ((70, 260, 210, 490), (330, 530, 560, 670)),
    ((90, 250, 290, 430), (540, 540, 690, 670)),
    ((240, 470, 520, 650), (640, 230, 790, 360)),
)
DARK_PATCHES = (
    ((230, 210, 460, 410), (520, 330, 670, 540)),
    ((350, 210, 600, 390), (260, 480, 430, 650)),
    ((70, 260, 230, 470), (380, 210, 590, 370)),
)
"""A cow has pale patches, seen on a dark coat, and dark ones, seen on a white coat, for each build."""


def horse(look: Appearance) -> Sketch:
    """A horse on long legs, with mane and tail; its back is a seat."""
    s = Sketch()
    hair: Paint = HORN if look.variant == 1 else "main.line"
    if look.pose == "running":
        s.path(((130, 400), (-60, 360), (-230, 430)), 110, hair)
        stride(s, (180, 560), (-150, 800), 80, "main.dark", hoof=HOOF)
        stride(s, (620, 560), (950, 760), 80, "main.dark", hoof=HOOF)
        barrel(s, (210, 470), (610, 460), 270)
        stride(s, (160, 540), (-60, 940), 94, hoof=HOOF)
        stride(s, (640, 540), (860, 900), 88, hoof=HOOF)
        _horse_head(s, look, (640, 410), (880, 160), (1040, 260))
    else:
        s.path(((110, 390), (30, 500), (40, 720)), 100, hair)
        leg(s, (240, 520), (250, 1000), 96, "main.dark", hoof=HOOF)
        leg(s, (560, 520), (560, 1000), 90, "main.dark", hoof=HOOF)
        barrel(s, (205, 455), (590, 455), 270)
        s.oval(68, 320, 290, 680)
        leg(s, (160, 560), (150, 1000), 112, hoof=HOOF)
        leg(s, (650, 480), (655, 1000), 108, hoof=HOOF)
        if look.pose == "eating":
            _horse_head(s, look, (640, 450), (830, 740), (900, 920))
        else:
            _horse_head(s, look, (640, 420), (770, 150), (910, 260))
    s.anchor("seat", 400, 345)
    return s


def _horse_head(s: Sketch, look: Appearance, chest: Point, poll: Point, nose: Point) -> None:
    """Neck, mane and long head, from the chest by the poll to the nose."""
    (x0, y0), (x1, y1), (x2, y2) = chest, poll, nose
    down = y2 > 800
    s.bar(chest, poll, 170)
    s.bar((x0 - 20, y0), (x0 - 20, y0), 230)
    s.path(
        ((x0 - 80, y0 - 110), ((x0 + x1) // 2 - 60 + 130 * down, (y0 + y1) // 2 - 50), (x1 - 30 + 60 * down, y1 - 70)),
        80,
        HORN if look.variant == 1 else "main.line",
    )
    s.poly(((x1 - 30, y1 - 60), (x1 + 10, y1 - 150), (x1 + 50, y1 - 50)), "main")
    s.bar(poll, nose, 130)
    s.disc(x1, y1, 88)
    s.bar((x2 - 10, y2 - 5), (x2 + 10, y2 + 8), 118, "main.light")
    s.disc(x2 + 35, y2 - 5, 15, "main.deep")
    if look.variant == 2:
        s.bar(((x1 * 2 + x2) // 3 + 40, (y1 * 2 + y2) // 3 - 20), (x2 + 30, y2 - 40), 36, SNOW)
    eye(s, x1 + 40, y1 - 5, 30)
    s.anchor("mouth", x2 + 20, y2 + 40)


def cow(look: Appearance) -> Sketch:
    """A cow in patches, with horns and an udder."""
    s = Sketch()
    if look.pose == "lying":
        low = 260
        _cow_body(s, look, low)
        s.bar((170, 955), (420, 955), 90, "main.dark")
        s.bar((640, 955), (880, 955), 90, "main.dark")
        s.bar((760, 640), (860, 520), 240)
        _cow_head(s, look, 920, 480)
    else:
        leg(s, (270, 600), (275, 1000), 120, "main.dark", hoof=HOOF)
        leg(s, (620, 600), (620, 1000), 115, "main.dark", hoof=HOOF)
        s.oval(280, 620, 450, 800, ROSE)
        _cow_body(s, look, 0)
        leg(s, (170, 560), (170, 1000), 140, hoof=HOOF)
        leg(s, (730, 560), (730, 1000), 125, hoof=HOOF)
        if look.pose == "eating":
            s.bar((760, 430), (900, 700), 220)
            _cow_head(s, look, 930, 780)
        else:
            s.bar((720, 400), (860, 280), 260)
            _cow_head(s, look, 920, 230)
    return s


def _cow_body(s: Sketch, look: Appearance, low: int) -> None:
    s.path(((100, 300 + low), (20, 420 + low), (30, 600 + low)), 46, "main.dark")
    s.disc(30, 620 + low, 55, "main.line")
    barrel(s, (260, 450 + low), (650, 450 + low), 500)
    s.oval(70, 220 + low, 400, 640 + low)
    for paint, spots in (("main.pale", PALE_PATCHES), (INK, DARK_PATCHES)):
        for left, top, right, bottom in spots[look.variant]:
            s.oval(left, top + low, right, bottom + low, paint)


def _cow_head(s: Sketch, look: Appearance, x: int, y: int) -> None:
    s.path(((x - 90, y - 110), (x - 130, y - 170), (x - 80, y - 210)), 46, HORN)
    s.path(((x + 60, y - 110), (x + 110, y - 170), (x + 70, y - 210)), 46, HORN)
    s.oval(x - 260, y - 120, x - 90, y - 10, "main.line")
    s.poly(((x - 130, y - 120), (x + 100, y - 120), (x + 110, y + 120), (x - 60, y + 120)), "main")
    s.oval(x - 100, y + 50, x + 170, y + 220, (240, 176, 168))
    s.disc(x + 20, y + 120, 22, (150, 80, 84))
    s.disc(x + 110, y + 120, 22, (150, 80, 84))
    eye(s, x - 50, y - 30, 36)
    eye(s, x + 60, y - 30, 36)
    s.anchor("mouth", x + 60, y + 180)


def sheep(look: Appearance) -> Sketch:
    """A sheep: a cloud of wool with a dark face."""
    s = Sketch()
    low = 190 if look.pose == "lying" else 0
    if not low:
        for x in (260, 640):
            s.bar((x, 650), (x, 1000), 84, (70, 60, 58), round_ends=False)
        for x in (330, 570):
            s.bar((x, 650), (x, 1000), 84, FACE, round_ends=False)
    else:
        s.bar((300, 960), (480, 960), 80, FACE)
        s.bar((600, 960), (800, 960), 80, FACE)
    for x, y, r in ((170, 560, 150), (330, 640, 160), (520, 650, 160), (690, 570, 150)):
        s.disc(x, y + low, r, "main.dark")
    for x, y, r in (
        (140, 400, 150),
        (300, 260, 165),
        (520, 240, 165),
        (690, 350, 165),
        (210, 530, 150),
        (420, 540, 190),
        (630, 530, 150),
    ):
        s.disc(x, y + low, r)
    s.path(((300, 420 + low), (350, 460 + low), (400, 420 + low)), 22, "main.dark")
    s.path(((490, 360 + low), (540, 400 + low), (590, 360 + low)), 22, "main.dark")
    if look.pose == "eating":
        _sheep_head(s, look, 870, 760)
    else:
        _sheep_head(s, look, 860, 250 + low)
    return s


def _sheep_head(s: Sketch, look: Appearance, x: int, y: int) -> None:
    s.oval(x - 220, y - 60, x - 60, y + 30, (70, 60, 58))
    s.oval(x - 110, y - 140, x + 110, y + 190, FACE)
    s.oval(x + 70, y - 60, x + 210, y + 20, (70, 60, 58))
    for shift in (-70, 0, 70):
        s.disc(x + shift, y - 130 - (30 if not shift else 0), 75)
    if look.variant == 1:
        for side in (-1, 1):
            s.path(((x + 90 * side, y - 120), (x + 190 * side, y - 90), (x + 180 * side, y + 20)), 62, HORN)
    if look.variant == 2:
        s.oval(x - 30, y - 90, x + 50, y + 150, SNOW)
    eye(s, x - 40, y - 10, 36)
    eye(s, x + 55, y - 10, 36)
    s.oval(x - 30, y + 105, x + 50, y + 150, (54, 44, 44))
    s.anchor("mouth", x + 20, y + 150)


def pig(look: Appearance) -> Sketch:
    """A fat pig with a snout and a curly tail, clean or in its mud."""
    s = Sketch()
    low = 170 if look.pose == "lying" else 0
    s.path(((60, 420 + low), (-40, 440 + low), (-80, 370 + low), (-20, 330 + low), (20, 390 + low)), 40, "main.dark")
    if not low:
        leg(s, (300, 700), (300, 1000), 140, "main.dark", hoof=HOOF)
        leg(s, (660, 700), (660, 1000), 140, "main.dark", hoof=HOOF)
    s.oval(20, 100 + low, 900, 830 + low, "main.dark")
    s.oval(20, 90 + low, 895, 780 + low)
    if low:
        s.bar((150, 950), (380, 950), 100, "main.dark")
        s.bar((640, 950), (880, 950), 100, "main.dark")
    else:
        leg(s, (190, 620), (180, 1000), 180, hoof=HOOF)
        leg(s, (750, 620), (760, 1000), 170, hoof=HOOF)
    if look.variant == 2:
        s.oval(420, 95 + low, 620, 775 + low, "main.light")
    if look.has("dirty"):
        _mud(s, ((130, 250), (360, 150), (300, 470), (560, 560)), low)
    _pig_head(s, look, 860, 360 + low)
    if look.has("dirty"):
        _mud(s, ((740, 440),), low)
        s.oval(100, 930, 840, 1000, MUD)
    return s


def _pig_head(s: Sketch, look: Appearance, x: int, y: int) -> None:
    s.poly(((x - 20, y - 190), (x + 60, y - 330), (x + 130, y - 150)), "main.dark")
    s.oval(x - 250, y - 230, x + 190, y + 230, "main.dark")
    s.oval(x - 240, y - 235, x + 190, y + 210)
    s.oval(x + 80, y - 60, x + 290, y + 160, "main.light")
    s.oval(x + 160, y + 10, x + 200, y + 85, "main.deep")
    s.oval(x + 225, y + 10, x + 260, y + 85, "main.deep")
    if look.variant == 1:
        s.poly(((x - 210, y - 200), (x - 60, y - 210), (x - 80, y + 40)), "main.line")
    else:
        s.poly(((x - 220, y - 130), (x - 170, y - 330), (x - 20, y - 180)), "main.line")
    eye(s, x + 40, y - 75, 42)
    s.anchor("mouth", x + 170, y + 170)


def _mud(s: Sketch, spots: tuple[Point, ...], low: int) -> None:
    for x, y in spots:
        s.oval(x - 20, y + low - 20, x + 200, y + low + 150, MUD)
        s.disc(x + 190, y + low + 100, 60, MUD)
        s.oval(x + 30, y + low + 20, x + 130, y + low + 90, DRY_MUD)
