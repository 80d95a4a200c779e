"""Contrast consistency as a function of k, against loops, and what can be relied on as k grows."""

from collections.abc import Sequence
from math import isnan

import numpy as np
import pytest
from answer_tables import Made, Member, Said, made, tables
from hypothesis import given
from hypothesis import strategies as st
from naive import answered, credit
from proving import examples

from counterpoint.metrics.contrast import (
    accuracy_drop,
    contrast_accuracy,
    contrast_consistency,
    contrast_metrics,
    deduplicated_original_accuracy,
    first_occurrences,
    original_accuracy,
)
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes


def _judged(groups: Sequence[Made]) -> Outcomes:
    suite, answers, _ = tables(groups)
    return judge(suite, answers)


def _naive(groups: Sequence[Made], k: int, full: bool) -> tuple[int, int]:
    """Hits and cases, one group after the other."""
    hits = cases = 0
    for group in groups:
        said = [answered(member, False) for member in group.members]
        if len(said) < 2 or None in said or (full and len(said) - 1 < k):
            continue
        earned = [credit(group, m, s) for m, s in zip(group.members, said, strict=True) if s][: k + 1]
        if None not in earned:
            cases += 1
            hits += all(one is not None and one >= 0.5 for one in earned)
    return hits, cases


@given(made(), st.integers(1, 6), st.booleans())
@examples(80)
def test_consistency_is_what_a_loop_over_groups_counts(groups: list[Made], k: int, full: bool) -> None:
    earned, counted = contrast_consistency(k, full=full).cases(_judged(groups).sets())
    assert (round(float(earned.sum())), int(counted.sum())) == _naive(groups, k, full)


@given(made())
@examples(60)
def test_sets_nest_so_that_no_set_is_right_with_more_contrasts_and_wrong_with_fewer(groups: list[Made]) -> None:
    sets = _judged(groups).sets()
    before = np.ones(len(sets.row), np.bool_)
    for k in range(1, 6):
        hit, counted = contrast_consistency(k).cases(sets)
        known = counted & ~np.isnan(sets.worst)
        assert not (hit[known] > before[known]).any()
        before = np.where(known, hit, before).astype(np.bool_)
        fewer = contrast_consistency(k + 1, full=True).cases(sets)[1] & known
        assert not (fewer & ~contrast_consistency(k, full=True).cases(sets)[1]).any()


@given(made(), st.integers(1, 4))
@examples(40)
def test_accuracy_on_contrasts_looks_at_the_first_k_of_each_set(groups: list[Made], k: int) -> None:
    earned, counted = contrast_accuracy(k).cases(_judged(groups).singles())
    rows = [
        credit(group, member, said)
        for group in groups
        for member in group.members[1 : k + 1]
        if (said := answered(member, False))
    ]
    kept = [row for row in rows if row is not None]
    assert int(counted.sum()) == len(kept)
    assert float(earned.sum()) == pytest.approx(sum(kept))


def _set(picture: int, question: str, template: str, *right: bool) -> Made:
    members = tuple(
        Member({"yes": 1.0}, Said(value="yes" if one else "no"), {"question": question, "template": template})
        for one in right
    )
    return Made(members, "gold", "contrast", f"world:{picture}.png", template, "contrast")


def test_a_set_is_consistent_only_if_all_of_its_members_are_right() -> None:
    outcomes = _judged([_set(1, "01", "near", True, True, True, False), _set(2, "02", "near", True, True)])
    found = {row["metric"]: (row["value"], row["n"]) for row in _scores(outcomes)}
    assert found["contrast_consistency_1"] == (1.0, 2)
    assert found["contrast_consistency_3"] == (0.5, 2)
    assert found["contrast_consistency_5"] == (0.5, 2)
    assert found["contrast_consistency_3_full"] == (0.0, 1)
    assert found["contrast_consistency_5_full"] == (None, 0)
    assert found["contrast_accuracy_5"] == (0.75, 4)


def _scores(outcomes: Outcomes, *by: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = score_outcomes(
        outcomes, ScoreRequest(by or ("test",), metrics=contrast_metrics())
    ).to_pylist()
    return rows


def test_a_question_under_two_templates_is_counted_once_in_the_overall_row() -> None:
    groups = [_set(1, "07", "object", True, False), _set(1, "07", "relation", True, True), _set(2, "7", "color", False)]
    outcomes = _judged(groups)
    assert int(first_occurrences(outcomes).sum()) == 2
    earned, counted = deduplicated_original_accuracy(outcomes).cases(outcomes.singles())
    assert (earned.sum(), counted.sum()) == (1, 2)
    assert original_accuracy.cases(outcomes.singles())[1].sum() == 3
    of_one = outcomes.labels("kind").where(["relation"])
    assert int(first_occurrences(outcomes, of_one).sum()) == 1
    assert accuracy_drop(outcomes, of_one).value == 0


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=2, max_size=60))
@examples(40)
def test_the_drop_is_the_difference_of_both_shares_and_lies_in_its_interval(sets: list[tuple[bool, ...]]) -> None:
    outcomes = _judged([_set(number // 2, str(number), "near", *right) for number, right in enumerate(sets)])
    found = accuracy_drop(outcomes)
    originals = sum(one[0] for one in sets) / len(sets)
    contrasts = sum(sum(one[1:]) for one in sets) / (2 * len(sets))
    assert found.n == 2 * len(sets)
    assert found.value == pytest.approx(originals - contrasts)
    assert found.low - 1e-9 <= found.value <= found.high + 1e-9


def test_the_drop_of_nothing_is_unknown() -> None:
    found = accuracy_drop(_judged([]))
    assert found.n == 0
    assert isnan(found.value)
