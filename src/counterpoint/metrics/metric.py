"""Scores that are no shares: the area under a curve, the lower of two shares, an error of calibration."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, Generic

import numpy as np

from counterpoint.metrics.accuracy import Ratio, T, all_units, no_diagnosis
from counterpoint.metrics.bootstrap import FEWEST_CLUSTERS, RESAMPLES
from counterpoint.metrics.intervals import Score, wilson_interval
from counterpoint.metrics.labels import Codes
from counterpoint.metrics.outcomes import Flags, Floats, Rows

Estimator = Callable[[Floats], float]
"""The value of a measure, from how often each of its places is drawn; nan where there is none."""

_MOST = 200_000_000  # places drawn for one interval, so that large slices take seconds
_FEWEST = 100


@dataclass(frozen=True, slots=True)
class Statistic(Generic[T]):
    """A measure that is no mean of cases: by its name, its unit, how it is taken, and whether a unit counts at all.

    `of` takes the units and the places of those that lie in a slice and count. It does once what need not be done
    again, such as sorting, and gives the function of weights. A unit with a failed or missing member never counts.
    """

    name: str
    unit: type[T]
    of: Callable[[T, Rows], Estimator]
    counts: Callable[[T], Flags] = all_units
    why: Callable[[T, Rows], str] = no_diagnosis
    reads: tuple[str, ...] = ()  # columns of the answers that it needs beside the usual ones
    lower: bool = False  # less is better


Metric = Ratio[Any] | Statistic[Any]
"""Anything that scores are made by."""


def columns_read(measures: Iterable[Metric]) -> tuple[str, ...]:
    """The columns of the answers that some measures need beside the usual ones."""
    return tuple(sorted({column for measure in measures for column in measure.reads}))


def estimate_interval(
    weighed: Estimator, cluster: Codes, rng: np.random.Generator, resamples: int = RESAMPLES
) -> tuple[Score, str]:
    """The value over all places with its 95 % interval, and the method that gave it.

    Clusters, given as the number of each place's, are drawn anew with all their places, and the interval is that of
    the middle 95 % of the values. Fewer resamples are taken of very many places. Where there are fewer than 20 clusters
    or those values are alike, which would make the interval too narrow, a value from 0 to 1 has that of a share of as
    many cases as there are clusters, which is wider.
    """
    n = len(cluster)
    value = weighed(np.ones(n)) if n else nan
    if isnan(value):
        return Score(nan, nan, nan, 0), ""
    _, codes = np.unique(cluster, return_inverse=True)
    many = int(codes.max()) + 1
    drawn = _resampled(weighed, codes, many, rng, min(resamples, max(_MOST // n, _FEWEST)))
    low, high = np.quantile(drawn, (0.025, 0.975)) if len(drawn) else (value, value)
    if 0 <= value <= 1 and (many < FEWEST_CLUSTERS or high - low < 1e-12):
        whole = wilson_interval(value * many, many)
        return Score(value, whole.low, whole.high, n), "wilson"
    return Score(value, min(float(low), value), max(float(high), value), n), "resampled"


def _resampled(weighed: Estimator, codes: Rows, many: int, rng: np.random.Generator, resamples: int) -> Floats:
    """The values of resamples that have one."""
    times = (np.bincount(rng.integers(many, size=many), minlength=many)[codes] for _ in range(resamples))
    drawn = np.fromiter((weighed(own.astype(np.float64)) for own in times), np.float64, resamples)
    return drawn[~np.isnan(drawn)]
