"""Agreement between models: Cohen's κ of pass and fail against a plain loop, and an order with neighbours alike."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.metrics.model_agreement import FEWEST_GROUPS, agree, seriate


def _kappa(first: list[int], second: list[int]) -> float:
    """Cohen's κ by its definition."""
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    expected = sum((first.count(value) / n) * (second.count(value) / n) for value in (0, 1))
    return (observed - expected) / (1 - expected) if expected < 1 else float("nan")


@given(st.integers(0, 2**32 - 1), st.integers(FEWEST_GROUPS, 60))
def test_on_one_suite_it_is_cohens_kappa_over_the_groups_that_both_answered(seed: int, groups: int) -> None:
    passes = np.random.default_rng(seed).choice([-1, 0, 1], size=(groups, 3), p=[0.1, 0.4, 0.5]).astype(np.int8)
    agreement = agree([passes], 3)
    for first, second in ((0, 1), (1, 2), (2, 0)):
        common = passes[(passes[:, first] >= 0) & (passes[:, second] >= 0)]
        assert agreement.groups[first, second] == len(common)
        assert agreement.both_fail[first, second] == ((common[:, first] == 0) & (common[:, second] == 0)).sum()
        assert agreement.only_fails[first, second] == ((common[:, first] == 0) & (common[:, second] == 1)).sum()
        expected = _kappa(common[:, first].tolist(), common[:, second].tolist())
        if len(common) < FEWEST_GROUPS:
            expected = float("nan")
        assert agreement.kappa[first, second] == pytest.approx(expected, nan_ok=True)


def test_suites_of_unlike_difficulty_make_no_models_alike() -> None:
    rng = np.random.default_rng(7)
    easy, hard = ((rng.random((400, 2)) < share).astype(np.int8) for share in (0.95, 0.1))
    assert abs(agree([easy, hard], 2).kappa[0, 1]) < 0.1
    assert agree([np.concatenate([easy, hard])], 2).kappa[0, 1] > 0.6, "pooled, difficulty alone looks like agreement"


def test_too_few_groups_and_models_that_never_fail_have_no_kappa() -> None:
    few, sure = np.array([[1, 0]] * (FEWEST_GROUPS - 1), np.int8), np.ones((50, 2), np.int8)
    assert np.isnan(agree([few], 2).kappa[0, 1])
    assert np.isnan(agree([sure], 2).kappa[0, 1])


def test_an_order_puts_the_members_of_each_family_side_by_side() -> None:
    family = [0, 1, 2, 0, 1, 2, 0, 1, 2]
    alike = np.array([[0.8 if a == b else 0.1 for b in family] for a in family])
    order = [family[place] for place in seriate(alike)]
    assert sum(a != b for a, b in pairwise(order)) == 2
    assert sorted(seriate(alike)) == list(range(9))
    assert sorted(seriate(np.full((4, 4), np.nan))) == [0, 1, 2, 3]
