"""People: men, women, boys and girls, told apart by build and hair, in any pose and any clothes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from counterpoint.world.sketch import GROUND, Appearance, Paint, Point, Sketch
from counterpoint.world.sketches import garments
from counterpoint.world.sketches.bodies import (
    BUILDS,
    POSES,
    Body,
    Leg,
    Limb,
    Pose,
    between,
    blob,
    body,
    plus,
    vector,
)
from counterpoint.world.sketches.strokes import outline

EYE = (34, 28, 30)
LIP = (168, 52, 52)
RIBBON = (240, 98, 130)
TIN, TIN_DARK = (164, 178, 190), (124, 140, 154)
WATER = (92, 170, 232)
GRAIN = (226, 182, 92)


@dataclass(frozen=True, slots=True)
class PersonHead:
    """A head on a sketch, with places on it in hundredths of its half-height from its middle."""

    s: Sketch
    middle: Point
    r: int

    def at(self, x: int, y: int) -> Point:
        """A place on the sketch."""
        return self.middle[0] + x * self.r // 100, self.middle[1] + y * self.r // 100

    def oval(self, left: int, top: int, right: int, bottom: int, paint: Paint) -> None:
        """An oval between two places."""
        self.s.oval(*self.at(left, top), *self.at(right, bottom), paint)

    def dome(self, left: int, top: int, right: int, bottom: int) -> None:
        """Hair as the upper half of an oval."""
        self.s.dome(*self.at(left, top), *self.at(right, bottom), "hair")

    def poly(self, *places: tuple[int, int], paint: Paint = "hair") -> None:
        """The convex shape around places."""
        self.s.poly(outline([self.at(*place) for place in places]), paint)

    def blob(self, *discs: tuple[int, int, int], paint: Paint = "hair") -> None:
        """A skin stretched around discs of a place and a radius."""
        self.s.poly(blob(*((self.at(x, y), r * self.r // 100) for x, y, r in discs)), paint)


def person(look: Appearance) -> Sketch:
    """A person of any kind, painted from the far limbs to the near ones."""
    s, pose = Sketch(), POSES[look.pose or "standing"]
    b = body(BUILDS[look.kind], pose)
    head = PersonHead(s, b.head, b.build.head)
    _arm(s, look, b, b.far_arm, near=False)
    if look.pose != "riding":
        _leg(s, look, b, b.far_leg, near=False)
    _leg(s, look, b, b.near_leg, near=True)
    garments.seat(s, look, b)
    s.poly(blob((b.chest, b.build.head * 4 // 10), (b.head, b.build.head * 4 // 10)), "skin.dark")
    garments.top(s, look, b)
    garments.skirt(s, look, b)
    garments.jacket(s, look, b)
    _back_hair(head, look)
    garments.scarf(s, look, b)
    _face(head, look, pose)
    if look.pose in TOOLS:
        TOOLS[look.pose](s, b.near_arm.end)
    _arm(s, look, b, b.near_arm, near=True)
    _anchors(s, look, b, pose, head)
    return s


def _arm(s: Sketch, look: Appearance, b: Body, limb: Limb, *, near: bool) -> None:
    garments.sleeve(s, look, b, limb, near=near)
    if look.pose == "waving" and not near:
        for angle in (140, 168, 196, 236):
            tip = plus(limb.end, vector(b.build.arm * 22 // 10, angle))
            s.bar(limb.end, tip, b.build.arm * 7 // 10, "skin.dim", round_ends=False)


def _leg(s: Sketch, look: Appearance, b: Body, limb: Leg, *, near: bool) -> None:
    leg, paint = b.build.leg, "skin" if near else "skin.dim"
    if not look.wears("pants"):
        s.poly(blob((limb.bend, leg * 8 // 10), (limb.end, leg * 6 // 10)), paint)
        s.poly(blob((limb.root, leg), (limb.bend, leg * 8 // 10)), paint)
    garments.shoe(s, look, b, limb, near=near)
    garments.bottoms(s, look, b, limb, near=near)


def _face(head: PersonHead, look: Appearance, pose: Pose) -> None:
    down = pose.gaze
    head.oval(-80, -96, 88, 100, "skin")
    head.blob((84, 22 + down, 13), (78, 8 + down, 10), paint="skin")
    eyes = head.at(20, -2 + down), head.at(66, -2 + down)
    if look.kind == "man" and look.variant == 1:
        head.poly((-72, 16), (-64, 70), (-20, 108), (40, 114), (84, 80), (90, 36), (56, 34))
    _front_hair(head, look)
    head.oval(-76, -8 + down // 2, -38, 36 + down // 2, "skin.dark")
    if look.wears("glasses"):
        garments.glasses(head.s, eyes, head.at(-50, -6 + down), head.r * 32 // 100)
    for x, y in eyes:
        head.s.disc(x, y, max(head.r * 12 // 100, 12), EYE)
    head.s.cup(*head.at(20, 40 + down), *head.at(70, 72 + down), LIP)
    garments.hat(head.s, look, head.middle, head.r)


def _back_hair(head: PersonHead, look: Appearance) -> None:
    """What of the hair is behind the face: a short crop for all, and what hangs or stands out from it."""
    head.oval(-98, -112, 72, 62, "hair")
    match look.kind, look.variant:
        case "woman", 0:
            head.blob((-30, -40, 68), (-74, 140, 44), (-30, 150, 36))
        case "woman", 1:
            head.blob((-24, -30, 78), (-66, 66, 42), (50, 66, 36))
        case "woman", 2:
            head.oval(-146, -150, -44, -50, "hair")
        case "girl", 0:
            head.blob((-88, -46, 22), (-140, 0, 32), (-144, 70, 14))
        case "girl", 1:
            head.blob((-90, 14, 18), (-132, 60, 32), (-132, 106, 12))
            head.blob((70, 20, 18), (114, 64, 26), (114, 102, 10))
        case "girl", 2:
            head.blob((-28, -34, 76), (-74, 104, 36), (56, 96, 32))
        case "boy", 2:
            for x, y in ((-84, -40), (-70, -84), (-28, -110), (22, -112), (62, -92), (-90, 6)):
                head.blob((x, y, 30))


def _front_hair(head: PersonHead, look: Appearance) -> None:
    """What of the hair is on the forehead and before the ear."""
    match look.kind, look.variant:
        case "man", 2:
            head.dome(-97, -116, 90, -46)
            if not look.wears("hat"):
                head.blob((10, -98, 24), (70, -108, 24), (72, -78, 22))
        case "boy", 0:
            head.dome(-98, -116, 92, -42)
            for x, y in ((-108, -82), (-66, -122), (-4, -136), (70, -126)) if not look.wears("hat") else ():
                head.poly((x, y), (x - 8, -56), (x + 62, -82))
            head.poly((-30, -46), (70, -50), (40, -22))
        case "boy", 1:
            head.dome(-100, -118, 94, -26)
        case "woman" | "girl", _:
            head.dome(-98, -114, 90, -52)
            head.poly((-98, 0), (-97, -54), (60, -56), (-54, 0))
            head.poly((40, -66), (80, -86), (92, -52), (94, -16))
        case _:
            head.dome(-98, -114, 92, -46)
    head.blob((-82, -40, 16), (-72, 10, 14))
    if look.kind == "girl":
        ribbon = ((-62, -102, 12), (-44, -64, 14)) if look.variant == 2 else ((-92, -34, 16), (-84, -10, 12))
        head.blob(*ribbon, paint=RIBBON)


def _watering_can(s: Sketch, hand: Point) -> None:
    """A can tipped forward, with drops falling from its rose."""
    x, y = hand
    s.bar((x + 60, y + 74), (x + 158, y + 34), 24, TIN, round_ends=False)
    s.poly(outline(((x + 140, y + 4), (x + 172, y + 12), (x + 184, y + 72), (x + 160, y + 72))), TIN_DARK)
    s.poly(outline(((x - 54, y + 26), (x + 64, y + 40), (x + 78, y + 132), (x - 50, y + 128))), TIN)
    s.bar((x - 46, y + 16), (x + 58, y + 26), 16, TIN_DARK, round_ends=False)
    for dx, dy in ((178, 104), (200, 146), (172, 176), (210, 214)):
        s.oval(x + dx - 9, y + dy - 18, x + dx + 9, y + dy + 18, WATER)


def _grain(s: Sketch, hand: Point) -> None:
    """A heap of grain in the palm, and some that fall."""
    x, y = hand
    s.dome(x - 24, y - 56, x + 52, y - 14, GRAIN)
    for dx, dy in ((44, 40), (64, 84), (36, 112)):
        s.disc(x + dx, y + dy, 12, GRAIN)


TOOLS: Mapping[str, Callable[[Sketch, Point], None]] = {"watering": _watering_can, "feeding": _grain}
"""What the hand has in it in some poses, so that one sees what it does."""


def _anchors(s: Sketch, look: Appearance, b: Body, pose: Pose, head: PersonHead) -> None:
    limb = b.far_arm if look.pose in ("waving", "flying") else b.near_arm
    s.anchor("hand", *(between(b.near_arm.end, b.far_arm.end, 50) if pose.grasp else limb.end))
    s.anchor("hip", *b.hip)
    s.anchor("mouth", *head.at(60, 52 + pose.gaze))
    if look.pose == "kicking":
        s.anchor("foot", b.near_leg.toe[0] + b.build.sole, b.near_leg.toe[1])
    else:
        left, right = min(b.near_leg.end[0], b.far_leg.end[0]), max(b.near_leg.toe[0], b.far_leg.toe[0])
        s.anchor("foot", left, GROUND - pose.lift, right)


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = dict.fromkeys(BUILDS, person)
