"""Calibration: whether the confidence of a model equals its accuracy.

All are computed over the answers to bases. Confidence is the probability of the given answer; credit is a fraction
under the rules of VQA. The expected calibration error (ECE) is the mean gap between both over 15 bins, weighted by
their cases. Chance raises it, the more the fewer cases there are, so that it has no interval and ranks no model.
Beside it stand the value that a calibrated model would have on these answers, with a p value from flips of the sign of
all gaps of a picture; a squared error without that bias (Ferro and Fricker 2012), which has an interval; and the signed
gap. The metrics do not apply to a model that gives no probabilities.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from math import nan
from typing import Any

import numpy as np

from counterpoint.metrics.intervals import add_by, clustered_interval
from counterpoint.metrics.labels import Codes, renumber
from counterpoint.metrics.metric import (
    MISSING_ABILITY,
    Ability,
    CodedSumEstimator,
    Estimator,
    Metric,
    MetricKind,
    Ratio,
    Reason,
    Statistic,
    has_questions,
    mean_estimator,
    nowhere,
)
from counterpoint.metrics.units import Flags, Floats, Rows, Singles

BINS = 15
"""As many as in Guo et al. 2017."""
FLIPS = 2000
"""Random flips of signs by which an error is compared with that of a calibrated model."""
COVERAGES = (50, 80)
"""The shares of the answers, in per cent, that a model keeps where it may decline the rest."""
NO_PROBABILITIES = MISSING_ABILITY[Ability.PROBABILITIES]
PROBABILITIES_EXCEED_ONE = "the probabilities of its answers add up to more than one"
_MOST_FLIPPED = 3000  # pictures
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


def equal_mass_bins(confidence: Floats, bins: int = BINS) -> Codes:
    """The bin of each confidence, where all bins hold about as many cases, and equal confidences stay together.

    >>> equal_mass_bins(np.array([0.1, 0.2, 0.9, 0.9]), 2).tolist()
    [0, 0, 1, 1]
    """
    _, codes, mass = np.unique(confidence, return_inverse=True, return_counts=True)
    middle = (np.cumsum(mass) - mass / 2) / max(len(confidence), 1)  # each goes where its middle is
    return np.asarray(np.minimum((middle * bins).astype(np.int32), bins - 1)[codes])


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
    place = equal_mass_bins(confidence, bins) if mass else equal_width_bins(confidence, bins)
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


_NO_PROBABILITIES: Reason = (lambda singles: _bases(singles) & singles.counted, NO_PROBABILITIES)


def _has_distribution(singles: Singles) -> Flags:
    return _bases(singles) & ~np.isnan(singles.probabilities.squared_errors)


def _bins_by_width(singles: Singles, rows: Rows) -> Codes:
    return equal_width_bins(singles.confidence[rows])


def _bins_by_mass(singles: Singles, rows: Rows) -> Codes:
    return equal_mass_bins(singles.confidence[rows])


_Binning = Callable[[Singles, Rows], Codes]
"""The bin of each answer at these places."""


@dataclass(frozen=True, slots=True)
class _Gaps:
    """The gaps between confidence and credit, summed over the answers of one picture in one bin."""

    gap: Floats  # of each answer
    cell: Rows  # of each answer: its bin and picture
    bin_of: Rows  # of each cell
    picture_of: Rows  # of each cell

    @classmethod
    def of(cls, binning: _Binning, singles: Singles, rows: Rows) -> "_Gaps":
        cluster = singles.cluster[rows].astype(np.int64)
        picture, pictures = renumber(cluster, int(cluster.max(initial=0)) + 1)
        cell, cells = renumber(binning(singles, rows) * np.int64(len(pictures)) + picture, BINS * len(pictures))
        gap = singles.confidence[rows] - singles.correct[rows]
        return cls(gap, cell.astype(np.int64), cells // len(pictures), cells % len(pictures))

    def sums(self, weights: Floats | None = None) -> Floats:
        """The sum of each cell."""
        return add_by(self.cell, self.gap if weights is None else weights * self.gap, len(self.bin_of))

    def by_bin(self, cells: Floats) -> Floats:
        """The sum over the cells of each bin."""
        return add_by(self.bin_of, cells, BINS)

    def flipped_errors(self, seed: int) -> Floats:
        """Calibration errors with the sign of all gaps of a picture flipped at random, as calibration allows.

        Very many pictures are not flipped one by one: the sums of the bins are then normal with the same covariance.
        """
        pictures = int(self.picture_of.max()) + 1
        table = np.zeros((pictures, BINS))
        table[self.picture_of, self.bin_of] = self.sums()
        if pictures > _MOST_FLIPPED:
            values, vectors = np.linalg.eigh(table.T @ table)
            normal = np.random.default_rng(seed).standard_normal((FLIPS, BINS))
            drawn = np.abs(normal * np.sqrt(np.maximum(values, 0.0)) @ vectors.T).sum(axis=1)
        else:
            drawn = _flipped_sums(table.tobytes(), seed)
        return np.asarray(drawn / len(self.gap))


@lru_cache(maxsize=4)
def _flipped_sums(table: bytes, seed: int) -> Floats:
    """The sums of absolute gaps over bins for each flip, from those of each picture and bin.

    An error and its chance level draw the same flips, one after the other, hence the cache.
    """
    gaps = np.frombuffer(table).reshape(-1, BINS)
    signs = np.random.default_rng(seed).integers(2, size=(FLIPS, len(gaps)), dtype=np.int8) * 2.0 - 1
    return np.asarray(np.abs(signs @ gaps).sum(axis=1))


def _plug_in(binning: _Binning, singles: Singles, rows: Rows) -> Estimator:
    gaps = _Gaps.of(binning, singles, rows)
    return lambda weights: float(np.abs(gaps.by_bin(gaps.sums(weights))).sum() / weights.sum())


def _expected(binning: _Binning, singles: Singles, rows: Rows) -> Estimator:
    """The mean error under flips of the signs, of all answers whatever the weights: it is not replicated."""
    gaps = _Gaps.of(binning, singles, rows) if len(rows) else None
    return lambda weights: float(gaps.flipped_errors(0).mean()) if gaps else nan


def _flip_test(binning: _Binning, singles: Singles, rows: Rows, seed: int) -> float:
    """The p value of calibration: how often flips of the signs give an error as large as the one seen."""
    observed = _plug_in(binning, singles, rows)(np.ones(len(rows)))
    flipped = _Gaps.of(binning, singles, rows).flipped_errors(seed)
    return float((1 + np.count_nonzero(flipped >= observed - 1e-12)) / (1 + FLIPS))


def _squared(singles: Singles, rows: Rows) -> Estimator:
    """The squared gap of each bin, weighted by its answers, from products of gaps on two different pictures alone.

    A bin whose answers are all about one picture has no such product, and does not count.
    """
    gaps = _Gaps.of(_bins_by_width, singles, rows)

    def estimate(sums: Floats, cases: Floats) -> float:
        products, couples = (gaps.by_bin(own) ** 2 - gaps.by_bin(own * own) for own in (sums, cases))
        told = couples > 0
        mass = gaps.by_bin(cases)[told]
        return float(mass @ (products[told] / couples[told]) / mass.sum()) if told.any() else nan

    return CodedSumEstimator(gaps.cell, len(gaps.bin_of), (gaps.gap, np.ones(len(rows))), estimate)


def _signed_gap(singles: Singles, rows: Rows) -> Estimator:
    return mean_estimator(singles.confidence[rows] - singles.correct[rows])


def _ranked(singles: Singles, rows: Rows) -> tuple[Floats, Rows, int]:
    """What each answer earned, its rank among the different confidences, the surest first, and how many there are."""
    order, codes = np.unique(-singles.confidence[rows], return_inverse=True)
    return singles.correct[rows], codes, len(order)


def _accuracy_at(coverage: float, singles: Singles, rows: Rows) -> Estimator:
    earned, rank, many = _ranked(singles, rows)

    def accuracy(mass: Floats, credit: Floats) -> float:
        wanted = coverage * mass.sum()
        kept = np.clip(wanted - (np.cumsum(mass) - mass), 0, mass)  # of equally sure ones a part, as if drawn
        share = np.divide(credit, mass, out=np.zeros(many), where=mass > 0)
        return float((kept * share).sum() / wanted)

    return CodedSumEstimator(rank, many, (np.ones(len(rank)), earned), accuracy)


def _area(singles: Singles, rows: Rows) -> Estimator:
    earned, rank, many = _ranked(singles, rows)

    def area(mass: Floats, loss: Floats) -> float:
        covered = np.cumsum(mass)
        risk = np.divide(np.cumsum(loss), covered, out=np.zeros(many), where=covered > 0)
        return float((mass * risk).sum() / covered[-1])

    return CodedSumEstimator(rank, many, (np.ones(len(rank)), 1 - earned), area)


_COMMON: dict[str, Any] = {
    "needs": Ability.PROBABILITIES,
    "reads": ("top",),
    "not_applicable": NO_PROBABILITIES,
    "applies": has_questions,
    "leads": nowhere,
    "on_request": True,
    "reasons": (_NO_PROBABILITIES,),
}


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


def _calibration_error(name: str, binning: _Binning, bins: str, rank: int) -> tuple[Statistic[Singles], ...]:
    """The calibration error over some bins, and its value for a calibrated model."""
    common = _COMMON | {"lower_is_better": True, "kind": MetricKind.PLUG_IN, "term": "ECE"}
    title = f"Calibration error{', equal mass' * (bins != 'of equal width')}"
    chance = Statistic(
        f"{name}_chance",
        Singles,
        partial(_expected, binning),
        _has_confidence,
        title=f"{title}, by chance",
        description=f"Calibration error {bins} that a calibrated model would have on these answers.",
        rank=rank + 10,
        **common | {"directed": False, "term": ""},
    )
    error = Statistic(
        name,
        Singles,
        partial(_plug_in, binning),
        _has_confidence,
        test=partial(_flip_test, binning),
        title=title,
        description=f"Mean gap between confidence and accuracy over 15 bins {bins}.",
        chance=chance.name,
        rank=rank,
        **common,
    )
    return error, chance


ece, ece_chance = _calibration_error("ece", _bins_by_width, "of equal width", 70)
ece_mass, ece_mass_chance = _calibration_error("ece_mass", _bins_by_mass, "with about as many answers each", 71)

ece_squared = Statistic(
    "ece_squared",
    Singles,
    _squared,
    _has_confidence,
    title="Squared calibration error",
    description="Squared gap between confidence and accuracy over 15 bins, without what chance adds to it.",
    lower_is_better=True,
    range=(-1.0, 1.0),
    kind=MetricKind.CURVE,
    rank=72,
    **_COMMON,
)

confidence_gap = Statistic(
    "confidence_gap",
    Singles,
    _signed_gap,
    _has_confidence,
    description="Mean confidence less accuracy: above zero, a model is overconfident.",
    range=(-1.0, 1.0),
    kind=MetricKind.DIFFERENCE,
    directed=False,
    rank=73,
    **_COMMON,
)

brier = Ratio(
    "brier",
    Singles,
    lambda s: (np.nan_to_num(s.confidence) - s.correct) ** 2,
    _has_confidence,
    title="Brier score of the answer",
    description="Mean squared gap between the probability of the given answer and its credit.",
    lower_is_better=True,
    rank=74,
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
    rank=74,
    **_COMMON | {"reasons": ((_has_confidence, PROBABILITIES_EXCEED_ONE), _NO_PROBABILITIES)},
)

confidence = Ratio(
    "confidence",
    Singles,
    lambda s: np.nan_to_num(s.confidence),
    _has_confidence,
    description="Mean probability of the given answer: above the accuracy, a model is overconfident.",
    directed=False,
    rank=74,
    **_COMMON,
)

selective_accuracy_50, selective_accuracy_80 = (
    selective_accuracy(coverage, 75 + place) for place, coverage in enumerate(COVERAGES)
)

aurc = Statistic(
    "aurc",
    Singles,
    _area,
    _has_confidence,
    title="Area under the risk-coverage curve",
    term="AURC",
    description="Mean share of incorrect answers among those at least as confident as each one.",
    lower_is_better=True,
    kind=MetricKind.CURVE,
    rank=77,
    **_COMMON,
)

CALIBRATION: tuple[Metric, ...] = (
    ece,
    ece_chance,
    ece_mass,
    ece_mass_chance,
    ece_squared,
    confidence_gap,
    brier,
    whole_brier,
    confidence,
    selective_accuracy_50,
    selective_accuracy_80,
    aurc,
)
"""All of them."""
