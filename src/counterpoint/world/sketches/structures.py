"""Structures: what is built to be passed, posted into, looked at or stopped by."""

from collections.abc import Callable, Mapping

from counterpoint.world.sketch import Appearance, Paint, Point, Sketch
from counterpoint.world.sketches.outlines import rounded

SHADOW = (38, 34, 44)
BRASS = (232, 188, 72)
SKY = (150, 206, 236)
GLASS = (186, 216, 228)
GLARE = (224, 240, 246)
STEEL = (168, 172, 180)
PAPER = (252, 250, 242)
LIGHT = (255, 226, 92)
GLOW = (255, 246, 196)
UNLIT = (126, 136, 148)
FLAG = (206, 44, 44)
STRAP = (70, 72, 80)


def door(look: Appearance) -> Sketch:
    """A door in its frame: shut, or swung wide of a dark opening."""
    s = Sketch(material=look.material)
    s.rect(0, 0, 560, 1000, "main.dark")
    s.rect(14, 12, 546, 1000, "main.light")
    if not look.has("open"):
        s.rect(44, 44, 516, 1000, "main.deep")
        s.panel(50, 50, 510, 1000)
        _door_panels(s, look.variant)
        if look.material == "metal":
            s.rect(64, 880, 496, 980, STEEL)
            s.rect(64, 880, 496, 896, GLARE)
        s.disc(454, 540, 40, "main.deep")
        s.disc(454, 540, 30, BRASS)
        return s
    s.rect(44, 44, 516, 1000, SHADOW)
    s.poly(((44, 1000), (44, 900), (516, 940), (516, 1000)), (66, 58, 66))
    s.poly(((-290, -20), (44, 44), (44, 1000), (-290, 1050)), "main.deep")
    s.poly(((-278, -4), (36, 54), (36, 992), (-278, 1036)))
    for top, bottom in ((120, 460), (560, 900)):
        s.poly(((-220, top - 30), (-20, top), (-20, bottom), (-220, bottom + 20)), "main.dark")
    if look.material == "wood":
        for x in (-246, -120, 6):
            s.rect(x, 60, x + 16, 980, "main.line")
    elif look.material == "metal":
        s.poly(((-190, 1020), (-130, 1012), (-60, 40), (-120, 30)), "main.pale")
        s.poly(((-262, 900), (20, 880), (20, 976), (-262, 1016)), STEEL)
    s.disc(-236, 530, 34, BRASS)
    return s


def _door_panels(s: Sketch, variant: int) -> None:
    if variant == 0:
        for left, right in ((105, 255), (305, 455)):
            for top, bottom in ((120, 470), (590, 920)):
                s.rect(left, top, right, bottom, "main.dark")
                s.rect(left + 16, top + 16, right, bottom, "main.line" if s.material == "wood" else "main.light")
                s.rect(left + 16, top + 16, right - 14, bottom - 14)
    elif variant == 1:
        s.rect(110, 110, 450, 460, "main.dark")
        s.rect(130, 130, 430, 440, GLASS)
        s.rect(270, 130, 290, 440, "main.dark")
        s.rect(130, 275, 430, 295, "main.dark")
        s.rect(110, 620, 450, 930, "main.dark")
        s.rect(126, 636, 434, 914)
    else:
        for top in (120, 390, 660):
            s.rect(110, top, 420, top + 200, "main.dark")
            s.rect(126, top + 16, 404, top + 184)


