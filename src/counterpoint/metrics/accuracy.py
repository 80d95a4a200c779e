"""Scores that are shares: of the pairs, groups or answers that count, how much is hit."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from counterpoint.core.groups import Relation
from counterpoint.metrics.ordered_pairs import OrderedPairs
from counterpoint.metrics.outcomes import Flags, Floats, Pairs, Rows, Sets, Singles, Unit

T = TypeVar("T", Pairs, OrderedPairs, Sets, Singles)


def all_units(unit: Unit) -> Flags:
    """All units count."""
    return np.ones_like(unit.counted)


def no_diagnosis(unit: Unit, rows: Rows) -> str:
    """There is nothing to say of a measure that has no value, but that nothing counts."""
    return ""


@dataclass(frozen=True, slots=True)
class Ratio(Generic[T]):
    """A measure by its name, its unit, what a unit earns, from 0 to 1, and whether it counts at all.

    A unit with a failed or missing member never counts, whatever the measure says. Where nothing in a slice counts,
    `why` says from the places of its units whether that is because the measure does not apply.

    >>> rad = Ratio("rad", Pairs, lambda p: p.variant_right, counts=lambda p: p.gold & p.base_right)
    >>> rad.name
    'rad'
    """

    name: str
    unit: type[T]
    hit: Callable[[T], Flags | Floats]
    counts: Callable[[T], Flags] = all_units
    why: Callable[[T, Rows], str] = no_diagnosis
    reads: tuple[str, ...] = ()  # columns of the answers that it needs beside the usual ones
    lower: bool = False  # less is better

    def cases(self, units: T) -> tuple[Floats, Flags]:
        """What each unit earns, nothing where it does not count, and whether it counts."""
        counted = self.counts(units) & units.counted
        return np.where(counted, self.hit(units), 0.0), counted


def _gold(unit: Pairs | Sets | Singles) -> Flags:
    return unit.gold


def _must_agree_or_not(pairs: Pairs) -> Flags:
    return pairs.known & pairs.relation.where([Relation.SAME, Relation.DIFFERS])


accuracy = Ratio("accuracy", Pairs, lambda p: (p.base_correct + p.variant_correct) / 2, _gold)
"""What the members of a pair earn, half base and half variant (CARETS, ACC)."""

base_accuracy = Ratio("base_accuracy", Pairs, lambda p: p.base_correct, _gold)
"""What the base of a pair earns (CARETS, Original ACC)."""

variant_accuracy = Ratio("variant_accuracy", Pairs, lambda p: p.variant_correct, _gold)
"""What the variant of a pair earns (CARETS, Perturbed ACC)."""

self_consistency = Ratio("self_consistency", Pairs, lambda p: p.related, _must_agree_or_not)
"""Pairs whose answers agree where they must and differ where they must, right or wrong (CARETS, CONS)."""

comprehensive_accuracy = Ratio("comprehensive_accuracy", Pairs, lambda p: p.base_right & p.variant_right, _gold)
"""Pairs of which both members are right (CARETS, C-ACC)."""

all_right = Ratio("all_right", Sets, lambda s: s.worst >= s.threshold, _gold)
"""Groups of which the base and every variant are right."""

worst_case = Ratio("worst_case", Sets, lambda s: s.worst, _gold)
"""What the worst answered member of a group earns."""

answer_accuracy = Ratio("answer_accuracy", Singles, lambda s: s.correct, _gold)
"""What a single answer earns, each base and each variant once."""

ACCURACY_METRICS: tuple[Ratio[Any], ...] = (
    accuracy,
    base_accuracy,
    variant_accuracy,
    self_consistency,
    comprehensive_accuracy,
    all_right,
    worst_case,
    answer_accuracy,
)
"""The measures that are taken when none is named."""
