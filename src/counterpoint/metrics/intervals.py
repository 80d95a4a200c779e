"""Confidence intervals over cases in clusters, such as questions about one picture; no random draw is needed.

A mean of credit has the interval of Korn and Graubard (1998): that of Clopper and Pearson for the effective number of
cases, which is the number of cases over the design effect of their clusters. Any other statistic has the jackknife
over clusters. Everything is computed for all slices at once, from a few sums of each.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import isnan, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint.metrics.distributions import beta_quantile, student_quantile
from counterpoint.metrics.labels import Codes, renumber
from counterpoint.metrics.metric import CodedSumEstimator, Estimator, MetricKind, MetricMetadata, SumEstimator
from counterpoint.metrics.units import Floats, Rows

Counts = NDArray[np.int64]

UPPER = 0.975
"""The point up to which an end of a 95 % interval reaches."""
JACKKNIFE_GROUPS = 200
"""Clusters beyond this number are left out in so many groups (Kott 2001)."""

PRIOR_WEIGHT = 2.0
"""The weight of a prior variance, over the squared number of clusters that hold the rarer outcome."""

_PRIOR_CORRELATION = 0.5  # of the cases of a cluster, where too few clusters hold the rarer outcome to estimate it
_MANY_CLUSTERS = 10.0  # clusters with the rarer outcome from which on the continuity correction is not needed
_MANY_ONE_SIDED = 20.0  # the same for one end alone, whose error no other end makes up for
_LEAST_DF = 9.0  # of its variance
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class Score:
    """A value with its 95 % interval and the number of cases behind it; none of them where n is 0."""

    value: float
    low: float
    high: float
    n: int


NO_SCORE = Score(nan, nan, nan, 0)


@dataclass(frozen=True, slots=True)
class ShareSums:
    """The credit s and the number n of cases of each cluster, and sums over the clusters of each slice."""

    s: Floats
    n: Floats
    cases: Floats
    credit: Floats
    squares: Floats  # of the credit of cases
    clusters: Floats  # that have a case
    ss: Floats
    sn: Floats
    nn: Floats

    @classmethod
    def of(cls, sums: Floats, counts: Counts, squares: Floats, place: Rows | None = None) -> "ShareSums":
        """From the credit and cases of each cluster, the squares of each slice, and the slice of each cluster."""
        place = np.zeros(len(sums), np.int64) if place is None else place
        n = counts.astype(np.float64)
        columns = (n, sums, counts > 0, sums * sums, sums * n, n * n)
        cases, credit, clusters, ss, sn, nn = (add_by(place, values, len(squares)) for values in columns)
        return cls(sums, n, cases, credit, squares, clusters, ss, sn, nn)

    @classmethod
    def concatenate(cls, parts: Sequence["ShareSums"]) -> "ShareSums":
        """The clusters and slices of several, one after the other."""
        return cls(*(np.concatenate([getattr(part, own.name) for part in parts]) for own in fields(cls)))

    @classmethod
    def of_totals(cls, totals: Floats) -> "ShareSums":
        """From the sums over clusters of the columns of `cluster_columns`; credit and cases of clusters are unknown."""
        return cls(np.empty(0), np.empty(0), *totals)

    @property
    def share(self) -> Floats:
        """The mean credit; nan without a case."""
        with np.errstate(invalid="ignore"):
            return np.minimum(self.credit / self.cases, 1.0)

    @property
    def rarer_clusters(self) -> Floats:
        """How many clusters hold the rarer of credit and its absence, counted as if all held equally much (Kish)."""
        rare = self.credit > self.cases / 2
        total = np.where(rare, self.cases - self.credit, self.credit)
        squares = np.where(rare, self.nn - 2 * self.sn + self.ss, self.ss)
        return np.asarray(np.divide(total**2, squares, out=np.zeros_like(total), where=squares > _EQUAL))

    @property
    def prior_effect(self) -> Floats:
        """The design effect of a correlation of one half within clusters."""
        return 1 + (self.nn / np.maximum(self.cases, 1.0) - 1) * _PRIOR_CORRELATION

    @property
    def lack(self) -> Floats:
        """How far too few clusters of several cases hold the rarer outcome to tell a variance; 0 from 20 on."""
        few = np.maximum(1 / np.maximum(self.rarer_clusters, _EQUAL) - 1 / _MANY_ONE_SIDED, 0.0)
        return few * (1 - self.cases / np.maximum(self.nn, 1.0))

    def bounds(self, upper: float = UPPER, *, one_sided: bool = False) -> tuple[Floats, Floats]:
        """Both ends of the interval of Korn and Graubard, each exceeded with a probability of one minus `upper`.

        The design effect is at least 1. Where few clusters hold the rarer outcome it cannot be estimated, and is drawn
        towards that of a correlation of one half within clusters. Where all credit is equal, the effective number of
        cases is that of the clusters. The errors of the two ends of an interval make up for each other; each end of a
        `one_sided` bound keeps its level by itself, for which the variance has fewer degrees of freedom the larger the
        clusters are. It is the same where 20 clusters or more hold the rarer outcome.
        """
        share, n, m = self.share, np.maximum(self.cases, 1.0), np.maximum(self.clusters, 1.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            alone = np.maximum(self.squares / n - share * share, 0.0) / n
            between = (self.ss - 2 * share * self.sn + share * share * self.nn) / n**2 * m / (m - 1)
            rarer = np.maximum(self.rarer_clusters, _EQUAL)
            lack = one_sided * self.lack
            weight = PRIOR_WEIGHT * (1 / rarer**2 + 3 * lack**2)
            effect = np.maximum(between, 0.0) / alone
            prior = np.maximum(self.prior_effect, effect)
            effect = (effect + weight * prior) / (1 + weight)
            df = variance_df(m, lack)
            fewer = (student_quantile(upper, np.maximum(n - 1, 1)) / student_quantile(upper, np.maximum(df, 1))) ** 2
            effective = share * (1 - share) / alone * np.minimum(fewer / effect, 1.0)
        equal = (alone * n < _EQUAL) | (m < 2)
        effective = np.where(equal, m, np.nan_to_num(effective, nan=1.0))
        many = _MANY_ONE_SIDED if one_sided else _MANY_CLUSTERS
        correction = np.where(equal, 0.0, np.minimum(rarer / many, 1.0) ** 2 / 2)
        return binomial_bounds(share, effective, upper, correction)


def variance_df(clusters: Floats, lack: Floats) -> Floats:
    """The degrees of freedom of a variance: of the clusters, less where few of them tell it (Satterthwaite)."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.minimum(clusters - 1, np.maximum(2 / lack - 1, _LEAST_DF)))


