"""Intervals for shares whose cases come in clusters, such as questions about one picture."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

Z95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Score:
    """A share with its 95 % interval and the number of cases behind it, all from 0 to 1; none of them where n is 0."""

    value: float
    low: float
    high: float
    n: int


def wilson(hits: float, n: int) -> Score:
    """The Wilson interval of a share of independent cases.

    >>> score = wilson(8, 10)
    >>> round(score.low, 3), round(score.high, 3)
    (0.49, 0.943)
    """
    if not n:
        return Score(float("nan"), float("nan"), float("nan"), 0)
    share, z2 = hits / n, Z95 * Z95
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = Z95 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return Score(share, max(middle - reach, 0.0), min(middle + reach, 1.0), n)


def clustered(credit: ArrayLike, cluster: ArrayLike) -> Score:
    """The mean credit of cases in clusters, with the interval that the clusters allow.

    The variance of the ratio of sums is linearised over clusters; its effective number of independent cases then goes
    into the Wilson form, so that the interval stays between 0 and 1 and is never empty.

    >>> clustered([1, 1, 0, 1], ["a", "a", "b", "c"]).value
    0.75
    """
    values = np.asarray(credit, dtype=np.float64)
    if not values.size:
        return wilson(0, 0)
    _, codes = np.unique(np.asarray(cluster), return_inverse=True)
    sums, counts = np.bincount(codes, values), np.bincount(codes)
    share, many = values.mean(), len(counts)
    if many < 2 or not 0 < share < 1:
        effective: float = many
    else:
        spread = ((sums - share * counts) ** 2).sum() * many / (many - 1) / values.size**2
        effective = share * (1 - share) / spread if spread > 0 else values.size
    scaled = wilson(float(share * effective), max(round(effective), 1))
    return Score(float(share), min(scaled.low, float(share)), max(scaled.high, float(share)), int(values.size))
