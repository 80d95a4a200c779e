"""Rule sets: VQA accuracy in both forms equals the official program step by step, on any votes and any answer."""

import re
from math import isclose
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import examples

from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.ids import content_id
from counterpoint.language.answers.extraction import extract_answer
from counterpoint.language.answers.rule_sets import (
    RULE_SETS,
    leave_one_out_credit,
    normalize_vqa,
    rule_set,
    short_credit,
)
from counterpoint.metrics.calibration import NO_PROBABILITIES, PROBABILITIES_EXCEED_ONE, brier, whole_brier
from counterpoint.metrics.metric import Metric
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.scoring import score_table
from counterpoint.metrics.yes_no import no_recall, yes_precision, yes_recall
from counterpoint.store.answers import AnswerRows
from counterpoint.store.groups import groups_table
from counterpoint.store.tables import ANSWERS, GROUPS

SIGNS = [";", "/", "[", "]", '"', "{", "}", "(", ")", "=", "+", "\\", "_", "-", ">", "<", "@", "`", ",", "?", "!"]
NUMBERS = {"none": 0, "zero": 0, "one": 1, "two": 2, "three": 3, "ten": 10}

words = st.sampled_from(
    [
        "yes",
        "Yes",
        "no",
        "red",
        "the red",
        "a",
        "two",
        "2",
        "dont",
        "don't",
        "1,000",
        "1000",
        "t-shirt",
        "t shirt",
        "red, white",
        "red ,white",
        "U.S.",
        "3.5",
        "none",
        "0",
        "it's",
        "\n12:30",
        "?",
        "yes.",
        " yes\n",
        "couldnt've",
    ]
)


def _official(votes: list[str], answer: str) -> float:
    """As the program of the VQA authors goes about it, with their loop over who is left out."""
    votes, answer = [_one_line(vote) for vote in votes], _one_line(answer)
    if len(set(votes)) > 1:
        votes, answer = [_processed(vote) for vote in votes], _processed(answer)
    earned = []
    for left in range(len(votes)):
        agreeing = sum(vote == answer for place, vote in enumerate(votes) if place != left)
        earned.append(min(1.0, agreeing / 3))
    return sum(earned) / len(earned)


def _one_line(text: str) -> str:
    return text.replace("\n", " ").replace("\t", " ").strip()


def _processed(text: str) -> str:
    out = text
    for sign in SIGNS:
        spaced = sign + " " in text or " " + sign in text or re.search(r"(\d)(,)(\d)", text) is not None
        out = out.replace(sign, "" if spaced else " ")
    out = re.sub(r"(?!<=\d)(\.)(?!\d)", "", out)
    kept = [str(NUMBERS.get(word, word)) for word in out.lower().split()]
    kept = [word for word in kept if word not in ("a", "an", "the")]
    contracted = {"dont": "don't", "couldnt've": "couldn't've"}
    return " ".join(contracted.get(word, word) for word in kept)


def _judged(cases: list[tuple[list[str], str]], rules: str) -> list[float]:
    ids, groups, said = [], [], AnswerRows("someone")
    for number, (votes, answer) in enumerate(cases):
        query = Query(None, f"What is it in case {number}?")
        groups.append(("plain", Group(Relation.GOLD, (query,), (rule_set(rules).gold(votes),))))
        said.extend([(query.id, 0, Answer.of(answer), "", 0.0)])
        ids.append(query.id)
    table = groups_table(groups, "some")
    table = table.append_column("rules", pa.array([rules] * table.num_rows))
    outcomes = judge(table, said.drain())
    earned = dict(zip(table["query"].to_pylist(), outcomes.correct.tolist(), strict=True))
    return [earned[one] for one in ids]


@examples(150)
@given(st.lists(st.tuples(st.lists(words, min_size=2, max_size=10), words), min_size=1, max_size=8))
def test_official_accuracy_is_that_of_the_official_program(cases: list[tuple[list[str], str]]) -> None:
    assert _judged(cases, "vqa") == pytest.approx([_official(votes, answer) for votes, answer in cases])


