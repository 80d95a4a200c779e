"""Robustness to edits: the mean of kinds, whatever their number, with the interval of the jackknife."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from answer_tables import Made, Member, Said, made, tables
from hypothesis import given
from naive import answered, credit

from counterpoint.metrics.accuracy import all_right
from counterpoint.metrics.metric import Ratio
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.robustness import mean_robustness, rad_backward, rad_forward, rad_ordered, robustness
from counterpoint.metrics.scoring import score_table
from counterpoint.metrics.units import OrderedPairs

KINDS = ("gaussian", "poisson", "salt-and-pepper", "speckle")


def _group(stays: dict[str, list[bool]], picture: int, relation: str = "same") -> Made:
    variants = (
        Member(None, Said(value="red" if one else "blue"), {"edit": kind}) for kind, own in stays.items() for one in own
    )
    return Made((Member(None, Said(value="red")), *variants), relation, picture=f"world:{picture}.png")


def _scored(groups: list[Made]) -> dict[str, dict[str, float]]:
    table, answers, _ = tables(groups)
    rows = score_table(table, answers, (), metrics=[mean_robustness, robustness]).to_pylist()
    return {row["metric"]: row for row in rows}


def test_each_kind_counts_as_much_as_every_other_however_often_it_was_tried() -> None:
    groups = [_group({"gaussian": [True] * 9, "poisson": [False]}, n) for n in range(3)]
    scored = _scored(groups)
    assert scored["mean_robustness"]["value"] == 0.5
    assert scored["robustness"]["value"] == 0.9
    assert scored["mean_robustness"]["n"] == 30


def test_with_as_many_trials_of_each_kind_it_is_the_share_of_all_as_the_authors_count() -> None:
    rng = np.random.default_rng(0)
    groups = [_group({kind: (rng.random(3) < 0.8).tolist() for kind in KINDS}, n) for n in range(60)]
    scored = _scored(groups)
    assert scored["mean_robustness"]["value"] == pytest.approx(scored["robustness"]["value"])
    assert scored["mean_robustness"]["low"] == pytest.approx(scored["robustness"]["low"], abs=0.02)
    assert scored["mean_robustness"]["high"] == pytest.approx(scored["robustness"]["high"], abs=0.02)


def test_pairs_without_an_edit_or_that_need_not_agree_do_not_count() -> None:
    plain = Made((Member(None, Said(value="red")), Member(None, Said(value="blue"))), "same", picture="world:1.png")
    swap = _group({"gaussian": [False]}, 2, "swap")
    assert _scored([plain, swap])["mean_robustness"]["value"] is None
    whole = _scored([plain, swap, _group({"gaussian": [True]}, 3)])
    assert whole["mean_robustness"]["value"] == 1.0
    assert whole["mean_robustness"]["n"] == 1


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
    found = outcomes.units(OrderedPairs)
    assert len(found.row) == sum(len(group.members) * (len(group.members) - 1) for group in groups)
    assert (outcomes.base[found.row] == found.base).all()


def test_a_set_is_all_right_once_and_its_pairs_count_both_ways() -> None:
    members = tuple(Member({"yes": 1.0}, Said(value=value)) for value in ("yes", "yes", "no"))
    groups = [Made(members, "gold")]
    assert _value(groups, rad_ordered) == 2 / 4
    assert _value(groups, all_right) == 0.0
