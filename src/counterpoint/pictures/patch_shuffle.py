"""What leaves a picture without its content: its patches in another order, or nothing but its mean color."""

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.ids import seeded
from counterpoint.core.pictures import Edit
from counterpoint.core.ports import Pixels

PATCHES = 8
"""Into how many rows, and how many columns, a picture is cut where nothing else is said."""


def shuffle_edit(patches: int = PATCHES, *, seed: int) -> Edit:
    """Cut a picture into so many rows and columns of patches, and put these in another order."""
    return Edit("shuffle", (patches,), seed=seed)


def shuffle(pixels: Pixels, edit: Edit) -> Pixels:
    """Patches of one size, none of which stays where it was; what is left over at the right and below stays.

    >>> four = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    >>> shuffle(four, shuffled(2, seed=7))[:, :, 0].tolist()
    [[9, 6], [0, 3]]
    """
    (across,) = map(int, edit.arguments)
    if across < 1:
        raise ValueError("a picture is cut into at least one row of patches")
    height, width, _ = pixels.shape
    rows, columns = min(across, height), min(across, width)
    tall, wide = height // rows, width // columns
    cut = pixels[: rows * tall, : columns * wide]
    patches = cut.reshape(rows, tall, columns, wide, 3).swapaxes(1, 2).reshape(-1, tall, wide, 3)
    moved = patches[_order(len(patches), edit.seed)].reshape(rows, columns, tall, wide, 3).swapaxes(1, 2)
    found = pixels.copy()
    found[: rows * tall, : columns * wide] = moved.reshape(cut.shape)
    return found


def mean_color(pixels: Pixels, edit: Edit) -> Pixels:
    """The mean of all pixels in the place of each of them; no arguments."""
    if edit.arguments:
        raise ValueError("the mean color of a picture has no arguments")
    found, count = np.empty_like(pixels), pixels.shape[0] * pixels.shape[1]
    found[0] = (2 * pixels.sum(axis=(0, 1), dtype=np.int64) + count) // (2 * count)  # to the nearest whole number
    found[1:] = found[0]
    return found


def _order(many: int, seed: int) -> NDArray[np.int64]:
    """One cycle through all places, so that nothing stays, drawn from the seed alone (Sattolo's way)."""
    order, luck = list(range(many)), seeded("shuffle", seed)
    for place in range(many - 1, 0, -1):
        other = luck.randrange(place)
        order[place], order[other] = order[other], order[place]
    return np.array(order)
