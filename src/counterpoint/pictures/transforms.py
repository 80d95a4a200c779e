"""Global image transforms: brightness, contrast, grayscale, rotation, flip, crop, JPEG, shuffled patches.

All but JPEG use integer arithmetic, so that every machine computes the same pixels.
"""

from collections.abc import Mapping
from io import BytesIO
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Edit
from counterpoint.core.ports import Pixels

TRANSFORMS: Mapping[str, tuple[Edit, ...]] = {
    "blur": tuple(Edit("blur", (deviation,)) for deviation in ("1", "2", "3", "4", "6")),
    "jpeg": tuple(Edit("jpeg", (quality,)) for quality in (60, 40, 25, 15, 8)),
    "brighter": tuple(Edit("brightness", (percent,)) for percent in (110, 120, 130, 145, 160)),
    "darker": tuple(Edit("brightness", (percent,)) for percent in (80, 65, 50, 40, 30)),
    "contrast": tuple(Edit("contrast", (percent,)) for percent in (80, 65, 50, 40, 30)),
    "rotation": tuple(Edit("rotate", (degrees,)) for degrees in (3, 6, 10, 15, 20)),
    "flip": (Edit("flip"),),
    "gray": tuple(Edit("gray", (percent,)) for percent in (20, 40, 60, 80, 100)),
    "crop": tuple(Edit("trim", (percent,)) for percent in (2, 4, 6, 8, 10)),
}
"""Every transform by name, one edit per severity; a flip has one severity."""

_ONE = 1 << 16  # fixed-point one: sines, cosines and coordinates have 16 fractional bits
_LUMA = (19595, 38470, 7471)  # weights of red, green and blue in luma (ITU-R BT.601), fixed-point
_BACKGROUND = 0  # of what a rotated picture does not cover


