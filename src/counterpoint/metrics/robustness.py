"""Robustness to edits of a picture: how often an answer stays, each kind of edit counting as much as every other."""

import numpy as np

from counterpoint.core.groups import Relation
from counterpoint.metrics.metric import Estimator, Statistic
from counterpoint.metrics.outcomes import Flags, Floats, Pairs, Rows

TAG = "edit"
"""The tag of a variant that says which kind of edit its picture has."""


def _edited(pairs: Pairs) -> Flags:
    must_agree = pairs.known & pairs.relation.where([Relation.SAME])
    return must_agree & (pairs.tagged(TAG).codes >= 0) if must_agree.any() else must_agree


def _mean_of_kinds(pairs: Pairs, rows: Rows) -> Estimator:
    _, kinds = np.unique(pairs.tagged(TAG).codes[rows], return_inverse=True)
    stayed = pairs.related[rows].astype(np.float64)

    def weighed(weights: Floats) -> float:
        drawn = np.bincount(kinds, weights)
        shares = np.bincount(kinds, weights * stayed)[drawn > 0] / drawn[drawn > 0]
        return float(shares.mean()) if len(shares) else float("nan")

    return weighed


mean_robustness = Statistic("mean_robustness", Pairs, _mean_of_kinds, _edited)
"""Answers that stay as they were on the picture as it is, the mean over kinds of edits (Beyond Accuracy, 3.2)."""
