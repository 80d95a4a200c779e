"""Where one box lies relative to another, with margins that nobody would overlook, and how large a box is."""

from counterpoint.core.pictures import Box, Size

LEFT, RIGHT = "to the left of", "to the right of"
HIGHER, LOWER = "higher in the picture than", "lower in the picture than"
"""Of two things on the ground the farther one is higher in the picture, and yet not above the other."""
APART = 0.04
"""The least gap between boxes, as a share of the longer side of the picture."""
SHIFTED = 0.05
"""The least distance between the middles of two boxes of which one is left of the other."""
_SMALLEST = 800  # a box below this part of the picture is too small for anyone to be sure


def is_tiny(box: Box, size: Size) -> bool:
    """Whether a box is smaller than 1/800 of the picture, too small for anyone to be sure of what it shows."""
    return box.area * _SMALLEST < size.width * size.height


def are_apart(box: Box, other: Box) -> bool:
    """Whether boxes share less than half of the smaller one, so that they show two objects."""
    return 2 * box.overlap(other) < min(box.area, other.area)


def are_one_place(box: Box, other: Box) -> bool:
    """Whether boxes share most of the larger one, so that they may show one object under two names."""
    return 10 * box.overlap(other) >= 7 * max(box.area, other.area)


def horizontal_placement(box: Box, other: Box, size: Size) -> str:
    """The side on which a box lies of another that shares no column with it, or nothing where that is not clear.

    >>> horizontal_placement(Box(0, 0, 30, 30), Box(60, 0, 30, 30), Size(200, 100))
    'to the left of'
    """
    shift = other.middle[0] - box.middle[0]
    shares_columns = min(box.right, other.right) > max(box.x, other.x)
    if abs(shift) < SHIFTED * max(size.width, size.height) or shares_columns:
        return ""
    return LEFT if shift > 0 else RIGHT


def vertical_placement(box: Box, other: Box, size: Size) -> str:
    """Whether a box lies higher or lower in the picture than another, with a gap between them, or nothing.

    >>> vertical_placement(Box(0, 0, 30, 30), Box(0, 60, 30, 30), Size(200, 100))
    'higher in the picture than'
    """
    gap = APART * max(size.width, size.height)
    if other.y - box.bottom >= gap:
        return HIGHER
    return LOWER if box.y - other.bottom >= gap else ""
