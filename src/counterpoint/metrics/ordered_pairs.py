"""Every answer of a group held against every other one: for sets of questions of which none is the original."""

from dataclasses import dataclass

import numpy as np

from counterpoint.metrics.labels import Codes
from counterpoint.metrics.outcomes import STATES, Flags, Floats, Outcomes, PairColumns, Rows

_FAILED = STATES.index("failed")


@dataclass(frozen=True, slots=True)
class OrderedPairs(PairColumns):
    """One place for every two members of a group in either order; a set of three is in six."""

    base_correct: Floats  # of the one that comes first, 0 to 1, nan without gold or answer
    variant_correct: Floats
    counted: Flags
    cluster: Codes
    row: Rows  # of the second
    base: Rows  # of the group's first row, whose tags slice what has none
    threshold: float


def ordered_pairs(outcomes: Outcomes) -> OrderedPairs:
    """Every ordered pair of different members of every group."""
    rows = np.arange(len(outcomes.base))
    sizes = np.bincount(outcomes.base, minlength=len(rows))[outcomes.base]
    one = np.repeat(rows, sizes - 1)
    ends = np.cumsum(sizes - 1)
    steps = np.arange(len(one)) - np.repeat(ends - (sizes - 1), sizes - 1) + 1
    start = outcomes.base[one]
    other = start + (one - start + steps) % np.repeat(sizes, sizes - 1)
    fine = outcomes.state < _FAILED
    return OrderedPairs(
        outcomes.correct[one],
        outcomes.correct[other],
        fine[one] & fine[other],
        outcomes.cluster[one],
        other,
        start,
        outcomes.threshold,
    )
