"""Visibility of what is drawn: the share of each thing that nothing covers and that its background does not swallow.

Measured on every third row and column of the canvas, while a scene is painted. Of a garment it is known from its sketch
how much of it other garments leave, and from the canvas how much of its wearer is seen there.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from counterpoint.core.pictures import Box
from counterpoint.world.cameras import PICTURE
from counterpoint.world.drawing import draw_appearance
from counterpoint.world.painting import FINE, Placement, box_of, fill_polygon
from counterpoint.world.sketch import Appearance, Extent, Shape

LEAST_SEEN = 0.25
"""The share of a thing that has to be seen, or it is hidden."""
_DIFFERENT = 30  # of 256 levels of red, green or blue: less is hard to tell from what is behind
_STEP = 10  # units of a sketch between two points at which it is measured

_Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a sketch: its reach, the share of it that other parts leave, and how full of paint its reach is."""

    extent: Extent
    left: float
    filled: float


@dataclass(slots=True)
class SeenShares:
    """What is seen of each thing, gathered from back to front."""

    _owner: NDArray[np.int16] = field(
        default_factory=lambda: np.full((PICTURE.height, PICTURE.width), -1, dtype=np.int16)
    )
    _told: dict[int, tuple[Box, _Mask]] = field(default_factory=dict)

    def add(self, number: int, extent: Extent, canvas: Image.Image, paint: Callable[[], None]) -> None:
        """Paint a thing, and note where the canvas is another one than before."""
        box = box_of(extent)
        before = _sampled(canvas, box)
        paint()
        change = np.abs(_sampled(canvas, box) - before).max(axis=2)
        self._view(box)[change > 0] = number
        self._told[number] = box, change >= _DIFFERENT

    def of(self, number: int, look: Appearance, at: Placement) -> dict[str, float]:
        """The share of a thing that is seen, and those of its parts by their names; its own is called ""."""
        box, told = self._told[number]
        seen = told & (self._view(box) == number)
        shares = dict[str, float]()
        for name, part in _measured_parts(look).items():
            own = box_of(at.extent(part.extent))
            rows, columns = slice(own.y - box.y, own.bottom - box.y), slice(own.x - box.x, own.right - box.x)
            shares[name] = part.left * float(seen[rows, columns].sum()) / max(part.filled * own.area, 1.0)
        return shares

    def _view(self, box: Box) -> NDArray[np.int16]:
        return self._owner[box.y : box.bottom, box.x : box.right]


def _sampled(canvas: Image.Image, box: Box) -> NDArray[np.int16]:
    """The middle canvas pixel of each picture pixel of a box."""
    corners = (FINE * box.x, FINE * box.y, FINE * box.right, FINE * box.bottom)
    return np.asarray(canvas.resize((box.width, box.height), Image.Resampling.NEAREST, corners)).astype(np.int16)


@lru_cache(8192)
def _measured_parts(look: Appearance) -> Mapping[str, _Part]:
    """The parts of a sketch, and under "" the whole."""
    shape = draw_appearance(look)
    names = tuple(shape.parts)
    whole = _raster(shape.sketch.shapes, shape.extent, names)
    parts = {"": _Part(shape.extent, 1.0, float((whole > 0).mean()))}
    for code, (name, extent) in enumerate(shape.parts.items(), 2):
        alone = _raster((one for one in shape.sketch.shapes if one.part == name), shape.extent, names)
        left = float((whole == code).sum()) / max(float((alone == code).sum()), 1.0)
        rows, columns = (_span(extent, shape.extent, axis) for axis in (1, 0))
        parts[name] = _Part(extent, left, float((whole[rows, columns] > 0).mean()))
    return parts


def _span(extent: Extent, whole: Extent, axis: int) -> slice:
    start = whole[axis]
    return slice((extent[axis] - start) // _STEP, (extent[axis + 2] - start) // _STEP + 1)


def _raster(shapes: Iterable[Shape], extent: Extent, names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Which part is on top, at every step of a sketch: 0 for none, 1 for what is no part, and 2, 3… for the parts."""
    left, top, right, bottom = extent
    image = Image.new("L", ((right - left) // _STEP + 1, (bottom - top) // _STEP + 1))
    draw = ImageDraw.Draw(image)
    for shape in shapes:
        points = [((x - left) // _STEP, (y - top) // _STEP) for x, y in shape.points]
        code = names.index(shape.part) + 2 if shape.part else 1
        if shape.oval:
            (x0, y0), (x1, y1) = points
            draw.ellipse((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), fill=code)
        else:
            fill_polygon(draw, points, code)
    return np.asarray(image)
