"""Two models on the same cases: tests of their difference, and the difference that could have been seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, erfc, exp, lgamma, log, log2, nan, sqrt
from statistics import NormalDist

import numpy as np

from counterpoint.metrics.bootstrap import FEWEST_CLUSTERS, RESAMPLES, Counts, resample_shares
from counterpoint.metrics.intervals import Z95
from counterpoint.metrics.outcomes import Floats

ALPHA = 0.05
POWER = 0.8

_T95 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262),
    *(2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101),
)  # the 97.5 % points of Student's distribution with 1 to 18 degrees of freedom


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The first model's share less the second's, with its 95 % interval, p value and standard error."""

    value: float
    low: float
    high: float
    p: float
    error: float
    method: str


def mcnemar(first_only: int, second_only: int) -> float:
    """The exact p value of McNemar's test: how likely so uneven a split of the discordant pairs is by luck.

    >>> mcnemar(1, 9)
    0.021484375
    """
    n, fewer = first_only + second_only, min(first_only, second_only)
    if first_only == second_only:
        return 1.0
    steps = np.arange(fewer, 0, -1, dtype=np.float64)
    tail = 1 + float(np.cumprod(steps / (n - steps + 1)).sum())  # in units of the likelihood of `fewer`
    likely = lgamma(n + 1) - lgamma(fewer + 1) - lgamma(n - fewer + 1) - n * log(2)
    return min(2 * tail * exp(likely), 1.0) if n > 60 else min(_exactly(fewer, n), 1.0)


def paired_difference(
    sums: Floats, counts: Counts, squares: float, rng: np.random.Generator, resamples: int = RESAMPLES
) -> PairedDifference:
    """The mean difference over cases in clusters, by the paired bootstrap over clusters.

    `sums` is the sum of differences and `counts` the cases of each cluster, `squares` the sum of squared differences.
    Fewer than 20 clusters are tested by turning round the sign of each cluster's difference in every possible way, and
    have Student's interval; very many different ones have the closed form.
    """
    used = counts > 0
    sums, counts = sums[used], counts[used]
    n, many = int(counts.sum()), len(counts)
    if not n:
        return PairedDifference(nan, nan, nan, nan, nan, "")
    value, error = float(sums.sum()) / n, _error(sums, counts, squares)
    if many < FEWEST_CLUSTERS:
        reach = _T95[many - 2] * error if many > 1 else 1.0
        return PairedDifference(
            value, max(value - reach, -1), min(value + reach, 1), _turned(sums), error, "sign flips"
        )
    drawn = resample_shares(sums, counts, rng, resamples)
    if drawn is None:
        return PairedDifference(
            value, value - Z95 * error, value + Z95 * error, _normal(value, error), error, "clustered"
        )
    low, high = (float(end) for end in np.quantile(drawn, (0.025, 0.975)))
    crossing = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    p = min(2 * (crossing + 1) / (resamples + 1), 1.0)
    if not crossing:
        p = min(p, _normal(value, error))  # beyond what so many resamples can tell apart
    return PairedDifference(value, min(low, value), max(high, value), p, error, "bootstrap")


def holm(values: Sequence[float]) -> list[float]:
    """P values corrected for their number by Holm's step-down rule; those that are nan stay so and do not count.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(given))
    order = known[np.argsort(given[known], kind="stable")]
    corrected = given.copy()
    corrected[order] = np.minimum(np.maximum.accumulate(given[order] * np.arange(len(order), 0, -1)), 1.0)
    return [float(p) for p in corrected]


def mcnemar_detectable_effect(discordant: int, n: int, tests: int = 1) -> float:
    """The smallest difference that McNemar's test would have found in four cases of five, at 5 % shared by the tests.

    Connor's formula with the share of discordant pairs that was met; never less than the fewest discordant pairs,
    all on one side, with which the exact test can speak at all.
    """
    if not n:
        return nan
    level = ALPHA / tests
    share = discordant / n
    strict, power = NormalDist().inv_cdf(1 - level / 2), NormalDist().inv_cdf(POWER)
    found = 0.0
    for _ in range(50):
        found = (strict * sqrt(share) + power * sqrt(max(share - found * found, 0))) / sqrt(n)
    return min(max(found, _fewest(level) / n), 1.0)


def clustered_detectable_effect(error: float, n: int, tests: int = 1) -> float:
    """The same for a difference of means over n cases, from its standard error over clusters."""
    level, normal = ALPHA / tests, NormalDist()
    found = (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(POWER)) * error
    return min(max(found, _fewest(level) / n), 1.0)


def _fewest(level: float) -> int:
    """The fewest discordant cases, all on one side, that are less likely by luck than the level."""
    return ceil(1 + log2(1 / level))


def _exactly(fewer: int, n: int) -> float:
    chosen, total = 1, 0
    for k in range(fewer + 1):
        total += chosen
        chosen = chosen * (n - k) // (k + 1)
    return float(2 * total / 2**n)


def _error(sums: Floats, counts: Counts, squares: float) -> float:
    """The standard error of a ratio of sums over clusters, never smaller than that of independent cases."""
    n, many = int(counts.sum()), len(counts)
    value = float(sums.sum()) / n
    alone = max(squares - n * value * value, 0.0) / max(n - 1, 1) / n
    between = float(((sums - value * counts) ** 2).sum()) * many / max(many - 1, 1) / n**2
    return sqrt(max(alone, between))


def _turned(sums: Floats) -> float:
    """The share of all ways to turn clusters round in which the sum is at least as far from 0 as it is."""
    totals = np.zeros(1)
    for one in sums[1:]:  # the first may stay as it is: turning all round changes no distance
        totals = np.concatenate([totals + one, totals - one])
    totals += sums[0]
    return float((np.abs(totals) >= abs(float(sums.sum())) - 1e-9).mean())


def _normal(value: float, error: float) -> float:
    if not error:
        return float(value == 0)
    return erfc(abs(value) / error / sqrt(2))
