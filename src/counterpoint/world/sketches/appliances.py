"""Appliances: what hums, glows and ticks in a house."""

from collections.abc import Callable, Mapping

from counterpoint.world.sketch import GROUND, Appearance, Rgb, Sketch

GLASS: Rgb = (34, 38, 48)
SHEEN: Rgb = (92, 102, 120)
STEEL: Rgb = (176, 180, 186)
LIGHT: Rgb = (255, 248, 214)
GLOW: Rgb = (255, 226, 110)
CREAM: Rgb = (252, 250, 242)
INK: Rgb = (44, 42, 46)


def refrigerator(look: Appearance) -> Sketch:
    """A tall refrigerator: shut, or open with light and food inside."""
    s = Sketch()
    wide, split = ((440, 330), (470, 660), (420, 290))[look.variant]
    for x in (40, wide - 90):
        s.rect(x, 960, x + 50, GROUND, INK)
    s.poly(((wide, 40), (wide + 60, 20), (wide + 60, 950), (wide, 975)), "main.deep")
    s.poly(((0, 40), (60, 0), (wide + 60, 0), (wide, 40)), "main.light")
    s.rect(0, 40, wide, 975, "main")
    leaf = (split + 10, 975) if split < 500 else (40, split - 10)
    for top, bottom in ((40, split - 10), (split + 10, 975)):
        s.rect(0, bottom - 14, wide, bottom, "main.dark")
        if look.has("open") and (top, bottom) == leaf:
            _larder(s, wide, top, bottom)
        else:
            s.rect(24, top + 40, 50, bottom - 60, "main.light")
            middle = (top + bottom) // 2
            s.bar((wide - 56, middle - 70), (wide - 56, middle + 70), 34, "main.line")
    s.rect(0, split - 10, wide, split + 10, "main.deep")
    s.anchor("top", 60, 22, wide)
    return s


