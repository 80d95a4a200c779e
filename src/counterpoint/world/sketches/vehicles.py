"""Vehicles: seen from the side, all on their way to the right."""

from collections.abc import Callable, Mapping, Sequence

from counterpoint.world.sketch import Appearance, Point, Sketch
from counterpoint.world.sketches.outlines import ring, rounded

GLASS = (134, 186, 212)
GLARE = (192, 224, 238)
TIRE = (46, 46, 52)
STEEL = (176, 180, 188)
DARK = (66, 68, 76)
LAMP = (255, 232, 140)
TAIL = (196, 30, 36)
MUD = (126, 92, 54)
WET_MUD = (90, 62, 36)
EARTH = (104, 72, 44)
HAY = (226, 186, 82)
STRAW = (188, 144, 50)
SAIL = (250, 247, 236)


def _wheel(s: Sketch, x: int, radius: int, *, rim: int = 58) -> None:
    y = 1000 - radius
    s.disc(x, y, radius, TIRE)
    s.disc(x, y, radius * rim // 100, (206, 210, 216))
    s.disc(x, y, radius * rim // 280, (110, 114, 122))


def _pane(s: Sketch, points: Sequence[Point]) -> None:
    """A window with a slanting glare in its lower left corner."""
    s.poly(points, GLASS)
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)
    foot = left + (right - left) // 3
    s.poly(((foot, bottom), (foot + 60, bottom), (foot + 150, top + 20), (foot + 90, top + 20)), GLARE)


def _box_panes(s: Sketch, lefts: Sequence[int], wide: int, top: int, bottom: int) -> None:
    for left in lefts:
        rounded(s, left, top, left + wide, bottom, 30, GLASS)
        s.poly(
            ((left + 40, bottom - 20), (left + 90, bottom - 20), (left + 150, top + 20), (left + 100, top + 20)), GLARE
        )


_CARS: tuple[tuple[int, int, int, Sequence[Point], Sequence[Sequence[Point]]], ...] = (
    (
        2350,
        480,
        1850,
        ((420, 480), (700, 60), (790, 10), (1400, 10), (1500, 60), (1860, 480)),
        (
            ((580, 440), (780, 120), (1060, 120), (1060, 440)),
            ((1140, 440), (1140, 120), (1410, 120), (1690, 440)),
        ),
    ),
    (
        1960,
        420,
        1500,
        ((20, 560), (190, 60), (270, 10), (1030, 10), (1130, 60), (1500, 560)),
        (((170, 440), (270, 120), (660, 120), (660, 440)), ((740, 440), (740, 120), (1050, 120), (1300, 440))),
    ),
    (
        2240,
        460,
        1760,
        ((10, 560), (40, 50), (100, 0), (1400, 0), (1490, 40), (1860, 560)),
        (
            ((110, 420), (130, 110), (540, 110), (540, 420)),
            ((610, 420), (610, 110), (1010, 110), (1010, 420)),
            ((1080, 420), (1080, 110), (1410, 110), (1640, 420)),
        ),
    ),
)


def car(look: Appearance) -> Sketch:
    """A saloon, a hatchback or a people carrier; a dirty one is spattered with mud from the wheels up."""
    s = Sketch()
    long, rear, front, cabin, panes = _CARS[look.variant]
    s.poly(cabin)
    s.poly(((cabin[1][0], 60), cabin[2], cabin[3], (cabin[4][0], 60)), "main.light")
    nose = ((long - 150, 530), (long, 650), (long, 810), (long - 60, 870))
    s.poly(((0, 600), (50, 480), (cabin[-1][0], 455), *nose, (60, 870), (0, 810)))
    s.poly(((0, 760), (long, 760), (long, 810), (long - 60, 870), (60, 870), (0, 810)), "main.dark")
    for pane in panes:
        _pane(s, pane)
    seam = panes[-2][-1][0] + 34
    s.rect(seam, 470, seam + 14, 780, "main.deep")
    for x in (seam - 200, seam + 250):
        rounded(s, x, 545, x + 130, 580, 14, "main.line")
    s.oval(long - 190, 560, long - 20, 670, LAMP)
    rounded(s, 0, 540, 70, 660, 20, TAIL)
    for x in (rear, front):
        s.dome(x - 240, 570, x + 240, 870, "main.deep")
    if look.has("dirty"):
        _spatter(s, long, rear, front)
    for x in (rear, front):
        _wheel(s, x, 190)
    return s


def _spatter(s: Sketch, long: int, rear: int, front: int) -> None:
    s.rect(60, 790, long - 60, 870, WET_MUD)
    for x, y, wide, high in (
        (60, 640, 190, 130),
        (rear + 230, 560, 240, 170),
        ((rear + front) // 2 - 190, 650, 330, 190),
        (front - 360, 600, 170, 150),
        (long - 260, 690, 200, 130),
    ):
        s.oval(x, y, x + wide, y + high, MUD)
        s.oval(x + wide // 4, y + high // 3, x + wide * 3 // 4, y + high * 3 // 4, WET_MUD)
    for x, y, radius in ((rear - 60, 520, 55), (rear + 150, 480, 40), (front - 330, 500, 48), (front + 110, 530, 55)):
        s.disc(x, y, radius, MUD)
    for x in (rear, front):
        s.dome(x - 290, 530, x + 290, 870, MUD)
        s.dome(x - 240, 600, x + 240, 870, WET_MUD)


def bus(look: Appearance) -> Sketch:
    """A town bus, a school bus with a nose, or a double-decker."""
    s = Sketch()
    long = (2300, 2000, 1750)[look.variant]
    if look.variant == 1:
        rounded(s, 1700, 470, 2360, 880, 90)
        s.rect(1700, 740, 2360, 790, "main.dark")
        s.oval(2240, 560, 2350, 690, LAMP)
    rounded(s, 0, 0, long, 890, 90)
    rounded(s, 60, 14, long - 60, 80, 30, "main.light")
    s.rect(0, 790, long, 850, "main.dark")
    if look.variant == 2:
        _box_panes(s, range(90, 1600, 320), 260, 110, 320)
        _box_panes(s, range(90, 1100, 320), 260, 460, 660)
        s.rect(0, 375, long, 405, "main.line")
    else:
        _box_panes(s, range(90, long - 600, 310), 250, 150, 450)
        s.rect(0, 560, long - 420, 600, "main.line")
    top = 450 if look.variant == 2 else 150
    rounded(s, long - 390, top, long - 170, 840, 30, DARK)
    for x in (long - 370, long - 270):
        s.rect(x, top + 30, x + 80, 760, GLASS)
    rounded(s, long - 130, top, long - 8, top + 290, 30, GLASS)
    if look.variant != 1:
        s.oval(long - 110, 700, long - 10, 780, LAMP)
    rounded(s, 0, 660, 50, 770, 16, TAIL)
    wheels = ((430, 1980), (430, 2060), (380, 1180))[look.variant]
    for x in wheels if look.variant else (430, long - 620):
        s.dome(x - 195, 660, x + 195, 890, "main.deep")
        _wheel(s, x, 155)
    return s


def truck(look: Appearance) -> Sketch:
    """A flatbed truck: bare, or stacked with hay, logs or earth."""
    s = Sketch()
    s.poly(((50, 520), (1320, 520), (1350, 580), (0, 580)), (190, 150, 102))
    if look.has("full"):
        (_hay, _logs, _heap)[look.variant](s)
    s.rect(1285, 330, 1345, 600, "main.dark")
    s.rect(0, 700, 1500, 800, DARK)
    s.rect(0, 570, 1345, 730)
    s.rect(0, 690, 1345, 730, "main.dark")
    for x in range(120, 1300, 290):
        s.rect(x, 570, x + 24, 730, "main.deep")
    top = (20, 0, 60)[look.variant]
    s.poly(((1380, top + 90), (1440, top), (1800, top), (1890, top + 50), (2010, 450), (1380, 450)))
    s.poly(((1380, 440), (2010, 440), (2090, 510), (2110, 600), (2110, 840), (1380, 840)))
    s.poly(((1400, top + 60), (1440, top), (1800, top), (1880, top + 45), (1880, top + 60)), "main.light")
    s.rect(1380, 760, 2110, 840, "main.dark")
    _pane(s, ((1500, 430), (1500, top + 120), (1800, top + 120), (1910, 430)))
    s.rect(1470, 470, 1484, 740, "main.deep")
    rounded(s, 1520, 510, 1640, 545, 12, "main.line")
    s.oval(2010, 590, 2110, 710, LAMP)
    rounded(s, 2010, 790, 2140, 850, 20, STEEL)
    rounded(s, 0, 600, 40, 690, 12, TAIL)
    s.dome(1530, 600, 1970, 840, "main.deep")
    for x in (330, 760, 1750):
        _wheel(s, x, 175)
    return s


def _hay(s: Sketch) -> None:
    for left, top in ((60, 350), (465, 350), (870, 350), (250, 130), (670, 130)):
        rounded(s, left, top, left + 395, top + 225, 40, HAY)
        s.rect(left + 20, top + 150, left + 375, top + 170, STRAW)
        s.rect(left + 90, top, left + 110, top + 222, STRAW)
        s.rect(left + 285, top, left + 305, top + 222, STRAW)


def _logs(s: Sketch) -> None:
    for row, (left, right) in enumerate(((30, 1270), (60, 1250), (140, 1190))):
        y = 510 - row * 140
        s.bar((left + 70, y), (right - 70, y), 150, (134, 92, 56))
        s.rect(left + 150, y - 30, right - 200, y - 16, (104, 68, 40))
        s.disc(left + 70, y, 70, (222, 180, 124))
        s.disc(left + 70, y, 34, (180, 136, 84))


def _heap(s: Sketch) -> None:
    s.dome(60, 140, 1270, 600, (176, 128, 78))
    s.dome(220, 200, 900, 600, (200, 154, 100))
    for x, y in ((420, 300), (640, 380), (820, 290), (1010, 430), (300, 470)):
        s.disc(x, y, 30, (146, 100, 58))


def bicycle(look: Appearance) -> Sketch:
    """A bicycle one can see through, with mudguards in the colour of its frame."""
    s = Sketch()
    rear, front, hub = 335, 1345, 665
    crank, seat, head = (810, 720), (690, 250), (1170, 210)
    for x in (rear, front):
        for dx, dy in ((0, 290), (205, 205), (290, 0), (205, -205)):
            s.bar((x - dx, hub - dy), (x + dx, hub + dy), 12, (206, 210, 216), round_ends=False)
        ring(s, x, hub, 335, 58, TIRE)
        s.disc(x, hub, 44, STEEL)
    wide = (76, 84, 76)[look.variant]
    low = 120 if look.variant == 1 else 0
    for start, end in (
        ((rear, hub), (seat[0] + 15, seat[1] + 70)),
        ((rear, hub), crank),
        (crank, seat),
        (crank, (head[0] + 30, head[1] + 110)),
        ((seat[0] + 20 + low // 4, seat[1] + 80 + low), (head[0] + 15, head[1] + 60 + low // 3)),
        (head, (front, hub)),
    ):
        s.bar(start, end, wide)
    if look.variant != 2:
        ring(s, rear, hub, 392, 56, arc=range(12, 20))
        ring(s, front, hub, 392, 56, arc=range(14, 20))
    s.disc(*crank, 84, DARK)
    s.disc(*crank, 40, STEEL)
    s.bar(crank, (890, 840), 34, DARK)
    rounded(s, 840, 825, 970, 865, 16, TIRE)
    s.bar(seat, (670, 150), 44, STEEL)
    s.poly(((500, 80), (560, 60), (850, 110), (840, 150), (640, 175), (520, 150)), TIRE)
    s.bar(head, (1140, 70), 44, STEEL)
    grip = (((1140, 60), (1270, 30), (1330, 80)), ((1140, 60), (1060, 30), (960, 60)), ((1140, 60), (1290, 60)))
    s.path(grip[look.variant], 46, TIRE)
    s.anchor("seat", 670, 75)
    return s


def motorcycle(look: Appearance) -> Sketch:
    """A motorcycle: a road machine, one with a fairing, or a low cruiser."""
    s = Sketch()
    rear, front, low = 300, 1450, (0, 0, 40)[look.variant]
    for x in (rear, front):
        _wheel(s, x, 300, rim=66)
        s.disc(x, 700, 120, DARK)
    s.bar((1190, 170), (front, 700), 66, STEEL)
    ring(s, front, 700, 372, 70, arc=range(14, 21))
    s.bar((rear, 700), (720, 690), 70, DARK)
    rounded(s, 600, 470, 1060, 820, 60, (120, 124, 132))
    for y in (540, 590, 640):
        s.rect(760, y, 1020, y + 22, (196, 200, 206))
    s.disc(720, 710, 105, STEEL)
    s.bar((800, 850), (130, 800), 84, (206, 210, 216))
    s.poly(((150, 330), (330, 350), (720, 420), (760, 600), (560, 610), (330, 520)))
    s.poly(((330, 470), (740, 510), (760, 600), (560, 610), (330, 520)), "main.dark")
    s.poly(((320, 340 + low), (400, 310 + low), (760, 350 + low), (800, 440), (700, 470), (430, 430)), TIRE)
    s.poly(((720, 440), (790, 280), (920, 210), (1110, 230), (1220, 330), (1180, 460), (1020, 520), (780, 520)))
    s.poly(((820, 300), (930, 240), (1090, 255), (1140, 300)), "main.pale")
    if look.variant == 1:
        s.poly(((1010, 500), (1120, 200), (1240, 120), (1400, 300), (1330, 480), (1060, 790)))
        s.poly(((1040, 690), (1340, 440), (1330, 480), (1060, 790)), "main.dark")
        s.poly(((1140, 200), (1180, 20), (1240, 40), (1330, 210)), GLARE)
    s.path(((1210, 200), (1160, 70), (1040, 60) if look.variant == 2 else (1060, 110)), 54, TIRE)
    if look.variant == 0:
        s.bar((1180, 120), (1260, 20), 26, STEEL)
        s.disc(1250, 40, 44, STEEL)
    s.disc(1300, 280, 88, STEEL)
    s.disc(1325, 280, 68, LAMP)
    s.disc(150, 380, 44, TAIL)
    s.anchor("seat", 560, 330 + low)
    return s


def boat(look: Appearance) -> Sketch:
    """A sailing boat, a rowing boat with its oars out, or a motor boat with a cabin."""
    s = Sketch(material=look.material)
    if look.variant == 0:
        s.bar((720, 20), (720, 700), 40, (140, 100, 62), round_ends=False)
        s.poly(((760, 20), (1360, 600), (760, 600)), SAIL)
        s.poly(((760, 340), (1090, 340), (1235, 480), (760, 480)))
        s.poly(((680, 90), (680, 600), (240, 600)), (232, 228, 214))
        s.poly(((720, 0), (720, 70), (560, 35)), "main.dark")
    elif look.variant == 2:
        rounded(s, 420, 220, 1020, 700, 60, (242, 240, 232))
        rounded(s, 360, 160, 1110, 250, 40, "main.dark")
        for left in (500, 770):
            rounded(s, left, 310, left + 200, 500, 30, GLASS)
        s.bar((600, 170), (600, 10), 34, STEEL)
        s.disc(600, 30, 36, TAIL)
    top = (640, 470, 640)[look.variant]
    if look.variant == 1:
        s.bar((560, 560), (60, 60), 44, (190, 146, 92))
        s.bar((140, 140), (50, 50), 110, (170, 124, 74))
        s.poly(((0, top), (1660, top - 40), (1500, top + 110), (140, top + 110)), "main.deep")
        for left in (430, 880):
            s.rect(left, top + 24, left + 240, top + 64, (190, 146, 92))
    _hull(s, top)
    if look.variant == 1:
        s.bar((820, 540), (1260, 900), 44, (190, 146, 92))
        s.bar((1200, 850), (1270, 910), 110, (170, 124, 74))
    return s


def _hull(s: Sketch, top: int) -> None:
    rim = top + 70
    s.poly(
        ((0, top), (1700, top - 50), (1610, rim + 60), (1420, 930), (1300, 1000), (330, 1000), (210, 960), (100, 860))
    )
    s.poly(((150, 910), (1435, 910), (1420, 930), (1300, 1000), (330, 1000), (210, 960)), "main.dark")
    if s.material == "wood":
        for y in range(rim + 60, 900, 70):
            inset = 110 * (y - top) // (860 - top)
            s.rect(30 + inset, y, 1600 - inset * 2, y + 16, "main.line")
        s.rect(230, 930, 1390, 946, "main.line")
        for x, y in ((420, rim + 80), (1100, rim + 80), (760, rim + 150), (1280, rim + 150)):
            s.rect(x, y, x + 16, y + 50, "main.line")
    elif s.material == "plastic":
        s.oval(200, rim + 40, 760, rim + 110, "main.pale")
        s.oval(820, rim + 50, 960, rim + 100, "main.pale")
    s.poly(((0, top), (1700, top - 50), (1660, top + 26), (30, top + 66)), (246, 243, 234))
    s.poly(((24, top + 44), (1672, top + 4), (1660, top + 26), (30, top + 66)), "main.deep")


def tractor(look: Appearance) -> Sketch:
    """A tractor: a great wheel behind, a small one before, and a roof, a cab or the open air for its driver."""
    s = Sketch()
    if look.variant == 1:
        s.poly(((300, 560), (340, 90), (850, 90), (930, 560)), "main.dark")
        _pane(s, ((380, 520), (400, 140), (800, 140), (860, 520)))
    else:
        s.bar((330, 600), (350, 60), 46, DARK, round_ends=False)
    if look.variant == 0:
        s.bar((850, 480), (830, 60), 40, DARK, round_ends=False)
    if look.variant != 2:
        rounded(s, 240, 0, 940, 90, 40)
        s.rect(280, 62, 900, 90, "main.dark")
    else:
        s.bar((340, 70), (480, 20), 46, DARK)
    s.bar((1240, 420), (1240, 130), 56, DARK, round_ends=False)
    s.bar((1240, 140), (1290, 90), 50, DARK)
    s.path(((720, 640), (860, 420)), 36, DARK)
    s.bar((800, 380), (920, 450), 36, TIRE)
    s.rect(420, 480, 500, 640, TIRE)
    rounded(s, 420, 560, 680, 640, 30, TIRE)
    s.poly(((560, 640), (900, 420), (960, 400), (1560, 420), (1620, 480), (1620, 780), (560, 800)))
    s.poly(((600, 700), (1620, 690), (1620, 780), (560, 800)), "main.dark")
    s.poly(((940, 412), (960, 400), (1560, 420), (1590, 455), (930, 435)), "main.light")
    for x in range(1120, 1460, 90):
        s.rect(x, 520, x + 40, 640, "main.deep")
    s.oval(1540, 500, 1630, 600, LAMP)
    ring(s, 390, 640, 440, 90, arc=range(12, 23))
    s.disc(390, 640, 360, TIRE)
    for dx, dy in ((0, 330), (165, 286), (286, 165), (330, 0), (286, -165), (165, -286)):
        s.bar((390 - dx, 640 - dy), (390 + dx, 640 + dy), 34, (84, 84, 92))
    s.disc(390, 640, 285, TIRE)
    s.disc(390, 640, 200, (247, 208, 38))
    s.disc(390, 640, 70, STEEL)
    s.disc(1420, 800, 200, TIRE)
    s.disc(1420, 800, 112, (247, 208, 38))
    s.disc(1420, 800, 40, STEEL)
    s.anchor("seat", 560, 560)
    return s


def skateboard(look: Appearance) -> Sketch:
    """A skateboard, its ends turned up."""
    s = Sketch()
    rise = (120, 0, 60)[look.variant]
    for x in (780, 2320):
        s.poly(((x - 170, 480), (x + 170, 480), (x + 90, 760), (x - 90, 760)), STEEL)
    for x in (780, 2320):
        s.disc(x, 760, 240, (70, 72, 80) if look.variant == 1 else (250, 246, 232))
        s.disc(x, 760, 100, (150, 154, 162))
    s.bar((560, 420), (2540, 420), 300, round_ends=False)
    s.bar((560, 420), (170, 180 + rise), 300)
    s.bar((2540, 420), (2930, 180 + rise), 300)
    for start, end in (((560, 310), (2540, 310)), ((560, 310), (130, 60 + rise)), ((2540, 310), (2970, 60 + rise))):
        s.bar(start, end, 70, TIRE)
    s.bar((700, 470), (2400, 470), 60, "main.pale")
    s.anchor("seat", 900, 275, 2200)
    return s


def wheelbarrow(look: Appearance) -> Sketch:
    """A wheelbarrow, its wheel before and its handles behind, empty or heaped with earth and seedlings."""
    s = Sketch()
    shift = (0, 60, -60)[look.variant]
    s.poly(((330 + shift, 250), (1500, 250), (1430, 340), (420 + shift, 340)), "main.deep")
    if look.has("full"):
        s.dome(370 + shift, -20, 1470, 320, EARTH)
        s.dome(560, 20, 1120, 260, (132, 94, 60))
        for x, y in ((620, 40), (900, -10), (1180, 60)):
            s.bar((x, y + 60), (x, y - 30), 26, (50, 120, 52))
            s.oval(x - 120, y - 90, x + 10, y - 10, (76, 164, 72))
            s.oval(x - 10, y - 120, x + 120, y - 40, (96, 184, 84))
    s.bar((-420, 130), (380, 560), 60, (170, 124, 74))
    s.bar((380, 560), (1560, 800), 60, (170, 124, 74))
    s.bar((-420, 130), (-250, 221), 84, TIRE)
    s.path(((520, 620), (470, 970), (660, 970), (760, 680)), 52, DARK)
    s.poly(((320 + shift, 300), (1510, 300), (1260, 700), (620 + shift, 620)))
    s.poly(((560 + shift, 560), (1350, 560), (1260, 700), (620 + shift, 620)), "main.dark")
    rounded(s, 290 + shift, 270, 1540, 330, 28, "main.light")
    _wheel(s, 1500, 215, rim=46)
    s.bar((1240, 690), (1500, 785), 50, DARK)
    s.anchor("handle", -380, 150)
    return s


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = {
    "car": car,
    "bus": bus,
    "truck": truck,
    "bicycle": bicycle,
    "motorcycle": motorcycle,
    "boat": boat,
    "tractor": tractor,
    "skateboard": skateboard,
    "wheelbarrow": wheelbarrow,
}
