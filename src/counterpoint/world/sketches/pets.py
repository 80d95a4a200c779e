"""Animals of house and garden: dogs, cats and rabbits, sitting, lying, running or fast asleep."""

from counterpoint.world.sketch import Appearance, Point, Rgb, Sketch
from counterpoint.world.sketches.anatomy import INK, ROSE, SNOW, barrel, eye, leg, snooze, stride

COLLAR: Rgb = (214, 52, 60)


def dog(look: Appearance) -> Sketch:
    """A dog with a long muzzle and a collar; its ears hang, or stand up in the third build."""
    s = Sketch()
    if look.has("asleep"):
        _curled(s, 840)
        s.disc(808, 795, 180, "main.line")
        _dog_head(s, look, 820, 800)
        s.anchor("collar", 680, 720)
        snooze(s, 860, 400)
    elif look.pose == "lying":
        _tail(s, look, (120, 880))
        barrel(s, (200, 820), (700, 780), 320)
        s.oval(90, 640, 420, 1000, "main.dark")
        s.oval(100, 640, 420, 975)
        s.bar((640, 930), (1010, 945), 105)
        _dog_neck(s, (700, 730), (790, 500))
        _dog_head(s, look, 800, 430)
    elif look.pose == "sitting":
        _tail(s, look, (170, 900))
        s.bar((400, 800), (590, 440), 330, "main.dark")
        s.bar((400, 780), (580, 430), 300)
        s.oval(150, 640, 560, 1000, "main.dark")
        s.oval(160, 640, 540, 985)
        s.oval(330, 910, 620, 1000)
        leg(s, (640, 480), (690, 1000), 150, "main.dark")
        leg(s, (580, 480), (610, 1000), 150)
        _dog_neck(s, (590, 430), (640, 250))
        _dog_head(s, look, 650, 180)
    elif look.pose == "running":
        _tail(s, look, (60, 440))
        stride(s, (170, 620), (-140, 820), 100, "main.dark")
        stride(s, (720, 620), (1010, 850), 100, "main.dark")
        barrel(s, (180, 540), (720, 520), 280)
        stride(s, (170, 590), (-60, 930), 120)
        stride(s, (720, 590), (900, 930), 115)
        _dog_neck(s, (750, 470), (860, 260))
        _dog_head(s, look, 900, 200)
    else:
        _tail(s, look, (140, 480))
        leg(s, (310, 600), (310, 1000), 120, "main.dark")
        leg(s, (650, 600), (660, 1000), 120, "main.dark")
        barrel(s, (230, 540), (690, 540), 300)
        leg(s, (190, 560), (180, 1000), 160)
        leg(s, (740, 560), (760, 1000), 140)
        _dog_neck(s, (720, 470), (790, 250))
        _dog_head(s, look, 810, 180)
    return s


def _dog_neck(s: Sketch, low: Point, high: Point) -> None:
    """The neck, with a collar half-way round it."""
    (x0, y0), (x1, y1) = low, high
    s.bar(low, high, 210)
    x, y = (x0 * 2 + x1 * 3) // 5, (y0 * 2 + y1 * 3) // 5
    s.bar((x - 105, y - 30), (x + 95, y + 45), 54, COLLAR, round_ends=False)
    s.disc(x + 70, y + 75, 32, (250, 206, 70))
    s.anchor("collar", x - 95, y - 25)


def _dog_head(s: Sketch, look: Appearance, x: int, y: int) -> None:
    pricked = look.variant == 2
    if pricked:
        s.poly(((x - 20, y - 110), (x + 50, y - 220), (x + 110, y - 100)), "main.dark")
    s.disc(x, y, 175)
    s.oval(x + 30, y - 45, x + 310, y + 155, "main.light")
    s.oval(x + 220, y - 62, x + 325, y + 40, INK)
    s.bar((x + 150, y + 100), (x + 260, y + 85), 18, "main.deep")
    if look.variant == 1:
        s.oval(x + 5, y - 130, x + 130, y + 25, "main.line")
    eye(s, x + 65, y - 50, 50 if look.has("asleep") else 42, shut=look.has("asleep"))
    if pricked:
        s.poly(((x - 160, y - 60), (x - 110, y - 230), (x + 10, y - 130)), "main.line")
    else:
        s.oval(x - 190, y - 130, x - 30, y + 190, "main.line")
    if look.pose == "running" and not look.has("asleep"):
        s.oval(x + 160, y + 100, x + 230, y + 240, ROSE)
    s.anchor("mouth", x + 250, y + 90)