def _larder(s: Sketch, wide: int, top: int, bottom: int) -> None:
    s.rect(26, top + 24, wide - 26, bottom - 30, LIGHT)
    step = (bottom - top - 54) // 3
    for k in range(3):
        floor = top + 24 + (k + 1) * step
        for n, color in enumerate(
            ((214, 70, 60), (246, 186, 60), (92, 164, 84), (236, 140, 70), (120, 92, 176))[k : k + 3]
        ):
            x = 50 + n * (wide - 100) // 3
            if (n + k) % 2:
                s.oval(x, floor - step // 2, x + 96, floor, color)
            else:
                s.rect(x + 10, floor - step * 3 // 5, x + 84, floor, color)
        s.rect(26, floor - 6, wide - 26, floor + 14, STEEL)
    s.poly(((0, top), (-230, top + 40), (-230, bottom + 24), (0, bottom)), "main")
    s.poly(((-24, top + 40), (-196, top + 72), (-196, bottom - 24), (-24, bottom - 40)), "main.light")
    for k in range(3):
        y = top + 70 + (k + 1) * (bottom - top - 100) // 3
        s.poly(((-24, y - 60), (-196, y - 46), (-196, y), (-24, y - 12)), "main.dark")


def oven(look: Appearance) -> Sketch:
    """A cooker with an oven below: its window glows when it is lit."""
    s = Sketch()
    wide = (820, 900, 760)[look.variant]
    s.rect(60, 940, wide - 60, GROUND, INK)
    if look.variant == 1:
        s.rect(60, 0, wide - 60, 120, "main.dark")
        s.rect(wide // 2 - 90, 26, wide // 2 + 90, 84, GLASS)
    s.poly(((60, 30), (wide - 60, 30), (wide, 130), (0, 130)), "main.light")
    for x in (wide * 3 // 10, wide * 7 // 10):
        s.oval(x - 130, 50, x + 130, 112, INK)
        s.oval(x - 80, 64, x + 80, 98, (96, 98, 104))
    s.rect(0, 130, wide, 960, "main")
    s.rect(0, 130, wide, 164, "main.dark")
    for k in range(4):
        x = wide * (2 * k + 1) // 8
        s.disc(x, 220, 42, "main.line")
        s.rect(x - 8, 184, x + 8, 224, "main.pale")
    s.rect(40, 290, wide - 40, 920, "main.dark")
    s.rect(56, 290, wide - 56, 904, "main")
    s.bar((120, 356), (wide - 120, 356), 44, "main.line")
    s.rect(120, 430, wide - 120, 820, INK)
    if look.has("lit"):
        s.rect(146, 456, wide - 146, 794, (255, 150, 40))
        s.oval(180, 500, wide - 180, 860, (255, 206, 80))
        s.oval(wide // 2 - 130, 600, wide // 2 + 130, 794, (255, 240, 170))
        s.rect(146, 690, wide - 146, 712, (150, 70, 30))
        s.rect(120, 794, wide - 120, 860, INK)
    else:
        s.poly(((200, 794), (300, 794), (440, 456), (340, 456)), SHEEN)
        s.poly(((340, 794), (370, 794), (510, 456), (480, 456)), SHEEN)
    s.anchor("top", 110, 92, wide - 110)
    return s


def microwave(look: Appearance) -> Sketch:
    """A microwave: shut behind dark glass, or open with its lamp on."""
    s = Sketch()
    wide = (1420, 1520, 1340)[look.variant]
    glass = wide - 400
    for x in (120, wide - 220):
        s.rect(x, 940, x + 100, GROUND, INK)
    s.poly(((110, 0), (wide - 110, 0), (wide, 150), (0, 150)), "main.light")
    s.rect(0, 150, wide, 960, "main")
    s.rect(0, 900, wide, 960, "main.dark")
    s.rect(glass + 40, 240, wide - 60, 840, "main.dark")
    s.rect(glass + 80, 270, wide - 100, 400, (110, 220, 170) if look.variant != 1 else (250, 170, 70))
    for row in range(3):
        for x in (glass + 120, wide - 210):
            s.rect(x, 470 + row * 120, x + 80, 540 + row * 120, "main.pale")
    if look.has("open"):
        s.rect(80, 230, glass, 850, INK)
        s.rect(130, 280, glass - 50, 760, LIGHT)
        s.poly(((130, 760), (glass - 50, 760), (glass, 850), (80, 850)), (226, 200, 130))
        s.oval(270, 700, glass - 190, 820, (250, 246, 226))
        s.poly(((80, 200), (-250, 270), (-250, 990), (80, 880)), "main")
        s.poly(((20, 310), (-180, 350), (-180, 850), (20, 796)), GLASS)
        s.rect(-280, 270, -236, 990, "main.line")
    else:
        s.rect(80, 230, glass, 850, "main.dark")
        s.rect(150, 300, glass - 110, 780, GLASS)
        s.poly(((280, 780), (420, 780), (620, 300), (480, 300)), SHEEN)
        s.bar((glass - 50, 320), (glass - 50, 760), 56, "main.line")
    s.anchor("top", 70, 90, wide - 70)
    return s


def toaster(look: Appearance) -> Sketch:
    """A rounded toaster: two slices of toast stick out of it, or its slots are dark."""
    s = Sketch()
    wide = (1320, 1440, 1220)[look.variant]
    crust, crumb = (150, 92, 44), (232, 178, 104)
    for x in (140, wide - 260):
        s.rect(x, 920, x + 120, GROUND, INK)
    s.poly(((190, 190), (wide - 190, 190), (wide - 30, 400), (wide, 470), (0, 470), (30, 400)), "main.light")
    s.poly(((220, 216), (wide - 220, 216), (wide - 190, 272), (190, 272)), GLASS)
    s.poly(((170, 308), (wide - 170, 308), (wide - 120, 380), (120, 380)), GLASS)
    if look.has("full"):
        for left in (210, wide // 2 + 30):
            right = left + wide // 2 - 240
            s.oval(left - 30, 0, right + 30, 220, crust)
            s.rect(left, 60, right, 350, crust)
            s.oval(left + 6, 34, right - 6, 190, crumb)
            s.rect(left + 36, 110, right - 36, 350, crumb)
    s.poly(((60, 410), (wide - 60, 410), (wide, 500), (wide, 940), (0, 940), (0, 500)), "main")
    s.rect(0, 850, wide, 940, "main.dark")
    s.oval(100, 490, 240, 800, "main.pale")
    lever = 520 if look.has("full") else 420
    s.rect(wide, 400, wide + 40, 800, INK)
    s.rect(wide - 10, lever, wide + 120, lever + 90, INK)
    s.disc(wide - 230, 690, 90, "main.line")
    s.rect(wide - 244, 610, wide - 216, 690, "main.pale")
    return s


def television(look: Appearance) -> Sketch:
    """A television: a bright scene on the screen, or dark glass."""
    s = Sketch()
    wide, top = ((1340, 0), (1420, 0), (1180, 190))[look.variant]
    edge, chin = (84, 880) if look.variant != 2 else (90, 930)
    if look.variant == 2:
        s.bar((wide // 2, 210), (wide // 2 - 260, 20), 36, STEEL)
        s.bar((wide // 2, 210), (wide // 2 + 260, 20), 36, STEEL)
        for x in (140, wide - 140):
            s.bar((x, 900), (x, 980), 60, "main.deep")
    else:
        s.poly(
            ((wide // 2 - 90, 860), (wide // 2 + 90, 860), (wide // 2 + 120, 960), (wide // 2 - 120, 960)), "main.dark"
        )
        s.rect(wide // 2 - 340, 940, wide // 2 + 340, GROUND)
    s.rect(0, top, wide, chin, "main")
    s.rect(0, top, wide, top + 24, "main.light")
    s.rect(0, chin - 26, wide, chin, "main.dark")
    right = wide - edge
    if look.variant == 2:
        right = wide - 300
        for y in (340, 480):
            s.disc(wide - 160, y, 56, "main.line")
        for y in (620, 690, 760):
            s.rect(wide - 240, y, wide - 80, y + 26, "main.line")
    _screen(s, edge, top + edge, right, chin - edge - 10, on=look.has("on"))
    s.rect(right - 60, chin - 52, right - 10, chin - 34, (90, 230, 110) if look.has("on") else (200, 60, 60))
    return s


def _screen(s: Sketch, left: int, top: int, right: int, bottom: int, *, on: bool) -> None:
    wide, high = right - left, bottom - top
    if on:
        for k, color in enumerate(((86, 190, 250), (140, 214, 255), (255, 214, 130))):
            s.rect(left, top + high * k // 4, right, bottom, color)
        s.disc(left + wide * 7 // 10, top + high * 3 // 10, high // 6, (255, 236, 90))
        s.poly(
            (
                (left, top + high * 3 // 5),
                (left + wide // 3, top + high // 4),
                (left + wide * 2 // 3, bottom),
                (left, bottom),
            ),
            (240, 96, 130),
        )
        s.poly(
            ((left, bottom), (left, top + high * 4 // 5), (right, top + high * 3 // 5), (right, bottom)), (70, 200, 110)
        )
    else:
        s.rect(left, top, right, bottom, GLASS)
        s.poly(
            (
                (left + wide // 8, bottom),
                (left + wide // 4, bottom),
                (left + wide // 2, top),
                (left + wide * 3 // 8, top),
            ),
            SHEEN,
        )
        s.poly(
            (
                (left + wide * 3 // 10, bottom),
                (left + wide // 3, bottom),
                (left + wide * 7 // 12, top),
                (left + wide * 11 // 20, top),
            ),
            SHEEN,
        )


def laptop(look: Appearance) -> Sketch:
    """A laptop: folded flat, or open with a bright screen above its keys."""
    s = Sketch()
    half = (700, 760, 650)[look.variant]
    if look.has("closed"):
        s.poly(((-half + 120, 640), (half - 120, 640), (half + 60, 900), (-half - 60, 900)), "main")
        s.poly(((-half + 150, 650), (-half + 420, 650), (-half + 260, 890), (-half - 10, 890)), "main.light")
        s.oval(-90, 730, 90, 810, "main.pale")
        s.rect(-half - 60, 900, half + 60, 940, "main.dark")
        s.rect(-half - 60, 950, half + 60, GROUND, "main.deep")
        s.anchor("grip", 0, 930)
        return s
    s.rect(-half, 0, half, 720, "main")
    s.rect(-half, 0, half, 26, "main.light")
    s.rect(-half + 80, 80, half - 80, 640, (70, 160, 236))
    s.rect(-half + 80, 80, half - 80, 150, (236, 244, 252))
    s.rect(-half + 180, 220, 40, 540, (252, 252, 250))
    for y in (280, 360, 440):
        s.rect(-half + 230, y, -30, y + 36, (120, 140, 170))
    s.rect(110, 220, half - 180, 540, (255, 206, 84))
    s.rect(-half + 60, 700, half - 60, 740, "main.deep")
    s.poly(((-half, 730), (half, 730), (half + 160, 950), (-half - 160, 950)), "main")
    s.poly(((-half + 70, 750), (half - 70, 750), (half - 20, 840), (-half + 20, 840)), "main.deep")
    s.poly(((-150, 866), (150, 866), (170, 930), (-170, 930)), "main.line")
    s.rect(-half - 160, 950, half + 160, GROUND, "main.dark")
    s.anchor("grip", 0, 970)
    return s


def lamp(look: Appearance) -> Sketch:
    """A table lamp with a shade; lit, it stands in its own glow."""
    s = Sketch()
    half, narrow = ((330, 190), (310, 310), (360, 120))[look.variant]
    lit = look.has("lit")
    if lit:
        s.oval(-half - 120, 0, half + 120, 820, (255, 244, 186))
        s.poly(((-half + 30, 470), (half - 30, 470), (half + 100, 890), (-half - 100, 890)), GLOW)
    s.oval(-240, 900, 240, GROUND, "main.deep")
    s.oval(-240, 880, 240, 970, "main.dark")
    s.rect(-34, 440, 34, 920, "main.dark")
    if look.variant != 2:
        s.oval(-120, 640, 120, 910, "main")
        s.oval(-80, 680, -20, 800, "main.pale")
    s.oval(-100, 420, 100, 580, (255, 252, 224) if lit else (150, 152, 160))
    s.poly(((-narrow, 40), (narrow, 40), (half, 470), (-half, 470)), "main")
    s.poly(((-narrow + 50, 40), (-narrow + 120, 40), (-half + 190, 470), (-half + 70, 470)), "main.light")
    s.rect(-half - 6, 440, half + 6, 480, (255, 250, 200) if lit else "main.dark")
    s.rect(-narrow - 4, 20, narrow + 4, 56, GLOW if lit else "main.dark")
    s.anchor("grip", 0, 700)
    return s


def clock(look: Appearance) -> Sketch:
    """A round clock for the wall, with a broad rim."""
    s = Sketch()
    s.disc(500, 500, 500, "main.deep")
    s.disc(500, 490, 485, "main")
    if look.variant == 1:
        for x, y in ((500, 70), (500, 910), (80, 490), (920, 490), (200, 190), (800, 190), (200, 790), (800, 790)):
            s.disc(x, y, 44, "main.line")
    s.disc(500, 495, 350, "main.dark")
    s.disc(500, 500, 330, CREAM)
    for x, y in ((500, 220), (500, 780), (220, 500), (780, 500)):
        s.disc(x, y, 34, INK)
    if look.variant != 1:
        for x, y in ((640, 258), (742, 360), (742, 640), (640, 742), (360, 742), (258, 640), (258, 360), (360, 258)):
            s.disc(x, y, 17, INK)
    hour, minute = (((360, 400), (500, 260)), ((640, 400), (500, 740)), ((400, 620), (700, 400)))[look.variant]
    s.bar((500, 500), hour, 56, INK)
    s.bar((500, 500), minute, 40, INK)
    s.disc(500, 500, 44, (208, 60, 56))
    s.oval(180, 90, 330, 200, "main.light")
    return s


def phone(look: Appearance) -> Sketch:
    """A telephone of the old kind, its receiver resting on top."""
    s = Sketch()
    half = (640, 700, 600)[look.variant]
    s.rect(-half, 900, half, GROUND, "main.deep")
    s.poly(((-half + 300, 300), (half - 300, 300), (half, 920), (-half, 920)), "main")
    s.poly(((-half + 330, 340), (-half + 420, 340), (-half + 200, 860), (-half + 70, 860)), "main.light")
    for x in (-220, 220):
        s.rect(x - 60, 230, x + 60, 340, "main.dark")
    if look.variant == 1:
        s.rect(-230, 430, 230, 860, CREAM)
        for row in range(3):
            for x in (-150, 0, 150):
                s.rect(x - 52, 466 + row * 128, x + 52, 560 + row * 128, INK)
    else:
        s.disc(0, 630, 250, CREAM)
        for x, y in ((0, 460), (120, 510), (170, 630), (120, 750), (0, 800), (-120, 750), (-170, 630), (-120, 510)):
            s.disc(x, y, 46, INK)
        s.disc(0, 630, 80, "main")
    s.path(((-half + 20, 190), (-half // 2, 90), (half // 2, 90), (half - 20, 190)), 150, "main.dark")
    for side in (-1, 1):
        s.oval(side * (half - 10) - 190, 120, side * (half - 10) + 190, 360, "main")
        s.rect(side * (half - 10) - 190, 240, side * (half - 10) + 190, 330, "main.deep")
    s.bar((-half // 2, 66), (half // 2, 66), 70, "main")
    s.anchor("grip", 0, 100)
    return s


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = {
    "refrigerator": refrigerator,
    "oven": oven,
    "microwave": microwave,
    "toaster": toaster,
    "television": television,
    "laptop": laptop,
    "lamp": lamp,
    "clock": clock,
    "phone": phone,
}
