"""Birds of water, yard and air: ducks, chickens, and birds on the wing."""

from counterpoint.world.sketch import Appearance, Rgb, Sketch
from counterpoint.world.sketches.anatomy import BEAK, eye

COMB: Rgb = (214, 30, 40)


def duck(look: Appearance) -> Sketch:
    """A duck with a broad flat bill on a bent neck."""
    s = Sketch()
    if look.pose == "walking":
        s.bar((380, 800), (250, 930), 50, (214, 126, 20))
        s.bar((180, 900), (300, 960), 60, (214, 126, 20))
        s.bar((480, 800), (600, 960), 54, BEAK)
        s.bar((590, 972), (730, 972), 56, BEAK)
    else:
        for x, paint in ((480, (214, 126, 20)), (380, BEAK)):
            s.bar((x, 800), (x, 960), 54, paint)
            s.bar((x, 972), (x + 140, 972), 56, paint)
    s.poly(((0, 380), (340, 520), (160, 740)), "main.dark")
    s.oval(60, 430, 830, 890, "main.dark")
    s.oval(60, 420, 830, 850)
    s.bar((690, 560), (690, 240), 230)
    s.disc(690, 190, 190)
    if look.variant:
        s.bar((575, 405), (805, 405), 60, "main.pale" if look.variant == 1 else "main.line", round_ends=False)
    _wing(s, 600, 640)
    s.bar((840, 220), (1040, 240), 90, BEAK)
    s.bar((850, 265), (1010, 275), 30, (214, 126, 20))
    eye(s, 740, 140, 46)
    s.anchor("mouth", 1060, 250)
    return s


def chicken(look: Appearance) -> Sketch:
    """A chicken with comb and wattle, and tail feathers that stand up."""
    s = Sketch()
    for x, paint in ((490, (206, 140, 30)), (390, (240, 178, 50))):
        s.bar((x, 800), (x, 960), 44, paint)
        s.bar((x - 40, 980), (x + 110, 980), 38, paint)
    for tip in ((-60, 130), (-110, 290), (-100, 450))[: 2 if look.variant == 2 else 3]:
        s.bar((260, 560), tip, 130, "main.line" if tip[1] == 290 else "main.dark")
    s.oval(80, 380, 760, 880, "main.dark")
    s.oval(80, 370, 760, 850)
    eating = look.pose == "eating"
    x, y = (880, 780) if eating else (680, 220)
    if eating:
        s.bar((620, 600), (x, y), 220)
    else:
        s.poly(((480, 420), (570, 200), (790, 200), (765, 640)))
    for dx, dy in ((-90, -130), (0, -160), (85, -130)):
        s.disc(x + dx, y + dy, 70, COMB)
    s.disc(x, y, 150)
    if eating:
        s.poly(((x + 80, y + 60), (x + 150, y + 10), (x + 160, y + 200)), BEAK)
    else:
        s.poly(((x + 120, y - 60), (x + 270, y + 30), (x + 110, y + 70)), BEAK)
    s.oval(x + (-40 if eating else 60), y + 80, x + (50 if eating else 150), y + 220, COMB)
    _wing(s, 580, 600)
    if look.variant == 1:
        for dx, dy in ((330, 440), (430, 800), (600, 760), (640, 500)):
            s.disc(dx, dy, 34, "main.line")
    eye(s, x + 50, y - 30, 42)
    s.anchor("mouth", x + (155 if eating else 240), y + (190 if eating else 30))
    return s


def bird(look: Appearance) -> Sketch:
    """A bird on the wing, both wings spread."""
    s = Sketch()
    up, y = (100, 800) if look.variant != 1 else (-88, 300)
    for tip in ((1000, 560), (900, 690), (800, 600)):
        s.bar((700, y - 40 * up // 100), (tip[0], y - tip[1] * up // 100), 130, "main.dark")
    for rise in (-90, 30, 130):
        s.bar((260, y), (-80, y + rise), 110, "main.dark")
    s.oval(120, y - 180, 1000, y + 190, "main.dark")
    s.oval(120, y - 200, 1000, y + 140)
    s.oval(560, y + 10, 960, y + 140, "main.pale")
    s.disc(990, y - 110, 190)
    if look.variant == 2:
        s.poly(((880, y - 250), (1040, y - 270), (830, y - 400)), "main.dark")
    s.poly(((1140, y - 190), (1330, y - 80), (1130, y - 30)), BEAK)
    for root, tip, paint in (
        (420, (150, 330), "main.line"),
        (470, (180, 510), "main.line"),
        (540, (260, 640), "main.line"),
        (610, (370, 715), "main"),
        (540, (330, 500), "main"),
        (480, (330, 260), "main"),
    ):
        s.bar((root, y - 20 * up // 100), (tip[0], y - tip[1] * up // 100), 150, paint)
    eye(s, 1040, y - 150, 50)
    s.anchor("mouth", 1280, y - 80)
    return s


def _wing(s: Sketch, x: int, y: int) -> None:
    """A folded wing that ends in two feathers behind."""
    s.poly(((x - 420, y - 60), (x - 150, y - 110), (x - 100, y + 100)), "main.line")
    s.poly(((x - 380, y + 40), (x - 150, y - 60), (x - 100, y + 130)), "main.line")
    s.oval(x - 310, y - 120, x, y + 130, "main.line")
    s.oval(x - 270, y - 120, x, y + 90, "main.dark")