def cluster_columns(sums: Floats, counts: Counts, squares: Floats) -> tuple[Floats, ...]:
    """What is summed over clusters for an interval, from credit, cases and squared credit of each."""
    n = counts.astype(np.float64)
    return n, sums, squares, (n > 0).astype(np.float64), sums * sums, sums * n, n * n


def add_by(place: Rows | Codes, values: Floats | NDArray[np.bool_], many: int) -> Floats:
    """The sums of values by place; unlike those of `bincount`, numbers with a fraction even where there are none."""
    return np.bincount(place, values, many).astype(np.float64)


def binomial_bounds(
    share: Floats, n: Floats, upper: float = UPPER, correction: Floats | float = 0.0
) -> tuple[Floats, Floats]:
    """Both ends of the interval of a share of n independent cases, where n may have a fraction.

    They are those of Clopper and Pearson with a `correction` of 0, and those of Jeffreys with one of one half.

    >>> [round(float(end), 4) for end in binomial_bounds(np.array(0.8), np.array(10.0))]
    [0.4439, 0.9748]
    """
    share, n = np.nan_to_num(np.asarray(share, np.float64)), np.maximum(n, _EQUAL)
    hits, misses = share * n, (1 - share) * n
    low = beta_quantile(1 - upper, np.maximum(hits + correction, _EQUAL), misses + 1 - correction)
    high = beta_quantile(upper, hits + 1 - correction, np.maximum(misses + correction, _EQUAL))
    low, high = np.where(hits < _EQUAL, 0.0, low), np.where(misses < _EQUAL, 1.0, high)
    return np.minimum(low, share), np.maximum(high, share)


