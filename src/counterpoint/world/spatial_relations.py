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
    """The geometry of a placed object.

    `ground` is the canvas row on which its cluster stands; what is `grounded` stands there itself; what is `hung` is on
    the wall or in the sky, and far from the ground wherever that is.
    """

    id: str
    box: Box
    cluster: int
    ground: int
    grounded: bool
    hung: bool = False


def find_spatial_relations(stands: Sequence[PlacedBox], annotated: Sequence[Link]) -> Iterator[Link]:
    """Every unambiguous spatial relation, both ways; touching pairs are at most beside each other."""
    touching = {frozenset((link.subject, link.object)) for link in annotated}
    for first_box, second_box in combinations(stands, 2):
        for first, name, second in _between(
            first_box, second_box, frozenset((first_box.id, second_box.id)) in touching
        ):
            yield Link(first.id, name, second.id)
            yield Link(second.id, opposed_relation(name) or name, first.id)


def _between(one: PlacedBox, other: PlacedBox, together: bool) -> Iterator[tuple[PlacedBox, str, PlacedBox]]:
    """What holds between two things, each relation in one direction."""
    box, other_box = one.box, other.box
    across = min(box.x + box.width, other_box.x + other_box.width) - max(box.x, other_box.x)
    down = min(box.y + box.height, other_box.y + other_box.height) - max(box.y, other_box.y)
    narrow, low = min(box.width, other_box.width), min(box.height, other_box.height)
    if 100 * across <= 12 * narrow:
        right = 2 * (other_box.x - box.x) + other_box.width - box.width
        if right:
            yield (one, "to the left of", other) if right > 0 else (other, "to the left of", one)
    if together:
        return
    nearer = one.ground - other.ground
    if one.hung or other.hung or (abs(nearer) < _DEPTH and not (one.grounded and other.grounded)):
        under = 2 * (other_box.y - box.y) + other_box.height - box.height
        if under and 100 * down <= 8 * low and 100 * across >= 40 * narrow:
            yield (one, "above", other) if under > 0 else (other, "above", one)
    elif one.grounded and other.grounded and one.cluster != other.cluster:
        if abs(nearer) >= _DEPTH and 100 * across >= 30 * narrow and down >= -_NEAR:
            yield (one, "in front of", other) if nearer > 0 else (other, "in front of", one)
        if abs(nearer) < 3 * _DEPTH and across >= -_NEAR:
            yield one, "near", other
