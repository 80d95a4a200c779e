"""Suites that change words: a variant for each rule that fits, the right answers of the question, and luck by seed."""

from collections.abc import Sequence
from typing import Any

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.suites import sears
from counterpoint.suites.suite import Tally, generate


def _question(number: int, text: str, gold: Gold | None = None) -> Question:
    return Question(str(number), Picture(f"coco:{number}.jpg"), text, gold or Gold.of("red"), kind="color")


def _made(suite: Any, items: Sequence[Question], seed: int = 0) -> tuple[list[Group], Tally]:
    tally = Tally()
    return [group for _, group in generate(suite, items, seed, tally=tally)], tally


def test_a_question_has_one_variant_for_each_adversarial_rule_that_fits() -> None:
    (group,), _ = _made(sears.suite, [_question(7, "What color is the car?")])
    assert group.relation is Relation.SAME
    assert [query.text for query in group.queries] == [
        "What color is the car?",
        "Which color is the car?",
        "What colour is the car?",
    ]
    assert [dict(tags).get("rule") for tags in group.tags] == [None, "what-which", "color-colour"]
    assert dict(group.tags[0])["question"] == "7"
    assert group.gold == (Gold.of("red"),) * 3


def test_questions_that_no_rule_fits_are_left_out_and_counted() -> None:
    groups, tally = _made(sears.suite, [_question(1, "When is it?"), _question(2, "Is it red?")])
    assert not groups
    assert tally.dropped == {("color", "no rule fits"): 2}


def test_a_question_without_a_right_answer_is_rewritten_all_the_same() -> None:
    (group,), _ = _made(sears.suite, [_question(1, "Who is it?", Gold(()))])
    assert group.gold == (None, None)
