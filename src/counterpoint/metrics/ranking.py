"""Captions against foils: how often the caption has the higher score, and how often each is taken for what it is.

The measures of VALSE (Appendix B) over pairs of a caption and a foil. A reply without a score is wrong on its side, so
that refusing never pays. What the paper calls precision, p_c and p_f, its authors compute as recall, and so do we:
acc = (p_c + p_f) / 2. These need a probability; for acc_r and the area under the curve an order is enough.
"""

import numpy as np

from counterpoint.core.groups import Relation
from counterpoint.core.ports import Scale
from counterpoint.metrics.accuracy import Ratio
from counterpoint.metrics.metric import Estimator, Metric, Statistic
from counterpoint.metrics.outcomes import Flags, Floats, Pairs, Rows

SCORES_ARE_SIMILARITIES = "its scores are similarities, not probabilities"
SCALE_UNKNOWN = "it is not recorded whether its scores are probabilities: run it again, or import with --scores"


def _ranked(pairs: Pairs) -> Flags:
    return pairs.known & pairs.relation.where([Relation.RANKS])


def _probable(pairs: Pairs) -> Flags:
    return _ranked(pairs) if pairs.probable else np.zeros_like(pairs.known)


def _why(pairs: Pairs, rows: Rows) -> str:
    """Why captions and foils that have scores have no probabilities."""
    if pairs.probable or not (_ranked(pairs) & pairs.counted)[rows].any():
        return ""
    return SCORES_ARE_SIMILARITIES if pairs.scale == Scale.SIMILARITY else SCALE_UNKNOWN


def caption_right(pairs: Pairs) -> Flags:
    """The caption is more probable than the threshold."""
    return np.asarray(pairs.base_score > pairs.threshold)


def foil_right(pairs: Pairs) -> Flags:
    """The foil is at most as probable as the threshold."""
    return np.asarray(pairs.variant_score <= pairs.threshold)


def _lower_of_both(pairs: Pairs, rows: Rows) -> Estimator:
    right = np.stack([caption_right(pairs)[rows], foil_right(pairs)[rows]]).astype(np.float64)
    return lambda weights: float((right @ weights).min() / weights.sum())


def _area(pairs: Pairs, rows: Rows) -> Estimator:
    captions = np.nan_to_num(pairs.base_score[rows], nan=-np.inf, posinf=np.inf, neginf=-np.inf)
    foils = np.nan_to_num(pairs.variant_score[rows], nan=np.inf, posinf=np.inf, neginf=-np.inf)
    return area_under_curve(captions, foils)


def area_under_curve(higher: Floats, lower: Floats) -> Estimator:
    """How probable it is that one of the first has the higher score than one of the second, ties counting half.

    >>> area_under_curve(np.array([0.9, 0.5]), np.array([0.5, 0.1]))(np.ones(2))
    0.875
    """
    _, codes = np.unique(np.concatenate([higher, lower]), return_inverse=True)
    first, second = codes[: len(higher)], codes[len(higher) :]
    many = int(codes.max(initial=-1)) + 1

    def weighed(weights: Floats) -> float:
        above, below = (np.bincount(side, weights, minlength=many) for side in (first, second))
        beaten = np.cumsum(below) - below / 2
        return float(above @ beaten / weights.sum() ** 2)

    return weighed


acc_r = Ratio("acc_r", Pairs, lambda p: p.related, _ranked)
"""Pairs whose caption has a higher score than the foil; a tie is a miss (VALSE, pairwise ranking accuracy)."""

ties = Ratio("ties", Pairs, lambda p: p.base_score == p.variant_score, _ranked, lower=True)
"""Pairs whose caption and foil have one and the same score."""

acc = Ratio("acc", Pairs, lambda p: (caption_right(p) * 1.0 + foil_right(p)) / 2, _probable, _why)
"""Captions more probable than the threshold and foils that are not, half each (VALSE, accuracy)."""

p_c = Ratio("p_c", Pairs, caption_right, _probable, _why)
"""Captions more probable than the threshold (VALSE, precision, computed as recall)."""

p_f = Ratio("p_f", Pairs, foil_right, _probable, _why)
"""Foils at most as probable as the threshold (VALSE, foil precision, computed as recall)."""

min_p = Statistic("min_p", Pairs, _lower_of_both, _probable, _why)
"""The lower of p_c and p_f, which a model that always says the same cannot raise (VALSE)."""

auroc = Statistic("auroc", Pairs, _area, _ranked)
"""How often a caption has a higher score than a foil of any pair in the slice, ties counting half (VALSE, AUROC)."""

RANKING: tuple[Metric, ...] = (acc_r, ties, acc, p_c, p_f, min_p, auroc)
"""The measures that are taken of captions against foils when none is named."""