@examples(100)
@given(st.lists(st.tuples(st.lists(words, min_size=1, max_size=10), words), min_size=1, max_size=8))
def test_the_short_form_counts_those_who_agree_and_normalises_always(cases: list[tuple[list[str], str]]) -> None:
    naive = [min(1.0, sum(_processed(v) == _processed(a) for v in map(_one_line, votes)) / 3) for votes, a in cases]
    assert _judged([(votes, _one_line(a)) for votes, a in cases], "vqa-short") == pytest.approx(naive)


@pytest.mark.parametrize(
    ("answer", "made"),
    [
        ("The Dog.", "dog"),
        ("an apple", "apple"),
        ("two", "2"),
        ("None", "0"),
        ("10,000", "10000"),
        ("1.5", "1.5"),
        ("1.", "1"),
        ("u.s.a.", "usa"),
        ("t-shirt", "t shirt"),
        ("red -blue", "red blue"),
        ("yes/no", "yes no"),
        ("12:30", "12:30"),
        ("it's", "it's"),
        ("dont", "don't"),
        ("couldn'tve", "couldn't've"),
        ("yalld've", "yalld've"),
        ("somebody'd", "somebodyd"),
        ("black & white", "black & white"),
        ("a", ""),
        ("", ""),
    ],
)
def test_answers_are_made_comparable_as_worked_out_by_hand(answer: str, made: str) -> None:
    assert normalize_vqa(answer) == made


def test_the_two_forms_differ_where_few_agree_and_nowhere_else() -> None:
    assert [leave_one_out_credit(n, 10) for n in range(11)] == pytest.approx([0, 0.3, 0.6, 0.9, *[1] * 7])
    assert [short_credit(n, 10) for n in range(11)] == pytest.approx([0, 1 / 3, 2 / 3, *[1] * 8])


def test_what_most_people_said_comes_first_and_of_equals_what_was_said_first() -> None:
    gold = rule_set("vqa").gold(["pink", "rose", "red", "Red", "red", "rose", "pink"])
    assert [answer for answer, _ in gold.answers] == ["red", "Red", "pink", "rose"]


def test_suites_of_different_rules_are_judged_each_by_its_own() -> None:
    gold = rule_set("vqa").gold(["red"] * 9 + ["Red!"])
    made = [(name, Query(None, f"{name}?")) for name in RULE_SETS]
    tables, said = [], AnswerRows("someone")
    for name, query in made:
        table = groups_table([("plain", Group(Relation.GOLD, (query,), (gold,)))], name)
        tables.append(table.append_column("rules", pa.array([name])))
        said.extend([(query.id, 0, Answer.of("the red"), "", 0.0)])
    scores = score_table(pa.concat_tables(tables), said.drain(), by=()).to_pylist()
    found = {row["rules"]: row["value"] for row in scores if row["metric"] == "answer_accuracy"}
    assert found == {"exact@3": 0.0, "gqa@2": 0.0, "gqa-1": 0.0, "vqa": 1.0, "vqa-short": 1.0}


@pytest.mark.parametrize("answers", [(("2", 0.6), ("two", 0.3)), (("two", 0.3), ("2", 0.6))])
def test_of_golds_that_rules_make_equal_the_one_with_the_most_credit_counts(
    answers: tuple[tuple[str, float], ...],
) -> None:
    query = Query(None, "How many?")
    table = groups_table([("plain", Group(Relation.GOLD, (query,), (Gold(answers),)))], "plain")
    said = AnswerRows("someone")
    said.extend([(query.id, 0, Answer.of("2"), "", 0.0)])
    scores = score_table(table.append_column("rules", pa.array(["vqa"])), said.drain(), by=()).to_pylist()
    assert [row["value"] for row in scores if row["metric"] == "answer_accuracy"] == [0.6]


@pytest.mark.parametrize(
    ("gold", "value", "credit"),
    [
        ("0.5", "0.50", 1),
        ("2.50", "2.5", 1),
        ("half", "1/2", 1),
        ("1/2", "0.5", 1),
        ("two thirds", "2/3", 1),
        ("one hundred and five", "105", 1),
        ("3", "3.0", 1),
        ("2.5", "25", 0),
        ("2.05", "2.5", 0),
        ("6/8", "3/4", 0),  # a time signature
        ("6/12", "5/10", 0),  # a day
        ("2", "two", 0),  # a rule that keeps words as they are
    ],
)
def test_numbers_are_compared_as_numbers_where_answers_are_compared_exactly(
    gold: str, value: str, credit: float
) -> None:
    query = Query(None, "How many?")
    table = groups_table([("plain", Group(Relation.GOLD, (query,), (Gold.of(gold),)))], "plain")
    said = AnswerRows("someone")
    said.extend([(query.id, 0, Answer.of(value), "", 0.0)])
    scores = score_table(table, said.drain(), by=()).to_pylist()
    assert [row["value"] for row in scores if row["metric"] == "answer_accuracy"] == [credit]