def window(look: Appearance) -> Sketch:
    """A window in a wall: shut, or its casements swung out; a broken one has lost a pane."""
    s = Sketch()
    opened, broken = look.has("open"), look.has("broken")
    s.rect(0, 20, 900, 950, "main.dark")
    s.rect(0, 20, 900, 935)
    s.rect(80, 100, 820, 865, SKY if opened else GLASS)
    if opened:
        s.rect(80, 640, 820, 865, (176, 220, 240))
        s.rect(80, 100, 820, 130, (106, 160, 194))
        for way in (-1, 1):
            _casement(s, 450 + way * 370, way, broken=broken and way > 0)
    else:
        for left in (80, 480):
            s.poly(((left + 60, 865), (left + 150, 865), (left + 330, 100), (left + 240, 100)), GLARE)
        if broken:
            _shatter(s)
        s.rect(405, 60, 495, 900)
        s.rect(405, 60, 425, 900, "main.light")
        if look.variant != 1:
            s.rect(60, 440, 840, 500)
            s.rect(60, 488, 840, 500, "main.dark")
        if look.variant == 2:
            s.rect(60, 250, 840, 290)
        rounded(s, 385, 560, 415, 680, 12, BRASS)
    s.rect(0, 20, 900, 46, "main.light")
    rounded(s, -50, 920, 950, 1000, 24)
    s.rect(-40, 970, 940, 1000, "main.dark")
    return s


def _casement(s: Sketch, hinge: int, way: int, *, broken: bool) -> None:
    """One half of a window, swung out to this side."""
    edge = hinge + way * 330
    s.poly(((hinge, 90), (edge, 20), (edge, 960), (hinge, 880)), "main.dark")
    s.poly(((hinge, 100), (edge - way * 16, 36), (edge - way * 16, 942), (hinge, 868)))
    near, far = hinge + way * 70, edge - way * 80
    s.poly(((near, 180), (far, 140), (far, 840), (near, 800)), GLASS)
    s.poly(((near, 700), (near, 620), (far, 300), (far, 400)), GLARE)
    if broken:
        middle = (near + far) // 2
        s.poly(((near, 300), (middle, 210), (far, 380), (far, 640), (middle, 760), (near, 600)), SHADOW)
        s.poly(((near, 300), (middle + 20, 420), (near, 440)), GLASS)
        s.poly(((far, 640), (middle, 540), (far, 500)), GLASS)
    s.rect(min(near, far), 465, max(near, far), 510)


def _shatter(s: Sketch) -> None:
    """A dark hole with splinters round it in one half, a star of cracks in the other."""
    s.poly(((495, 260), (620, 150), (790, 240), (820, 480), (760, 700), (600, 780), (495, 620)), SHADOW)
    for splinter in (
        ((495, 300), (600, 370), (495, 430)),
        ((700, 180), (640, 330), (600, 160)),
        ((820, 420), (690, 480), (800, 560)),
        ((560, 760), (610, 610), (660, 770)),
    ):
        s.poly(splinter, GLARE)
    for end in ((90, 200), (230, 110), (400, 180), (95, 480), (140, 760), (300, 840), (400, 620)):
        s.bar((250, 420), end, 20, SHADOW, round_ends=False)
    s.poly(((210, 390), (260, 350), (310, 410), (270, 480), (200, 460)), SHADOW)


def gate(look: Appearance) -> Sketch:
    """A gate of two leaves between posts: meeting in the middle, or swung back from the way through."""
    s = Sketch(material=look.material)
    for way in (-1, 1):
        hinge = 750 + way * 640
        if look.has("open"):
            _leaf(s, hinge, hinge - way * 300, look.variant, sink=90)
        else:
            _leaf(s, hinge, 750 + way * 16, look.variant, sink=0)
    if not look.has("open"):
        rounded(s, 670, 480, 830, 560, 20, STRAP)
        s.disc(750, 520, 24, BRASS)
    for left in (0, 1390):
        _post(s, left, look.variant)
    return s


