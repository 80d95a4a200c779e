"""The cluster bootstrap: pictures are resampled, each with all queries about it.

A share is a sum of credit over a sum of cases, so a resample needs only the two sums of each cluster. Clusters with the
same two sums are interchangeable: how often each type of cluster is drawn is one multinomial draw, so that a million
pictures cost no more than the number of types. Where clusters are all different they are drawn one by one.
"""

from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.ids import Plain, content_id
from counterpoint.metrics.intervals import Score, clopper_pearson_interval, interval_from_sums, wilson_interval
from counterpoint.metrics.labels import Codes, renumber
from counterpoint.metrics.metric import Estimator
from counterpoint.metrics.outcomes import Floats, Rows

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
