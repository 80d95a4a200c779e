"""Robustness to rewrites: flips over applications, and what they did to right answers, against a naive count."""

from typing import Any

from answer_tables import Made, Member, Said, made, tables
from hypothesis import given
from naive import answered, credit

from counterpoint.metrics.accuracy import self_consistency
from counterpoint.metrics.robustness import right_to_wrong, robustness, wrong_to_right
from counterpoint.metrics.scoring import score_table

REWRITES = (robustness, right_to_wrong, wrong_to_right)


def _group(base: str, variants: dict[str, str], picture: int = 1) -> Made:
    gold = {"red": 1.0}
    members = (Member(gold, Said(value=base)), *(Member(gold, Said(value=v), {"rule": r}) for r, v in variants.items()))
    return Made(members, "same", picture=f"world:{picture}.png")


def _scores(groups: list[Made], by: tuple[str, ...] = ()) -> dict[tuple[str, str], dict[str, Any]]:
    table, answers, _ = tables(groups)
    rows = score_table(table, answers, by, metrics=REWRITES).to_pylist()
    return {(row["metric"], row.get("tag:rule", "")): row for row in rows}


def test_robustness_is_one_less_flips_over_applications_pooled_over_rules() -> None:
    groups = [
        _group("red", {"what-which": "red", "color-colour": "blue"}, 1),
        _group("blue", {"what-which": "red"}, 2),
        _group("blue", {"what-which": "pink"}, 3),
        _group("red", {}, 4),
    ]
    pooled = _scores(groups)
    assert pooled["robustness", ""]["n"] == 4, "a question that no rule fits is in no application"
    assert pooled["robustness", ""]["value"] == 1 - 3 / 4
    assert pooled["right_to_wrong", ""]["value"] == 1 / 4
    assert pooled["wrong_to_right", ""]["value"] == 1 / 4
    by_rule = _scores(groups, ("tag:rule",))
    assert by_rule["robustness", "what-which"]["n"] == 3
    assert by_rule["robustness", "color-colour"]["value"] == 0.0
    assert by_rule["right_to_wrong", "color-colour"]["value"] == 1.0
    assert by_rule["wrong_to_right", "what-which"]["value"] == 1 / 3


def test_only_pairs_that_must_agree_are_rewrites() -> None:
    other = Made((Member({"yes": 1.0}, Said()), Member({"no": 1.0}, Said(value="no"))), "differs")
    assert _scores([other])["robustness", ""]["value"] is None


@given(made())
def test_flips_and_what_they_did_are_what_a_naive_count_gives(groups: list[Made]) -> None:
    same = [group for group in groups if group.relation == "same"]
    if not same:
        return
    table, answers, _ = tables(same)
    rows = score_table(table, answers, (), metrics=[self_consistency, *REWRITES]).to_pylist()
    for suite in {row["suite"] for row in rows}:
        own = {row["metric"]: row for row in rows if row["suite"] == suite}
        assert own["robustness"]["value"] == own["self_consistency"]["value"]
        changes = [one for group in same if group.suite == suite for one in _changes(group)]
        assert own["right_to_wrong"]["n"] == own["wrong_to_right"]["n"] == len(changes)
        for name, change in (("right_to_wrong", (True, False)), ("wrong_to_right", (False, True))):
            share = changes.count(change) / len(changes) if changes else None
            assert own[name]["value"] == share


def _changes(group: Made) -> list[tuple[bool, bool]]:
    """Whether base and variant were right, for each pair of answers that have gold."""
    found = []
    base, *variants = group.members
    for member in variants:
        earned = [credit(group, one, said) if (said := answered(one, other=False)) else None for one in (base, member)]
        if group.mode == "answer" and earned[0] is not None and earned[1] is not None:
            found.append((earned[0] >= 0.5, earned[1] >= 0.5))
    return found
