"""Accuracy and consistency of pairs, groups and single answers (CARETS)."""

from typing import Any

from counterpoint.core.groups import Relation
from counterpoint.metrics.applicability import (
    FEATURE_NOISE_TESTS,
    PICTURE_EDIT_TESTS,
    RAD_PAIR_TESTS,
    RAD_SET_TESTS,
    REWRITE_TESTS,
    except_on_tests,
    has_no_variants,
    has_pairs,
    has_questions,
    has_relation,
    nowhere,
)
from counterpoint.metrics.metric import Ratio
from counterpoint.metrics.outcomes import Flags, Pairs, Sets, Singles

_PERTURBED = (*PICTURE_EDIT_TESTS, *REWRITE_TESTS, *FEATURE_NOISE_TESTS)
_NO_GOLD = "no pair here has gold for both of its members"


def _gold(unit: Pairs | Sets | Singles) -> Flags:
    return unit.gold


def _has_rule(pairs: Pairs) -> Flags:
    return pairs.known & pairs.relation.where([Relation.SAME, Relation.DIFFERS])


accuracy = Ratio(
    "accuracy",
    Pairs,
    lambda p: (p.base_correct + p.variant_correct) / 2,
    _gold,
    term="ACC",
    description="Mean credit of base and variant, half each.",
    not_applicable=_NO_GOLD,
    applies=has_pairs,
    leads=except_on_tests(*FEATURE_NOISE_TESTS),
    rank=41,
)

base_accuracy = Ratio(
    "base_accuracy",
    Pairs,
    lambda p: p.base_correct,
    _gold,
    term="original ACC",
    description="Mean credit of the base of a pair.",
    not_applicable=_NO_GOLD,
    applies=has_pairs,
    leads=nowhere,
    rank=51,
)

variant_accuracy = Ratio(
    "variant_accuracy",
    Pairs,
    lambda p: p.variant_correct,
    _gold,
    term="perturbed ACC",
    description="Mean credit of the variant of a pair.",
    not_applicable=_NO_GOLD,
    applies=has_pairs,
    leads=nowhere,
    rank=52,
)

self_consistency = Ratio(
    "self_consistency",
    Pairs,
    lambda p: p.related,
    _has_rule,
    title="Self-consistency",
    term="CONS",
    description="Share of pairs whose answers satisfy the group's relation, correct or not.",
    not_applicable="no pair here must be answered alike or differently",
    applies=has_relation(Relation.SAME, Relation.DIFFERS),
    leads=except_on_tests(*_PERTURBED, *RAD_PAIR_TESTS),
    rank=42,
)

comprehensive_accuracy = Ratio(
    "comprehensive_accuracy",
    Pairs,
    lambda p: p.base_right & p.variant_right,
    _gold,
    term="C-ACC",
    description="Share of pairs of which both answers are correct.",
    not_applicable=_NO_GOLD,
    applies=has_pairs,
    leads=except_on_tests(*_PERTURBED, *RAD_PAIR_TESTS, *RAD_SET_TESTS),
    rank=40,
)

all_right = Ratio(
    "all_right",
    Sets,
    lambda s: s.worst >= s.threshold,
    _gold,
    title="All correct",
    description="Share of groups of which the base and every variant are correct.",
    not_applicable="no group here has gold for all of its members",
    applies=has_pairs,
    leads=nowhere,
    rank=53,
)

worst_case = Ratio(
    "worst_case",
    Sets,
    lambda s: s.worst,
    _gold,
    description="Mean credit of the worst answer of a group.",
    not_applicable="no group here has gold for all of its members",
    applies=has_pairs,
    leads=nowhere,
    rank=54,
)

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
