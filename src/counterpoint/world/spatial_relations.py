"""Where things are to each other, as far as their boxes and ground lines prove it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from counterpoint.core.pictures import Box
from counterpoint.core.scenes import Link
from counterpoint.scenes.relations import opposed_relation

_NEAR = 26  # picture pixels between two boxes, at most
_DEPTH = 27  # canvas pixels between two ground lines that are clearly one behind the other


@dataclass(frozen=True, slots=True)
class PlacedBox:
    """A thing on stage, as geometry sees it.

    `ground` is the canvas row on which its troupe stands; what is `grounded` stands there itself; what is `hung` is on
    the wall or in the sky, and far from the ground wherever that is.
    """

    id: str
    box: Box
    troupe: int
    ground: int
    grounded: bool
    hung: bool = False


def find_spatial_relations(stands: Sequence[PlacedBox], known: Sequence[Link]) -> Iterator[Link]:
    """Every spatial relation that holds beyond doubt, both ways; pairs that touch are at most beside each other."""
    touching = {frozenset((link.subject, link.object)) for link in known}
    for one, other in combinations(stands, 2):
        for first, name, second in _between(one, other, frozenset((one.id, other.id)) in touching):
            yield Link(first.id, name, second.id)
            yield Link(second.id, opposed_relation(name) or name, first.id)


def _between(one: PlacedBox, other: PlacedBox, together: bool) -> Iterator[tuple[PlacedBox, str, PlacedBox]]:
    """What holds between two things, each relation in one direction."""
    box, its = one.box, other.box
    across = min(box.x + box.width, its.x + its.width) - max(box.x, its.x)
    down = min(box.y + box.height, its.y + its.height) - max(box.y, its.y)
    narrow, low = min(box.width, its.width), min(box.height, its.height)
    if 100 * across <= 12 * narrow:
        right = 2 * (its.x - box.x) + its.width - box.width
        if right:
            yield (one, "to the left of", other) if right > 0 else (other, "to the left of", one)
    if together:
        return
    nearer = one.ground - other.ground
    if one.hung or other.hung or (abs(nearer) < _DEPTH and not (one.grounded and other.grounded)):
        under = 2 * (its.y - box.y) + its.height - box.height
        if under and 100 * down <= 8 * low and 100 * across >= 40 * narrow:
            yield (one, "above", other) if under > 0 else (other, "above", one)
    elif one.grounded and other.grounded and one.troupe != other.troupe:
        if abs(nearer) >= _DEPTH and 100 * across >= 30 * narrow and down >= -_NEAR:
            yield (one, "in front of", other) if nearer > 0 else (other, "in front of", one)
        if abs(nearer) < 3 * _DEPTH and across >= -_NEAR:
            yield one, "near", other
