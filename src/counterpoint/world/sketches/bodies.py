"""The bones of a person: how each kind is built, how each pose bends them, and where the joints are then."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import cos, isqrt, pi, sin

from counterpoint.world.sketch import GROUND, Point
from counterpoint.world.sketches.strokes import outline

_TURN = [(round(4096 * sin(pi * d / 180)), round(4096 * cos(pi * d / 180))) for d in range(360)]
_ROUND = tuple(_TURN[d] for d in range(0, 360, 24))


@dataclass(frozen=True, slots=True)
class Build:
    """Lengths and half-widths of a body, in thousandths of its height."""

    head: int
    neck: int
    torso: int
    shoulders: int
    shoulder: int
    hips: int
    hip: int
    upper: int
    fore: int
    arm: int
    thigh: int
    shin: int
    leg: int
    sole: int


MAN = Build(90, 32, 294, 88, 42, 46, 54, 168, 150, 29, 222, 214, 42, 32)
WOMAN = Build(90, 30, 280, 58, 33, 48, 52, 158, 144, 25, 230, 220, 38, 30)
BOY = Build(122, 20, 266, 74, 38, 42, 54, 146, 132, 31, 196, 182, 44, 36)
GIRL = Build(122, 20, 262, 58, 34, 40, 52, 144, 132, 28, 200, 184, 40, 34)
BUILDS: Mapping[str, Build] = {"man": MAN, "woman": WOMAN, "boy": BOY, "girl": GIRL}


@dataclass(frozen=True, slots=True)
class Pose:
    """Angles of the limbs in degrees, two to a limb: 0 hangs down, 90 points ahead, 180 up, -90 back."""

    near_arm: tuple[int, int] = (-10, 4)
    far_arm: tuple[int, int] = (12, 18)
    near_leg: tuple[int, int] = (-5, -2)
    far_leg: tuple[int, int] = (8, 3)
    lean: int = 0
    gaze: int = 0  # how far the face is turned down, in hundredths of the head
    turn: int = 100  # how much of the breadth is seen: less from the side
    lift: int = 0  # how high above the ground
    grasp: tuple[int, int] | None = None  # where both hands are, from the chest, in hundredths of an arm
    bite: tuple[int, int] | None = None  # where the near hand is, from the middle of the head, in hundredths of it


POSES: Mapping[str, Pose] = {
    "standing": Pose(),
    "walking": Pose((-34, -14), (30, 48), (26, 14), (-22, -34), lean=3, turn=75),
    "running": Pose((-62, 20), (48, 120), (72, -8), (-30, -88), lean=16, turn=65, lift=20),
    "sitting": Pose((18, 62), (34, 70), (86, 2), (80, 12), turn=75),
    "jumping": Pose((-128, -158), (128, 158), (-32, -72), (44, -40), lift=150),
    "waving": Pose((-14, 4), (118, 172), turn=95),
    "riding": Pose(near_leg=(62, -12), far_leg=(72, -12), lean=16, turn=60, grasp=(76, 54)),
    "balancing": Pose((-82, -100), (84, 100), (-42, 12), (46, -8), lean=4),
    "holding": Pose((46, 106), (-6, 0), turn=70),
    "carrying": Pose(near_leg=(-6, -4), far_leg=(8, 2), lean=-4, turn=70, grasp=(66, 56)),
    "kicking": Pose((-58, -34), (52, 84), (66, 74), (-6, -14), lean=-12, turn=75),
    "pushing": Pose(near_leg=(34, 4), far_leg=(-30, -46), lean=26, turn=60, grasp=(86, 38)),
    "wheeling": Pose(near_leg=(28, 8), far_leg=(-24, -38), lean=16, turn=60, grasp=(40, 92)),
    "shoving": Pose(near_leg=(68, -4), far_leg=(-24, -62), lean=46, gaze=6, turn=60, grasp=(66, 72)),
    "throwing": Pose((-112, -184), (72, 92), (-26, -30), (34, 14), lean=-8, gaze=-6, turn=85),
    "feeding": Pose((54, 66), (-30, -4), (4, -2), (24, 4), lean=24, gaze=12, turn=65),
    "eating": Pose(far_arm=(-8, 0), turn=70, bite=(158, 92)),
    "drinking": Pose(far_arm=(-8, 0), gaze=-12, turn=70, bite=(164, 66)),
    "reading": Pose(gaze=22, turn=70, grasp=(68, 50)),
    "flying": Pose((-16, 8), (128, 142), (-14, -14), (20, 8), lean=-8, gaze=-18, turn=80),
    "leading": Pose((40, 60), (-30, -14), (24, 12), (-20, -32), lean=-2, turn=70),
    "watering": Pose((34, 84), (-10, 0), (-2, -4), (12, 4), lean=8, gaze=14, turn=65),
}


@dataclass(frozen=True, slots=True)
class Limb:
    """An arm or a leg: shoulder, elbow and hand, or hip, knee and ankle."""

    root: Point
    bend: Point
    end: Point


@dataclass(frozen=True, slots=True)
class Leg(Limb):
    """A leg, down to the toes."""

    toe: Point


@dataclass(frozen=True, slots=True)
class Body:
    """Where the joints of a person are."""

    build: Build
    head: Point
    chest: Point
    hip: Point
    near_arm: Limb
    far_arm: Limb
    near_leg: Leg
    far_leg: Leg


@cache
def body(build: Build, pose: Pose) -> Body:
    """Bend the bones of a build into a pose, with the lowest foot on the ground."""
    legs = _legs(build, pose, (0, 0))
    hip = (0, GROUND - pose.lift - build.sole - max(y for leg in legs for _, y in (leg.end, leg.toe)))
    chest = plus(hip, vector(build.torso, 180 - pose.lean))
    ahead = build.head * (pose.gaze + 14) // 100
    head = plus(chest, vector(build.neck + build.head, 180 - pose.lean // 2), (ahead, 0))
    return Body(build, head, chest, hip, *_arms(build, pose, chest, head), *_legs(build, pose, hip))


def _legs(build: Build, pose: Pose, hip: Point) -> tuple[Leg, Leg]:
    near, far = (plus(hip, _across(build.hips * side, pose)) for side in (-1, 1))
    return _leg(near, build, pose.near_leg), _leg(far, build, pose.far_leg)


def _leg(root: Point, build: Build, angles: tuple[int, int]) -> Leg:
    limb = _limb(root, build.thigh, build.shin, angles)
    return Leg(limb.root, limb.bend, limb.end, plus(limb.end, vector(build.sole * 2, angles[1] + 90)))


def _across(half: int, pose: Pose) -> Point:
    return vector(half * pose.turn // 100, 90 - pose.lean)


def _arms(build: Build, pose: Pose, chest: Point, head: Point) -> tuple[Limb, Limb]:
    near, far = (plus(chest, _across(build.shoulders * side, pose)) for side in (-1, 1))
    long = build.upper + build.fore
    if pose.grasp:
        hands = plus(chest, (long * pose.grasp[0] // 100, long * pose.grasp[1] // 100))
        ends = plus(hands, (-build.arm // 3, build.arm // 2)), plus(hands, (build.arm // 3, -build.arm // 2))
        return _reach(near, ends[0], build), _reach(far, ends[1], build)
    far_arm = _limb(far, build.upper, build.fore, pose.far_arm)
    if pose.bite:
        hand = plus(head, (build.head * pose.bite[0] // 100, build.head * pose.bite[1] // 100))
        return _reach(near, hand, build), far_arm
    return _limb(near, build.upper, build.fore, pose.near_arm), far_arm


def _limb(root: Point, first: int, second: int, angles: tuple[int, int]) -> Limb:
    bend = plus(root, vector(first, angles[0]))
    return Limb(root, bend, plus(bend, vector(second, angles[1])))


def _reach(root: Point, end: Point, build: Build) -> Limb:
    """Bend an arm so that its hand is at a point, or as near as it gets, with the elbow ahead and below."""
    dx, dy = minus(end, root)
    far = max(isqrt(dx * dx + dy * dy), 1)
    long = build.upper + build.fore
    if far > long:
        end, far = plus(root, (dx * long // far, dy * long // far)), long
        dx, dy = minus(end, root)
    along = (build.upper**2 - build.fore**2 + far * far) // (2 * far)
    aside = isqrt(max(build.upper**2 - along * along, 0))
    return Limb(root, plus(root, ((dx * along - dy * aside) // far, (dy * along + dx * aside) // far)), end)


def vector(length: int, degrees: int) -> Point:
    """A step of some length, down at 0 degrees and ahead at 90."""
    x, y = _TURN[degrees % 360]
    return x * length // 4096, y * length // 4096


def plus(*points: Point) -> Point:
    """The sum of steps."""
    return sum(x for x, _ in points), sum(y for _, y in points)


def minus(one: Point, other: Point) -> Point:
    """The step from the other point to the one."""
    return one[0] - other[0], one[1] - other[1]


def between(one: Point, other: Point, percent: int) -> Point:
    """The point so many hundredths of the way from one to the other."""
    return one[0] + (other[0] - one[0]) * percent // 100, one[1] + (other[1] - one[1]) * percent // 100


@lru_cache(8192)
def blob(*discs: tuple[Point, int]) -> tuple[Point, ...]:
    """The outline of a skin stretched around discs, each a middle and a radius."""
    return tuple(outline([(x + r * dx // 4096, y + r * dy // 4096) for (x, y), r in discs for dx, dy in _ROUND]))