def _tail(s: Sketch, look: Appearance, root: Point) -> None:
    """A dog's tail: raised, or bushy and hanging in the third build."""
    x, y = root
    if look.variant == 2:
        s.bar((x + 20, y), (x - 130, min(y + 150, 920)), 120, "main.line")
    else:
        s.path(((x + 40, y), (x - 80, y - 110), (x - 80, y - 240)), 80)
        if look.variant == 1:
            s.disc(x - 80, y - 240, 52, "main.line")


def _curled(s: Sketch, right: int) -> None:
    """The body of a sleeper, rolled up on the ground with the tail around it."""
    s.oval(20, 500, right, 1000, "main.dark")
    s.oval(30, 490, right - 10, 960)
    s.oval(50, 600, 470, 1000, "main.dark")
    s.oval(50, 600, 440, 985)
    s.path(((120, 930), (330, 962), (560, 950)), 76, "main.line")


def cat(look: Appearance) -> Sketch:
    """A cat whose round face with pointed ears and whiskers is turned to us, and whose tail is long."""
    s = Sketch()
    if look.has("asleep"):
        _curled(s, 860)
        _markings(s, look, 330, 490)
        s.oval(512, 618, 935, 985, "main.line")
        _cat_head(s, look, 730, 800)
        snooze(s, 840, 330)
    elif look.pose == "lying":
        s.path(((160, 930), (-60, 900), (-150, 760), (-90, 640)), 80)
        barrel(s, (200, 820), (660, 810), 320)
        s.oval(60, 660, 400, 1000, "main.dark")
        s.oval(60, 660, 380, 980)
        s.bar((600, 945), (960, 945), 100, "main.dark" if look.variant != 2 else "main.pale")
        _markings(s, look, 330, 650)
        _cat_head(s, look, 740, 530)
    elif look.pose == "sitting":
        s.path(((330, 945), (60, 930), (-30, 800), (40, 690)), 84)
        s.bar((420, 780), (540, 470), 300, "main.dark")
        s.bar((420, 780), (520, 460), 270)
        s.oval(200, 640, 560, 1000, "main.dark")
        s.oval(200, 640, 540, 985)
        leg(s, (600, 520), (630, 1000), 120, "main.dark")
        leg(s, (520, 520), (530, 1000), 130)
        _markings(s, look, 350, 520)
        _cat_head(s, look, 560, 260)
    elif look.pose == "running":
        s.path(((110, 600), (-110, 500), (-270, 530), (-380, 430)), 80)
        stride(s, (160, 720), (-120, 850), 90, "main.dark")
        stride(s, (640, 720), (930, 880), 90, "main.dark")
        barrel(s, (170, 650), (650, 620), 260)
        stride(s, (160, 700), (-60, 940), 105)
        stride(s, (650, 700), (820, 940), 100)
        _markings(s, look, 280, 530)
        _cat_head(s, look, 780, 430)
    else:
        s.path(((150, 600), (30, 480), (40, 260), (-30, 130), (40, 45)), 84)
        leg(s, (290, 680), (290, 1000), 110, "main.dark")
        leg(s, (610, 680), (620, 1000), 110, "main.dark")
        barrel(s, (220, 620), (650, 620), 270)
        leg(s, (180, 650), (170, 1000), 140)
        leg(s, (690, 650), (700, 1000), 125)
        _markings(s, look, 320, 500)
        _cat_head(s, look, 760, 350)
    return s


