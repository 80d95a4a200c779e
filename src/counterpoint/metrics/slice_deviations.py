"""Slices of a suite whose score differs from that of the whole suite, from sums over pictures.

A slice is a kind or the value of a tag. The test allows for groups that share a picture, and its p values are corrected
by Holm for the number of slices.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import erfc, sqrt

from counterpoint.metrics.intervals import wilson_bounds
from counterpoint.metrics.paired_tests import ALPHA, holm

FEWEST_GROUPS = 30
"""Groups that a slice must have."""


@dataclass(frozen=True, slots=True)
class SliceSums:
    """Sums over the groups of a slice and, with `score` s and count c of each picture, over its pictures."""

    column: str  # "kind" or the name of a tag
    value: str
    n: int
    total: float  # of the scores
    squares: float  # of the scores
    pictures: int
    picture_squares: float  # of s
    picture_products: float  # of s and c
    picture_count_squares: float  # of c


@dataclass(frozen=True, slots=True)
class SliceDeviation:
    """The score of a slice with its 95 % interval, that of the whole suite, and the corrected p value of a test."""

    column: str
    value: str
    score: float
    low: float
    high: float
    n: int
    pictures: int
    whole: float
    p: float


def find_deviations(slices: Iterable[SliceSums], whole: SliceSums) -> tuple[SliceDeviation, ...]:
    """The slices whose score is significantly different from that of the whole suite, the lowest first."""
    if not whole.n:
        return ()
    mean = whole.total / whole.n
    tested = [_deviation(sums, mean) for sums in slices if FEWEST_GROUPS <= sums.n < whole.n]
    corrected = holm([slice_.p for slice_ in tested])
    clear = [
        replace(slice_, p=p)
        for slice_, p in zip(tested, corrected, strict=True)
        if p < ALPHA and (slice_.high < mean or slice_.low > mean)
    ]
    return tuple(sorted(clear, key=lambda slice_: (slice_.score, slice_.column, slice_.value)))


def _deviation(sums: SliceSums, whole: float) -> SliceDeviation:
    """The score of a slice with Wilson's interval for the effective number of groups, and a test against the whole."""
    n, pictures = sums.n, sums.pictures
    score = sums.total / n
    independent = max(sums.squares - n * score * score, 0.0) / max(n - 1, 1) / n
    between = sums.picture_squares - 2 * score * sums.picture_products + score * score * sums.picture_count_squares
    clustered = max(between, 0.0) / n**2 * pictures / max(pictures - 1, 1)
    design_effect = max(clustered / independent, 1.0) if independent > 0 else max(n / pictures, 1.0)
    effective = max(n / design_effect, 1.0)
    low, high = wilson_bounds(score, effective)
    error = sqrt(max(whole * (1 - whole), 1e-9) / effective)
    p = erfc(abs(score - whole) / error / sqrt(2))
    return SliceDeviation(sums.column, sums.value, score, low, high, n, pictures, whole, p)
