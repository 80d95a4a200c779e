"""Questions become statements that agree, or none."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from counterpoint.suites.valse.statements import CountClaim, how_many, is_there, numeral

COUNTED = [
    ("How many horses are there?", "There is exactly 1 horse.", "There are exactly 3 horses."),
    (
        "How many people are in the picture?",
        "There is exactly 1 person in the picture.",
        "There are exactly 3 people in the picture.",
    ),
    ("How many sheep are pictured?", "There is exactly 1 sheep pictured.", "There are exactly 3 sheep pictured."),
    ("How many knives do you see?", "There is exactly 1 knife.", "There are exactly 3 knives."),
    (
        "how many cars can be seen in the back",
        "There is exactly 1 car in the back.",
        "There are exactly 3 cars in the back.",
    ),
    ("How many slices of pizza?", "There is exactly 1 slice of pizza.", "There are exactly 3 slices of pizza."),
    ("How many doors does the bus have?", "The bus has exactly 1 door.", "The bus has exactly 3 doors."),
    (
        "How many rackets is the man holding?",
        "The man is holding exactly 1 racket.",
        "The man is holding exactly 3 rackets.",
    ),
    (
        "How many men wear a hat?",
        "There is exactly 1 man that wears a hat.",
        "There are exactly 3 men that wear a hat.",
    ),
    ("How many cars are red?", "There is exactly 1 car that is red.", "There are exactly 3 cars that are red."),
    (
        "How many people in the photo are wearing hats?",
        "There is exactly 1 person in the photo wearing a hat.",
        "There are exactly 3 people in the photo wearing hats.",
    ),
    ("How many people in total are there?", "There is exactly 1 person.", "There are exactly 3 people."),
    (
        "How many girls are talking on phones?",
        "There is exactly 1 girl talking on a phone.",
        "There are exactly 3 girls talking on phones.",
    ),
]


@pytest.mark.parametrize(("question", "one", "three"), COUNTED)
def test_a_question_after_a_number_becomes_a_statement_that_agrees_with_it(question: str, one: str, three: str) -> None:
    claim = how_many(question)
    assert claim is not None
    assert (claim.exactly(1), claim.exactly(3)) == (one, three)


@pytest.mark.parametrize(
    "question",
    [
        "How many years old is the man?",
        "How many of these people are soldiers?",
        "How many men are standing next to each other?",
        "How many more dogs than cats are there?",
        "How many people are not wearing hats?",
        "How many glasses are on the table?",  # of water, or of one who sees badly
        "How many legs does it have?",
        "How many slices are left?",
        "How many different types of fruit is there?",  # who tells apples from pears by kind
        "How many bread is there?",
        "How many bull's are there?",
        "How many tall buildings are there?",
        "How many trips does the bus make?",
        "How many people have been laid to rest here?",
        "How many people work here?",
        "How many men are in photo?",
        "What is on the table?",
        "How many",
        "",
    ],
)
def test_a_question_that_leaves_doubt_becomes_no_statement(question: str) -> None:
    assert how_many(question) is None


@pytest.mark.parametrize(
    ("question", "some", "none"),
    [
        ("Is there a dog?", "There is a dog.", "There is no dog."),
        ("Is there a oven in this room?", "There is an oven in this room.", "There is no oven in this room."),
        ("Are there any people?", "There are people.", "There are no people."),
        ("is there any grass near the bench", "There is grass near the bench.", "There is no grass near the bench."),
    ],
)
def test_a_question_whether_there_is_something_is_affirmed_and_denied(question: str, some: str, none: str) -> None:
    found = is_there(question)
    assert found is not None
    assert (found.some, found.none) == (some, none)


@pytest.mark.parametrize(
    "question",
    [
        "Is there a dog or a cat?",
        "Are there lots of people?",
        "Is there only one bird?",
        "Are there a dog?",
        "Is there bench?",
        "Is there another bus?",
        "Are there two cats?",
        "Is there a women?",
        "Are there multiple trains?",
        "Is there a storm coming?",
        "Are there any cars near her?",
        "Is there meat on sandwich?",
        "Are there smaller pillows on the bed?",
        "Are there donuts on every plate?",
        "Are there tree's in the background?",
    ],
)
def test_what_cannot_be_denied_plainly_is_left_alone(question: str) -> None:
    assert is_there(question) is None


@given(st.integers(0, 150), st.booleans(), st.sampled_from([row[0] for row in COUNTED]))
def test_verb_and_noun_agree_whatever_the_number(number: int, in_words: bool, question: str) -> None:
    claim = how_many(question)
    assert claim is not None
    said = claim.exactly(number, in_words=in_words)
    assert said.endswith(".")
    assert said[0].isupper()
    assert "  " not in said
    assert ("There is " in said) <= (number == 1)
    like = 1 if number == 1 else 3
    there, here = (f"exactly {numeral(one, in_words=in_words)} " for one in (like, number))
    assert said == claim.exactly(like, in_words=in_words).replace(there, here)


@given(st.text(max_size=60))
@example("\x1f")  # white space to Python, and no word
def test_any_text_at_all_is_taken_as_a_question_without_harm(text: str) -> None:
    assert isinstance(how_many(f"How many {text}?"), CountClaim | None)
    is_there(f"Is there a {text}?")
    is_there(text)
