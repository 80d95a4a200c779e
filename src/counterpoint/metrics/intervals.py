"""Intervals for shares whose cases come in clusters, such as questions about one picture."""

from dataclasses import dataclass
from math import nan, sqrt

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
    return Score(hits / n, *_wilson(hits / n, n), n) if n else Score(nan, nan, nan, 0)


def clustered(credit: ArrayLike, cluster: ArrayLike) -> Score:
    """The mean credit of cases in clusters, with the interval that the clusters allow.

    The variance of the ratio of sums is linearised over clusters, and is never taken to be smaller than that of
    independent cases. The effective number of cases that it leaves goes into the Wilson form, so that the interval
    stays between 0 and 1 and is never empty.

    >>> clustered([1, 1, 0, 1], ["a", "a", "b", "c"]).value
    0.75
    """
    values = np.asarray(credit, dtype=np.float64)
    if not values.size:
        return Score(nan, nan, nan, 0)
    _, codes = np.unique(np.asarray(cluster), return_inverse=True)
    sums, counts = np.bincount(codes, values), np.bincount(codes)
    share, many = float(values.mean()), len(counts)
    if many < 2 or values.min() == values.max():
        effective: float = many
    else:
        spread = ((sums - share * counts) ** 2).sum() * many / (many - 1) / values.size**2
        effective = share * (1 - share) / max(spread, values.var(ddof=1) / values.size)
    return Score(share, *_wilson(share, effective), values.size)


def _wilson(share: float, n: float) -> tuple[float, float]:
    """Both ends of the interval; the number of cases may be an effective one, with a fraction."""
    z2 = Z95 * Z95
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = Z95 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return min(max(middle - reach, 0.0), share), max(min(middle + reach, 1.0), share)
