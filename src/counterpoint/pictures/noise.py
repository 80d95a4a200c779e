"""Camera noise by the alias method: for every pixel value, the distribution of its noisy value.

Noise is independent per channel, on values from 0 to 1 that are clipped and rounded to 255ths. The probabilities of the
256 outcomes are multiples of 1/65,536 and sampled with sixteen random bits by the alias method (Walker 1977): eight
bits choose one of 256 cells of equal size, each of at most two values, and eight bits choose between the two.
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
"""From one severity to the next the variance doubles; the third is that of the paper Beyond Accuracy."""
STRENGTHS: Mapping[str, tuple[str | int, ...]] = {
    "gaussian": ("0.00625", "0.0125", "0.025", "0.05", "0.1"),
    "poisson": (1024, 512, 256, 128, 64),
    "salt-and-pepper": ("0.025", "0.05", "0.1", "0.2", "0.4"),
    "speckle": ("0.0125", "0.025", "0.05", "0.1", "0.2"),
}
"""The argument of each kind by severity: a variance, the photon count of white, a share, a variance."""
PAPER_SEVERITY = 3
"""The severity of the paper Beyond Accuracy."""

Distributions: TypeAlias = NDArray[np.float64]
"""256 × 256: for each pixel value, the cumulative distribution of its noisy value."""
AliasTable: TypeAlias = NDArray[np.uint16]
"""For each pixel value 256 cells, each 256 · alias + threshold."""

_DRAWS = 1 << 16
_MOST_PHOTONS = 4096
_VALUES = np.arange(256.0)


def noise_edit(name: str, severity: int, seed: int) -> Edit:
    """The edit that adds one kind of noise at a severity.

    >>> str(noise_edit("gaussian", 3, seed=7))
    'gaussian(0.025)#7'
    """
    return Edit(name, (STRENGTHS[name][severity - 1],), seed)


def add_noise(pixels: Pixels, edit: Edit) -> Pixels:
    """Add noise, the same for the same seed, strength and pixels on every machine."""
    (strength,) = edit.arguments
    cells = alias_table(edit.name, str(strength))
    generator = np.random.SFC64(content_id([edit.name, str(strength), edit.seed]))
    first, last = _bytes(generator, pixels.size), _bytes(generator, pixels.size)
    place = pixels.ravel().astype(np.uint16)
    place <<= 8
    place |= first
    cell = cells.take(place, mode="wrap")
    own = np.negative((last < cell.astype(np.uint8)).view(np.uint8))  # all bits set where the cell itself is drawn
    other = (cell >> 8).astype(np.uint8)
    first ^= other
    first &= own
    first ^= other  # bitwise selection takes a twentieth of the time of np.where
    return first.reshape(pixels.shape)


@lru_cache(64)
def alias_table(name: str, strength: str) -> AliasTable:
    """The alias table of a kind and strength: 128 kB each, cached."""
    return _cells(outcome_counts(DISTRIBUTIONS[name](strength)))


def outcome_counts(cumulative: Distributions) -> NDArray[np.int64]:
    """How many of 65,536 equally likely draws give each noisy value, by pixel value."""
    edges = np.rint(cumulative * _DRAWS).astype(np.int64)
    return np.diff(edges, axis=1, prepend=0)


def gaussian(strength: str) -> Distributions:
    """x + n, where n is normal with the given variance."""
    return _normal(np.full(256, 255 * sqrt(_within(strength, 0, 100))))


def speckle(strength: str) -> Distributions:
    """x + x · n, where n is normal with the given variance."""
    return _normal(_VALUES * sqrt(_within(strength, 0, 100)))


def salt_and_pepper(strength: str) -> Distributions:
    """White or black, each with half the given share, else x."""
    half = _within(strength, 0, 1) / 2
    cumulative = np.where(_VALUES[:, None] <= _VALUES, 1 - half, half)
    cumulative[:, 255] = 1
    return cumulative


def poisson(strength: str) -> Distributions:
    """k / n, where k is Poisson with mean n · x: photon counts of a sensor with n photons in white."""
    white = int(strength)
    if not 1 <= white <= _MOST_PHOTONS:
        raise ValueError(f"the photon count of white is from 1 to {_MOST_PHOTONS}")
    number = np.arange(white + 1)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(number[1:]))])
    mean = np.maximum(_VALUES, 1)[:, None] * white / 255
    below: Distributions = np.cumsum(np.exp(number * np.log(mean) - mean - factorials), axis=1)
    last = (white * (2 * np.arange(256) + 1) - 1) // 510  # the largest count that is rounded to this value or below
    cumulative: Distributions = np.minimum(below[:, np.minimum(last, white)], 1)
    cumulative[0], cumulative[:, 255] = 1, 1
    return cumulative


DISTRIBUTIONS: Mapping[str, Callable[[str], Distributions]] = {
    "gaussian": gaussian,
    "poisson": poisson,
    "salt-and-pepper": salt_and_pepper,
    "speckle": speckle,
}
"""Every kind of noise, as a function from strength to distributions."""


def _normal(deviation: Distributions) -> Distributions:
    """Normal noise with a standard deviation per pixel value, in levels."""
    scale = np.maximum(deviation, 1e-9)[:, None] * sqrt(2)
    cumulative = 0.5 + 0.5 * np.array([*map(erf, ((_VALUES + 0.5 - _VALUES[:, None]) / scale).ravel().tolist())])
    cumulative = cumulative.reshape(256, 256)
    cumulative[:, 255] = 1
    return cumulative


def _cells(counted: NDArray[np.int64]) -> AliasTable:
    """Fill the smallest outcome up from the largest until each has a cell of the same size."""
    left, rows = counted.copy(), np.arange(256)
    cells = np.empty((256, 256), np.uint16)
    done = np.iinfo(np.int64).max
    for _ in range(255):
        smallest = left.argmin(axis=1)
        largest = np.where(left == done, -1, left).argmax(axis=1)
        size = left[rows, smallest]
        left[rows, largest] -= 256 - size
        left[rows, smallest] = done
        cells[rows, smallest] = np.where(size < 256, (largest << 8) | size, smallest << 8)
    final = left.argmin(axis=1)
    cells[rows, final] = final << 8
    return cells.ravel()


def _bytes(generator: np.random.SFC64, count: int) -> NDArray[np.uint8]:
    """Random bytes of a bit generator whose stream NumPy guarantees."""
    words = generator.random_raw(-(-count // 8))
    return words.astype("<u8", copy=False).view(np.uint8)[:count]


def _within(text: str, low: float, high: float) -> float:
    number = float(text)
    if not isfinite(number) or not low <= number <= high:
        raise ValueError(f"the strength is a number from {low} to {high}")
    return number
