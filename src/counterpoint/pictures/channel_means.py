"""Channel means of pictures: the color that hides a background."""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import numpy as np

from counterpoint.core.errors import PictureError
from counterpoint.core.ids import seeded_rng
from counterpoint.core.ports import Pixels
from counterpoint.pictures.folders import decode

Means: TypeAlias = tuple[int, int, int]
"""Red, green and blue from 0 to 255."""


SAMPLE = 1000
"""The largest sample of a folder: enough for a mean that is right to about one level."""

_ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff")


def folder_means(folder: Path, limit: int = SAMPLE) -> Means:
    """The channel means of the pictures in a folder and below, of a fixed random sample where there are many."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _ENDINGS)
    if not paths:
        raise PictureError(f"{folder} has no pictures", hint=f"their names end in {', '.join(_ENDINGS)}")
    sample = seeded_rng("channel means", len(paths)).sample(paths, k=min(limit, len(paths)))
    return channel_means(decode(path) for path in sample)


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
        raise PictureError("there are no pictures to take channel means of")
    red, green, blue = ((2 * sums + count) // (2 * count)).tolist()
    return red, green, blue
