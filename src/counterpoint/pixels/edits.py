"""Edits of pixels by name: pure functions on arrays, applied when a picture is shown, never written."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from PIL import Image, ImageFilter

from counterpoint.core.errors import PictureError, UnknownName
from counterpoint.core.pictures import Edit
from counterpoint.core.ports import Pixels


def blur(pixels: Pixels, edit: Edit) -> Pixels:
    """Pillow's Gaussian blur; the argument is the standard deviation in pixels."""
    (deviation,) = map(float, edit.arguments)
    if deviation < 0:
        raise ValueError("a standard deviation is not below 0")
    return np.asarray(Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(deviation)))


def crop(pixels: Pixels, edit: Edit) -> Pixels:
    """The part inside a rectangle; the arguments are x, y, width and height in pixels."""
    x, y, width, height = map(int, edit.arguments)
    return pixels[max(y, 0) : max(y + height, 0), max(x, 0) : max(x + width, 0)]


EDITS: Mapping[str, Callable[[Pixels, Edit], Pixels]] = {"blur": blur, "crop": crop}
"""Every edit that a picture's address may name."""


def applied(edits: Sequence[Edit], pixels: Pixels) -> Pixels:
    """The pixels after each edit in turn."""
    for edit in edits:
        if edit.name not in EDITS:
            raise UnknownName("edit of pixels", edit.name, EDITS)
        try:
            pixels = EDITS[edit.name](pixels, edit)
        except ValueError as problem:
            raise PictureError(f"{edit} cannot be applied: {problem}") from problem
        if not pixels.size:
            raise PictureError(f"{edit} leaves nothing of the picture")
    return pixels
