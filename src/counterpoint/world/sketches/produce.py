"""Fruit and vegetables: bold outlines first, since they are often no larger than a thumbnail."""

from collections.abc import Callable, Mapping

from counterpoint.world.sketch import Appearance, Paint, Point, Rgb, Sketch
from counterpoint.world.sketches.strokes import arc, band, bean, leaf

LEAF, LEAF_DARK = (58, 132, 52), (34, 92, 44)
STEM: Rgb = (104, 70, 38)
CREAM, CREAM_DARK = (253, 241, 208), (236, 212, 160)
SEED: Rgb = (74, 44, 24)


def _round(s: Sketch, left: int, top: int, right: int, bottom: int) -> None:
    """A round body, shaded below and to the right, with a gloss."""
    wide, high = right - left, bottom - top
    s.oval(left, top, right, bottom, "main.dark")
    s.oval(left, top, right - wide // 12, bottom - high // 12)
    s.oval(left + wide // 7, top + high // 8, left + wide * 3 // 8, top + high // 3, "main.light")


def _wheel(s: Sketch, x: int, y: int, wide: int, high: int, flesh: Rgb, count: int = 8) -> None:
    """The cut face of a citrus fruit: skin, pith and juicy segments."""
    s.oval(x - wide, y - high, x + wide, y + high)
    s.oval(x - wide * 85 // 100, y - high * 85 // 100, x + wide * 85 // 100, y + high * 85 // 100, (255, 248, 226))
    for k in range(count):
        start, stop = 360 * k // count + 6, 360 * (k + 1) // count - 6
        s.fan(x, y, wide * 74 // 100, high * 74 // 100, start, stop, flesh)


def apple(look: Appearance) -> Sketch:
    """A fruit of two shoulders with a stem in the dip; sliced, its white flesh and the seeds show."""
    s = Sketch()
    tall = (0, 30, -30)[look.variant]
    for left, top, right, bottom, paint in (
        (20, 210 - tall, 640, 980, "main.dark"),
        (360, 210 - tall, 980, 980, "main.dark"),
        (140, 300, 860, 1000, "main.dark"),
        (20, 210 - tall, 600, 920, "main"),
        (340, 210 - tall, 920, 920, "main"),
        (110, 300, 800, 940, "main"),
    ):
        s.oval(left, top, right, bottom, paint)
    s.oval(370, 240 - tall, 630, 340 - tall, "main.deep")
    s.bar((500, 300 - tall), (560, 50), 75, STEM)
    leaf(s, (560, 190 - tall), (930, 20), 210, LEAF_DARK)
    s.oval(120, 330, 290, 600, "main.light")
    if look.has("sliced"):
        s.oval(460, 230, 990, 990, "main")
        s.oval(505, 285, 945, 935, CREAM)
        s.oval(610, 430, 840, 790, CREAM_DARK)
        leaf(s, (690, 500), (690, 700), 95, SEED)
        leaf(s, (780, 500), (780, 700), 95, SEED)
        _wedge(s, 900, 1540, 690, CREAM)
    s.anchor("grip", 500, 560)
    return s


def _wedge(s: Sketch, left: int, right: int, top: int, flesh: Rgb) -> None:
    """A slice lying on its skin."""
    s.cup(left, top, right, 1000)
    inset = (right - left) // 10
    s.cup(left + inset, top, right - inset, 1000 - inset * 3 // 2, flesh)


def orange(look: Appearance) -> Sketch:
    """A round fruit with pores and a little leaf; sliced, a wheel of segments shows."""
    s = Sketch()
    s.bar((500, 120), (520, 40), 70, STEM)
    _round(s, 20, 80, 980, 1000)
    for x, y in ((560, 300), (760, 380), (330, 520), (620, 540), (820, 600), (250, 700), (470, 740), (680, 800)):
        s.disc(x, y, 32, "main.dark")
    leaf(s, (500, 120), (160 if look.variant == 1 else 840, 10), 200, LEAF_DARK)
    if look.has("sliced"):
        flesh = (255, 170, 48)
        _wheel(s, 930, 590, 410, 410, flesh)
    s.anchor("grip", 500, 540)
    return s


def lemon(look: Appearance) -> Sketch:
    """A long fruit with a nipple at either end; sliced, a wheel of pale segments shows."""
    s = Sketch()
    fat = (0, 40, -40)[look.variant]
    s.poly(((1180, 280), (1450, 450), (1450, 590), (1180, 760)), "main.dark")
    s.poly(((260, 260), (0, 450), (0, 590), (260, 780)))
    _round(s, 90 - fat, 20, 1350 + fat, 1000)
    for x, y in ((700, 250), (1000, 330), (420, 560), (820, 520), (1120, 590), (560, 790), (900, 800)):
        s.disc(x, y, 34, "main.dark")
    if look.has("sliced"):
        _wheel(s, 1190, 560, 440, 440, (255, 240, 130))
    else:
        leaf(s, (1390, 500), (1250, 60), 190, LEAF_DARK)
    s.anchor("grip", 700, 540)
    return s


def pear(look: Appearance) -> Sketch:
    """A fruit with a narrow neck over a wide belly."""
    s = Sketch()
    wide = (0, 40, -40)[look.variant]
    for shift, paint in ((0, "main.dark"), (-50, "main")):
        left, right, low = 20 - wide, 800 + wide + shift, 1000 + shift // 2
        s.oval(left, 430, right, low, paint)
        s.oval(200, 150, 620 + shift // 2, 620, paint)
        s.poly(((202, 360), (618 + shift // 2, 360), (right - 70, 560), (left + 70, 560)), paint)
    s.bar((410, 190), (440, 40), 75, STEM)
    leaf(s, (440, 140), (790, 30), 170, LEAF_DARK)
    bean(s, (330, 280), (230, 680), 120, "main.light")
    s.anchor("grip", 410, 560)
    return s


def banana(look: Appearance) -> Sketch:
    """A crescent with a dark stem and tip, alone or two together."""
    s = Sketch()
    if look.variant == 1:
        _crescent(s, 120, -120, "main.dark", "main.deep")
    _crescent(s, 0, 0, "main", "main.dark")
    s.anchor("grip", 640, 800)
    return s


def _crescent(s: Sketch, x: int, y: int, paint: Paint, under: Paint) -> None:
    outer = arc(720 + x, 190 + y, 720, 810, 178, 18, 9)
    middle = arc(715 + x, 190 + y, 650, 660, 182, 14, 9)
    inner = arc(710 + x, 160 + y, 560, 400, 188, 6, 9)
    band(s, outer, middle, under)
    band(s, middle, inner, paint)
    (a, b), (c, d) = outer[0], inner[0]
    s.poly(((a, b), (a + 10, b - 180), (c - 30, d - 190), (c, d)), STEM)
    s.bar((outer[-1][0], outer[-1][1] + 10), (inner[-1][0] + 40, inner[-1][1] + 30), 110, STEM)


def strawberry(look: Appearance) -> Sketch:
    """A red heart with pale seeds under a green crown."""
    s = Sketch()
    wide = (0, 50, -30)[look.variant]
    for shift, paint in ((0, "main.dark"), (-60, "main")):
        left, right = 30 - wide, 870 + wide + shift
        s.oval(left, 170, left + 540, 700, paint)
        s.oval(right - 540, 170, right, 700, paint)
        s.poly(((left + 30, 540), (right - 30, 540), (560 + shift, 960), (450 + shift // 2, 1000), (340, 960)), paint)
        s.rect(left + 250, 180, right - 250, 560, paint)
    for x, y in ((230, 420), (450, 400), (670, 420), (330, 580), (570, 580), (450, 740), (180, 560), (720, 560)):
        leaf(s, (x, y - 50), (x, y + 50), 70, (255, 232, 150))
    for x, y in ((60, 290), (280, 400), (450, 430), (620, 400), (840, 290)):
        leaf(s, (450, 160), (x, y), 190, LEAF)
    s.bar((450, 170), (480, 35), 80, LEAF_DARK)
    s.anchor("grip", 450, 560)
    return s


def watermelon(look: Appearance) -> Sketch:
    """A large striped melon; sliced, half of it shows red flesh with black seeds, a piece of it before it."""
    s = Sketch()
    wide = (1360, 1180, 1480)[look.variant]
    s.oval(0, 0, wide, 1000, "main.deep")
    s.oval(0, 0, wide - 40, 950)
    mid = wide // 2
    for at in (-72, -38, 0, 38, 72):
        x, lean = mid + mid * at // 100, at * mid // 400
        high = (480, 455, 330)[abs(at) // 30]
        top, low = (x - lean, 490 - high), (x - lean, 490 + high)
        band(
            s,
            [top, (x - 60, 300), (x - 40 + lean, 490), (x - 60, 680), low],
            [top, (x + 50, 280), (x + 70 + lean, 500), (x + 50, 700), low],
            "main.deep",
        )
    if look.has("sliced"):
        x = wide - 420
        for half, high, paint in (
            (400, 495, "main"),
            (345, 440, (226, 240, 190)),
            (310, 400, (232, 62, 66)),
        ):
            s.oval(x - half, 505 - high, x + half, 505 + high, paint)
        for dx, dy in ((-130, -180), (60, -220), (-170, 40), (150, -60), (-40, 180), (120, 170), (-20, -30)):
            leaf(s, (x + dx, 505 + dy - 60), (x + dx, 505 + dy + 60), 75, (44, 26, 26))
        left, right = wide - 140, wide + 620
        mid = (left + right) // 2
        s.fan(mid, 640, 380, 360, 0, 180, "main")
        s.fan(mid, 640, 330, 290, 0, 180, (226, 240, 190))
        s.fan(mid, 640, 300, 240, 0, 180, (232, 62, 66))
        for dx, dy in ((-140, 70), (0, 120), (140, 70)):
            leaf(s, (mid + dx, 640 + dy - 50), (mid + dx, 640 + dy + 50), 70, (44, 26, 26))
    s.anchor("grip", mid, 500)
    return s


def pineapple(look: Appearance) -> Sketch:
    """An oval with a lattice under a tuft of long leaves."""
    s = Sketch()
    for x, y in ((60, 190), (560, 190), (160, 40), (460, 40), (310, 0)):
        leaf(s, (310, 460), (x, y), 160, LEAF_DARK if x in (60, 560) else LEAF)
    fat = (0, 30, -20)[look.variant]
    s.oval(20 - fat, 350, 600 + fat, 1000, "main.dark")
    s.oval(20 - fat, 350, 560 + fat, 970)
    for a, b in (((90, 520), (360, 960)), ((200, 420), (500, 880)), ((360, 390), (560, 720))):
        s.bar(a, b, 36, "main.line", round_ends=False)
        s.bar((620 - a[0], a[1]), (620 - b[0], b[1]), 36, "main.line", round_ends=False)
    leaf(s, (310, 440), (180, 240), 130, LEAF)
    leaf(s, (310, 440), (440, 240), 130, LEAF)
    s.anchor("grip", 310, 680)
    return s


def carrot(look: Appearance) -> Sketch:
    """A long cone lying on the ground, with its green still on."""
    s = Sketch()
    tip = (1500, 1350, 1620)[look.variant]
    for x, y in ((-60, 420), (20, 130), (230, 0), (430, 120)):
        leaf(s, (400, 640), (x, y), 190, LEAF)
    leaf(s, (400, 640), (150, 230), 120, LEAF_DARK)
    s.disc(480, 710, 290, "main.dark")
    s.poly(((480, 420), (tip - 60, 890), (tip, 950), (tip - 40, 1000), (480, 1000)), "main.dark")
    s.oval(190, 420, 770, 940)
    s.poly(((480, 420), (tip - 60, 890), (tip - 40, 940), (480, 940)))
    for x, top, low in ((470, 470, 690), (730, 620, 790), (1010, 680, 830), (650, 850, 960)):
        s.bar((x, top), (x - 20, low), 46, "main.line")
    s.anchor("grip", 650, 720)
    return s


def tomato(look: Appearance) -> Sketch:
    """A flat round fruit with a wide green star on top."""
    s = Sketch()
    wide = (1240, 1140, 1320)[look.variant]
    mid = wide // 2
    s.oval(0, 190, wide * 2 // 3, 1000, "main.dark")
    s.oval(wide // 3, 190, wide, 1000, "main.dark")
    s.oval(0, 180, wide * 2 // 3, 940)
    s.oval(wide // 4, 160, wide - 70, 960)
    s.oval(130, 480, 290, 730, "main.light")
    for x, y in ((-440, 330), (-240, 470), (20, 520), (270, 470), (440, 320)):
        leaf(s, (mid, 220), (mid + x, y), 170, LEAF_DARK)
    leaf(s, (mid, 260), (mid - 180, 80), 120, LEAF)
    s.bar((mid, 240), (mid + 60, 60), 90, LEAF_DARK)
    s.anchor("grip", mid, 560)
    return s


def pumpkin(look: Appearance) -> Sketch:
    """Fat ribs side by side under a crooked stem."""
    s = Sketch()
    wide = (1340, 1180, 1480)[look.variant]
    mid = wide // 2
    s.poly(((mid - 90, 280), (mid - 50, 60), (mid + 70, 0), (mid + 130, 80), (mid + 90, 280)), (92, 108, 52))
    for at, half, top in ((-100, 30, 300), (100, 30, 300), (-56, 34, 215), (56, 34, 215), (0, 32, 180)):
        x, reach = mid + (mid * at * 70) // 10000, mid * half // 72
        s.oval(x - reach, top, x + reach, 1000 - (top - 180) // 3, "main.line")
        s.oval(x - reach + 26, top + 10, x + reach - 26, 985 - (top - 180) // 3)
    s.oval(mid - 110, 250, mid - 20, 480, "main.light")
    s.poly(((mid - 130, 270), (mid - 60, 190), (mid + 70, 190), (mid + 140, 270)), (70, 86, 42))
    s.anchor("grip", mid, 240)
    return s


def corn(look: Appearance) -> Sketch:
    """A cob in rows of kernels, with its husk folded down."""
    s = Sketch()
    wide = (0, 25, -25)[look.variant]
    husk: tuple[tuple[Point, Point], ...] = (((330, 980), (20, 330)), ((330, 980), (640, 330)))
    for start, end in husk:
        leaf(s, start, end, 260, LEAF_DARK)
    s.oval(130 - wide, 0, 530 + wide, 980, "main.dark")
    s.oval(130 - wide, 0, 495 + wide, 950)
    for k, y in enumerate(range(120, 760, 105)):
        s.bar((160 + (60 if k == 0 else 0), y), (500 - (60 if k == 0 else 0), y), 26, "main.line", round_ends=False)
    for x in (235, 330, 425):
        s.rect(x - 13, 90 if x != 330 else 20, x + 13, 800, "main.line")
    leaf(s, (330, 1000), (60, 480), 270, LEAF)
    leaf(s, (330, 1000), (600, 480), 270, LEAF)
    leaf(s, (330, 1000), (330, 640), 200, LEAF_DARK)
    s.anchor("grip", 330, 820)
    return s


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = {
    "apple": apple,
    "banana": banana,
    "orange": orange,
    "pear": pear,
    "lemon": lemon,
    "strawberry": strawberry,
    "watermelon": watermelon,
    "pineapple": pineapple,
    "carrot": carrot,
    "tomato": tomato,
    "pumpkin": pumpkin,
    "corn": corn,
}
