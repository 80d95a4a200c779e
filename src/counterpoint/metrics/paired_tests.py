"""Two models on the same pictures: differences of means and of statistics, Holm's correction, detectable effects.

The interval and the p value of a difference come from one statistic, Student's t over pictures. Below 20 pictures, or
10 cases of a model, there is an interval and no p value.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, log2, nan, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from counterpoint.metrics.distributions import student_p, student_quantile
from counterpoint.metrics.intervals import (
    PRIOR_WEIGHT,
    UPPER,
    Jackknife,
    ShareSums,
    add_by,
    hidden_share,
    variance_df,
)
from counterpoint.metrics.units import Floats, Rows

ALPHA = 0.05
POWER = 0.8
TURNED_CORRELATION = 0.5
"""The correlation that is assumed between the cases of one picture which a change of the model makes right or wrong."""
FEWEST_CLUSTERS, FEWEST_CASES = 20, 10
"""Pictures, and cases that count for each model, below which there is no p value."""

_HALVINGS = 45
_EQUAL = 1e-14


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The first model's value less the second's, with its 95 % interval, p value and standard error."""

    value: float
    low: float
    high: float
    p: float
    error: float


def paired_columns(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> tuple[Floats, ...]:
    """What is summed over clusters for a difference, from credit and cases of each: products, and which have a case."""
    (s, n), (t, m) = first, second
    return s * t, s * m, n * t, n * m, ((n > 0) | (m > 0)).astype(np.float64)


class RatioDifference:
    """The difference of two models' own ratios in each slice, paired by cluster.

    With δ the supposed difference, both ratios are fitted to the cases under it, and the variance of their difference
    is linearised over clusters at these. Where few clusters hold the rarer outcome of a model, its variance is drawn
    towards that of as many independent cases, since a model that misses nothing has none by itself. One-sided bounds
    keep their level by themselves, as those of `ShareSums` do: there it is drawn towards that of correlated cases.
    """

    def __init__(self, first: ShareSums, second: ShareSums, totals: Iterable[Floats]) -> None:
        self._first, self._second, slices = first, second, len(first.cases)
        *self._cross, self.clusters = totals
        self._shares = first.share, second.share
        self._weights = [PRIOR_WEIGHT / np.maximum(own.rarer_clusters, 0.1) ** 2 for own in (first, second)]
        with np.errstate(invalid="ignore", divide="ignore"):
            self.value = self._shares[0] - self._shares[1]
            cases = first.cases + second.cases
            pooled = (first.credit + second.credit) / cases
            independent = np.maximum((first.squares + second.squares) / cases - pooled**2, 0.0)
            self._pooled, self._cases = pooled, cases
            self._granularity = np.nan_to_num(independent / (pooled * (1 - pooled)), nan=0.0, posinf=0.0)
            self.error = np.sqrt(self._variance(np.zeros(slices)))

    @classmethod
    def of(cls, first: ShareSums, second: ShareSums, place: Rows) -> "RatioDifference":
        """From the sums of both models over the same clusters, and the slice of each."""
        columns = paired_columns((first.s, first.n), (second.s, second.n))
        return cls(first, second, [add_by(place, column, len(first.cases)) for column in columns])

    def p(self, upper_only: bool = False) -> Floats:
        """The two-sided p value, or that of the first model being better, where there are enough pictures and cases."""
        with np.errstate(invalid="ignore", divide="ignore"):
            t = np.where(np.abs(self.value) < _EQUAL, 0.0, self.value / self.error)
        p = student_p(np.nan_to_num(t, posinf=1e9, neginf=-1e9), np.maximum(self.clusters - 1, 1))
        p = np.where(t > 0, p / 2, 1 - p / 2) if upper_only else p
        return np.where(self._is_enough, p, nan)

    def p_below(self, difference: float) -> Floats:
        """The one-sided p value of the difference lying below a supposed one, which is small where it does."""
        supposed = np.full_like(self.value, difference)
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.sqrt(self._variance(supposed, one_sided=True))
            t = np.where(error > 0, (self.value - supposed) / error, 0.0)
        two_sided = student_p(np.nan_to_num(t, posinf=1e9, neginf=-1e9), self._df(one_sided=True))
        p = np.where(t < 0, two_sided / 2, 1 - two_sided / 2)
        alike = np.maximum(1 - np.maximum(supposed - self.value, 0.0), 0.0) ** self.clusters  # see `hidden_share`
        return np.where(error > 0, p, alike)

    def bounds(self, upper: float = UPPER, *, one_sided: bool = False) -> tuple[Floats, Floats]:
        """Both ends of the interval: the differences that the test does not reject."""
        squared = student_quantile(upper, self._df(one_sided=one_sided)) ** 2
        near = np.stack([self.value, self.value])
        far = np.stack([np.full_like(self.value, -1.0), np.full_like(self.value, 1.0)])
        with np.errstate(invalid="ignore", divide="ignore"):
            for _ in range(_HALVINGS):
                middle = (far + near) / 2
                inside = (self.value - middle) ** 2 <= squared * self._variance(middle, one_sided=one_sided)
                near, far = np.where(inside, middle, near), np.where(inside, far, middle)
        low, high = near
        hidden = np.where(high - low < 1e-9, [hidden_share(int(many)) for many in self.clusters], 0.0)
        hidden = np.where(self.clusters < 2, 2.0, hidden)  # one picture says nothing of others
        return np.maximum(low - hidden, -1.0), np.minimum(high + hidden, 1.0)

    @property
    def _is_enough(self) -> Any:
        cases = np.minimum(self._first.cases, self._second.cases)
        return (self.clusters >= FEWEST_CLUSTERS) & (cases >= FEWEST_CASES)

    def _df(self, *, one_sided: bool) -> Floats:
        lack = np.maximum(self._first.lack, self._second.lack) * one_sided
        return np.maximum(variance_df(self.clusters, lack), 1)

    def _variance(self, difference: Floats, *, one_sided: bool = False) -> Floats:
        """The variance of the difference of both shares if it is truly this."""
        first, second, many = self._first, self._second, self.clusters
        share_a = np.clip(self._pooled + difference * second.cases / self._cases, 0.0, 1.0)
        share_b = np.clip(self._pooled - difference * first.cases / self._cases, 0.0, 1.0)
        residuals = (self._shares[0] - share_a) * (self._shares[1] - share_b)
        ss, sn, ns, nn = self._cross
        product = (ss - share_b * sn - share_a * ns + share_a * share_b * nn) / (first.cases * second.cases)
        covariance = (product - residuals / many) * many / (many - 1)
        variances, scales = [], []
        for sums, observed, share, weight in zip(
            (first, second), self._shares, (share_a, share_b), self._weights, strict=True
        ):
            around = (sums.ss - 2 * share * sums.sn + share * share * sums.nn) / sums.cases**2
            own = np.maximum(around - (observed - share) ** 2 / many, 0.0) * many / (many - 1)
            prior = self._granularity * share * (1 - share) / sums.cases
            further = 3 * PRIOR_WEIGHT * sums.lack**2 * one_sided
            correlated = np.maximum(own, prior * sums.prior_effect)
            raised = (own + weight * np.maximum(own, prior) + further * correlated) / (1 + weight + further)
            variances.append(raised)
            scales.append(np.sqrt(np.divide(raised, own, out=np.ones_like(own), where=own > _EQUAL)))
        total = variances[0] + variances[1] - 2 * scales[0] * scales[1] * covariance
        return np.where(total < _EQUAL, 0.0, total)


@dataclass(frozen=True, slots=True)
class LowestDifference:
    """The difference of the lowest of some ratios of two models.

    `parts[s][t]` is the first model's ratio s less the second model's t. The lowest of the first less the lowest
    of the second is the least over s of the greatest over t, so each bound is one of Bonferroni's over the other index.
    """

    parts: Sequence[Sequence[RatioDifference]]

    @property
    def value(self) -> Floats:
        """The difference in each slice."""
        return np.asarray(np.min([np.max([own.value for own in row], axis=0) for row in self.parts], axis=0))

    @property
    def error(self) -> Floats:
        """The largest standard error of its parts."""
        return np.asarray(np.max([own.error for row in self.parts for own in row], axis=0))

    @property
    def clusters(self) -> Floats:
        """The clusters of each slice that count for either model."""
        return self.parts[0][0].clusters

    def p(self) -> Floats:
        """The two-sided p value, where there are enough pictures and cases."""
        p = np.array([[own.p(upper_only=True) for own in row] for row in self.parts])
        above = np.max(np.minimum(len(p) * p.min(axis=1), 1.0), axis=0)
        below = np.max(np.minimum(len(p) * (1 - p).min(axis=0), 1.0), axis=0)
        return np.asarray(np.minimum(2 * np.minimum(above, below), 1.0))

    def bounds(self) -> tuple[Floats, Floats]:
        """Both ends of the 95 % interval."""
        ends = [[own.bounds(1 - (1 - UPPER) / len(self.parts)) for own in row] for row in self.parts]
        low = np.min([np.max([end[0] for end in row], axis=0) for row in ends], axis=0)
        high = np.max([np.min([end[1] for end in column], axis=0) for column in zip(*ends, strict=True)], axis=0)
        return low, high


def statistic_difference(
    first: Jackknife, second: Jackknife, clusters: int, cases: int, width: float = 1.0
) -> PairedDifference:
    """The difference of a statistic of two models, jackknifed over the same groups of pictures.

    `width` is that of the range of the statistic, beyond which no difference reaches. Where all pictures agree, the p
    value is that of the sign test.
    """
    value = first.value - second.value
    if np.isnan(value) or len(first.replicates) < 2:
        return PairedDifference(value, -width, width, nan, nan)
    error = Jackknife(value, first.replicates - second.replicates).variance ** 0.5
    df = len(first.replicates) - 1
    reach = float(student_quantile(UPPER, df)) * error if error > 1e-9 else hidden_share(clusters) * width
    p = nan
    if clusters >= FEWEST_CLUSTERS and cases >= FEWEST_CASES:
        alike = 1.0 if abs(value) < _EQUAL else 2.0 ** (1 - clusters)
        p = float(student_p(value / error, df)) if error > 1e-9 else alike
    return PairedDifference(value, max(value - reach, -width), min(value + reach, width), p, error)


def holm(values: Sequence[float], tests: int = 0) -> list[float]:
    """P values corrected for their number by Holm's step-down rule; those that are nan stay so and do not count.

    Where these were chosen among more `tests` after a look at the data, the others count as if they rejected nothing.

    >>> holm([0.01, 0.04, 0.03]), holm([0.01, 0.04], tests=10)
    ([0.03, 0.06, 0.06], [0.1, 0.36])
    """
    given = np.asarray(values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(given))
    order = known[np.argsort(given[known], kind="stable")]
    corrected = given.copy()
    left = max(tests, len(order)) - np.arange(len(order))
    corrected[order] = np.minimum(np.maximum.accumulate(given[order] * left), 1.0)
    return [float(p) for p in corrected]


def detectable_effect(error: float, n: int, tests: int = 1, clusters: int | None = None) -> float:
    """The minimum detectable effect at a power of 80 % and a level of 5 % shared by all tests, from a standard error.

    With the number of clusters, that of a paired t test over them: the cases that a change of the model makes right or
    wrong add to its variance. It is never less than the fewest discordant cases, all on one side, with which a sign
    test of n cases can reject.
    """
    level, normal = ALPHA / tests, NormalDist()
    quantile, turned = normal.inv_cdf(1 - level / 2), 0.0
    if clusters is not None:
        quantile = float(student_quantile(1 - level / 2, max(clusters - 1, 1)))
        turned = (1 + TURNED_CORRELATION * (n / max(clusters, 1) - 1)) / n  # times effect · (1 - effect), a variance
    quantile += normal.inv_cdf(POWER)
    added = quantile**2 * turned
    effect = (added + sqrt(added**2 + 4 * (1 + added) * (quantile * error) ** 2)) / (2 * (1 + added))
    return min(max(effect, ceil(1 + log2(1 / level)) / n), 1.0)
