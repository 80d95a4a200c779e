"""Suites that change words: a variant for each rule that fits, the right answers of the question, and luck by seed."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.language.noise.kinds import NO_LETTERS, NOISE_KINDS, NOT_ENGLISH
from counterpoint.suites.robustness import word_noise
from counterpoint.suites.suite import Tally, generate_groups

Golden = Callable[[str, Iterable[str]], None]


def _question(number: int, text: str, gold: Gold | None = None) -> Question:
    return Question(str(number), Picture(f"coco:{number}.jpg"), text, gold or Gold.of("red"), kind="color")


def _made(suite: Any, items: Sequence[Question], seed: int = 0) -> tuple[list[Group], Tally]:
    tally = Tally()
    return [group for _, group in generate_groups(suite, items, seed, tally=tally)], tally


def test_a_question_has_one_variant_for_each_adversarial_rule_that_fits() -> None:
    (group,), _ = _made(word_noise.sears, [_question(7, "What color is the car?")])
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
    groups, tally = _made(word_noise.sears, [_question(1, "When is it?"), _question(2, "Is it red?")])
    assert not groups
    assert tally.dropped == {("color", "no rule fits"): 2}


def test_a_question_without_a_right_answer_is_rewritten_all_the_same() -> None:
    (group,), _ = _made(word_noise.sears, [_question(1, "Who is it?", Gold(()))])
    assert group.gold == (None, None)


def test_a_noisy_question_has_a_variant_for_each_kind_that_fits_with_its_severity() -> None:
    text = "Is there a large brown couch in the picture?"
    (group,), tally = _made(word_noise.suite, [_question(1, text)])
    assert [dict(tags)["rule"] for tags in group.tags[1:]] == [kind.name for kind in NOISE_KINDS]
    assert {dict(tags)["severity"] for tags in group.tags[1:]} == {"1"}
    assert group.relation is Relation.SAME
    assert set(group.gold) == {Gold.of("red")}
    assert len({query.id for query in group.queries}) == len(group.queries)
    assert not tally.dropped


def test_severities_begin_with_what_the_plain_suite_makes() -> None:
    items = [_question(number, text) for number, text in enumerate(("Where is the umbrella?", "Who is on the horse?"))]
    groups, _ = _made(word_noise.severities, items)
    for group in groups:
        rows = [(dict(tags)["rule"], int(dict(tags)["severity"])) for tags in group.tags[1:]]
        assert len(rows) == len(set(rows))
        assert {severity for rule, severity in rows if rule == "polite"} == {1, 2, 3}
        assert all((rule, severity - 1) in rows for rule, severity in rows if severity > 1)


def test_a_kind_that_does_not_fit_says_why_and_costs_the_others_nothing() -> None:
    (group,), tally = _made(word_noise.suite, [_question(1, "Is he in the US?")])
    assert "casing" not in {dict(tags).get("rule") for tags in group.tags}
    assert tally.dropped["casing", "a name or abbreviation"] == 1
    none, tally = _made(word_noise.suite, [_question(1, "Wie viele Hunde sind das?"), _question(2, "12?")])
    assert not none
    assert tally.dropped == {("color", NOT_ENGLISH): 1, ("color", NO_LETTERS): 1}


def test_one_seed_makes_one_noise_whatever_the_order_of_questions() -> None:
    items = [_question(number, f"How many elephants stand near umbrella {number}?") for number in range(20)]
    one, _ = _made(word_noise.suite, items, seed=3)
    other, _ = _made(word_noise.suite, items[::-1], seed=3)
    assert one == other[::-1]
    again, _ = _made(word_noise.suite, items, seed=4)
    assert one != again


def test_noise_in_words_reads_well(golden: Golden) -> None:
    texts = ("Is the large brown dog on the couch in the picture?", "how many bicycles are next to the bus")
    groups, _ = _made(word_noise.severities, [_question(number, text) for number, text in enumerate(texts)], seed=7)
    lines = [
        f"{' '.join(value for _, value in tags):<14} {query.text}" if number else query.text
        for group in groups
        for number, (query, tags) in enumerate(zip(group.queries, group.tags, strict=True))
    ]
    golden("word_noise.txt", lines)