def _post(s: Sketch, left: int, variant: int) -> None:
    if s.material == "metal":
        s.rect(left + 10, 80, left + 100, 1000)
        s.rect(left + 30, 80, left + 50, 1000, "main.pale")
        s.rect(left + 76, 80, left + 100, 1000, "main.dark")
        s.disc(left + 55, 60, 60)
        s.disc(left + 40, 45, 18, "main.pale")
        return
    s.rect(left - 10, 70, left + 120, 1000)
    s.rect(left + 84, 70, left + 120, 1000, "main.dark")
    if s.material == "wood":
        for x, top in ((left + 16, 140), (left + 52, 220)):
            s.rect(x, top, x + 12, 960, "main.line")
    if variant == 1:
        s.disc(left + 55, 60, 62)
    else:
        s.poly(((left - 24, 80), (left + 55, 0), (left + 134, 80)), "main.dark")


def _leaf(s: Sketch, hinge: int, edge: int, variant: int, *, sink: int) -> None:
    """One leaf from its hinge to its free edge, which looks smaller by `sink` when it is farther away."""
    metal, count = s.material == "metal", (5, 4, 6)[variant]
    wide = abs(edge - hinge)
    thick = max(wide // count * (2 if metal else 5) // 7, 24)
    top = (220, 200, 240)[variant]

    def level(x: int, y: int) -> int:
        return y + (620 - y) * sink * abs(x - hinge) // (wide * 300)

    def rail(y: int, high: int, paint: Paint) -> None:
        corners: list[Point] = [(x, level(x, at)) for at in (y, y + high) for x in (hinge, edge)]
        s.poly((corners[0], corners[1], corners[3], corners[2]), paint)

    for y in (330, 770):
        rail(y, 60 if metal else 90, "main.dark")
    if not metal:
        s.bar((hinge, level(hinge, 830)), (edge, level(edge, 370)), 70 if sink == 0 else 40, "main.dark")
    for k in range(count):
        x = hinge + (edge - hinge) * (2 * k + 1) // (2 * count)
        left, right = x - thick // 2, x + thick // 2
        high, low = level(x, top - (60 * min(k, 4) if variant == 2 else 0) // 2), level(x, 940)
        s.rect(left, high, right, low)
        if metal:
            s.poly(((x, high - 90), (x + thick, high - 20), (x, high + 20), (x - thick, high - 20)))
            s.rect(left + thick // 4, high, left + thick // 2, low, "main.pale")
        else:
            s.poly(((left, high), (x, high - 60), (right, high)))
            s.rect(right - thick // 5, high, right, low, "main.dark")
            if s.material == "wood":
                s.rect(x - thick // 5, high + 60, x - thick // 5 + 12, low - 40, "main.line")


def mailbox(look: Appearance) -> Sketch:
    """A letter box on a post, one on the pavement, or a small house for letters; open, a letter looks out."""
    s = Sketch()
    (_post_box, _street_box, _letter_house)[look.variant](s, look.has("open"))
    return s


def _letter(s: Sketch, left: int, top: int, wide: int, high: int) -> None:
    s.rect(left, top, left + wide, top + high, (200, 196, 184))
    s.rect(left + 8, top + 8, left + wide - 8, top + high - 8, PAPER)
    s.bar((left + 10, top + 12), (left + wide // 2, top + high // 2), 18, STEEL, round_ends=False)
    s.bar((left + wide - 10, top + 12), (left + wide // 2, top + high // 2), 18, STEEL, round_ends=False)


def _post_box(s: Sketch, opened: bool) -> None:
    s.rect(330, 500, 440, 1000, (134, 96, 60))
    s.rect(405, 500, 440, 1000, (108, 76, 46))
    s.dome(0, 80, 360, 420)
    s.rect(0, 250, 360, 560)
    s.rect(180, 80, 640, 560)
    s.rect(180, 80, 640, 140, "main.light")
    s.rect(20, 480, 640, 560, "main.dark")
    s.dome(440, 80, 840, 420, "main.deep")
    s.rect(440, 250, 840, 560, "main.deep")
    if opened:
        s.dome(480, 120, 800, 420, SHADOW)
        s.rect(480, 270, 800, 530, SHADOW)
        _letter(s, 560, 260, 330, 210)
        s.poly(((460, 530), (820, 530), (900, 680), (540, 680)), "main.light")
        s.poly(((540, 680), (900, 680), (900, 710), (540, 710)), "main.dark")
    else:
        s.dome(470, 110, 810, 420, "main.light")
        s.rect(470, 265, 810, 535, "main.light")
        rounded(s, 600, 300, 680, 420, 20, STRAP)
    s.rect(280, 30, 320, 380, FLAG)
    s.rect(130, 0, 320, 120, FLAG)
    s.disc(300, 370, 34, STRAP)


def _street_box(s: Sketch, opened: bool) -> None:
    for left in (60, 500):
        s.rect(left, 860, left + 80, 1000, "main.deep")
    s.dome(0, 0, 640, 440)
    s.rect(0, 218, 640, 900)
    s.rect(560, 240, 640, 900, "main.dark")
    s.rect(0, 840, 640, 900, "main.dark")
    s.rect(0, 440, 640, 464, "main.line")
    if opened:
        s.rect(90, 190, 550, 400, SHADOW)
        _letter(s, 170, 90, 280, 230)
        s.rect(90, 310, 550, 400, SHADOW)
        s.poly(((90, 400), (550, 400), (620, 520), (20, 520)), "main.pale")
        s.rect(20, 520, 620, 546, "main.deep")
    else:
        rounded(s, 80, 190, 560, 400, 30, "main.light")
        s.rect(120, 216, 520, 240, "main.deep")
        rounded(s, 240, 320, 400, 360, 18, STRAP)
    s.rect(170, 610, 470, 760, PAPER)
    for y in (645, 685, 725):
        s.rect(210, y, 430, y + 14, STEEL)


def _letter_house(s: Sketch, opened: bool) -> None:
    s.rect(300, 520, 400, 1000, (134, 96, 60))
    s.rect(366, 520, 400, 1000, (108, 76, 46))
    s.rect(40, 220, 660, 600)
    s.rect(40, 540, 660, 600, "main.dark")
    s.poly(((-30, 240), (350, 0), (730, 240)), "main.dark")
    s.poly(((-30, 240), (-2, 222), (702, 222), (730, 240), (730, 270), (-30, 270)), "main.deep")
    s.bar((690, 520), (690, 340), 36, FLAG, round_ends=False)
    s.rect(690, 320, 800, 410, FLAG)
    if opened:
        s.rect(110, 290, 590, 510, SHADOW)
        _letter(s, 190, 300, 320, 200)
        s.poly(((110, 510), (590, 510), (650, 640), (50, 640)), "main.pale")
        s.rect(50, 640, 650, 670, "main.deep")
    else:
        rounded(s, 110, 300, 590, 510, 24, "main.light")
        rounded(s, 300, 380, 400, 440, 20, STRAP)


def street_light(look: Appearance) -> Sketch:
    """A lamp post: one arm, an old lantern, or two arms; lit, it glows and throws a cone of light."""
    s = Sketch()
    lit = look.has("lit")
    if look.variant == 1:
        _lantern(s, lit)
    else:
        for way in (1,) if look.variant == 0 else (-1, 1):
            _lamp_arm(s, way, lit)
        s.rect(-28, 120 if look.variant else 140, 28, 1000)
        s.rect(8, 140, 28, 1000, "main.dark")
    s.poly(((-46, 850), (46, 850), (70, 1000), (-70, 1000)))
    s.poly(((10, 850), (46, 850), (70, 1000), (16, 1000)), "main.dark")
    s.rect(-84, 968, 84, 1000, "main.deep")
    return s


def _lamp_arm(s: Sketch, way: int, lit: bool) -> None:
    head = way * 250
    if lit:
        s.oval(head - 190, -50, head + 190, 290, GLOW)
        s.poly(((head - 90, 130), (head + 90, 130), (head + 220, 420), (head - 220, 420)), GLOW)
    s.path(((0, 160), (way * 40, 70), (way * 110, 36), (head, 40)), 46)
    s.cup(head - 96, 96, head + 96, 176, LIGHT if lit else UNLIT)
    s.dome(head - 120, 14, head + 120, 104)
    s.rect(head - 120, 90, head + 120, 108, "main.dark")


def _lantern(s: Sketch, lit: bool) -> None:
    if lit:
        s.oval(-230, -60, 230, 400, GLOW)
    s.rect(-28, 300, 28, 1000)
    s.rect(8, 300, 28, 1000, "main.dark")
    s.rect(-110, 360, 110, 390)
    s.poly(((-110, 90), (110, 90), (76, 310), (-76, 310)), LIGHT if lit else UNLIT)
    if lit:
        s.disc(0, 200, 50, (255, 252, 232))
    for x0, x1 in ((-110, -76), (0, 0), (110, 76)):
        s.bar((x0, 90), (x1, 310), 18, round_ends=False)
    s.poly(((-140, 100), (-50, 20), (50, 20), (140, 100)))
    s.rect(-140, 90, 140, 108, "main.dark")
    s.disc(0, 18, 22)
    s.rect(-84, 296, 84, 330)


def traffic_light(look: Appearance) -> Sketch:
    """A traffic light; which lamp shines goes with the build."""
    s = Sketch()
    s.rect(-36, 400, 36, 1000, STRAP)
    s.rect(10, 400, 36, 1000, (50, 52, 58))
    s.rect(-90, 960, 90, 1000, STRAP)
    for way in (-1, 1):
        for y in (60, 220, 380):
            s.poly(((way * 130, y), (way * 200, y), (way * 130, y + 110)), "main.dark")
    rounded(s, -150, 0, 150, 540, 50)
    rounded(s, 90, 30, 150, 510, 28, "main.dark")
    rounded(s, -150, 30, -120, 510, 14, "main.light")
    bright = ((255, 64, 54), (255, 206, 48), (74, 226, 106))
    dim = ((98, 34, 34), (104, 84, 34), (30, 84, 50))
    shining = (0, 2, 1)[look.variant]
    for k in range(3):
        y = 105 + 165 * k
        s.disc(0, y, 84, (28, 28, 32))
        s.disc(0, y, 66, bright[k] if k == shining else dim[k])
        s.dome(-84, y - 84, 84, y - 20, "main.deep")
        if k == shining:
            s.oval(-36, y - 14, 0, y + 16, (255, 246, 226))
    return s


def stop_sign(look: Appearance) -> Sketch:
    """An eight-sided sign that says STOP."""
    s = Sketch()
    s.rect(-26, 400, 26, 1000, STEEL)
    s.rect(6, 400, 26, 1000, (134, 138, 148))
    for size, paint in ((250, "main.dark"), (240, PAPER), (218, "main")):
        cut = size * 414 // 1000
        corners = ((-cut, -size), (cut, -size), (size, -cut), (size, cut), (cut, size), (-cut, size), (-size, cut))
        s.poly([(x, y + 250) for x, y in (*corners, (-size, -cut))], paint)
    for letter, left in (("S", -184), ("T", -88), ("O", 8), ("P", 104)):
        for stroke in _LETTERS[letter]:
            s.path([(left + x, 184 + y) for x, y in stroke], 26, PAPER)
    return s


_LETTERS: Mapping[str, tuple[tuple[Point, ...], ...]] = {
    "S": (((76, 8), (10, 8), (10, 66), (70, 66), (70, 128), (4, 128)),),
    "T": (((4, 8), (76, 8)), ((40, 8), (40, 128))),
    "O": (((10, 8), (70, 8), (70, 128), (10, 128), (10, 8)),),
    "P": (((10, 128), (10, 8), (72, 8), (72, 70), (10, 70)),),
}


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = {
    "door": door,
    "window": window,
    "gate": gate,
    "mailbox": mailbox,
    "street light": street_light,
    "traffic light": traffic_light,
    "stop sign": stop_sign,
}
