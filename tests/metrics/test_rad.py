"""RAD forward and backward, held against sets of numbers and naive loops."""

from itertools import permutations
from typing import Any

import pytest
from answer_tables import Made, Member, Said, made, tables
from hypothesis import given
from naive import answered, credit

from counterpoint.metrics.accuracy import all_right
from counterpoint.metrics.metric import Ratio
from counterpoint.metrics.ordered_pairs import ordered_pairs
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.rad import rad_backward, rad_forward, rad_ordered
from counterpoint.metrics.scoring import score_table

RAD = (rad_forward, rad_backward, rad_ordered)


def _pair(base: bool, variant: bool, picture: int) -> Made:
    members = tuple(Member({"yes": 1.0}, Said(value="yes" if right else "no")) for right in (base, variant))
    return Made(members, "gold", picture=f"world:{picture}.png")


def _value(groups: list[Made], metric: Ratio[Any], threshold: float = 0.5) -> float | None:
    table, answers, _ = tables(groups)
    found = score_table(table, answers, (), metrics=[metric], threshold=threshold).to_pylist()
    value: float | None = found[0]["value"]
    return value


def test_the_example_of_two_sets_gives_one_half_and_two_thirds() -> None:
    j, other = {1, 2, 3, 4}, {2, 4, 9}
    groups = [_pair(number in j, number in other, number) for number in range(1, 11)]
    assert _value(groups, rad_forward) == 1 / 2
    assert _value(groups, rad_backward) == 2 / 3


def test_where_nothing_was_right_the_metric_is_undefined_and_never_zero() -> None:
    groups = [_pair(False, True, 1), _pair(False, False, 2)]
    assert _value(groups, rad_forward) is None
    assert _value(groups, rad_backward) == 0.0


def test_what_is_right_with_ten_answers_is_a_matter_of_the_threshold() -> None:
    third = Member({"red": 1.0, "pink": 0.6}, Said(value="pink"))
    groups = [Made((third, Member({"yes": 1.0}, Said(value="yes"))), "gold")]
    assert _value(groups, rad_forward) == 1.0
    assert _value(groups, rad_forward, threshold=0.7) is None


def _naive(groups: list[Made], threshold: float) -> dict[str, list[bool]]:
    """For each measure, what every pair that counts comes to."""
    found: dict[str, list[bool]] = {metric.name: [] for metric in RAD}
    for group in groups:
        rights = []
        for member in group.members:
            said = answered(member, other=False)
            earned = credit(group, member, said) if said else None
            rights.append(None if earned is None else earned >= threshold)
        for variant in rights[1:]:
            if rights[0] is not None and variant is not None:
                found["rad_forward"] += [variant] * rights[0]
                found["rad_backward"] += [rights[0]] * variant
        for one, other in permutations(rights, 2):
            if one is not None and other is not None:
                found["rad_ordered"] += [other] * one
    return found


@given(made())
def test_metrics_are_what_a_loop_over_pairs_counts(groups: list[Made]) -> None:
    for threshold in (0.5, 0.9):
        table, answers, _ = tables(groups)
        rows = score_table(table, answers, (), metrics=RAD, threshold=threshold).to_pylist()
        for suite in {group.suite for group in groups}:
            naive = _naive([group for group in groups if group.suite == suite], threshold)
            for row in (row for row in rows if row["suite"] == suite):
                hits = naive[row["metric"]]
                assert row["n"] == len(hits)
                assert row["value"] == (pytest.approx(sum(hits) / len(hits)) if hits else None)


@given(made())
def test_ordered_pairs_are_all_two_members_of_a_group_in_either_order(groups: list[Made]) -> None:
    table, answers, _ = tables(groups)
    outcomes = judge(table, answers)
    found = ordered_pairs(outcomes)
    assert len(found.row) == sum(len(group.members) * (len(group.members) - 1) for group in groups)
    assert (outcomes.base[found.row] == found.base).all()


def test_a_set_is_all_right_once_and_its_pairs_count_both_ways() -> None:
    members = tuple(Member({"yes": 1.0}, Said(value=value)) for value in ("yes", "yes", "no"))
    groups = [Made(members, "gold")]
    assert _value(groups, rad_ordered) == 2 / 4
    assert _value(groups, all_right) == 0.0
