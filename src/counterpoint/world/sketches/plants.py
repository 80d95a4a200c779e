"""Plants: trees, bushes and flowers in the open, palms by the sea, and what grows in pots."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from math import isqrt

from counterpoint.world.sketch import Appearance, Paint, Point, Rgb, Sketch

BARK: Rgb = (116, 82, 54)
BARK_SHADE: Rgb = (88, 60, 40)
STEM: Rgb = (70, 136, 62)
STRAW: Rgb = (146, 122, 66)
CLAY: Rgb = (196, 104, 66)
CLAY_SHADE: Rgb = (160, 78, 48)
CREAM: Rgb = (226, 218, 202)
CREAM_SHADE: Rgb = (190, 180, 162)

LENS = ((12, 55), (35, 100), (62, 85), (85, 40))
"""The outline of a leaf: how far along, and how far out, in hundredths."""

CROWNS: tuple[tuple[tuple[int, int, int], ...], ...] = (
    (
        (200, 440, 175),
        (800, 440, 175),
        (500, 470, 200),
        (310, 250, 190),
        (690, 250, 190),
        (500, 180, 180),
        (500, 350, 220),
    ),
    (
        (340, 520, 160),
        (660, 520, 160),
        (500, 540, 170),
        (330, 350, 175),
        (670, 350, 175),
        (500, 170, 170),
        (500, 340, 220),
    ),
    (
        (130, 390, 160),
        (870, 370, 165),
        (390, 440, 170),
        (640, 440, 170),
        (290, 240, 180),
        (720, 220, 180),
        (500, 180, 180),
        (500, 320, 210),
    ),
)


def tree(look: Appearance) -> Sketch:
    """A tree with a round crown, or bare branches above a few fallen leaves."""
    s = Sketch()
    if look.has("bare"):
        _branches(s, (0, -60, 60)[look.variant])
        for x, y in ((250, 965), (400, 980), (660, 970), (800, 980)):
            s.oval(x - 45, y - 16, x + 45, y + 18)
        return s
    s.poly(((445, 480), (555, 480), (600, 1000), (400, 1000)), BARK)
    s.poly(((510, 480), (555, 480), (600, 1000), (520, 1000)), BARK_SHADE)
    s.bar((500, 720), (640, 560), 50, BARK)
    _foliage(s, CROWNS[look.variant])
    return s


def _branches(s: Sketch, lean: int) -> None:
    """A trunk that forks and forks again."""
    s.poly(((450, 480), (550, 480), (600, 1000), (400, 1000)), BARK)
    s.poly(((510, 480), (550, 480), (600, 1000), (520, 1000)), BARK_SHADE)
    for start, end, width in (
        ((500, 520), (500 + lean, 30), 70),
        ((490, 600), (230, 280), 66),
        ((510, 560), (760, 250), 66),
        ((360, 440), (120, 400), 44),
        ((300, 370), (290, 130), 44),
        ((640, 400), (640, 130), 44),
        ((690, 330), (890, 330), 44),
        ((500 + lean // 2, 270), (400 + lean, 60), 36),
        ((500 + lean // 2, 300), (590 + lean, 120), 36),
        ((180, 410), (110, 290), 30),
        ((830, 330), (900, 220), 30),
    ):
        s.bar(start, end, width, BARK)


def _foliage(s: Sketch, clumps: tuple[tuple[int, int, int], ...]) -> None:
    """Leaves in round clumps, in the shade below and in the light above; the last clump fills the middle."""
    for x, y, radius in clumps[:3]:
        s.disc(x, y + 40, radius, "main.dark")
    for x, y, radius in clumps:
        s.disc(x, y, radius)
    for x, y, radius in clumps[3:-1]:
        s.oval(x - radius // 2, y - radius * 3 // 5, x + radius // 4, y - radius // 6, "main.light")
    for x, y, radius in (*clumps[:2], clumps[-1]):
        s.disc(x, y, radius * 3 // 5, "main.dark")
        s.disc(x - radius // 12, y - radius // 8, radius * 3 // 5)


def bush(look: Appearance) -> Sketch:
    """A bush: a low heap of leaves straight from the ground."""
    s = Sketch()
    clumps = (
        (
            (200, 720, 240),
            (1100, 720, 240),
            (650, 680, 280),
            (380, 400, 270),
            (900, 420, 270),
            (640, 290, 290),
            (640, 560, 300),
        ),
        (
            (220, 700, 260),
            (880, 700, 260),
            (560, 680, 280),
            (350, 420, 260),
            (780, 420, 260),
            (560, 270, 270),
            (560, 520, 290),
        ),
        (
            (180, 760, 220),
            (1220, 740, 240),
            (700, 680, 280),
            (420, 480, 280),
            (1010, 430, 270),
            (720, 280, 280),
            (720, 560, 320),
        ),
    )[look.variant]
    s.rect(clumps[0][0], 700, clumps[1][0], 1000, "main.dark")
    _foliage(s, clumps)
    return s


def flower(look: Appearance) -> Sketch:
    """A few flowers from one root: daisies, tulips, or one large bloom; wilted ones hang their heads."""
    s = Sketch()
    wilted = look.has("wilted")
    green = STRAW if wilted else STEM
    heads = (
        ((210, 330), (790, 310), (500, 190)),
        ((240, 360), (770, 380), (500, 200)),
        ((500, 260),),
    )[look.variant]
    for x, y in heads:
        if wilted:
            side = 1 if x >= 500 else -1
            bend, end = (x, y + 110), (x + 150 * side, y + 240)
            s.path(((500, 980), ((1000 + x) // 3, 720), bend, end), 44, green)
            _drooping(s, *end)
        else:
            s.path(((500, 980), ((500 * 2 + x) // 3, 720), (x, y)), 46, green)
    for side in (-1, 1):
        base, tip = ((500, 840), (500 + 330 * side, 985)) if wilted else ((500, 960), (500 + 330 * side, 640))
        _leaf(s, base, tip, 130, green)
    if not wilted:
        for x, y in heads:
            _blossom(s, look, x, y)
    s.anchor("grip", 500, 850)
    return s


def _blossom(s: Sketch, look: Appearance, x: int, y: int) -> None:
    if look.variant == 1:
        s.cup(x - 150, y - 30, x + 150, y + 190, "main.dark")
        s.rect(x - 150, y - 40, x + 150, y + 20, "main")
        s.cup(x - 150, y - 20, x + 150, y + 170)
        for dx in (-150, -50, 50):
            s.poly(
                ((x + dx, y - 30), (x + dx + 100, y - 30), (x + dx + 50, y - 190)),
                "main" if dx != -50 else "main.light",
            )
        return
    size = 260 if look.variant == 2 else 190
    petal = size * 9 // 20
    ring = ((0, -100), (95, -31), (59, 81), (-59, 81), (-95, -31))
    if look.variant == 2:
        for dx, dy in ring:
            s.disc(x - dx * size // 170, y - dy * size // 170, petal, "main.dark")
    for dx, dy in ring:
        s.disc(x + dx * size // 180, y + dy * size // 180, petal)
    s.disc(x, y, size * 2 // 5, (132, 82, 34))
    s.disc(x, y, size * 3 // 10, (255, 214, 84))


def _drooping(s: Sketch, x: int, y: int) -> None:
    """A blossom that hangs down, with a petal on the ground."""
    for dx, paint in ((-90, "main.dark"), (100, "main.dark"), (0, "main")):
        _leaf(s, (x, y - 40), (x + dx, y + 230), 150, paint)
    s.dome(x - 60, y - 50, x + 60, y + 20, STRAW)
    s.oval(x - 70, 960, x + 50, 1000)


def _leaf(s: Sketch, base: Point, tip: Point, width: int, paint: Paint = "main") -> None:
    """A leaf pointed at both ends."""
    (x0, y0), (x1, y1) = base, tip
    dx, dy = x1 - x0, y1 - y0
    long = isqrt(dx * dx + dy * dy)

    def rim(along: int, across: int) -> Point:
        out = across * width // 200
        return x0 + dx * along // 100 - dy * out // long, y0 + dy * along // 100 + dx * out // long

    s.poly((base, *(rim(*at) for at in LENS), tip, *(rim(along, -across) for along, across in reversed(LENS))), paint)


def _pot(s: Sketch, left: int, top: int, right: int, paint: Rgb, shade: Rgb) -> None:
    """A pot that narrows to its foot, with a rim and some earth."""
    lip, in_ = (right - left) // 12, (right - left) // 7
    s.poly(((left, top + 60), (right, top + 60), (right - in_, 1000), (left + in_, 1000)), paint)
    s.poly(((right - in_ * 2, top + 60), (right, top + 60), (right - in_, 1000), (right - in_ * 2, 1000)), shade)
    s.rect(left - lip, top, right + lip, top + 90, paint)
    s.rect(left - lip, top + 70, right + lip, top + 90, shade)


def cactus(look: Appearance) -> Sketch:
    """A cactus in a clay pot: a column with arms, a ball with a flower, or flat pads."""
    s = Sketch()
    if look.variant == 1:
        s.disc(500, 430, 290, "main.dark")
        s.oval(215, 140, 770, 690)
        for left, right in ((310, 690), (420, 580)):
            s.oval(left, 140, right, 710, "main.dark")
            s.oval(left + 28, 140, right - 28, 710)
        for dx in (-80, 0, 80):
            _leaf(s, (500, 170), (500 + dx, 0), 80, (240, 90, 140))
    elif look.variant == 2:
        for box in ((330, 330, 670, 760), (170, 120, 440, 500), (560, 30, 840, 430)):
            s.oval(*box, "main.dark")
            s.oval(box[0], box[1], box[2] - 30, box[3] - 20)
    else:
        s.path(((500, 560), (210, 540), (210, 300)), 130, "main.dark")
        s.path(((500, 480), (790, 460), (790, 220)), 130, "main.dark")
        s.bar((500, 110), (500, 700), 230, "main.dark")
        s.bar((485, 105), (485, 700), 190)
        s.bar((205, 530), (205, 300), 100)
        s.bar((785, 450), (785, 220), 100)
    _spines(s, look.variant)
    _pot(s, 280, 660, 720, CLAY, CLAY_SHADE)
    s.anchor("grip", 500, 830)
    return s


def _spines(s: Sketch, variant: int) -> None:
    for x, y in (
        ((440, 150), (530, 240), (440, 340), (530, 440), (440, 550), (205, 330), (205, 450), (785, 260), (785, 380)),
        ((270, 340), (270, 520), (365, 250), (365, 440), (500, 300), (500, 480), (635, 250), (635, 440), (725, 350)),
        ((430, 530), (560, 480), (510, 600), (270, 210), (330, 330), (670, 130), (750, 220), (680, 310)),
    )[variant]:
        s.bar((x - 24, y - 18), (x + 24, y + 18), 16, "main.pale", round_ends=False)
        s.bar((x - 24, y + 18), (x + 24, y - 18), 16, "main.pale", round_ends=False)


def palm_tree(look: Appearance) -> Sketch:
    """A palm: a bent trunk with rings, and long leaves hanging from its top."""
    s = Sketch()
    lean = (110, -90, 180)[look.variant]
    x, y = 500 + lean, 260
    trunk = ((500, 958), (500 + lean // 6, 740), (500 + lean // 2, 500), (x, y))
    for k, (start, end) in enumerate(pairwise(trunk)):
        s.bar(start, end, 84 - 10 * k, BARK)
    for k in range(7):
        at = 300 + 95 * k
        along = (985 - at) * 1000 // 725
        cx = 500 + lean * along * along // 1000000
        s.bar((cx - 36, at + 8), (cx + 36, at - 8), 18, BARK_SHADE, round_ends=False)
    for side in (-1, 1):
        for (bx, by), (tx, ty), paint in (
            ((120, 20), (230, 300), "main.dark"),
            ((150, -200), (330, -230), "main.dark"),
            ((250, -30), (410, 230), "main"),
            ((70, -190), (150, -260), "main"),
            ((270, -140), (510, -10), "main"),
        ):
            bend = (x + bx * side, y + by)
            _leaf(s, (x, y), (x + bx * side * 5 // 4, y + by * 5 // 4), 110, paint)
            _leaf(s, (x + bx * side // 2, y + by // 2), (x + tx * side, y + ty), 120, paint)
            s.disc(*bend, 46, paint)
            if paint == "main":
                middle = (x + (bx + tx) * side // 2, y + (by + ty) // 2)
                s.bar((x + bx * side // 2, y + by // 2), middle, 16, "main.line", round_ends=False)
    for dx, dy in ((-50, 30), (50, 35), (0, 70)):
        s.disc(x + dx, y + dy, 46, (104, 62, 34))
    return s


def potted_plant(look: Appearance) -> Sketch:
    """A plant in a pale pot, with broad leaves, a round head or upright blades, or nothing but its twigs."""
    s = Sketch()
    if look.has("bare"):
        for start, end, width in (
            ((500, 700), (500, 60), 40),
            ((500, 560), (250, 250), 34),
            ((500, 480), (740, 180), 34),
            ((370, 400), (220, 440), 26),
            ((630, 320), (800, 360), 26),
            ((500, 280), (400, 120), 26),
        ):
            s.bar(start, end, width, BARK)
    elif look.variant == 1:
        s.bar((500, 700), (500, 400), 60, BARK)
        _foliage(
            s,
            (
                (290, 400, 170),
                (710, 400, 170),
                (500, 420, 180),
                (350, 220, 180),
                (650, 220, 180),
                (500, 170, 170),
                (500, 300, 200),
            ),
        )
    elif look.variant == 2:
        for x, y, paint in (
            (180, 200, "main.dark"),
            (830, 180, "main.dark"),
            (330, 60, "main"),
            (690, 70, "main"),
            (510, 0, "main.light"),
        ):
            _leaf(s, ((1000 + x) // 3, 720), (x, y), 170, paint)
    else:
        for x, y, paint in (
            (80, 420, "main.dark"),
            (920, 420, "main.dark"),
            (180, 130, "main"),
            (820, 120, "main"),
            (500, 0, "main"),
        ):
            _leaf(s, (500, 700), (x, y), 250, paint)
            s.bar((500, 680), ((500 + 4 * x) // 5, (680 + 4 * y) // 5), 18, "main.line", round_ends=False)
    _pot(s, 290, 640, 710, CREAM, CREAM_SHADE)
    if look.has("bare"):
        for x in (180, 830):
            s.oval(x - 70, 955, x + 70, 1000)
    s.anchor("grip", 500, 820)
    return s


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = {
    "tree": tree,
    "flower": flower,
    "bush": bush,
    "cactus": cactus,
    "palm tree": palm_tree,
    "potted plant": potted_plant,
}
