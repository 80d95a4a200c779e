"""Rule sets: VQA accuracy in both forms equals the official program step by step, on any votes and any answer."""

import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import examples

from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Answer, Group, Query, Relation
from counterpoint.language.answers.rule_sets import RULE_SETS, leave_one_out_credit, rule_set, short_credit
from counterpoint.language.answers.vqa import normalize_vqa
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.scoring import score_table
from counterpoint.store.answers import AnswerRows
from counterpoint.store.groups import groups_table

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
    assert found == {"exact": 0.0, "gqa": 0.0, "vqa": 1.0, "vqa-short": 1.0}


def test_an_unknown_rule_set_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="no rule set is called 'vqa2'"):
        rule_set("vqa2")
