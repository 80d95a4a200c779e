"""Edits of pixels by name: pure functions on arrays, applied when a picture is shown, never written.

The edits that end in `-around` keep a foreground, given as boxes: after their own arguments they name a width and a
height, then x, y, width and height of each box in a picture of that size, all whole numbers. A picture that is shown in
another size has its boxes there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageFilter

from counterpoint.core.errors import PictureError, UnknownName
from counterpoint.core.pictures import Box, Edit, Size
from counterpoint.core.ports import Pixels
from counterpoint.pictures.masks import bounding_box, scale_boxes, soft_mask
from counterpoint.pictures.noise import DISTRIBUTIONS, add_noise
from counterpoint.pictures.patch_shuffle import mean_color, shuffle
from counterpoint.pictures.transforms import brightness, contrast, flip, gray, jpeg, margins, rotate, trim


@dataclass(frozen=True, slots=True)
class Foreground:
    """The part of a picture that an edit keeps: boxes, and the size of the picture that they refer to."""

    boxes: tuple[Box, ...]
    size: Size

    @property
    def arguments(self) -> tuple[int, ...]:
        """How an edit says it: the size, then each box."""
        sides = (side for box in self.boxes for side in (box.x, box.y, box.width, box.height))
        return (self.size.width, self.size.height, *sides)

    @classmethod
    def read(cls, arguments: Sequence[str | int]) -> "Foreground":
        """What the last arguments of an edit say."""
        width, height, *sides = map(int, arguments)
        if min(width, height) < 1 or not sides or len(sides) % 4:
            raise ValueError("a foreground is a width, a height and four numbers for each box")
        return cls(tuple(Box(*sides[n : n + 4]) for n in range(0, len(sides), 4)), Size(width, height))

    def inside(self, size: Size) -> list[Box]:
        """Its boxes in a picture that is shown in this size."""
        found = scale_boxes(self.boxes, self.size, size)
        if not found:
            raise ValueError("none of its boxes is in the picture")
        return found


def blur_around(foreground: Foreground, deviation: str) -> Edit:
    """Blur all but the foreground; the deviation refers to the same size as the boxes."""
    return Edit("blur-around", (deviation, *foreground.arguments))


def mean_around(foreground: Foreground, means: tuple[int, int, int]) -> Edit:
    """Paint all but the foreground in one color: red, green and blue."""
    return Edit("mean-around", (*means, *foreground.arguments))


def crop_around(foreground: Foreground) -> Edit:
    """Cut the picture down to the smallest rectangle around the foreground."""
    return Edit("crop-around", Foreground((bounding_box(foreground.boxes),), foreground.size).arguments)


def blur(pixels: Pixels, edit: Edit) -> Pixels:
    """Pillow's Gaussian blur; the argument is the standard deviation in pixels."""
    (deviation,) = map(float, edit.arguments)
    return np.asarray(_gaussian_blur(Image.fromarray(pixels), deviation))


def crop(pixels: Pixels, edit: Edit) -> Pixels:
    """The part inside a rectangle; the arguments are x, y, width and height in pixels."""
    x, y, width, height = map(int, edit.arguments)
    return pixels[max(y, 0) : max(y + height, 0), max(x, 0) : max(x + width, 0)]


def blur_background(pixels: Pixels, edit: Edit) -> Pixels:
    """The foreground sharp, all else blurred, with a soft edge between: m · picture + (1 − m) · blurred."""
    kept, size = Foreground.read(edit.arguments[1:]), _size(pixels)
    deviation = float(edit.arguments[0]) * size.width / kept.size.width
    sharp = Image.fromarray(pixels)
    mask = Image.fromarray(soft_mask(kept.inside(size), size))
    return np.asarray(Image.composite(sharp, _gaussian_blur(sharp, deviation), mask))


def paint_background(pixels: Pixels, edit: Edit) -> Pixels:
    """The foreground as it is, all else in one color, with a hard edge: nothing of the rest can be seen."""
    color = [int(one) for one in edit.arguments[:3]]
    if not all(0 <= one <= 255 for one in color):
        raise ValueError("a color is three numbers from 0 to 255")
    painted = np.empty_like(pixels)
    painted[0] = color
    painted[1:] = painted[0]  # row by row, which is a hundred times as fast as pixel by pixel
    for box in Foreground.read(edit.arguments[3:]).inside(_size(pixels)):
        rows, columns = slice(box.y, box.bottom), slice(box.x, box.right)
        painted[rows, columns] = pixels[rows, columns]
    return painted


def crop_to_foreground(pixels: Pixels, edit: Edit) -> Pixels:
    """The smallest rectangle that holds the foreground."""
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
"""Every edit that a picture's address may name."""

_OWN: Mapping[str, int] = {"blur-around": 1, "crop-around": 0, "mean-around": 3}  # arguments before the foreground


def apply_edits(edits: Sequence[Edit], pixels: Pixels) -> Pixels:
    """The pixels after each edit in turn."""
    for edit in edits:
        if edit.name not in EDITS:
            raise UnknownName("edit of pixels", edit.name, EDITS)
        try:
            pixels = EDITS[edit.name](pixels, edit)
        except (ValueError, IndexError, OverflowError) as problem:
            raise PictureError(f"{edit} cannot be applied: {problem}") from problem
        if not pixels.size:
            raise PictureError(f"{edit} leaves nothing of the picture")
    return pixels


def summarize_edit(edit: Edit) -> str:
    """An edit for people: the boxes of its foreground are counted, not listed.

    >>> brief(Edit("blur-around", ("3", 320, 240, 1, 2, 30, 40))), brief(Edit("crop-around", (320, 240, 1, 2, 30, 40)))
    ('blur-around(3, 1 box)', 'crop-around(1 box)')
    """
    if edit.name not in _OWN:
        return str(edit)
    own, boxes = edit.arguments[: _OWN[edit.name]], (len(edit.arguments) - _OWN[edit.name] - 2) // 4
    return f"{edit.name}({', '.join([*map(str, own), f'{boxes} box' + 'es' * (boxes != 1)])})"


def visible_window(edits: Sequence[Edit], size: Size) -> Box:
    """The part of a picture of this size that is left to see after its edits, in pixels of the whole.

    >>> window([Edit("blur", ("3",)), Edit("crop-around", (160, 120, 20, 10, 50, 40))], Size(320, 240))
    Box(x=40, y=20, width=100, height=80)
    """
    seen = Box(0, 0, size.width, size.height)
    for edit in edits:
        if edit.name in ("crop", "crop-around"):
            within = Size(seen.width, seen.height)
            kept = edit.arguments if edit.name == "crop-around" else (within.width, within.height, *edit.arguments)
            part = bounding_box(Foreground.read(kept).inside(within))
            seen = Box(seen.x + part.x, seen.y + part.y, part.width, part.height)
        elif edit.name == "trim":
            across, down = margins(seen.width, seen.height, int(edit.arguments[0]))
            seen = Box(seen.x + across, seen.y + down, seen.width - 2 * across, seen.height - 2 * down)
    return seen


def _gaussian_blur(image: Image.Image, deviation: float) -> Image.Image:
    if not 0 <= deviation < float("inf"):
        raise ValueError("a standard deviation is a number that is not below 0")
    return image.filter(ImageFilter.GaussianBlur(deviation))


def _size(pixels: Pixels) -> Size:
    height, width, _ = pixels.shape
    return Size(width, height)
