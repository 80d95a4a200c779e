"""Contrast consistency: the share of contrast sets whose original and first k contrasts are correct.

A group holds its contrasts in the order in which they were drawn, so the set of three begins with the set of one, and
the share over all questions with a contrast can only fall as k grows; full sets are fewer with every step of k.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterpoint.core.groups import Relation
from counterpoint.metrics.intervals import NO_SCORE, Score, ShareSums, add_by
from counterpoint.metrics.labels import Codes
from counterpoint.metrics.metric import Ratio, has_relation, nowhere, only_tests
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.paired_tests import RatioDifference
from counterpoint.metrics.units import Flags, Floats, Rows, Sets, Singles

KS = (1, 3, 5)
"""The numbers of contrasts of a set in the paper."""


def contrast_consistency(k: int, *, full: bool = False) -> Ratio[Sets]:
    """The share of sets whose base and first k contrasts are correct; with `full`, of sets with k contrasts only.

    >>> contrast_consistency(3).name, contrast_consistency(3, full=True).name
    ('contrast_consistency_3', 'contrast_consistency_3_full')
    """

    def hit(sets: Sets) -> Flags:
        return sets.worst_of_first(k) >= sets.threshold

    def counts(sets: Sets) -> Flags:
        known = ~np.isnan(sets.worst_of_first(k))
        return known & (sets.variants >= k) if full else known

    among = f" among those with at least {k}" if full else ""
    leading = k == max(KS) and not full
    return Ratio(
        f"contrast_consistency_{k}{'_full' * full}",
        Sets,
        hit,
        counts,
        title=f"Contrast consistency, {k}{' of full sets' * full}",
        term="contrast consistency",
        description=f"Share of contrast sets whose original and first {k} contrasts are correct{among}.",
        not_applicable="no contrast set here has gold",
        applies=has_relation(Relation.GOLD),
        leads=only_tests("contrast") if leading else nowhere,
        rank=37 if leading else 62,
        on_request=True,
    )


def contrast_accuracy(k: int) -> Ratio[Singles]:
    """The mean credit of contrasts, of the first k of each set."""
    return Ratio(f"contrast_accuracy_{k}", Singles, lambda s: s.correct, lambda s: s.gold & _among_first(s, k))


original_accuracy = Ratio("original_accuracy", Singles, lambda s: s.correct, lambda s: s.gold & (s.row == s.base))
"""The mean credit of originals, once for each of their sets."""


def deduplicated_original_accuracy(outcomes: Outcomes) -> Ratio[Singles]:
    """The mean credit of originals; a question that several templates change is counted once."""
    once = first_occurrences(outcomes)
    return Ratio(original_accuracy.name, Singles, lambda s: s.correct, lambda s: s.gold & once[s.row])


consistency_1, consistency_3, consistency_5 = (contrast_consistency(k) for k in KS)
full_1, full_3, full_5 = (contrast_consistency(k, full=True) for k in KS)


def contrast_metrics(ks: Sequence[int] = KS, originals: Ratio[Singles] = original_accuracy) -> tuple[Ratio[Any], ...]:
    """The metrics of contrast sets: accuracy of originals, and for each k of contrasts, sets and full sets."""
    by_k = ((contrast_accuracy(k), contrast_consistency(k), contrast_consistency(k, full=True)) for k in ks)
    return (originals, *(metric for row in by_k for metric in row))


def first_occurrences(outcomes: Outcomes, within: Flags | None = None) -> Flags:
    """The bases that no earlier group of the suite has, by picture and question, among the rows `within`."""
    is_base = outcomes.base == np.arange(len(outcomes.base))
    rows = np.flatnonzero(is_base if within is None else is_base & within)
    keys = [outcomes.labels(name).codes[rows].astype(np.int64) for name in ("suite", "picture", "tag:question")]
    _, first = np.unique(np.stack(keys, axis=1), axis=0, return_index=True) if len(rows) else (None, rows)
    once = np.zeros(len(outcomes.base), np.bool_)
    once[rows[first]] = True
    once[rows[keys[2] < 0]] = True  # a base without the tag is counted by itself
    return once


def accuracy_drop(outcomes: Outcomes, within: Flags | None = None) -> Score:
    """The drop in accuracy from originals to contrasts with its interval over pictures, and the number of contrasts.

    Both are means over single answers, each original once, so that a picture may weigh more in one than in the other:
    this is the difference of two ratios, paired by picture. `within` marks the rows that count.
    """
    singles = outcomes.singles()
    fine = singles.counted & singles.gold & (True if within is None else within)
    bases = fine & first_occurrences(outcomes, within)
    others = fine & (singles.row != singles.base)
    if not bases.any() or not others.any():
        return NO_SCORE
    place = np.zeros(int(singles.cluster.max()) + 1, np.int64)
    first, second = (_picture_sums(singles.correct[own], singles.cluster[own], place) for own in (bases, others))
    drop = RatioDifference.of(first, second, place)
    (low,), (high,) = drop.bounds()
    return Score(float(drop.value[0]), float(low), float(high), int(others.sum()))


def _picture_sums(credit: Floats, picture: Codes, place: Rows) -> ShareSums:
    many = len(place)
    squares = np.array([float((credit * credit).sum())])
    return ShareSums.of(add_by(picture, credit, many), np.bincount(picture, minlength=many), squares, place)


def _among_first(singles: Singles, k: int) -> Flags:
    place = singles.row - singles.base
    return np.asarray((place > 0) & (place <= k))
