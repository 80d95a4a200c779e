"""Joints between members of a cluster: a held object at the hand, a rider on the saddle, a cup on the table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from counterpoint.world.cameras import Camera
from counterpoint.world.drawing import MeasuredSketch
from counterpoint.world.painting import Placement
from counterpoint.world.sketch import GROUND, Anchor, Extent, Point


@dataclass(frozen=True, slots=True)
class Joint:
    """A member that has its place, and one of `height` canvas pixels that is to hang on it."""

    above: MeasuredSketch
    at: Placement
    other: MeasuredSketch
    height: int
    camera: Camera
    rng: Random

    @property
    def ahead(self) -> int:
        """The direction in which the upper member looks: 1 to the right, -1 to the left."""
        return -1 if self.at.mirrored else 1

    def anchor(self, name: str) -> Anchor | None:
        """An anchor of the upper member, on the canvas."""
        found = self.above.anchors.get(name)
        return self.at.anchor(found) if found else None

    def hand(self) -> Anchor:
        """The hand of the upper member; for one without hands, its foremost edge."""
        left, top, right, _ = self.at.extent(self.above.extent)
        edge = right if self.ahead > 0 else left
        return self.anchor("hand") or Anchor(edge, edge, (top + self.at.y) // 2)

    @property
    def width(self) -> int:
        """How wide the other member will be on the canvas."""
        return (self.other.extent[2] - self.other.extent[0]) * self.height // GROUND

    def pixels(self, least: int, most: int) -> int:
        """A random length between two lengths in centimetres."""
        return self.camera.pixels(self.rng.randint(least, most), self.at.y)

    def beside(self, edge: int, *, mirrored: bool) -> Placement:
        """On the same ground, beginning at an edge and reaching ahead from it."""
        left, _, right, _ = Placement(0, 0, self.height, mirrored).extent(self.other.extent)
        return Placement(edge - (left if self.ahead > 0 else right), self.at.y, self.height, mirrored)


def align_points(there: Point, own: Point, height: int, mirrored: bool) -> Placement:
    """The placement by which a point of a sketch comes to lie on a point of the canvas."""
    x, y = Placement(0, 0, height, mirrored).point(*own)
    return Placement(there[0] - x, there[1] - y, height, mirrored)


def place_in_row(joints: Sequence[Joint], name: str) -> list[Placement | None]:
    """Side by side, in any order, on the top of a thing or under it: as many as there is room for, the rest None."""
    placements: list[Placement | None] = [None] * len(joints)
    line = joints[0].anchor(name) if joints else None
    if line is None:
        return placements
    rng, room, fitting = joints[0].rng, line.right - line.left, []
    for number, joint in sorted(enumerate(joints), key=lambda row: -row[1].width):
        low_enough = name == "top" or joint.height <= joint.at.height * 6 // 10
        if low_enough and joint.width <= room:
            fitting.append(number)
            room -= joint.width
    rng.shuffle(fitting)
    gaps = sorted(rng.randint(0, room) for _ in fitting)
    x = line.left
    for number, gap, before in zip(fitting, gaps, [0, *gaps], strict=False):
        joint, mirrored = joints[number], rng.random() < 0.5
        x += gap - before
        middle = _middle(joint.other.extent) * (-1 if mirrored else 1)
        placements[number] = Placement(
            x + joint.width // 2 - middle * joint.height // GROUND, line.y, joint.height, mirrored
        )
        x += joint.width
    return placements


def _seated(joint: Joint) -> Placement | None:
    seat = joint.anchor("seat")
    if seat is None:
        return None
    return align_points(anchor_middle(seat), anchor_middle(joint.other.anchors["hip"]), joint.height, joint.at.mirrored)


def _on_deck(joint: Joint) -> Placement | None:
    deck = joint.anchor("seat")
    if deck is None:
        return None
    return align_points(anchor_middle(deck), (_middle(joint.other.extent), GROUND), joint.height, joint.at.mirrored)


def _in_hand(joint: Joint) -> Placement | None:
    extent = joint.other.extent
    own = joint.other.anchors.get("grip")
    grip = anchor_middle(own) if own else (_middle(extent), (extent[1] + extent[3]) // 2)
    return align_points(anchor_middle(joint.hand()), grip, joint.height, joint.at.mirrored)


def _at_foot(joint: Joint) -> Placement | None:
    foot = joint.anchor("foot") or joint.hand()
    return joint.beside(foot.middle + joint.ahead * joint.pixels(2, 8), mirrored=joint.at.mirrored)


def _ahead(joint: Joint) -> Placement | None:
    handle = joint.other.anchors.get("handle")
    if handle is None:
        return joint.beside(joint.hand().middle + joint.ahead * joint.pixels(1, 5), mirrored=joint.at.mirrored)
    x = align_points((joint.hand().middle, 0), anchor_middle(handle), joint.height, joint.at.mirrored).x
    return Placement(x, joint.at.y, joint.height, joint.at.mirrored)


def _facing(joint: Joint) -> Placement | None:
    return joint.beside(joint.hand().middle + joint.ahead * joint.pixels(1, 4), mirrored=not joint.at.mirrored)


def _on_leash(joint: Joint) -> Placement | None:
    return joint.beside(joint.hand().middle + joint.ahead * joint.pixels(20, 60), mirrored=joint.at.mirrored)


def _fleeing(joint: Joint) -> Placement | None:
    left, _, right, _ = joint.at.extent(joint.above.extent)
    return joint.beside(
        (right if joint.ahead > 0 else left) + joint.ahead * joint.pixels(12, 50), mirrored=joint.at.mirrored
    )


def _on_string(joint: Joint) -> Placement | None:
    high = max(joint.height, 96)
    x = joint.hand().middle + joint.ahead * joint.rng.randint(40, 260)
    lowest = max(min(joint.camera.horizon, joint.hand().y - 60), high + 14)
    return Placement(x - _middle(joint.other.extent) * high // GROUND, joint.rng.randint(high + 12, lowest), high)


HOLDS: Mapping[str, Callable[[Joint], Placement | None]] = {
    "hand": _in_hand,
    "foot": _at_foot,
    "ahead": _ahead,
    "facing": _facing,
    "leash": _on_leash,
    "fleeing": _fleeing,
    "string": _on_string,
    "seat": _seated,
    "deck": _on_deck,
}
"""Where the other member goes, for each way of touching that an action names."""


def anchor_middle(anchor: Anchor) -> Point:
    """The middle of an anchor."""
    return anchor.middle, anchor.y


def _middle(extent: Extent) -> int:
    return (extent[0] + extent[2]) // 2
