"""Existence and counting: what is true of the picture against what is not."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import examples

from counterpoint.core.groups import Gold, Group, Mode, Relation
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.language.english import number_value
from counterpoint.suites.suite import Suite, Tally, generate_groups
from counterpoint.suites.valse import counting, existence
from counterpoint.suites.valse.statements import read_votes
from counterpoint.world.source import World

TAGS = {"word", "question", "twin"}


def _question(place: int, text: str, *answers: str) -> Question:
    votes = answers if len(answers) > 1 else ()
    return Question(str(place), Picture(f"x:{place}.jpg"), text, Gold.from_votes(answers or ("",)), votes=votes)


def _made(suite: Suite[Any, Any], questions: Sequence[Question], limit: int | None = None) -> list[Group]:
    return [group for _, group in generate_groups(suite, list(questions), limit=limit)]


def _words(groups: Sequence[Group], role: int) -> Counter[str]:
    return Counter(dict(group.tags[role])["word"] for group in groups)


def test_nothing_stands_against_something() -> None:
    asked = [
        _question(1, "How many people are in the picture?", "0"),
        _question(2, "How many people are in the picture?", "Two."),
    ]
    said = {tuple(query.text for query in group.queries) for group in _made(existence.suite, asked)}
    assert said == {
        ("There are no people in the picture.", "There are people in the picture."),
        ("There are people in the picture.", "There are no people in the picture."),
    }


def test_what_is_there_once_is_said_of_one() -> None:
    asked = [_question(1, "How many kites are there?", "1"), _question(2, "How many kites are there?", "0")]
    said = {tuple(query.text for query in group.queries) for group in _made(existence.suite, asked)}
    assert said == {("There is a kite.", "There is no kite."), ("There is no kite.", "There is a kite.")}


@pytest.mark.parametrize(
    ("votes", "number", "exists"),
    [
        (("2",) * 9 + ("3",), 2, True),
        (("2",) * 8 + ("3",) * 2, None, True),
        (("2",) * 7 + ("3",) * 3, None, True),
        (("2",) * 5 + ("3",) * 5, None, True),
        (("0",) * 9 + ("1",), 0, False),
        (("0",) * 7 + ("2",) * 3, None, None),
        (("many",) * 6 + ("20",) * 4, None, True),
        (("two",) * 10, 2, True),
        (("Zero.",), 0, False),
        (("10",), None, True),
        (("16",), None, True),
        (("20",) * 10, 20, True),
        (("blue",) * 10, None, None),
    ],
)
def test_people_have_to_agree(votes: tuple[str, ...], number: int | None, exists: bool | None) -> None:
    count = read_votes(_question(1, "How many?", *votes))
    assert (count.number, count.exists) == (number, exists)


def test_no_foil_has_a_number_that_anybody_said() -> None:
    asked = [_question(1, "How many cups?", *["2"] * 8, *["3"] * 2), _question(2, "How many cups?", *["3"] * 10)]
    assert _made(counting.suite, asked) == []


def test_nobody_says_exactly_zero() -> None:
    asked = [_question(1, "How many cups?", *["0"] * 10), _question(2, "How many cups?", *["2"] * 10)]
    assert _made(counting.suite, asked) == []
    assert _made(existence.suite, asked)


def test_adversarial_foils_have_small_numbers_and_their_captions_none() -> None:
    asked = [_question(place, "How many cups are there?", str(4 + place)) for place in range(12)]
    made = [group for group in _made(counting.suite, asked) if group.test == counting.ADVERSARIAL]
    assert len(made) == 11  # ten may be an estimate
    for group in made:
        caption, foil = (dict(tags)["word"] for tags in group.tags)
        assert _value(caption) >= 4
        assert _value(foil) < 4


def _value(word: str) -> int:
    found = number_value(word)
    assert found is not None
    return found


@examples(20)
@given(st.lists(st.tuples(st.sampled_from(["cups", "dogs", "people"]), st.integers(0, 6)), max_size=50))
def test_few_captions_have_each_number_as_often_as_their_foils(rows: list[tuple[str, int]]) -> None:
    asked = [_question(n, f"How many {noun} are there?", str(number)) for n, (noun, number) in enumerate(rows)]
    made = _made(counting.suite, asked)
    for test in (counting.BALANCED, counting.SMALL):
        own = [group for group in made if group.test == test]
        assert _words(own, 0) == _words(own, 1)
    for group in made:
        assert group.base.text != group.variants[0].text
    assert len({(group.base.id, group.test) for group in made}) == len(made)


@pytest.mark.parametrize("suite", [existence.suite, counting.suite])
def test_the_world_has_such_questions(suite: Suite[Any, Any]) -> None:
    asked, tally = list(World("test", 60).questions()), Tally()
    groups = [group for _, group in generate_groups(suite, asked, tally=tally)]
    assert len(groups) > 20
    assert tally.dropped
    for group in groups:
        assert (group.relation, group.gold) == (Relation.RANKS, (None, None))
        assert {query.mode for query in group.queries} == {Mode.SCORE}
        assert {name for name, _ in group.tags[0]} == TAGS
        assert group.proof
    assert {group.id for group in groups} == {group.id for _, group in generate_groups(suite, asked[::-1])}


def test_about_half_of_existence_is_of_nothing() -> None:
    words = _words(_made(existence.suite, list(World("test", 120).questions())), 0)
    assert abs(words["no"] / words.total() - 0.5) < 0.1


def test_what_is_kept_of_many_keeps_twins_together() -> None:
    asked = [_question(n, "How many cups are there?", str(n % 4)) for n in range(30)]
    made = _made(counting.suite, asked, limit=10)
    assert len(made) <= 10
    own = [group for group in made if group.test == counting.SMALL]
    assert own
    assert _words(own, 0) == _words(own, 1)


@pytest.mark.parametrize(
    ("question", "answer", "other", "caption", "foil"),
    [
        ("How many animals are shown?", "0", "2", "There are no animals shown.", "There are animals shown."),
        (
            "How many people are in the picture?",
            "0",
            "3",
            "There are no people in the picture.",
            "There are people in the picture.",
        ),
        ("How many trucks are pictured?", "1", "0", "There is a truck pictured.", "There is no truck pictured."),
        (
            "How many clouds are in the sky?",
            "0",
            "4",
            "There are no clouds in the sky.",
            "There are clouds in the sky.",
        ),
        (
            "How many people are riding on elephants?",
            "0",
            "2",
            "There are no people riding on elephants.",
            "There are people riding on elephants.",
        ),
        ("How many kites are there?", "1", "0", "There is a kite.", "There is no kite."),
    ],
)
def test_existence_as_printed_in_valse(question: str, answer: str, other: str, caption: str, foil: str) -> None:
    made = _made(existence.suite, [_question(1, question, answer), _question(2, question, other)])
    assert (caption, foil) in {tuple(query.text for query in group.queries) for group in made}


@pytest.mark.parametrize(
    ("question", "numbers", "caption", "foil"),
    [
        ("How many zebras are there?", (4, 6), "There are exactly 4 zebras.", "There are exactly 6 zebras."),
        ("How many horses are there?", (8, 5), "There are exactly 8 horses.", "There are exactly 5 horses."),
        (
            "How many people are snow-boarding?",
            (1, 4),
            "There is exactly 1 person snow-boarding.",
            "There are exactly 4 people snow-boarding.",
        ),
        (
            "How many banana stalks are there?",
            (2, 4),
            "There are exactly 2 banana stalks.",
            "There are exactly 4 banana stalks.",
        ),
        (
            "How many roman numerals are on the clock?",
            (12, 9),
            "There are exactly 12 roman numerals on the clock.",
            "There are exactly 9 roman numerals on the clock.",
        ),
    ],
)
def test_counting_as_printed_in_valse(question: str, numbers: tuple[int, int], caption: str, foil: str) -> None:
    made = _made(counting.suite, [_question(place, question, str(number)) for place, number in enumerate(numbers)])
    said = {tuple(_in_digits(query.text) for query in group.queries) for group in made}
    assert (caption, foil) in said


def test_six_motorcycles_and_seven_as_printed_in_valse_are_too_near_to_be_told_apart() -> None:
    question = "How many motorcycles are in this photo altogether?"
    made = _made(counting.suite, [_question(place, question, str(6 + place)) for place in range(2)])
    assert {group.test for group in made} == {counting.ADVERSARIAL}


def _in_digits(text: str) -> str:
    words = text.split()
    place = words.index("exactly") + 1
    return " ".join((*words[:place], str(number_value(words[place])), *words[place + 1 :]))
