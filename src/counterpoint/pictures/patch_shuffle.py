"""Edits that destroy the content of a picture: shuffled patches, or its mean color."""

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Edit
from counterpoint.core.ports import Pixels

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