def test_an_unknown_rule_set_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="no rule set is called 'vqa2'"):
        rule_set("vqa2")


WORDS = ("red", "blue", "Red!")
Told = tuple[str, tuple[float, ...]]
"""The right answer, and the probabilities of red and of other words."""


@st.composite
def told(draw: st.DrawFn) -> Told:
    parts = draw(st.lists(st.integers(0, 8), min_size=3, max_size=3).filter(any))
    return draw(st.sampled_from(["red", "blue", "green"])), tuple(part / sum(parts) for part in parts)


def _tables(found: list[Told], rules: str = "", words: tuple[str, ...] = WORDS) -> tuple[pa.Table, pa.Table]:
    groups, answers = list[dict[str, object]](), list[dict[str, object]]()
    for number, (right, chances) in enumerate(found):
        texts = dict.fromkeys(("edits", "feature_edits", "context", "text", "proof", "suite", "test", "kind"), "")
        own = {"relation": "gold", "mode": "answer", "picture": f"world:{number % 3}.png", "role": 0}
        ids = {"group_id": number, "query": content_id([number]), "gold": [{"answer": right, "credit": 1.0}]}
        groups.append({**texts, **own, **ids, "tags": [], "choices": [], "objects": []})
        top = [{"value": word, "probability": chance} for word, chance in zip(words, chances, strict=False)]
        blank = dict.fromkeys(("model", "rule", "reason", "digest"), "")
        said = {"raw": "red", "value": "red", "state": "ok", "score": None, "top": top}
        answers.append({**blank, **said, "query": content_id([number]), "trial": 0, "seconds": 0.0})
    table = pa.Table.from_pylist(groups, GROUPS)
    table = table.append_column("rules", pa.array([rules] * len(found), pa.string())) if rules else table
    return table, pa.Table.from_pylist(answers, ANSWERS)


def _score(
    found: list[Told], rules: str = "", measure: Metric = whole_brier, words: tuple[str, ...] = WORDS
) -> dict[str, Any]:
    (row,) = score_table(*_tables(found, rules, words), (), metrics=(measure,)).to_pylist()
    return dict(row)


@given(st.lists(told(), min_size=1, max_size=9))
def test_it_is_half_of_the_squared_gaps_to_the_right_answer(found: list[Told]) -> None:
    score = _score(found)
    gaps = []
    for right, chances in found:
        listed = dict(zip(WORDS, chances, strict=True))
        gaps.append(sum((listed.get(word, 0.0) - (word == right)) ** 2 for word in {*WORDS, right}) / 2)
    assert isclose(score["value"], sum(gaps) / len(gaps), abs_tol=1e-6)
    assert score["low"] <= score["value"] <= score["high"]
    assert score["n"] == len(found)


@given(told(), st.integers(1, 2))
def test_a_list_that_is_cut_short_is_off_by_no_more_than_the_last_on_it_nor_what_is_left_over(
    one: Told, many: int
) -> None:
    right, chances = one
    order = sorted(range(3), key=lambda place: -chances[place])
    words = tuple(WORDS[place] for place in order)
    whole, cut = (
        _score([(right, tuple(chances[place] for place in some))], words=words)["value"]
        for some in (order, order[:many])
    )
    assert abs(whole - cut) <= min(chances[order[many - 1]], sum(chances[place] for place in order[many:])) + 1e-6


def test_of_two_answers_it_is_the_brier_score_of_the_one_that_was_said() -> None:
    found: list[Told] = [("red", (0.8, 0.2)), ("blue", (0.7, 0.3))]
    assert _score(found)["value"] == pytest.approx((0.04 + 0.49) / 2)
    assert _score(found, measure=brier)["value"] == pytest.approx((0.04 + 0.49) / 2)


