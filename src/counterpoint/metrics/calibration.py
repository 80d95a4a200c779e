"""Calibration: whether the confidence of a model equals its accuracy.

All are computed over the answers to bases. Confidence is the probability of the given answer; credit is a fraction
under the rules of VQA. The expected calibration error (ECE) is the mean gap between both over 15 bins, weighted by
their cases; it is never negative, so that even a perfect model has a little by chance, more with fewer cases. The
metrics do not apply to a model that gives no probabilities.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from counterpoint.metrics.intervals import clustered_interval
from counterpoint.metrics.labels import Codes
from counterpoint.metrics.metric import (
    MISSING_ABILITY,
    Ability,
    Estimator,
    Metric,
    MetricKind,
    Ratio,
    Statistic,
    has_questions,
    nowhere,
)
from counterpoint.metrics.outcomes import Flags, Floats, Rows, Singles

BINS = 15
"""As many as in Guo et al. 2017."""
COVERAGES = (50, 80)
"""The shares of the answers, in per cent, that a model keeps where it may decline the rest."""
NO_PROBABILITIES = MISSING_ABILITY[Ability.PROBABILITIES]
PROBABILITIES_EXCEED_ONE = "the probabilities of its answers add up to more than one"
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

    >>> equal_width_bins(np.array([0.0, 0.1, 0.11, 1.0]), 10).tolist()
    [0, 0, 1, 9]
    """
    above = np.ceil(confidence * bins - _GRAIN)
    return np.asarray(np.clip(above - 1, 0, bins - 1).astype(np.int32))


def equal_mass_bins(confidence: Floats, weights: Floats, bins: int = BINS) -> Codes:
    """The bin of each confidence, where all bins hold about as many cases, and equal confidences stay together.

    >>> equal_mass_bins(np.array([0.1, 0.2, 0.9, 0.9]), np.ones(4), 2).tolist()
    [0, 0, 1, 1]
    """
    order, codes = np.unique(confidence, return_inverse=True)
    return _massed(codes, len(order), weights, bins)


def reliability(
    singles: Singles, within: Flags | None = None, *, bins: int = BINS, mass: bool = False
) -> list[ReliabilityBin]:
    """The reliability curve of the answers to bases; `within` marks the answers that count."""
    rows = np.flatnonzero(_has_confidence(singles) & singles.counted & (True if within is None else within))
    return reliability_curve(
        singles.confidence[rows], singles.correct[rows], singles.cluster[rows], bins=bins, mass=mass
    )


def reliability_curve(
    confidence: Floats, correct: Floats, cluster: Codes, *, bins: int = BINS, mass: bool = False
) -> list[ReliabilityBin]:
    """The mean confidence and accuracy of each bin that holds an answer, with intervals over clusters.

    Bins have equal width, or, with `mass`, hold about as many answers each.
    """
    place = equal_mass_bins(confidence, np.ones(len(confidence)), bins) if mass else equal_width_bins(confidence, bins)
    curve = []
    for number in np.unique(place):
        own = place == number
        inside = confidence[own]
        low, high = (inside.min(), inside.max()) if mass else (number / bins, (number + 1) / bins)
        score = clustered_interval(correct[own], cluster[own])
        mean = float(inside.mean())
        curve.append(ReliabilityBin(float(low), float(high), score.n, mean, score.value, score.low, score.high))
    return curve


def _bases(singles: Singles) -> Flags:
    return np.asarray(singles.gold & (singles.row == singles.base))


def _has_confidence(singles: Singles) -> Flags:
    return _bases(singles) & ~np.isnan(singles.confidence)


def _diagnose(singles: Singles, rows: Rows) -> str:
    return NO_PROBABILITIES if (_bases(singles) & singles.counted)[rows].any() else ""


def _has_distribution(singles: Singles) -> Flags:
    return _bases(singles) & ~np.isnan(singles.probabilities.squared_errors)


def _diagnose_distribution(singles: Singles, rows: Rows) -> str:
    return PROBABILITIES_EXCEED_ONE if _has_confidence(singles)[rows].any() else _diagnose(singles, rows)


def _error_by_width(singles: Singles, rows: Rows) -> Estimator:
    gap = singles.correct[rows] - singles.confidence[rows]
    place = equal_width_bins(singles.confidence[rows])
    return lambda weights: _binned_error(place, gap, weights)


