"""Captions against foils: how often the caption has the higher score, and how often each is taken for what it is.

The metrics of VALSE (Appendix B) over pairs of a caption and a foil. A reply without a score is wrong on its side, so
that refusing never pays. What the paper calls precision, p_c and p_f, its authors compute as recall, and so do we:
acc = (p_c + p_f) / 2. These need a probability; for acc_r and the area under the curve an order is enough.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from counterpoint.core.groups import Relation
from counterpoint.core.ports import Scale
from counterpoint.metrics.metric import (
    Ability,
    Estimator,
    Metric,
    MetricKind,
    Ratio,
    Reason,
    Statistic,
    has_relation,
    mean_estimator,
    nowhere,
)
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.units import Flags, Floats, Pairs, Rows

COIN = 0.5
"""The ranking accuracy of a coin."""
SCORES_ARE_SIMILARITIES = "its scores are similarities, not probabilities"
SCALE_UNKNOWN = "it is not recorded whether its scores are probabilities: run it again, or import with --scores"


def _ranked(pairs: Pairs) -> Flags:
    return pairs.known & pairs.relation.where([Relation.RANKS])


def _probable(pairs: Pairs) -> Flags:
    return _ranked(pairs) if pairs.probable else np.zeros_like(pairs.known)


def _has_scale(is_known: bool, pairs: Pairs) -> Flags:
    """The captions and foils with scores that are no probabilities, or where it is not known whether they are."""
    applies = not pairs.probable and (pairs.scale == Scale.SIMILARITY) == is_known
    return _ranked(pairs) & pairs.counted if applies else np.zeros_like(pairs.known)


_NOT_PROBABLE: tuple[Reason, ...] = (
    (partial(_has_scale, True), SCORES_ARE_SIMILARITIES),
    (partial(_has_scale, False), SCALE_UNKNOWN),
)


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

    def estimate(weights: Floats) -> float:
        above, below = (np.bincount(side, weights, minlength=many) for side in (first, second))
        beaten = np.cumsum(below) - below / 2
        return float(above @ beaten / weights.sum() ** 2)

    return estimate


def _gain(pairs: Pairs, rows: Rows) -> Estimator:
    return mean_estimator(pairs.related[rows] - pairs.text_related[rows])


RankedPairs: TypeAlias = Mapping[tuple[str, str], tuple[int, int]]
"""By suite and test: the captions that score above their foil, and all that are ranked."""


def count_ranked(outcomes: Outcomes) -> dict[tuple[str, str], tuple[int, int]]:
    """The ranked pairs of a model."""
    pairs, counts = outcomes.pairs(), dict[tuple[str, str], tuple[int, int]]()
    ranked = _ranked(pairs) & pairs.counted
    for name, inside in _rows_by_test(outcomes):
        here = ranked & inside[pairs.row]
        counts[name] = int(pairs.related[here].sum()), int(here.sum())
    return counts


def relate_by_text(baselines: Sequence[Outcomes], counts: Sequence[RankedPairs] = ()) -> Floats:
    """For each row of a suite whether the text-only model that is best in its test ranks it below its caption.

    The best one has the highest acc_r in the test, over all pairs that `counts` has of each model where the outcomes
    are a block of many. A coin is a text-only model as well: where none is above 50 %, a row counts one half. It is nan
    where none has scores.
    """
    counts = counts or [count_ranked(own) for own in baselines]
    related = np.full(len(baselines[0].base), np.nan)
    for name, inside in _rows_by_test(baselines[0]):
        best = 0.0
        for pairs, counted in zip((own.pairs() for own in baselines), counts, strict=True):
            here = _ranked(pairs) & pairs.counted & inside[pairs.row]
            hits, cases = counted.get(name, (0, 0))
            share = hits / cases if cases else -1.0
            if share > max(best, COIN):
                best, related[pairs.row[here]] = share, pairs.related[here]
            elif share >= 0 and best <= COIN:
                best, related[pairs.row[here]] = COIN, COIN
    return related


def _rows_by_test(outcomes: Outcomes) -> Iterator[tuple[tuple[str, str], Flags]]:
    """Each suite and test with the rows that are of it."""
    suite, test = (outcomes.labels(name) for name in ("suite", "test"))
    for first in suite.words.to_pylist():
        for second in test.words.to_pylist():
            if (inside := suite.where([first]) & test.where([second])).any():
                yield (first, second), inside


_RANKED: dict[str, Any] = {
    "needs": Ability.SCORES,
    "not_applicable": "no caption is ranked above a foil here",
    "applies": has_relation(Relation.RANKS),
}
_PROBABLE = _RANKED | {"not_applicable": "no caption and foil here have probabilities", "reasons": _NOT_PROBABLE}


def _threshold_metric(name: str, hit: Callable[[Pairs], Flags | Floats], rank: int, **metadata: Any) -> Ratio[Pairs]:
    return Ratio(name, Pairs, hit, _probable, term=name, leads=nowhere, rank=rank, **_PROBABLE, **metadata)


acc_r = Ratio(
    "acc_r",
    Pairs,
    lambda p: p.related,
    _ranked,
    title="Ranking accuracy",
    term="acc_r",
    description="Share of captions that score above their foil; a tie is a miss.",
    rank=10,
    **_RANKED,
)
ties = Ratio(
    "ties",
    Pairs,
    lambda p: p.base_score == p.variant_score,
    _ranked,
    description="Share of pairs whose caption and foil have the same score.",
    lower_is_better=True,
    leads=nowhere,
    rank=13,
    **_RANKED,
)
acc = _threshold_metric(
    "acc",
    lambda p: (caption_right(p) * 1.0 + foil_right(p)) / 2,
    14,
    title="Accuracy at the threshold",
    description="Share of captions above the threshold and of foils that are not, half each.",
)
p_c = _threshold_metric(
    "p_c",
    caption_right,
    15,
    title="Captions above the threshold",
    description="Share of captions more probable than the threshold.",
)
p_f = _threshold_metric(
    "p_f",
    foil_right,
    16,
    title="Foils below the threshold",
    description="Share of foils at most as probable as the threshold.",
)
min_p = Statistic(
    "min_p",
    Pairs,
    _lower_of_both,
    _probable,
    (p_c, p_f),
    title="Worse side",
    term="min(p_c, p_f)",
    description="The lower of p_c and p_f, which a constant answer cannot raise.",
    rank=12,
    **_PROBABLE,
)
auroc = Statistic(
    "auroc",
    Pairs,
    _area,
    _ranked,
    title="Area under the ROC curve",
    term="AUROC",
    description="How often a caption scores above a foil of any pair, ties counting half.",
    kind=MetricKind.CURVE,
    rank=11,
    **_RANKED,
)

acc_r_over_text = Statistic(
    "acc_r_over_text",
    Pairs,
    _gain,
    lambda p: _ranked(p) & ~np.isnan(p.text_related),
    title="Ranking accuracy over text alone",
    description="acc_r minus that of the best text-only model on the same pairs, or 50 % if that is more.",
    range=(-1.0, 1.0),
    kind=MetricKind.DIFFERENCE,
    leads=nowhere,
    rank=10,
    on_request=True,
    **_RANKED | {"not_applicable": "no text-only model has scored these pairs: counterpoint study blind does"},
)

RANKING: tuple[Metric, ...] = (acc_r, ties, acc, p_c, p_f, min_p, auroc)
"""All that are computed unless others are named."""