def clustered_interval(credit: ArrayLike, cluster: ArrayLike) -> Score:
    """The mean credit of cases in clusters, with the interval of Korn and Graubard.

    >>> clustered_interval([1, 1, 0, 1], ["a", "a", "b", "c"]).value
    0.75
    """
    values = np.asarray(credit, dtype=np.float64)
    if not values.size:
        return NO_SCORE
    _, codes = np.unique(np.asarray(cluster), return_inverse=True)
    counts = np.bincount(codes)
    return interval_from_sums(add_by(codes, values, len(counts)), counts, float((values * values).sum()))


def interval_from_sums(sums: Floats, counts: Counts, squares: float) -> Score:
    """The same from the credit and cases of each cluster, and the sum of squares of all credit."""
    slices = ShareSums.of(sums, counts, np.array([squares]))
    if not slices.cases[0]:
        return NO_SCORE
    (low,), (high,) = slices.bounds()
    return Score(float(slices.share[0]), float(low), float(high), int(slices.cases[0]))


@dataclass(frozen=True, slots=True)
class Jackknife:
    """A statistic with its values without each cluster, or without each group of clusters where these are many."""

    value: float
    replicates: Floats

    @property
    def variance(self) -> float:
        """The jackknife estimate of the variance; nan with fewer than two groups."""
        many = len(self.replicates)
        if many < 2:
            return nan
        return float(((self.replicates - self.replicates.mean()) ** 2).sum() * (many - 1) / many)


def jackknife(estimate: Estimator, group: Rows, groups: int) -> Jackknife:
    """The statistic of all units, and without those of each group in turn; a group that empties it counts as without.

    `group` has the number of each unit's group, from `jackknife_groups`.
    """
    value = estimate(np.ones(len(group))) if len(group) else nan
    if isnan(value) or groups < 2:
        return Jackknife(value, np.empty(0))
    with np.errstate(invalid="ignore", divide="ignore"):
        if isinstance(estimate, SumEstimator | CodedSumEstimator):
            replicates = estimate.without_groups(group, groups)
        else:
            replicates = np.array([estimate((group != number).astype(np.float64)) for number in range(groups)])
    return Jackknife(value, np.where(np.isnan(replicates), value, replicates))


def jackknife_groups(cluster: Codes) -> tuple[Rows, int, int]:
    """The group of each unit, how many groups there are, and how many clusters."""
    codes, clusters = renumber(cluster.astype(np.int64), int(cluster.max(initial=0)) + 1)
    many = len(clusters)
    return codes.astype(np.int64) % JACKKNIFE_GROUPS, min(many, JACKKNIFE_GROUPS), many


def statistic_interval(metric: MetricMetadata, estimate: Estimator, cluster: Codes) -> tuple[Score, str, float]:
    """The value of a statistic with the 95 % interval of its kind, its method, and its standard error.

    A difference, and whatever can be below zero, has Student's interval; a curve, which lies between 0 and 1, has that
    of a share with as many independent cases as its variance allows. A plug-in value has no interval.
    """
    n = len(cluster)
    group, groups, clusters = jackknife_groups(cluster)
    if metric.kind is MetricKind.PLUG_IN:
        value = estimate(np.ones(n)) if n else nan
        return (NO_SCORE, "", nan) if isnan(value) else (Score(value, nan, nan, n), "", nan)
    replicated = jackknife(estimate, group, groups)
    value, variance = replicated.value, replicated.variance
    if isnan(value):
        return NO_SCORE, "", nan
    low, high = metric.range
    quantile = float(student_quantile(UPPER, max(groups - 1, 1)))
    if metric.kind is MetricKind.DIFFERENCE or low < 0:
        reach = quantile * variance**0.5 if variance > _EQUAL else hidden_share(clusters) * (high - low) / 2
        score = Score(value, max(value - reach, low), min(value + reach, high), n)
        return score, "jackknife", variance**0.5
    spread = value * (1 - value)
    effective = spread / variance * (float(student_quantile(UPPER, 1e6)) / quantile) ** 2 if variance > _EQUAL else 0.0
    ends = binomial_bounds(np.array(value), np.array(effective or float(clusters)))
    return Score(value, float(ends[0]), float(ends[1]), n), "jackknife", variance**0.5


def hidden_share(clusters: int) -> float:
    """The share of clusters that can differ from all those seen, at a level of 97.5 %.

    >>> round(hidden_share(100), 3)
    0.036
    """
    return float(1 - (1 - UPPER) ** (1 / max(clusters, 1)))
