"""Confidence intervals of means over cases in clusters, such as questions about one picture."""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

Z95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Score:
    """A share with its 95 % interval and the number of cases behind it, all from 0 to 1; none of them where n is 0."""

    value: float
    low: float
    high: float
    n: int


def wilson_interval(hits: float, n: int) -> Score:
    """The Wilson interval of a share of independent cases.

    >>> score = wilson_interval(8, 10)
    >>> round(score.low, 3), round(score.high, 3)
    (0.49, 0.943)
    """
    return Score(hits / n, *wilson_bounds(hits / n, n), n) if n else Score(nan, nan, nan, 0)


def clopper_pearson_interval(hits: int, n: int) -> Score:
    """The exact interval of Clopper and Pearson for a share of few independent binary cases.

    >>> score = clopper_pearson_interval(8, 10)
    >>> round(score.low, 3), round(score.high, 3)
    (0.444, 0.975)
    """
    if not n:
        return Score(nan, nan, nan, 0)
    low = _where(lambda share: 1 - _at_most(hits - 1, n, share), 0.025, rising=True) if hits else 0.0
    high = _where(lambda share: _at_most(hits, n, share), 0.025, rising=False) if hits < n else 1.0
    return Score(hits / n, low, high, n)


def clustered_interval(credit: ArrayLike, cluster: ArrayLike) -> Score:
    """The mean credit of cases in clusters, with the interval that the clusters allow.

    The variance of the ratio of sums is linearised over clusters, and is never taken to be smaller than that of
    independent cases. The effective number of cases that it leaves goes into the Wilson form, so that the interval
    stays between 0 and 1 and is never empty.

    >>> clustered_interval([1, 1, 0, 1], ["a", "a", "b", "c"]).value
    0.75
    """
    values = np.asarray(credit, dtype=np.float64)
    if not values.size:
        return Score(nan, nan, nan, 0)
    _, codes = np.unique(np.asarray(cluster), return_inverse=True)
    return interval_from_sums(
        np.bincount(codes, values).astype(np.float64), np.bincount(codes), float((values * values).sum())
    )


def interval_from_sums(sums: NDArray[np.float64], counts: NDArray[np.int64], squares: float) -> Score:
    """The clustered interval from the credit and cases of each cluster, and the sum of squares of all credit."""
    n, many = int(counts.sum()), len(counts)
    if not n:
        return Score(nan, nan, nan, 0)
    share = min(float(sums.sum()) / n, 1.0)
    alone = max(squares - n * share * share, 0.0)
    if many < 2 or alone < 1e-12 * n:  # one cluster, or all cases alike
        effective: float = many
    else:
        spread = float(((sums - share * counts) ** 2).sum()) * many / (many - 1) / n**2
        effective = share * (1 - share) / max(spread, alone / (n - 1) / n)
    return Score(share, *wilson_bounds(share, effective), n)


def wilson_bounds(share: float, n: float) -> tuple[float, float]:
    """Both ends of the Wilson interval; the number of cases may be an effective one, with a fraction."""
    z2 = Z95 * Z95
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = Z95 / (1 + z2 / n) * sqrt(max(share * (1 - share), 0.0) / n + z2 / (4 * n * n))
    return min(max(middle - reach, 0.0), share), max(min(middle + reach, 1.0), share)


def _at_most(hits: int, n: int, share: float) -> float:
    """How likely it is that at most so many of n independent cases are hits."""
    return sum(comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(hits + 1))


def _where(tail: Callable[[float], float], level: float, *, rising: bool) -> float:
    """The share at which a tail that rises or falls with it is as likely as the level, by halving."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if (tail(middle) < level) == rising:
            low = middle
        else:
            high = middle
    return (low + high) / 2