def _error_by_mass(singles: Singles, rows: Rows) -> Estimator:
    gap = singles.correct[rows] - singles.confidence[rows]
    order, codes = np.unique(singles.confidence[rows], return_inverse=True)
    return lambda weights: _binned_error(_massed(codes, len(order), weights, BINS), gap, weights)


def _binned_error(place: Codes, gap: Floats, weights: Floats) -> float:
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

    def estimate(weights: Floats) -> float:
        mass, credit = (np.bincount(rank, own, minlength=many) for own in (weights, weights * earned))
        wanted = coverage * mass.sum()
        kept = np.clip(wanted - (np.cumsum(mass) - mass), 0, mass)  # of equally sure ones a part, as if drawn
        share = np.divide(credit, mass, out=np.zeros(many), where=mass > 0)
        return float((kept * share).sum() / wanted)

    return estimate


def _area(singles: Singles, rows: Rows) -> Estimator:
    earned, rank, many = _ranked(singles, rows)

    def estimate(weights: Floats) -> float:
        mass, loss = (np.bincount(rank, own, minlength=many) for own in (weights, weights * (1 - earned)))
        covered = np.cumsum(mass)
        risk = np.divide(np.cumsum(loss), covered, out=np.zeros(many), where=covered > 0)
        return float((mass * risk).sum() / covered[-1])

    return estimate


_COMMON: dict[str, Any] = {
    "needs": Ability.PROBABILITIES,
    "reads": ("top",),
    "not_applicable": NO_PROBABILITIES,
    "applies": has_questions,
    "leads": nowhere,
    "on_request": True,
    "diagnose": _diagnose,
}


def _error(name: str, prepare: Callable[[Singles, Rows], Estimator], **metadata: Any) -> Statistic[Singles]:
    return Statistic(
        name, Singles, prepare, _has_confidence, lower_is_better=True, kind=MetricKind.CURVE, **_COMMON | metadata
    )


def selective_accuracy(coverage: int, rank: int) -> Statistic[Singles]:
    """The mean credit of the most confident answers, so many per cent of all."""
    return Statistic(
        f"selective_accuracy_{coverage}",
        Singles,
        partial(_accuracy_at, coverage / 100),
        _has_confidence,
        title=f"Selective accuracy at {coverage} % coverage",
        description=f"Mean credit of the {coverage} % of the answers with the highest confidence.",
        kind=MetricKind.CURVE,
        rank=rank,
        **_COMMON,
    )


ece = _error(
    "ece",
    _error_by_width,
    title="Calibration error",
    term="ECE",
    description="Mean gap between confidence and accuracy over 15 bins of equal width (Guo et al. 2017).",
    rank=70,
)

ece_mass = _error(
    "ece_mass",
    _error_by_mass,
    title="Calibration error, equal mass",
    term="ECE",
    description="Mean gap between confidence and accuracy over 15 bins with about as many answers each.",
    rank=71,
)

brier = Ratio(
    "brier",
    Singles,
    lambda s: (np.nan_to_num(s.confidence) - s.correct) ** 2,
    _has_confidence,
    title="Brier score of the answer",
    description="Mean squared gap between the probability of the given answer and its credit.",
    lower_is_better=True,
    rank=72,
    **_COMMON,
)

whole_brier = Ratio(
    "whole_brier",
    Singles,
    lambda s: np.nan_to_num(s.probabilities.squared_errors),
    _has_distribution,
    title="Brier score of the distribution",
    description="Half the squared gaps between the probabilities of all answers and the gold answer.",
    lower_is_better=True,
    rank=73,
    **_COMMON | {"diagnose": _diagnose_distribution},
)

confidence = Ratio(
    "confidence",
    Singles,
    lambda s: np.nan_to_num(s.confidence),
    _has_confidence,
    description="Mean probability of the given answer: above the accuracy, a model is overconfident.",
    rank=74,
    **_COMMON,
)

selective_accuracy_50, selective_accuracy_80 = (
    selective_accuracy(coverage, 75 + place) for place, coverage in enumerate(COVERAGES)
)

aurc = _error(
    "aurc",
    _area,
    title="Area under the risk-coverage curve",
    term="AURC",
    description="Mean share of incorrect answers among those at least as confident as each one.",
    rank=77,
)

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