def _markings(s: Sketch, look: Appearance, x: int, top: int) -> None:
    """The stripes of the second build of a cat, down from its back."""
    if look.variant == 1:
        for k in range(3):
            s.poly(((x + 95 * k, top), (x + 48 + 95 * k, top), (x + 30 + 95 * k, top + 150)), "main.line")


def _cat_head(s: Sketch, look: Appearance, x: int, y: int) -> None:
    for side in (-1, 1):
        s.poly(
            ((x + 185 * side, y + 10), (x + 180 * side, y - 260), (x + 20 * side, y - 130)),
            "main.dark" if side > 0 else "main",
        )
        s.poly(((x + 155 * side, y - 60), (x + 158 * side, y - 200), (x + 70 * side, y - 130)), ROSE)
    s.oval(x - 205, y - 170, x + 205, y + 175)
    s.oval(x - 90, y + 10, x + 90, y + 165, "main.pale" if look.variant == 2 else "main.light")
    for side in (-1, 1):
        if look.has("asleep"):
            eye(s, x + 95 * side, y - 10, 48, shut=True)
        else:
            s.oval(x + 95 * side - 50, y - 75, x + 95 * side + 50, y + 40, (214, 226, 92))
            s.oval(x + 95 * side - 26, y - 70, x + 95 * side + 30, y + 36, INK)
        s.bar((x + 110 * side, y + 75), (x + 290 * side, y + 40), 16, "main.line", round_ends=False)
        s.bar((x + 110 * side, y + 105), (x + 280 * side, y + 125), 16, "main.line", round_ends=False)
    s.poly(((x - 38, y + 40), (x + 38, y + 40), (x, y + 85)), (224, 104, 122))
    s.anchor("mouth", x + 20, y + 120)


def rabbit(look: Appearance) -> Sketch:
    """A rabbit with long ears and a white tail, on its haunches or in a leap."""
    s = Sketch()
    if look.pose == "running":
        s.disc(-10, 620, 95, SNOW)
        stride(s, (190, 760), (-130, 900), 100, "main.dark")
        stride(s, (560, 760), (850, 910), 80, "main.dark")
        s.oval(0, 480, 720, 880, "main.dark")
        s.oval(0, 470, 710, 850)
        s.bar((190, 730), (-40, 920), 150)
        s.bar((-40, 940), (-160, 940), 110)
        stride(s, (570, 760), (760, 930), 90)
        _rabbit_head(s, look, 760, 480, swept=240)
    else:
        s.disc(60, 860, 105, SNOW)
        s.oval(80, 500, 700, 1000, "main.dark")
        s.oval(90, 490, 690, 980)
        s.bar((600, 720), (660, 950), 110, "main.dark")
        s.oval(110, 620, 470, 990, "main.dark")
        s.oval(110, 620, 450, 980)
        s.bar((230, 945), (500, 945), 110, "main.light")
        s.oval(530, 890, 740, 1000, "main.light")
        _rabbit_head(s, look, 620, 430, swept=60)
    return s


def _rabbit_head(s: Sketch, look: Appearance, x: int, y: int, swept: int) -> None:
    """A head whose ears lean back by so much; in the third build one of them hangs."""
    tip = 400 if swept < 100 else 250
    s.bar((x + 60, y - 100), (x + 60 - swept, y - tip + 15), 116, "main.dark")
    if look.variant != 2:
        s.bar((x - 40, y - 100), (x - 40 - swept, y - tip + 15), 116)
        s.bar((x - 40, y - 110), (x - 40 - swept, y - tip + 25), 52, ROSE)
    s.oval(x - 170, y - 165, x + 200, y + 165)
    if look.variant == 2:
        s.path(((x - 50, y - 130), (x - 150, y - 60), (x - 190, y + 160)), 110, "main.line")
    s.oval(x + 60, y, x + 215, y + 140, "main.pale" if look.variant else "main.light")
    s.oval(x + 165, y - 5, x + 220, y + 50, (224, 104, 122))
    eye(s, x + 70, y - 45, 46)
    s.anchor("mouth", x + 170, y + 80)
