"""Calibration: whether a model that is sure to 80 per cent is right in 80 cases of a hundred.

Over the answers to bases, as accuracy is. How sure a model was is the probability that it gave to the value it said;
what it earned is its credit, which is a fraction under the rules of VQA. The error of calibration (ECE) weighs the gaps
between both in 15 bins by their cases; it is never negative, so that even a perfect model has a little by luck, and
more the fewer cases there are. A model that says no probabilities has none of these, and the reason stands beside.
"""

from dataclasses import dataclass

import numpy as np

from counterpoint.metrics.accuracy import Ratio
from counterpoint.metrics.intervals import clustered_interval
from counterpoint.metrics.labels import Codes
from counterpoint.metrics.metric import Estimator, Metric, Statistic
from counterpoint.metrics.outcomes import Flags, Floats, Rows, Singles

BINS = 15
"""As many as in Guo et al. 2017."""
COVERAGES = (50, 80)
"""The shares of the answers, in per cent, that a model keeps where it may decline the rest."""
NO_PROBABILITIES = "it says no probabilities of its answers"
PROBABILITIES_EXCEED_ONE = "the probabilities of its answers add up to more than one"
_TOP = ("top",)
_GRAIN = 1e-5  # probabilities are kept in 32 bits, so that an end of a bin is met only nearly


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The answers between two confidences: how many, how sure on average, and what they earned, with an interval."""

    low: float
    high: float
    n: int
    confidence: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float


def equal_width_bins(confidence: Floats, bins: int = BINS) -> Codes:
    """The bin of each confidence, where all bins are equally wide and hold their upper ends.

    >>> by_width(np.array([0.0, 0.1, 0.11, 1.0]), 10).tolist()
    [0, 0, 1, 9]
    """
    above = np.ceil(confidence * bins - _GRAIN)
    return np.asarray(np.clip(above - 1, 0, bins - 1).astype(np.int32))


def equal_mass_bins(confidence: Floats, weights: Floats, bins: int = BINS) -> Codes:
    """The bin of each confidence, where all bins hold about as many cases, and equal confidences stay together.

    >>> by_mass(np.array([0.1, 0.2, 0.9, 0.9]), np.ones(4), 2).tolist()
    [0, 0, 1, 1]
    """
    order, codes = np.unique(confidence, return_inverse=True)
    return _massed(codes, len(order), weights, bins)


def reliability(
    singles: Singles, within: Flags | None = None, *, bins: int = BINS, mass: bool = False
) -> list[ReliabilityBin]:
    """The curve of reliability: for each bin that holds an answer, how sure the model was and how right.

    Bins are equally wide, or, with `mass`, hold about as many answers each; `within` marks the answers that count. The
    intervals are those of shares over pictures.
    """
    rows = np.flatnonzero(_told(singles) & singles.counted & (True if within is None else within))
    sure, earned = singles.confidence[rows], singles.correct[rows]
    place = equal_mass_bins(sure, np.ones(len(rows)), bins) if mass else equal_width_bins(sure, bins)
    found = []
    for number in np.unique(place):
        own = place == number
        low, high = (sure[own].min(), sure[own].max()) if mass else (number / bins, (number + 1) / bins)
        score = clustered_interval(earned[own], singles.cluster[rows[own]])
        mean = float(sure[own].mean())
        found.append(ReliabilityBin(float(low), float(high), score.n, mean, score.value, score.low, score.high))
    return found


def _bases(singles: Singles) -> Flags:
    return np.asarray(singles.gold & (singles.row == singles.base))


def _told(singles: Singles) -> Flags:
    return _bases(singles) & ~np.isnan(singles.confidence)


def _why(singles: Singles, rows: Rows) -> str:
    return NO_PROBABILITIES if (_bases(singles) & singles.counted)[rows].any() else ""


def _spread(singles: Singles) -> Flags:
    return _bases(singles) & ~np.isnan(singles.chances.gaps)


def _why_spread(singles: Singles, rows: Rows) -> str:
    return PROBABILITIES_EXCEED_ONE if _told(singles)[rows].any() else _why(singles, rows)


def _error_by_width(singles: Singles, rows: Rows) -> Estimator:
    gap = singles.correct[rows] - singles.confidence[rows]
    place = equal_width_bins(singles.confidence[rows])
    return lambda weights: _error(place, gap, weights)


def _error_by_mass(singles: Singles, rows: Rows) -> Estimator:
    gap = singles.correct[rows] - singles.confidence[rows]
    order, codes = np.unique(singles.confidence[rows], return_inverse=True)
    return lambda weights: _error(_massed(codes, len(order), weights, BINS), gap, weights)


def _error(place: Codes, gap: Floats, weights: Floats) -> float:
    """The gaps of all bins, weighed by their cases."""
    return float(np.abs(np.bincount(place, weights * gap, minlength=BINS)).sum() / weights.sum())


def _massed(codes: Rows, many: int, weights: Floats, bins: int) -> Codes:
    """Bins of equal mass, from the rank of each case among the different confidences: each goes where its middle is."""
    mass = np.bincount(codes, weights, minlength=many)
    middle = (np.cumsum(mass) - mass / 2) / mass.sum()
    return np.asarray(np.minimum((middle * bins).astype(np.int32), bins - 1)[codes])


def _ranked(singles: Singles, rows: Rows) -> tuple[Floats, Rows, int]:
    """What each answer earned, its rank among the different confidences, the surest first, and how many there are."""
    order, codes = np.unique(-singles.confidence[rows], return_inverse=True)
    return singles.correct[rows], codes, len(order)


def _accuracy_at(coverage: float, singles: Singles, rows: Rows) -> Estimator:
    earned, rank, many = _ranked(singles, rows)

    def weighed(weights: Floats) -> float:
        mass, credit = (np.bincount(rank, own, minlength=many) for own in (weights, weights * earned))
        wanted = coverage * mass.sum()
        kept = np.clip(wanted - (np.cumsum(mass) - mass), 0, mass)  # of equally sure ones a part, as if drawn
        share = np.divide(credit, mass, out=np.zeros(many), where=mass > 0)
        return float((kept * share).sum() / wanted)

    return weighed


def _area(singles: Singles, rows: Rows) -> Estimator:
    earned, rank, many = _ranked(singles, rows)

    def weighed(weights: Floats) -> float:
        mass, loss = (np.bincount(rank, own, minlength=many) for own in (weights, weights * (1 - earned)))
        covered = np.cumsum(mass)
        risk = np.divide(np.cumsum(loss), covered, out=np.zeros(many), where=covered > 0)
        return float((mass * risk).sum() / covered[-1])

    return weighed


def selective_accuracy(coverage: int) -> Statistic[Singles]:
    """What the surest answers earn, so many per cent of all."""

    def taken(singles: Singles, rows: Rows) -> Estimator:
        return _accuracy_at(coverage / 100, singles, rows)

    return Statistic(f"selective_accuracy_{coverage}", Singles, taken, _told, _why, _TOP)


ece = Statistic("ece", Singles, _error_by_width, _told, _why, _TOP, lower=True)
"""The mean gap between how sure a model is and how right, over 15 equally wide bins (Guo et al. 2017)."""

ece_mass = Statistic("ece_mass", Singles, _error_by_mass, _told, _why, _TOP, lower=True)
"""The same over 15 bins with about as many answers each."""

brier = Ratio("brier", Singles, lambda s: (np.nan_to_num(s.confidence) - s.correct) ** 2, _told, _why, _TOP, lower=True)
"""The mean squared gap between the probability of the value said and what it earned; lower is better."""

whole_brier = Ratio(
    "whole_brier", Singles, lambda s: np.nan_to_num(s.chances.gaps), _spread, _why_spread, _TOP, lower=True
)
"""Half of the squared gaps between the probabilities of all answers and the right one; lower is better."""

confidence = Ratio("confidence", Singles, lambda s: np.nan_to_num(s.confidence), _told, _why, _TOP)
"""The mean probability of the value said: above the accuracy, a model is too sure."""

selective_accuracy_50, selective_accuracy_80 = map(selective_accuracy, COVERAGES)

aurc = Statistic("aurc", Singles, _area, _told, _why, _TOP, lower=True)
"""The mean share of wrong answers among those at least as sure as each one; lower is better."""

CALIBRATION: tuple[Metric, ...] = (
    ece,
    ece_mass,
    brier,
    whole_brier,
    confidence,
    selective_accuracy_50,
    selective_accuracy_80,
    aurc,
)
"""All of them."""
