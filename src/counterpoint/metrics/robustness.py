"""Robustness: how often an answer stays the same under edits of a picture, rewrites of a question, noise in features.

Each application of an edit or rule is a pair, so that `n` counts applications. A flip is a pair whose answers differ.
RAD (equation 1) is the share of what is answered correctly that still is when asked in another way: J is the set of
pairs whose base is correct, J' that of those whose variant is; where nothing is correct it is undefined, never zero.
Variants name their edit in the tag `edit` and their rewriting rule in the tag `rule` (Beyond Accuracy, 3.2 and SEARs).
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np

from counterpoint.core.groups import Relation
from counterpoint.metrics.metric import (
    FEATURE_NOISE_TESTS,
    PICTURE_EDIT_TESTS,
    RAD_PAIR_TESTS,
    RAD_SET_TESTS,
    REWRITE_TESTS,
    Ability,
    CodedSumEstimator,
    Estimator,
    MetricKind,
    Ratio,
    Statistic,
    has_relation,
    has_test,
    nowhere,
    only_tests,
)
from counterpoint.metrics.units import Flags, Floats, OrderedPairs, Pairs, Rows

_Pair = TypeVar("_Pair", Pairs, OrderedPairs)

TAG = "edit"
"""The tag of a variant that names the kind of edit of its picture or features."""
PICTURE, QUESTION = "picture-features", "question-features"
"""The values of that tag for noise in features."""
NO_FEATURES = "it was not asked with changed features: it does not let them be changed, or was not run on this"


def _invariant(pairs: Pairs) -> Flags:
    return pairs.known & pairs.relation.where([Relation.SAME])


def _invariant_with_gold(pairs: Pairs) -> Flags:
    return _invariant(pairs) & pairs.gold


def _edited(pairs: Pairs) -> Flags:
    invariant = _invariant(pairs)
    return invariant & (pairs.tagged(TAG).codes >= 0) if invariant.any() else invariant


def _mean_over_edits(pairs: Pairs, rows: Rows) -> Estimator:
    names, edits = np.unique(pairs.tagged(TAG).codes[rows], return_inverse=True)

    def mean_share(drawn: Floats, kept: Floats) -> float:
        shares = kept[drawn > 0] / drawn[drawn > 0]
        return float(shares.mean()) if len(shares) else float("nan")

    related = pairs.related[rows].astype(np.float64)
    return CodedSumEstimator(edits, len(names), (np.ones(len(rows)), related), mean_share)


def _with_noise(edit: str, pairs: Pairs) -> Flags:
    ours = _invariant(pairs) & pairs.labels("test").at(pairs.row).where(FEATURE_NOISE_TESTS)
    return ours & pairs.tagged(TAG).where([edit]) if ours.any() else ours


def _feature_robustness(modality: str, edit: str, rank: int) -> Ratio[Pairs]:
    counts = partial(_with_noise, edit)
    return Ratio(
        f"{modality}_feature_robustness",
        Pairs,
        lambda p: p.related,
        counts,
        title=f"Robustness to noise in {modality} features",
        version=2,
        term="robustness",
        description=f"Share of answers that stay the same under noise in the features of the {modality}.",
        needs=Ability.FEATURES,
        not_applicable=f"no variant here has noise in the features of the {modality}",
        applies=has_test(*FEATURE_NOISE_TESTS),
        leads=only_tests(*FEATURE_NOISE_TESTS),
        rank=rank,
        on_request=True,
        reasons=((counts, NO_FEATURES),),
    )


_FLIPS: dict[str, Any] = {
    "term": "flips",
    "applies": has_relation(Relation.SAME),
    "leads": nowhere,
    "on_request": True,
}

mean_robustness = Statistic(
    "mean_robustness",
    Pairs,
    _mean_over_edits,
    _edited,
    title="Robustness to edits",
    version=2,
    term="robustness",
    description="Share of answers that stay the same on an edited picture, the mean over kinds of edits.",
    not_applicable="no picture here is edited",
    applies=has_relation(Relation.SAME),
    leads=only_tests(*PICTURE_EDIT_TESTS),
    rank=33,
    on_request=True,
)

robustness = Ratio(
    "robustness",
    Pairs,
    lambda p: p.related,
    _invariant,
    title="Robustness to rewrites",
    version=2,
    term="1 − flips",
    description="Share of rewrites that leave the answer the same.",
    not_applicable="no pair here must be answered alike",
    applies=has_relation(Relation.SAME),
    leads=only_tests(*REWRITE_TESTS),
    rank=34,
    on_request=True,
)

right_to_wrong = Ratio(
    "right_to_wrong",
    Pairs,
    lambda p: p.base_right & ~p.variant_right,
    _invariant_with_gold,
    title="Correct to incorrect",
    description="Share of pairs whose base is correct and whose variant is not.",
    lower_is_better=True,
    **_FLIPS,
    rank=60,
)
wrong_to_right = Ratio(
    "wrong_to_right",
    Pairs,
    lambda p: ~p.base_right & p.variant_right,
    _invariant_with_gold,
    title="Incorrect to correct",
    description="Share of pairs whose base is incorrect and whose variant is not.",
    **_FLIPS,
    rank=61,
)
picture_feature_robustness = _feature_robustness("picture", PICTURE, 35)
question_feature_robustness = _feature_robustness("question", QUESTION, 36)


def _rad(
    name: str, unit: type[_Pair], hit: Callable[[_Pair], Flags], given: Callable[[_Pair], Flags], **metadata: Any
) -> Ratio[_Pair]:
    """The share of hits among the pairs with gold of which one member is given to be correct."""
    return Ratio(
        name,
        unit,
        hit,
        lambda p: p.gold & given(p),
        term="RAD",
        kind=MetricKind.RATIO,
        applies=has_relation(Relation.SAME, Relation.DIFFERS, Relation.GOLD),
        on_request=True,
        reasons=((lambda p: p.gold & p.counted, metadata["not_applicable"]),),
        **metadata,
    )


rad_forward = _rad(
    "rad_forward",
    Pairs,
    lambda p: p.variant_right,
    lambda p: p.base_right,
    title="RAD forward",
    description="Share of pairs whose variant is correct among those whose base is, |J ∩ J'| / |J|.",
    not_applicable="no base here is answered correctly",
    leads=only_tests(*RAD_PAIR_TESTS),
    rank=30,
)
rad_backward = _rad(
    "rad_backward",
    Pairs,
    lambda p: p.base_right,
    lambda p: p.variant_right,
    title="RAD backward",
    description="Share of pairs whose base is correct among those whose variant is, |J ∩ J'| / |J'|.",
    not_applicable="no variant here is answered correctly",
    leads=only_tests(*RAD_PAIR_TESTS),
    rank=31,
)
rad_ordered = _rad(
    "rad_ordered",
    OrderedPairs,
    lambda p: p.variant_right,
    lambda p: p.base_right,
    title="RAD over ordered pairs",
    description="Share of correct seconds among ordered pairs whose first is correct, of sets without an original.",
    not_applicable="no question here is answered correctly",
    leads=only_tests(*RAD_SET_TESTS),
    rank=32,
)
