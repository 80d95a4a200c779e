"""Noise of a camera, in whole numbers: for every value of a pixel, what may become of it and how often.

Red, green and blue are each disturbed by themselves, as values from 0 to 1 that are then cut to that range and rounded
to the nearest of 255ths. The chances of the 256 values that may come out are kept in 65,536ths and drawn from sixteen
random bits by the alias method (Walker 1977): the first eight choose one of 256 cells of equal size, each of which
holds two values at most, and the last eight say which of the two it is.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import erf, isfinite, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.ids import content_id
from counterpoint.core.pictures import Edit
from counterpoint.core.ports import Pixels

SEVERITIES = 5
"""From one severity to the next the variance doubles; the third is the strength of Beyond Accuracy."""
STRENGTHS: Mapping[str, tuple[str | int, ...]] = {
    "gaussian": ("0.00625", "0.0125", "0.025", "0.05", "0.1"),
    "poisson": (1024, 512, 256, 128, 64),
    "salt-and-pepper": ("0.025", "0.05", "0.1", "0.2", "0.4"),
    "speckle": ("0.0125", "0.025", "0.05", "0.1", "0.2"),
}
"""The argument of each kind at each severity: a variance, how many are counted in white, a share, a variance."""
PAPER_SEVERITY = 3
"""The severity at which Beyond Accuracy measures."""

Distributions: TypeAlias = NDArray[np.float64]
"""256 × 256: for each value of a pixel, the chance that no more than each value comes out of it."""
AliasTable: TypeAlias = NDArray[np.uint16]
"""For each value of a pixel 256 cells, each 256 times the other value that it holds and how much of it is its own."""

_WHOLE = 1 << 16
_MOST_COUNTED = 4096
_VALUES = np.arange(256.0)


def noise_edit(name: str, severity: int, seed: int) -> Edit:
    """One draw of one kind of noise.

    >>> str(noise("gaussian", 3, seed=7))
    'gaussian(0.025)#7'
    """
    return Edit(name, (STRENGTHS[name][severity - 1],), seed)


def add_noise(pixels: Pixels, edit: Edit) -> Pixels:
    """The picture with noise, the same for the same seed, strength and pixels on every machine."""
    (strength,) = edit.arguments
    cells = alias_table(edit.name, str(strength))
    generator = np.random.SFC64(content_id([edit.name, str(strength), edit.seed]))
    first, last = _bytes(generator, pixels.size), _bytes(generator, pixels.size)
    place = pixels.ravel().astype(np.uint16)
    place <<= 8
    place |= first
    cell = cells.take(place, mode="wrap")
    own = np.negative((last < cell.astype(np.uint8)).view(np.uint8))  # all bits set where the cell's own value is drawn
    other = (cell >> 8).astype(np.uint8)
    first ^= other
    first &= own
    first ^= other  # a choice by arithmetic takes a twentieth of the time of one by condition
    return first.reshape(pixels.shape)


@lru_cache(64)
def alias_table(name: str, strength: str) -> AliasTable:
    """What is drawn from: 128 kB for each kind and strength, made when it is first needed."""
    return _cells(outcome_counts(DISTRIBUTIONS[name](strength)))


def outcome_counts(chances: Distributions) -> NDArray[np.int64]:
    """How many of the 65,536 equal draws give each value, for each value of a pixel."""
    edges = np.rint(chances * _WHOLE).astype(np.int64)
    return np.diff(edges, axis=1, prepend=0)


def gaussian(strength: str) -> Distributions:
    """x + n, where n is normal and its variance is given."""
    return _normal(np.full(256, 255 * sqrt(_within(strength, 0, 100))))


def speckle(strength: str) -> Distributions:
    """x + x · n, where n is normal and its variance is given: what is bright is disturbed more."""
    return _normal(_VALUES * sqrt(_within(strength, 0, 100)))


def salt_and_pepper(strength: str) -> Distributions:
    """White and black with half the share that is given each, x else."""
    half = _within(strength, 0, 1) / 2
    chances = np.where(_VALUES[:, None] <= _VALUES, 1 - half, half)
    chances[:, 255] = 1
    return chances


def poisson(strength: str) -> Distributions:
    """k / n, where k is a Poisson number with mean n · x: what a sensor counts that sees n in white."""
    white = int(strength)
    if not 1 <= white <= _MOST_COUNTED:
        raise ValueError(f"a number from 1 to {_MOST_COUNTED} is counted in white")
    number = np.arange(white + 1)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(number[1:]))])
    mean = np.maximum(_VALUES, 1)[:, None] * white / 255
    below: Distributions = np.cumsum(np.exp(number * np.log(mean) - mean - factorials), axis=1)
    last = (white * (2 * np.arange(256) + 1) - 1) // 510  # the largest number that is rounded to this value or below
    chances: Distributions = np.minimum(below[:, np.minimum(last, white)], 1)
    chances[0], chances[:, 255] = 1, 1
    return chances


DISTRIBUTIONS: Mapping[str, Callable[[str], Distributions]] = {
    "gaussian": gaussian,
    "poisson": poisson,
    "salt-and-pepper": salt_and_pepper,
    "speckle": speckle,
}
"""Every kind of noise, as the chances that follow from its strength."""


def _normal(deviation: Distributions) -> Distributions:
    """Each value with normal noise of a deviation of its own, in levels."""
    far = np.maximum(deviation, 1e-9)[:, None] * sqrt(2)
    chances = 0.5 + 0.5 * np.array([*map(erf, ((_VALUES + 0.5 - _VALUES[:, None]) / far).ravel().tolist())])
    chances = chances.reshape(256, 256)
    chances[:, 255] = 1
    return chances


def _cells(counted: NDArray[np.int64]) -> AliasTable:
    """Rob the richest value for the poorest until each has a cell of the same size."""
    left, rows = counted.copy(), np.arange(256)
    cells = np.empty((256, 256), np.uint16)
    settled = np.iinfo(np.int64).max
    for _ in range(255):
        poor = left.argmin(axis=1)
        rich = np.where(left == settled, -1, left).argmax(axis=1)
        own = left[rows, poor]
        left[rows, rich] -= 256 - own
        left[rows, poor] = settled
        cells[rows, poor] = np.where(own < 256, (rich << 8) | own, poor << 8)
    final = left.argmin(axis=1)
    cells[rows, final] = final << 8
    return cells.ravel()


def _bytes(generator: np.random.SFC64, count: int) -> NDArray[np.uint8]:
    """Random bytes of a generator whose numbers are laid down, and so the same everywhere."""
    words = generator.random_raw(-(-count // 8))
    return words.astype("<u8", copy=False).view(np.uint8)[:count]


def _within(text: str, least: float, most: float) -> float:
    number = float(text)
    if not isfinite(number) or not least <= number <= most:
        raise ValueError(f"the strength is a number from {least} to {most}")
    return number
