"""Ordered pairs of the members of a group, for sets of questions of which none is the original."""

from dataclasses import dataclass

import numpy as np

from counterpoint.metrics.labels import Codes
from counterpoint.metrics.outcomes import STATES, Flags, Floats, Outcomes, PairColumns, Rows

_FAILED = STATES.index("failed")


@dataclass(frozen=True, slots=True)
class OrderedPairs(PairColumns):
    """One entry for every two members of a group in either order; a set of three is in six."""

    base_correct: Floats  # of the first, 0 to 1, nan without gold or answer
    variant_correct: Floats
    counted: Flags
    cluster: Codes
    row: Rows  # of the second
    base: Rows  # of the group, whose tags slice members without tags
    threshold: float


def ordered_pairs(outcomes: Outcomes) -> OrderedPairs:
    """Every ordered pair of different members of every group."""
    rows = np.arange(len(outcomes.base))
    sizes = np.bincount(outcomes.base, minlength=len(rows))[outcomes.base]
    first = np.repeat(rows, sizes - 1)
    ends = np.cumsum(sizes - 1)
    steps = np.arange(len(first)) - np.repeat(ends - (sizes - 1), sizes - 1) + 1
    start = outcomes.base[first]
    second = start + (first - start + steps) % np.repeat(sizes, sizes - 1)
    answered = outcomes.state < _FAILED
    return OrderedPairs(
        outcomes.correct[first],
        outcomes.correct[second],
        answered[first] & answered[second],
        outcomes.cluster[first],
        second,
        start,
        outcomes.threshold,
    )