def test_words_are_compared_by_the_rules_of_the_suite() -> None:
    assert isclose(_score([("red", (0.5, 0.0, 0.5))])["value"], 0.25)
    assert isclose(_score([("red", (0.5, 0.0, 0.5))], "vqa")["value"], 0.0, abs_tol=1e-9)


@pytest.mark.parametrize(("right", "listed"), [("Two", "2"), ("half", "0.5"), ("2.50", "2.5"), ("Red", "red")])
def test_listed_answers_are_compared_as_the_one_that_was_said(right: str, listed: str) -> None:
    assert _score([(right, (0.5, 0.5))], words=(listed, "blue"))["value"] == pytest.approx(0.25)


def test_probabilities_that_are_no_distribution_have_no_score_and_a_reason() -> None:
    score = _score([("red", (0.9, 0.9))])
    assert (score["value"], score["n"], score["reason"]) == (None, 0, PROBABILITIES_EXCEED_ONE)
    assert _score([("red", ())])["reason"] == NO_PROBABILITIES
    assert _score([("red", (0.9, 0.9)), ("red", (1.0,))])["n"] == 1


def test_variants_and_bases_without_a_right_answer_do_not_count() -> None:
    groups, answers = _tables([("red", (1.0,)), ("red", (1.0,)), ("red", (1.0,))])
    rows = groups.to_pylist()
    rows[1] |= {"gold": None}
    rows[2] |= {"role": 1, "group_id": 1}
    (row,) = score_table(pa.Table.from_pylist(rows, GROUPS), answers, (), metrics=(whole_brier,)).to_pylist()
    assert row["n"] == 1


def test_the_gqa_rule_set_ignores_case_and_a_final_full_stop_and_its_first_version_does_not() -> None:
    for text in ("Dark green.", " dark green", "DARK GREEN"):
        assert rule_set("gqa").normalize(text) == rule_set("gqa").normalize("dark green")
    assert rule_set("gqa").normalize("light green") != rule_set("gqa").normalize("dark green")
    assert rule_set("gqa-1").normalize("Dark green.") != rule_set("gqa-1").normalize("dark green")


ASKED = {
    "Is it open?": ["Yes", "NO.", "yes"],
    "How many are there?": ["Two", "twenty-one", "1,000", "3"],
    "What is written on it?": ["Red", "The Who", "AT&T", "$5", "St. Louis", "Golden Retriever", "T-shirt"],
}


@pytest.mark.parametrize(("text", "gold"), [(text, gold) for text, golds in ASKED.items() for gold in golds])
@pytest.mark.parametrize("rule", ["auto", "exact", "normal"])
def test_a_reply_that_is_the_gold_as_written_is_correct_by_any_rule(text: str, gold: str, rule: str) -> None:
    query = Query(None, text)
    table = groups_table([("plain", Group(Relation.GOLD, (query,), (Gold.of(gold),)))], "plain")
    for reply, correct in ((gold, 1.0), ("99 balloons", 0.0)):
        answers = AnswerRows("someone")
        answers.extend([(query.id, 0, extract_answer(reply, query, rule=rule), "", 0.0)])
        assert judge(table, answers.drain()).correct.tolist() == [correct]


def test_yes_and_no_in_capitals_are_counted_by_metrics_of_yes_and_no() -> None:
    queries = [Query(None, f"Is it {word}?") for word in ("open", "empty", "new")]
    golds = [Gold.of("Yes"), Gold.of("NO"), Gold.of("Yes")]
    groups = [("plain", Group(Relation.GOLD, (query,), (gold,))) for query, gold in zip(queries, golds, strict=True)]
    answers = AnswerRows("someone")
    answers.extend([(query.id, 0, extract_answer("Yes.", query), "", 0.0) for query in queries])
    metrics = (yes_precision, yes_recall, no_recall)
    scores = score_table(groups_table(groups, "plain"), answers.drain(), by=(), metrics=metrics).to_pylist()
    assert [row["value"] for row in scores] == pytest.approx([2 / 3, 1.0, 0.0])


def test_a_probability_counts_where_gold_is_written_in_capitals() -> None:
    assert isclose(_score([("Red", (1.0, 0.0, 0.0))])["value"], 0.0, abs_tol=1e-9)
