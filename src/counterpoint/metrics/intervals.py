"""Confidence intervals over cases in clusters, such as questions about one picture: closed forms and the bootstrap.

The cluster bootstrap resamples pictures, each with all queries about it. A share is a sum of credit over a sum of
cases, so a resample needs only the two sums of each cluster. Clusters with the same two sums are interchangeable: how
often each type of cluster is drawn is one multinomial draw, so that a million pictures cost no more than the number of
types. Where clusters are all different they are drawn one by one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, isnan, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint.core.ids import Plain, content_id
from counterpoint.metrics.labels import Codes, renumber
from counterpoint.metrics.metric import Estimator
from counterpoint.metrics.outcomes import Floats, Rows

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


Counts = NDArray[np.int64]

RESAMPLES = 2000
FEWEST_CLUSTERS = 20
"""With fewer clusters than this, intervals are exact or closed instead of bootstrapped."""

_MOST_TYPES, _MOST_CLUSTERS = 750, 10_000  # beyond both, the closed form is as good
_GRAIN = 60  # credit in halves, thirds, fifths and tenths is whole in sixtieths
_AT_ONCE = 2_000_000
_MOST_DRAWS = 200_000_000  # units drawn for one interval of a statistic, so that large slices take seconds
_FEWEST_RESAMPLES = 100


def seeded_rng(*content: Plain) -> np.random.Generator:
    """A generator that depends on nothing but this content, so that the order of slices changes no interval."""
    return np.random.default_rng(content_id(list(content)))


def bootstrap_interval(
    sums: Floats, counts: Counts, squares: float, rng: np.random.Generator, resamples: int = RESAMPLES
) -> tuple[Score, str]:
    """A share over clusters with its 95 % interval, and the method that gave it.

    `sums` is the credit and `counts` the cases of each cluster, `squares` the sum of the squares of all credit. Fewer
    than 20 clusters give an exact interval if each is one binary case, else Wilson's; so do cases with equal credit,
    whose bootstrap has no width.
    """
    used = counts > 0
    sums, counts = sums[used], counts[used]
    closed = interval_from_sums(sums, counts, squares)
    if not closed.n:
        return closed, ""
    if len(counts) < FEWEST_CLUSTERS:
        if counts.max() == 1 and np.isin(sums, (0, 1)).all():
            return clopper_pearson_interval(int(sums.sum()), closed.n), "exact"
        return closed, "wilson"
    if squares - closed.n * closed.value**2 < 1e-12 * closed.n:
        return closed, "wilson"
    drawn = resample_shares(sums, counts, rng, resamples)
    if drawn is None:
        return closed, "clustered"
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Score(closed.value, min(float(low), closed.value), max(float(high), closed.value), closed.n), "bootstrap"


def resample_shares(
    sums: Floats, counts: Counts, rng: np.random.Generator, resamples: int = RESAMPLES
) -> Floats | None:
    """The share in each resample of the clusters, or None where there are too many different ones."""
    many = len(counts)
    type_sums, type_counts, frequency = _cluster_types(sums, counts)
    if len(frequency) <= min(_MOST_TYPES, many // 10):
        drawn = rng.multinomial(many, frequency / many, size=resamples).astype(np.float64)
        hits, cases = (drawn @ np.stack([type_sums, type_counts], axis=1)).T
        return np.asarray(hits / cases)
    if many > _MOST_CLUSTERS:
        return None
    order = np.lexsort((counts, sums))  # so that the order of rows changes nothing
    sums, counts = sums[order], counts[order]
    shares = np.empty(resamples)
    step = max(_AT_ONCE // many, 1)
    for start in range(0, resamples, step):
        places = rng.integers(many, size=(min(step, resamples - start), many), dtype=np.int32)
        shares[start : start + step] = sums[places].sum(axis=1) / counts[places].sum(axis=1)
    return shares


def estimate_interval(
    estimate: Estimator, cluster: Codes, rng: np.random.Generator, resamples: int = RESAMPLES
) -> tuple[Score, str]:
    """The value of a statistic with its 95 % interval, and the method that gave it.

    Clusters, given as the number of each unit's, are resampled with all their units, and the interval is that of the
    middle 95 % of the values (percentile bootstrap). Fewer resamples are drawn of very many units. Where there are
    fewer than 20 clusters or all values are equal, which would make the interval too narrow, a value from 0 to 1 has
    Wilson's interval of a share of as many cases as there are clusters, which is wider.
    """
    n = len(cluster)
    value = estimate(np.ones(n)) if n else nan
    if isnan(value):
        return Score(nan, nan, nan, 0), ""
    _, codes = np.unique(cluster, return_inverse=True)
    many = int(codes.max()) + 1
    drawn = _resample_estimates(estimate, codes, many, rng, min(resamples, max(_MOST_DRAWS // n, _FEWEST_RESAMPLES)))
    low, high = np.quantile(drawn, (0.025, 0.975)) if len(drawn) else (value, value)
    if 0 <= value <= 1 and (many < FEWEST_CLUSTERS or high - low < 1e-12):
        whole = wilson_interval(value * many, many)
        return Score(value, whole.low, whole.high, n), "wilson"
    return Score(value, min(float(low), value), max(float(high), value), n), "resampled"


def _resample_estimates(
    estimate: Estimator, codes: Rows, many: int, rng: np.random.Generator, resamples: int
) -> Floats:
    """The values of the resamples that have one."""
    times = (np.bincount(rng.integers(many, size=many), minlength=many)[codes] for _ in range(resamples))
    drawn = np.fromiter((estimate(weights.astype(np.float64)) for weights in times), np.float64, resamples)
    return drawn[~np.isnan(drawn)]


def _cluster_types(sums: Floats, counts: Counts) -> tuple[Floats, Counts, Counts]:
    """The types of clusters, by their two sums, and the number of clusters of each."""
    scaled = sums * _GRAIN
    grains = np.rint(scaled).astype(np.int64)
    if np.abs(scaled - grains).max() > 1e-6:
        types, frequency = np.unique(np.round(sums + 1j * counts, 9), return_counts=True)
        return np.asarray(types.real, np.float64), np.rint(types.imag).astype(np.int64), frequency
    lowest = int(grains.min())
    span = int(grains.max()) - lowest + 1
    codes, used = renumber(counts * span + (grains - lowest), (int(counts.max()) + 1) * span)
    return (used % span + lowest) / _GRAIN, used // span, np.bincount(codes)