def brightness(pixels: Pixels, edit: Edit) -> Pixels:
    """Scale every value by a percentage."""
    percent = _percent(edit, 1000)
    return _levels((np.arange(256) * percent + 50) // 100).take(pixels)


def contrast(pixels: Pixels, edit: Edit) -> Pixels:
    """Scale the distance of every value from 128 by a percentage."""
    percent = _percent(edit, 1000)
    return _levels(128 + ((np.arange(256) - 128) * percent + 50) // 100).take(pixels)


def gray(pixels: Pixels, edit: Edit) -> Pixels:
    """Blend every pixel with its luma by a percentage."""
    percent = _percent(edit, 100)
    red, green, blue = (pixels[:, :, channel].astype(np.int32) for channel in range(3))
    luma = (red * _LUMA[0] + green * _LUMA[1] + blue * _LUMA[2] + _ONE // 2) >> 16
    mixed = pixels.astype(np.int32) * (100 - percent) + luma[:, :, None] * percent
    return ((mixed + 50) // 100).astype(np.uint8)


def flip(pixels: Pixels, edit: Edit) -> Pixels:
    """Flip left and right."""
    () = edit.arguments
    return np.ascontiguousarray(pixels[:, ::-1])


def trim(pixels: Pixels, edit: Edit) -> Pixels:
    """Cut off a percentage of the width at the left and right, and of the height above and below."""
    percent = _percent(edit, 49)
    (rows, columns), (down, across) = pixels.shape[:2], margins(pixels.shape[1], pixels.shape[0], percent)[::-1]
    return pixels[down : rows - down, across : columns - across]


def margins(width: int, height: int, percent: int) -> tuple[int, int]:
    """The columns cut off at each side, and the rows above and below, for a percentage.

    >>> margins(640, 480, 10)
    (64, 48)
    """
    return width * percent // 100, height * percent // 100


def jpeg(pixels: Pixels, edit: Edit) -> Pixels:
    """Compress as JPEG at a quality from 1 to 95 and decode; builds of the library may differ by two levels."""
    (quality,) = map(int, edit.arguments)
    if not 1 <= quality <= 95:
        raise ValueError("a quality is a number from 1 to 95")
    with BytesIO() as file:
        Image.fromarray(pixels).save(file, "JPEG", quality=quality)
        with Image.open(file) as opened:
            return np.asarray(opened.convert("RGB"))


def rotate(pixels: Pixels, edit: Edit) -> Pixels:
    """Rotate counterclockwise by whole degrees about the center; the canvas grows, so that no corner is lost.

    Interpolation is bilinear, and uncovered pixels are black.
    """
    (degrees,) = map(int, edit.arguments)
    if not -45 <= degrees <= 45:
        raise ValueError("a rotation is a whole number of degrees from -45 to 45")
    height, width, _ = pixels.shape
    across, up = round(cos(radians(degrees)) * _ONE), round(sin(radians(degrees)) * _ONE)
    wide = -(-(width * across + height * abs(up)) // _ONE)
    high = -(-(height * across + width * abs(up)) // _ONE)
    x = 2 * np.arange(wide)[None, :] + 1 - wide  # in half pixels from the center
    y = 2 * np.arange(high)[:, None] + 1 - high
    column = (x * across - y * up + (width + 1) * _ONE) >> 1  # of a picture padded by one pixel on each side
    row = (x * up + y * across + (height + 1) * _ONE) >> 1
    return _interpolate(np.pad(pixels, ((1, 1), (1, 1), (0, 0)), constant_values=_BACKGROUND), row, column)


def _interpolate(padded: Pixels, row: NDArray[np.int64], column: NDArray[np.int64]) -> Pixels:
    """The bilinear interpolation at fixed-point coordinates; coordinates outside give the background."""
    height, width, _ = padded.shape
    inside = (row >= 0) & (row < (height - 1) * _ONE) & (column >= 0) & (column < (width - 1) * _ONE)
    row, column = row[inside], column[inside]
    down, right = (((coordinate & (_ONE - 1)) >> 8).astype(np.int32) for coordinate in (row, column))
    index, flat = (row >> 16) * width + (column >> 16), padded.reshape(-1, 3)
    total = np.full((len(index), 3), _ONE // 2, np.int32)
    for step, weight in (
        (0, (256 - down) * (256 - right)),
        (1, (256 - down) * right),
        (width, down * (256 - right)),
        (width + 1, down * right),
    ):
        total += flat[index + step] * weight[:, None]
    rotated = np.full((*inside.shape, 3), _BACKGROUND, np.uint8)
    rotated[inside] = total >> 16
    return rotated


def _levels(values: NDArray[np.int64]) -> NDArray[np.uint8]:
    return values.clip(0, 255).astype(np.uint8)


def _percent(edit: Edit, maximum: int) -> int:
    (percent,) = map(int, edit.arguments)
    if not 0 <= percent <= maximum:
        raise ValueError(f"the percentage is from 0 to {maximum}")
    return percent


PATCHES = 8
"""The default number of rows and columns of patches."""


def shuffle_edit(patches: int = PATCHES, *, seed: int) -> Edit:
    """The edit that shuffles rows × columns of patches."""
    return Edit("shuffle", (patches,), seed=seed)


def shuffle(pixels: Pixels, edit: Edit) -> Pixels:
    """Shuffle patches of equal size, none of which keeps its position; the remainder at the right and bottom stays.

    >>> four = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    >>> shuffle(four, shuffle_edit(2, seed=7))[:, :, 0].tolist()
    [[9, 6], [0, 3]]
    """
    (across,) = map(int, edit.arguments)
    if across < 1:
        raise ValueError("a picture has at least one row of patches")
    height, width, _ = pixels.shape
    rows, columns = min(across, height), min(across, width)
    tall, wide = height // rows, width // columns
    cut = pixels[: rows * tall, : columns * wide]
    patches = cut.reshape(rows, tall, columns, wide, 3).swapaxes(1, 2).reshape(-1, tall, wide, 3)
    moved = patches[_order(len(patches), edit.seed)].reshape(rows, columns, tall, wide, 3).swapaxes(1, 2)
    shuffled = pixels.copy()
    shuffled[: rows * tall, : columns * wide] = moved.reshape(cut.shape)
    return shuffled


def mean_color(pixels: Pixels, edit: Edit) -> Pixels:
    """Replace every pixel by the mean of all; the edit has no arguments."""
    if edit.arguments:
        raise ValueError("the mean color of a picture has no arguments")
    uniform, count = np.empty_like(pixels), pixels.shape[0] * pixels.shape[1]
    uniform[0] = (2 * pixels.sum(axis=(0, 1), dtype=np.int64) + count) // (2 * count)  # rounded
    uniform[1:] = uniform[0]
    return uniform


def _order(count: int, seed: int) -> NDArray[np.int64]:
    """A random cyclic permutation by Sattolo's algorithm, so that no patch stays."""
    order, rng = list(range(count)), seeded_rng("shuffle", seed)
    for place in range(count - 1, 0, -1):
        other = rng.randrange(place)
        order[place], order[other] = order[other], order[place]
    return np.array(order)
