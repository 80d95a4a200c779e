"""The middle color of pictures: what is painted over a background that nobody is to see."""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import numpy as np

from counterpoint.core.errors import PictureError
from counterpoint.core.ids import seeded
from counterpoint.core.ports import Pixels
from counterpoint.pictures.folders import decode

Means: TypeAlias = tuple[int, int, int]
"""Red, green and blue from 0 to 255."""


SAMPLE = 1000
"""How many pictures of a folder are looked at, at most: enough for a mean that is right to about one level."""

_ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff")


def folder_means(folder: Path, most: int = SAMPLE) -> Means:
    """The channel means of the pictures in a folder and below, of a fixed sample where there are many."""
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _ENDINGS)
    if not found:
        raise PictureError(f"{folder} has no pictures", hint=f"their names end in {', '.join(_ENDINGS)}")
    chosen = seeded("channel means", len(found)).sample(found, k=min(most, len(found)))
    return channel_means(decode(path) for path in chosen)


def channel_means(pictures: Iterable[Pixels]) -> Means:
    """The mean of each channel over all pixels of all pictures, to the nearest whole number.

    >>> channel_means([np.full((2, 2, 3), (10, 20, 30), np.uint8), np.full((2, 4, 3), (40, 50, 61), np.uint8)])
    (30, 40, 51)
    """
    sums, count = np.zeros(3, np.int64), 0
    for pixels in pictures:
        sums += pixels.sum(axis=(0, 1), dtype=np.int64)
        count += pixels.shape[0] * pixels.shape[1]
    if not count:
        raise PictureError("the channel means of no pictures cannot be taken")
    red, green, blue = ((2 * sums + count) // (2 * count)).tolist()
    return red, green, blue
