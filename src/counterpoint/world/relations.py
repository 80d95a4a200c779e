"""Where things are to each other, as far as their boxes and ground lines prove it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from counterpoint.core.pictures import Box
from counterpoint.core.scenes import Link

_OPPOSITE = {
    "to the left of": "to the right of",
    "above": "below",
    "in front of": "behind",
    "near": "near",
}
_NEAR = 26  # picture pixels between two boxes, at most
_DEPTH = 27  # canvas pixels between two ground lines that are clearly one behind the other


@dataclass(frozen=True, slots=True)
class Stand:
    """A thing on stage, as geometry sees it: `ground` is its canvas row; what is `grounded` stands on the ground there."""

    id: str
    box: Box
    troupe: int
    ground: int
    grounded: bool


def spatial(stands: Sequence[Stand], known: Sequence[Link]) -> Iterator[Link]:
    """Every spatial relation that holds beyond doubt, both ways; pairs that touch are at most beside each other."""
    touching = {frozenset((link.subject, link.object)) for link in known}
    for one, other in combinations(stands, 2):
        together = frozenset((one.id, other.id)) in touching
        for first, second in ((one, other), (other, one)):
            for name in _holding(first, second, together):
                yield Link(first.id, name, second.id)
                if name != "near":
                    yield Link(second.id, _OPPOSITE[name], first.id)


def _holding(one: Stand, other: Stand, together: bool) -> Iterator[str]:
    across = min(one.box.right, other.box.right) - max(one.box.x, other.box.x)
    down = min(one.box.bottom, other.box.bottom) - max(one.box.y, other.box.y)
    narrow, low = min(one.box.width, other.box.width), min(one.box.height, other.box.height)
    if one.box.middle[0] < other.box.middle[0] and 100 * across <= 12 * narrow:
        yield "to the left of"
    if together:
        return
    if not (one.grounded and other.grounded):
        if one.box.middle[1] < other.box.middle[1] and 100 * down <= 8 * low and 100 * across >= 40 * narrow:
            yield "above"
    elif one.troupe != other.troupe:
        deeper = one.ground - other.ground
        if deeper >= _DEPTH and 100 * across >= 30 * narrow and down >= -_NEAR:
            yield "in front of"
        if abs(deeper) < 3 * _DEPTH and across >= -_NEAR:
            yield "near"
