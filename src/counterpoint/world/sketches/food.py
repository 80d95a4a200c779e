"""Food: baked, layered, iced, and cut open when it is sliced."""

from collections.abc import Callable, Mapping, Sequence

from counterpoint.world.sketch import Appearance, Rgb, Sketch
from counterpoint.world.sketches.strokes import leaf

CRUMB, CRUMB_DARK = (252, 232, 188), (232, 200, 142)
SPONGE, SPONGE_DARK = (240, 204, 136), (208, 160, 92)
DOUGH, DOUGH_DARK = (214, 156, 84), (166, 108, 52)
WAFFLE, WAFFLE_DARK = (222, 164, 88), (164, 108, 48)
CHERRY: Rgb = (196, 26, 48)
BASIL: Rgb = (44, 124, 52)
SALAMI, SALAMI_DARK = (176, 44, 44), (122, 26, 30)


def bread(look: Appearance) -> Sketch:
    """A loaf with slashes in its crust; sliced, its crumb shows and slices stand beside it."""
    s = Sketch()
    sliced = look.has("sliced")
    wide = (1700, 1500, 1850)[look.variant] - (500 if sliced else 0)
    for drop, inset, paint in ((0, 0, "main.dark"), (60, 50, "main")):
        s.dome(0, 0, wide - inset, 760 - drop, paint)
        s.oval(0, 520, wide - inset, 1000 - drop, paint)
    for x in range(300, wide - 330, 330):
        s.bar((x - 40, 420), (x + 120, 130), 100, "main.deep")
        s.bar((x - 10, 420), (x + 150, 130), 90, CRUMB_DARK)
    if sliced:
        for x in (wide - 460, wide - 60, wide + 340):
            _slice(s, x)
    s.anchor("grip", wide // 2, 600)
    return s


def _slice(s: Sketch, left: int) -> None:
    """A slice of bread seen from its cut side, crust all round."""
    for inset, paint in ((0, "main.deep"), (20, "main"), (110, CRUMB)):
        right = left + 660 - inset
        s.oval(left + inset, 60 + inset, right, 620 - inset, paint)
        s.rect(left + 50 + inset, 380, right - 50, 1000 - inset, paint)
    for x, y in ((250, 400), (400, 620), (270, 760)):
        s.disc(left + x, y, 38, CRUMB_DARK)


def cake(look: Appearance) -> Sketch:
    """A round iced cake with cherries; sliced, a wedge is missing and the layers inside show."""
    s = Sketch()
    wide = (1300, 1160, 1420)[look.variant]
    mid, top = wide // 2, 340
    for inset, low, paint in ((0, 1000, "main.dark"), (wide // 9, 985, "main")):
        s.rect(0, top, wide - inset, 860, paint)
        s.oval(0, 720, wide - inset // 2, low, paint)
    for k in range(8):
        x = wide * (2 * k + 1) // 16
        s.disc(x, (870, 895, 910, 920, 920, 910, 895, 870)[k], wide // 18, "main.light")
    s.oval(0, top - 170, wide, top + 170, "main.light")
    for k, low in enumerate((520, 600, 560, 640, 570, 520)):
        x = wide * k // 6
        s.oval(x, top - 40, x + wide // 6, low, "main.light")
    for x in (mid - 400, mid + 400, mid):
        s.disc(x, top - 190 if x == mid else top - 120, 100, CHERRY)
        s.disc(x - 30, top - 220 if x == mid else top - 150, 30, (255, 190, 190))
    if look.has("sliced"):
        _notch(s, mid, wide)
    s.anchor("grip", mid, 900)
    return s


def _notch(s: Sketch, mid: int, wide: int) -> None:
    """The gap a wedge of cake leaves: two walls of sponge with cream between."""
    core, far, deep = mid + 100, 270, 470
    (left, near), (right, side) = (mid - 130, 508), (wide - 50, 430)
    s.poly(((left, near), (core, far), (right, side), (right, side + deep), (left, near + deep)), SPONGE_DARK)
    s.poly(((left, near), (core, far), (core, far + deep + 60), (left, near + deep)), SPONGE)
    for at in (120, 290):
        s.poly(((left, near + at), (core, far + at), (core, far + at + 80), (left, near + at + 80)), (255, 250, 240))
        s.poly(((core, far + at), (right, side + at), (right, side + at + 80), (core, far + at + 80)), (246, 220, 212))
    s.poly(((left, near + deep), (core, far + deep + 40), (right, side + deep)), "main.deep")


def pizza(look: Appearance) -> Sketch:
    """A round pizza seen from above at a slant; sliced, one piece is pulled out."""
    s = Sketch()
    sliced = look.has("sliced")
    _pie(s, 1000, 470, ((65, 230), (230, 370)) if sliced else ((0, 180), (180, 360)))
    for x, y in ((620, 290), (1120, 190), (380, 530), (780, 680), (1500, 310), (1000, 400)):
        _salami(s, x, y)
    for x, y in ((880, 250), (560, 700), (600, 440), (1330, 220)):
        leaf(s, (x - 100, y + 30), (x + 100, y - 30), 100, BASIL)
    if sliced:
        _pie(s, 1330, 525, ((10, 65),))
        _salami(s, 1780, 745)
        _salami(s, 1900, 625)
        leaf(s, (1500, 645), (1680, 615), 90, BASIL)
    else:
        _salami(s, 1560, 570)
        _salami(s, 1190, 680)
        leaf(s, (1270, 500), (1430, 440), 100, BASIL)
    s.anchor("grip", 1000, 900)
    return s


def _pie(s: Sketch, x: int, y: int, sectors: Sequence[tuple[int, int]]) -> None:
    """Sectors of a pizza: the crust's side, the crust, and the cheese, which has the pizza's colour."""
    for drop, wide, high, paint in (
        (70, 1000, 455, DOUGH_DARK),
        (0, 1000, 465, DOUGH),
        (0, 870, 400, "main.dark"),
        (-5, 835, 375, "main"),
    ):
        for start, stop in sectors:
            s.fan(x, y + drop, wide, high, start, stop, paint)


def _salami(s: Sketch, x: int, y: int) -> None:
    s.oval(x - 125, y - 65, x + 125, y + 75, SALAMI_DARK)
    s.oval(x - 115, y - 65, x + 115, y + 55, SALAMI)


def sandwich(look: Appearance) -> Sketch:
    """Two thick slices with lettuce, tomato and cheese between, held by a stick with an olive."""
    s = Sketch()
    wide = (1400, 1250, 1550)[look.variant]
    s.bar((wide // 2, 300), (wide // 2, 40), 36, (214, 176, 112))
    s.oval(wide // 2 - 85, 30, wide // 2 + 85, 190, (104, 134, 48))
    s.disc(wide // 2 + 20, 90, 30, CHERRY)
    s.oval(20, 740, 220, 1000, "main.dark")
    s.oval(wide - 220, 740, wide - 20, 1000, "main.dark")
    s.rect(110, 740, wide - 110, 1000, "main.dark")
    s.rect(40, 740, wide - 40, 930)
    s.rect(30, 640, wide - 30, 750, (236, 150, 150))
    s.poly(((90, 640), (wide - 90, 640), (wide // 2, 880)), (255, 206, 66))
    for k in range(7):
        x = (wide - 120) * k // 7
        s.oval(x, 520, x + 300, 690, BASIL if k % 2 else (112, 180, 62))
    s.rect(80, 510, wide - 80, 580, (214, 58, 48))
    s.oval(0, 200, 320, 560, "main.dark")
    s.oval(wide - 320, 200, wide, 560, "main.dark")
    s.rect(150, 200, wide - 150, 560, "main.dark")
    s.oval(0, 180, 320, 500)
    s.oval(wide - 320, 180, wide, 500)
    s.rect(150, 180, wide - 150, 500)
    s.oval(120, 220, wide // 2, 300, "main.light")
    s.anchor("grip", wide // 2, 600)
    return s


def donut(look: Appearance) -> Sketch:
    """A ring of dough with icing in its colour and sprinkles."""
    s = Sketch()
    wide = (1500, 1400, 1600)[look.variant]
    mid = wide // 2
    s.oval(0, 140, wide, 1000, DOUGH_DARK)
    s.oval(0, 120, wide, 930, DOUGH)
    s.oval(40, 0, wide - 40, 760)
    for k, low in enumerate((690, 800, 860, 830, 720)):
        x = 70 + (wide - 380) * k // 4
        s.oval(x, 420, x + 260, low)
    s.oval(110, 60, mid + 100, 330, "main.light")
    s.oval(190, 110, mid + 180, 380)
    s.oval(mid - 280, 270, mid + 280, 530, DOUGH_DARK)
    s.oval(mid - 240, 350, mid + 240, 530, DOUGH)
    s.oval(mid - 180, 410, mid + 180, 520, (88, 54, 28))
    tints: tuple[Rgb, ...] = ((255, 250, 235), (60, 130, 214), (250, 210, 40), (220, 50, 80), (70, 160, 80))
    spots = (
        (250, 330, 60),
        (420, 160, -60),
        (mid, 130, 70),
        (wide - 420, 170, 60),
        (wide - 240, 330, -60),
        (wide - 270, 560, 60),
        (mid + 230, 650, -70),
        (mid - 60, 670, 60),
        (mid - 330, 610, 70),
        (190, 500, -50),
    )
    for k, (x, y, lean) in enumerate(spots):
        s.bar((x - lean, y - 30), (x + lean, y + 30), 56, tints[k % 5], round_ends=False)
    s.anchor("grip", mid, 850)
    return s


def cheese(look: Appearance) -> Sketch:
    """A wedge with holes."""
    s = Sketch()
    wide = (1500, 1380, 1620)[look.variant]
    s.poly(((0, 480), (wide - 560, 0), (wide, 330)), "main.light")
    s.poly(((0, 480), (wide, 330), (wide, 940), (0, 1000)))
    s.poly(((0, 930), (wide, 860), (wide, 940), (0, 1000)), "main.dark")
    s.poly(((wide - 60, 339), (wide, 330), (wide, 940), (wide - 60, 943)), "main.dark")
    for x, y, r in ((330, 720, 120), (760, 590, 90), (1000, 770, 130), (wide - 210, 540, 80), (600, 860, 60)):
        s.oval(x - r, y - r, x + r, y + r, "main.line")
        s.oval(x - r + 30, y - r + 40, x + r, y + r, "main.dark")
    s.oval(wide - 700, 190, wide - 450, 290, "main.dark")
    s.anchor("grip", wide // 2, 700)
    return s


def ice_cream(look: Appearance) -> Sketch:
    """A waffle cone with one big scoop or two."""
    s = Sketch()
    s.poly(((110, 490), (590, 490), (380, 985), (350, 1000), (320, 985)), WAFFLE)
    s.poly(((470, 490), (590, 490), (380, 985), (350, 1000)), WAFFLE_DARK)
    for a, b in (((150, 580), (400, 930)), ((270, 500), (470, 790)), ((420, 500), (540, 620))):
        s.bar(a, b, 30, WAFFLE_DARK, round_ends=False)
        s.bar((700 - a[0], a[1]), (700 - b[0], b[1]), 30, WAFFLE_DARK, round_ends=False)
    scoops = ((60, 200, 640, 600), (130, 0, 570, 380)) if look.variant == 1 else ((40, 0, 660, 600),)
    for left, top, right, bottom in scoops:
        s.oval(left, top, right, bottom, "main.dark")
        s.oval(left, top, right - 50, bottom - 30)
    for x, low in ((60, 600), (200, 660), (340, 590), (470, 640)):
        s.oval(x, 450, x + 170, low)
    left, top, *_ = scoops[-1]
    s.oval(left + 90, top + 60, left + 230, top + 180, "main.pale")
    if look.variant == 2:
        s.disc(350, -10, 80, CHERRY)
    s.anchor("grip", 350, 780)
    return s


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = {
    "bread": bread,
    "cake": cake,
    "pizza": pizza,
    "sandwich": sandwich,
    "donut": donut,
    "cheese": cheese,
    "ice cream": ice_cream,
}
