"""Paired tests of two models on the same cases, Holm's correction, and minimum detectable effects."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, erfc, exp, lgamma, log, log2, nan, sqrt
from statistics import NormalDist

import numpy as np

from counterpoint.metrics.intervals import FEWEST_CLUSTERS, RESAMPLES, Z95, Counts, resample_shares
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
    """The exact two-sided p value of McNemar's test, from the two counts of discordant pairs.

    >>> mcnemar(1, 9)
    0.021484375
    """
    n, fewer = first_only + second_only, min(first_only, second_only)
    if first_only == second_only:
        return 1.0
    steps = np.arange(fewer, 0, -1, dtype=np.float64)
    tail = 1 + float(np.cumprod(steps / (n - steps + 1)).sum())  # in units of the likelihood of `fewer`
    likely = lgamma(n + 1) - lgamma(fewer + 1) - lgamma(n - fewer + 1) - n * log(2)
    return min(2 * tail * exp(likely), 1.0) if n > 60 else min(_exact_tail(fewer, n), 1.0)


def paired_difference(
    sums: Floats, counts: Counts, squares: float, rng: np.random.Generator, resamples: int = RESAMPLES
) -> PairedDifference:
    """The mean difference over cases in clusters, by the paired bootstrap over clusters.

    `sums` is the sum of differences and `counts` the cases of each cluster, `squares` the sum of squared differences.
    Fewer than 20 clusters have an exact sign-flip permutation test and Student's interval; very many different ones
    have the closed form.
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
            value, max(value - reach, -1), min(value + reach, 1), _sign_flip_p(sums), error, "sign flips"
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
        p = min(p, _normal(value, error))  # below the resolution of so many resamples
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
    """The minimum detectable effect of McNemar's test at a power of 80 % and a level of 5 % shared by all tests.

    Connor's formula with the observed share of discordant pairs; never less than the fewest discordant pairs, all on
    one side, with which the exact test can reject.
    """
    if not n:
        return nan
    level = ALPHA / tests
    share = discordant / n
    strict, power = NormalDist().inv_cdf(1 - level / 2), NormalDist().inv_cdf(POWER)
    effect = 0.0
    for _ in range(50):
        effect = (strict * sqrt(share) + power * sqrt(max(share - effect * effect, 0))) / sqrt(n)
    return min(max(effect, _fewest(level) / n), 1.0)


def clustered_detectable_effect(error: float, n: int, tests: int = 1) -> float:
    """The minimum detectable effect of a difference of means over n cases, from its standard error over clusters."""
    level, normal = ALPHA / tests, NormalDist()
    effect = (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(POWER)) * error
    return min(max(effect, _fewest(level) / n), 1.0)


def _fewest(level: float) -> int:
    """The fewest discordant cases, all on one side, with which a two-sided sign test can reject at a level."""
    return ceil(1 + log2(1 / level))


def _exact_tail(fewer: int, n: int) -> float:
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


def _sign_flip_p(sums: Floats) -> float:
    """The p value of the permutation test that flips the sign of each cluster's difference."""
    totals = np.zeros(1)
    for value in sums[1:]:  # the first keeps its sign: flipping all changes no absolute sum
        totals = np.concatenate([totals + value, totals - value])
    totals += sums[0]
    return float((np.abs(totals) >= abs(float(sums.sum())) - 1e-9).mean())


def _normal(value: float, error: float) -> float:
    if not error:
        return float(value == 0)
    return erfc(abs(value) / error / sqrt(2))
