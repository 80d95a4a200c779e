"""Sizes of pictures, and boxes clipped to them; boxes outside their picture are counted."""

from counterpoint.core.errors import SourceError
from counterpoint.core.pictures import Box, Size
from counterpoint.sources.reading.json_record import Record, short_repr
from counterpoint.sources.reading.skips import Skips

LONGEST = 100_000
"""No picture is longer, in pixels."""
_OUTSIDE = "a box outside its picture"
_REMEDY = "the object stays, without a box; are these the sizes of these pictures?"


def size_of(record: Record, width: str = "width", height: str = "height") -> Size:
    """The size of a picture, to which its boxes refer."""
    across, down = record.number(width), record.number(height)
    if 0 < across <= LONGEST and 0 < down <= LONGEST:
        return Size(across, down)
    raise SourceError(f"{record.place}: {across} by {down} is no size of a picture", hint="sizes are in pixels")


def clip_box(x: int, y: int, width: int, height: int, size: Size) -> Box | None:
    """The part of a box that lies within the picture; none if nothing does.

    >>> clip_box(-5, 10, 20, 20, Size(100, 20))
    Box(x=0, y=10, width=15, height=10)
    """
    left, top = max(x, 0), max(y, 0)
    right, bottom = min(x + width, size.width), min(y + height, size.height)
    return Box(left, top, right - left, bottom - top) if left < right and top < bottom else None


def box_of(record: Record, size: Size, skips: Skips) -> Box | None:
    """The box in `x`, `y`, `w` and `h`; none, and counted, where it lies outside or has no width or height."""
    x, y, width, height = record.number("x"), record.number("y"), record.number("w"), record.number("h")
    box = clip_box(x, y, width, height, size)
    if box is None:
        skip_box(
            f"{record.place}: x={short_repr(x)}, y={short_repr(y)}, w={short_repr(width)}, h={short_repr(height)}",
            skips,
        )
    return box


def skip_box(place: str, skips: Skips) -> None:
    """Count a box that lies outside its picture."""
    skips.skip(_OUTSIDE, place, _REMEDY)
