"""Pixel edits by name: pure functions on arrays, applied when a picture is loaded, never written to disk.

Edits that end in `-around` keep a foreground of boxes: after their own arguments come the width and height of a
reference size, then x, y, width and height of each box in it, all integers. Boxes scale with the picture.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from counterpoint.core.errors import PictureError, UnknownName
from counterpoint.core.pictures import Box, Edit, Size
from counterpoint.core.ports import Pixels
from counterpoint.pictures.noise import DISTRIBUTIONS, add_noise
from counterpoint.pictures.transforms import (
    brightness,
    contrast,
    flip,
    gray,
    jpeg,
    margins,
    mean_color,
    rotate,
    shuffle,
    trim,
)

Mask: TypeAlias = NDArray[np.uint8]
"""Height × width, from 0 for background to 255 for foreground."""

WIDENED = 10
"""A box is widened on each side by its diagonal divided by this (Yang et al. 2021)."""

_LEAST_MARGIN = 3  # pixels; three box blurs need a margin of at least this


def scale_boxes(boxes: Iterable[Box], before: Size, after: Size) -> list[Box]:
    """Boxes in a resized picture, rounded outward and clipped to it; empty ones are left out.

    >>> scale_boxes([Box(1, 1, 3, 3)], Size(8, 8), Size(4, 16))
    [Box(x=0, y=2, width=2, height=6)]
    """
    scaled = []
    for box in boxes:
        x, width = _outward(box.x, box.right, before.width, after.width)
        y, height = _outward(box.y, box.bottom, before.height, after.height)
        scaled += [Box(x, y, width, height)] if width > 0 and height > 0 else []
    return scaled


def bounding_box(boxes: Sequence[Box]) -> Box:
    """The bounding box of boxes.

    >>> bounding_box([Box(1, 5, 3, 3), Box(8, 2, 2, 2)])
    Box(x=1, y=2, width=9, height=6)
    """
    x, y = min(box.x for box in boxes), min(box.y for box in boxes)
    return Box(x, y, max(box.right for box in boxes) - x, max(box.bottom for box in boxes) - y)


def soft_mask(boxes: Iterable[Box], size: Size) -> Mask:
    """A mask that is 255 on every box and fades out around it, to half at a tenth of the diagonal.

    Each box is widened by a tenth of its diagonal and smoothed by three box blurs of a third of that, in integers, so
    that the fading starts at the edge of the box.
    """
    mask = np.zeros((size.height, size.width), np.uint8)
    for box in boxes:
        margin = max(isqrt(box.width**2 + box.height**2) // WIDENED, _LEAST_MARGIN)
        left, across = _soft_interval(box.x, box.width, margin, size.width)
        top, down = _soft_interval(box.y, box.height, margin, size.height)
        part = mask[top : top + len(down), left : left + len(across)]
        np.maximum(part, ((np.multiply.outer(down, across) + 127) // 255).astype(np.uint8), out=part)
    return mask


def _soft_interval(start: int, length: int, margin: int, end: int) -> tuple[int, NDArray[np.uint32]]:
    """An interval with soft ends, from 0 to 255, clipped to [0, end), and its first index."""
    radius = margin // 3
    row = np.ones(length + 2 * margin, np.int64)
    for _ in range(3):
        row = np.convolve(row, np.ones(2 * radius + 1, np.int64))
    whole = (2 * radius + 1) ** 3
    first = start - margin - 3 * radius
    begin = max(first, 0)
    kept = row[begin - first : max(end - first, 0)]
    return begin, ((255 * kept + whole // 2) // whole).astype(np.uint32)


def _outward(start: int, stop: int, before: int, after: int) -> tuple[int, int]:
    """Where an interval starts in a resized picture, and its length."""
    first = max(start * after // before, 0)
    return first, min(-(-stop * after // before), after) - first


@dataclass(frozen=True, slots=True)
class Foreground:
    """The part of a picture that an edit keeps: boxes, and the picture size they refer to."""

    boxes: tuple[Box, ...]
    size: Size

    @property
    def arguments(self) -> tuple[int, ...]:
        """The arguments of an edit: the size, then each box."""
        sides = (side for box in self.boxes for side in (box.x, box.y, box.width, box.height))
        return (self.size.width, self.size.height, *sides)

    @classmethod
    def read(cls, arguments: Sequence[str | int]) -> "Foreground":
        """Parse the last arguments of an edit."""
        width, height, *sides = map(int, arguments)
        if min(width, height) < 1 or not sides or len(sides) % 4:
            raise ValueError("a foreground is a width, a height and four numbers for each box")
        return cls(tuple(Box(*sides[n : n + 4]) for n in range(0, len(sides), 4)), Size(width, height))

    def inside(self, size: Size) -> list[Box]:
        """Its boxes in a picture of this size."""
        boxes = scale_boxes(self.boxes, self.size, size)
        if not boxes:
            raise ValueError("none of its boxes is in the picture")
        return boxes


def blur_around(foreground: Foreground, deviation: str) -> Edit:
    """An edit that blurs the background; the deviation is in pixels of the reference size."""
    return Edit("blur-around", (deviation, *foreground.arguments))


def mean_around(foreground: Foreground, means: tuple[int, int, int]) -> Edit:
    """An edit that paints the background in one color."""
    return Edit("mean-around", (*means, *foreground.arguments))


def crop_around(foreground: Foreground) -> Edit:
    """An edit that crops to the bounding box of the foreground."""
    return Edit("crop-around", Foreground((bounding_box(foreground.boxes),), foreground.size).arguments)


def blur(pixels: Pixels, edit: Edit) -> Pixels:
    """Gaussian blur by Pillow; the argument is the standard deviation in pixels."""
    (deviation,) = map(float, edit.arguments)
    return np.asarray(_gaussian_blur(Image.fromarray(pixels), deviation))


def crop(pixels: Pixels, edit: Edit) -> Pixels:
    """Crop to a rectangle; the arguments are x, y, width and height in pixels."""
    x, y, width, height = map(int, edit.arguments)
    return pixels[max(y, 0) : max(y + height, 0), max(x, 0) : max(x + width, 0)]


def blur_background(pixels: Pixels, edit: Edit) -> Pixels:
    """Blur the background through a soft mask m: m · picture + (1 − m) · blurred."""
    kept, size = Foreground.read(edit.arguments[1:]), _size(pixels)
    deviation = float(edit.arguments[0]) * size.width / kept.size.width
    sharp = Image.fromarray(pixels)
    mask = Image.fromarray(soft_mask(kept.inside(size), size))
    return np.asarray(Image.composite(sharp, _gaussian_blur(sharp, deviation), mask))


def paint_background(pixels: Pixels, edit: Edit) -> Pixels:
    """Paint the background in one color, with a hard edge, so that nothing of it can be seen."""
    color = [int(value) for value in edit.arguments[:3]]
    if not all(0 <= value <= 255 for value in color):
        raise ValueError("a color is three numbers from 0 to 255")
    painted = np.empty_like(pixels)
    painted[0] = color
    painted[1:] = painted[0]  # a row at a time is a hundred times as fast as a pixel at a time
    for box in Foreground.read(edit.arguments[3:]).inside(_size(pixels)):
        rows, columns = slice(box.y, box.bottom), slice(box.x, box.right)
        painted[rows, columns] = pixels[rows, columns]
    return painted


def crop_to_foreground(pixels: Pixels, edit: Edit) -> Pixels:
    """Crop to the bounding box of the foreground."""
    box = bounding_box(Foreground.read(edit.arguments).inside(_size(pixels)))
    return pixels[box.y : box.bottom, box.x : box.right]


EDITS: Mapping[str, Callable[[Pixels, Edit], Pixels]] = {
    "blur": blur,
    "blur-around": blur_background,
    "brightness": brightness,
    "contrast": contrast,
    "crop": crop,
    "crop-around": crop_to_foreground,
    "flip": flip,
    "gray": gray,
    "jpeg": jpeg,
    "mean-around": paint_background,
    "mean-color": mean_color,
    "rotate": rotate,
    "shuffle": shuffle,
    "trim": trim,
    **dict.fromkeys(DISTRIBUTIONS, add_noise),
}
"""Every pixel edit by name."""

_LEADING: Mapping[str, int] = {"blur-around": 1, "crop-around": 0, "mean-around": 3}  # arguments before the foreground


def apply_edits(edits: Sequence[Edit], pixels: Pixels) -> Pixels:
    """Apply edits in order."""
    for edit in edits:
        if edit.name not in EDITS:
            raise UnknownName("pixel edit", edit.name, EDITS)
        try:
            pixels = EDITS[edit.name](pixels, edit)
        except (ValueError, IndexError, OverflowError) as problem:
            raise PictureError(f"{edit} cannot be applied: {problem}") from problem
        if not pixels.size:
            raise PictureError(f"{edit} leaves nothing of the picture")
    return pixels


def summarize_edit(edit: Edit) -> str:
    """A short form of an edit: the boxes of its foreground are counted, not listed.

    >>> summarize_edit(Edit("blur-around", ("3", 320, 240, 1, 2, 30, 40)))
    'blur-around(3, 1 box)'
    """
    if edit.name not in _LEADING:
        return str(edit)
    leading = edit.arguments[: _LEADING[edit.name]]
    boxes = (len(edit.arguments) - len(leading) - 2) // 4
    return f"{edit.name}({', '.join([*map(str, leading), f'{boxes} box' + 'es' * (boxes != 1)])})"


def visible_window(edits: Sequence[Edit], size: Size) -> Box:
    """The part of a picture of this size that its edits keep, in pixels of the original.

    >>> visible_window([Edit("blur", ("3",)), Edit("crop-around", (160, 120, 20, 10, 50, 40))], Size(320, 240))
    Box(x=40, y=20, width=100, height=80)
    """
    visible = Box(0, 0, size.width, size.height)
    for edit in edits:
        if edit.name in ("crop", "crop-around"):
            within = Size(visible.width, visible.height)
            kept = edit.arguments if edit.name == "crop-around" else (within.width, within.height, *edit.arguments)
            part = bounding_box(Foreground.read(kept).inside(within))
            visible = Box(visible.x + part.x, visible.y + part.y, part.width, part.height)
        elif edit.name == "trim":
            across, down = margins(visible.width, visible.height, int(edit.arguments[0]))
            visible = Box(visible.x + across, visible.y + down, visible.width - 2 * across, visible.height - 2 * down)
    return visible


def _gaussian_blur(image: Image.Image, deviation: float) -> Image.Image:
    if not 0 <= deviation < float("inf"):
        raise ValueError("a standard deviation is a finite number of at least 0")
    return image.filter(ImageFilter.GaussianBlur(deviation))


def _size(pixels: Pixels) -> Size:
    height, width, _ = pixels.shape
    return Size(width, height)
