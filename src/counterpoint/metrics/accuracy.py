"""Accuracy and consistency of pairs, groups and single answers (CARETS)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from counterpoint.core.groups import Relation
from counterpoint.metrics.metric import (
    FEATURE_NOISE_TESTS,
    PICTURE_EDIT_TESTS,
    RAD_PAIR_TESTS,
    RAD_SET_TESTS,
    REWRITE_TESTS,
    Condition,
    Ratio,
    except_on_tests,
    has_no_variants,
    has_pairs,
    has_questions,
    has_relation,
    nowhere,
)
from counterpoint.metrics.outcomes import is_declined
from counterpoint.metrics.units import Flags, Floats, Pairs, Sets, Singles

_PERTURBED = (*PICTURE_EDIT_TESTS, *REWRITE_TESTS, *FEATURE_NOISE_TESTS)
_NO_GOLD = "no pair here has gold for both of its members"


def _gold(unit: Pairs | Sets | Singles) -> Flags:
    return unit.gold


def _has_rule(pairs: Pairs) -> Flags:
    return pairs.known & pairs.relation.where([Relation.SAME, Relation.DIFFERS])


def _literally_related(pairs: Pairs) -> Flags:
    equal = pairs.value[pairs.base] == pairs.value[pairs.row]
    refused = is_declined(pairs.base_state) | is_declined(pairs.variant_state)
    return np.asarray((equal == pairs.relation.where([Relation.SAME])) & ~refused)


def _pairs_with_gold(
    name: str, hit: Callable[[Pairs], Flags | Floats], rank: int, leads: Condition = nowhere, **metadata: Any
) -> Ratio[Pairs]:
    return Ratio(
        name, Pairs, hit, _gold, not_applicable=_NO_GOLD, applies=has_pairs, leads=leads, rank=rank, **metadata
    )


def _sets_with_gold(
    name: str, hit: Callable[[Sets], Flags | Floats], rank: int, description: str, title: str = ""
) -> Ratio[Sets]:
    return Ratio(
        name,
        Sets,
        hit,
        _gold,
        title=title,
        description=description,
        not_applicable="no group here has gold for all of its members",
        applies=has_pairs,
        leads=nowhere,
        rank=rank,
    )


accuracy = _pairs_with_gold(
    "accuracy",
    lambda p: (p.base_correct + p.variant_correct) / 2,
    41,
    except_on_tests(*FEATURE_NOISE_TESTS),
    term="ACC",
    description="Mean credit of base and variant, half each.",
)
base_accuracy = _pairs_with_gold(
    "base_accuracy",
    lambda p: p.base_correct,
    51,
    term="original ACC",
    description="Mean credit of the base of a pair.",
)
variant_accuracy = _pairs_with_gold(
    "variant_accuracy",
    lambda p: p.variant_correct,
    52,
    term="perturbed ACC",
    description="Mean credit of the variant of a pair.",
)
comprehensive_accuracy = _pairs_with_gold(
    "comprehensive_accuracy",
    lambda p: p.base_right & p.variant_right,
    40,
    except_on_tests(*_PERTURBED, *RAD_PAIR_TESTS, *RAD_SET_TESTS),
    term="C-ACC",
    description="Share of pairs of which both answers are correct.",
)
self_consistency = Ratio(
    "self_consistency",
    Pairs,
    lambda p: p.related,
    _has_rule,
    title="Self-consistency",
    version=2,
    term="CONS",
    description="Share of pairs whose answers satisfy the group's relation, correct or not; synonyms in one gold list "
    "are one answer.",
    not_applicable="no pair here must be answered alike or differently",
    applies=has_relation(Relation.SAME, Relation.DIFFERS),
    leads=except_on_tests(*_PERTURBED, *RAD_PAIR_TESTS),
    rank=42,
)
literal_consistency = Ratio(
    "literal_consistency",
    Pairs,
    _literally_related,
    _has_rule,
    term="CONS of equal texts",
    description="Share of pairs whose values satisfy the group's relation as texts: two synonyms are two answers.",
    not_applicable=self_consistency.not_applicable,
    applies=self_consistency.applies,
    leads=nowhere,
    rank=63,
    on_request=True,
)
all_right = _sets_with_gold(
    "all_right",
    lambda s: s.worst >= s.threshold,
    53,
    "Share of groups of which the base and every variant are correct.",
    "All correct",
)
worst_case = _sets_with_gold("worst_case", lambda s: s.worst, 54, "Mean credit of the worst answer of a group.")
answer_accuracy = Ratio(
    "answer_accuracy",
    Singles,
    lambda s: s.correct,
    _gold,
    title="Accuracy of answers",
    description="Mean credit of single answers, each base and each variant once.",
    not_applicable="no question here has gold",
    applies=has_questions,
    leads=has_no_variants,
    rank=50,
)

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
"""All of them."""
