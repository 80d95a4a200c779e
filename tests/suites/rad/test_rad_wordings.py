"""What a question asks, and how it is asked for yes or no: the paper's own examples, and what must not be made."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.suites.rad.augmentation import Augmentation, QuestionSubject, interpret_answers, match_style
from counterpoint.suites.rad.color_questions import color
from counterpoint.suites.rad.count_questions import how_many
from counterpoint.suites.rad.kind_questions import what_kind


def _written(one: Augmentation, text: str, answer: str) -> str:
    asked = one.read(text)
    assert isinstance(asked, QuestionSubject), asked
    value = one.value(asked, answer)
    assert value, answer
    return match_style(text, one.words(asked, value))


@pytest.mark.parametrize(
    ("one", "text", "answer", "made"),
    [
        (color, "What color is the cat?", "White", "Is the color of the cat white?"),
        (color, "What color is the man's hat?", "Red", "Is the color of the man's hat red?"),
        (color, "What color is the zebra?", "white & black", "Is the color of the zebra black and white?"),
        (color, "what color is the kite", "red", "is the color of the kite red"),
        (
            color,
            "What color is the shirt the man is wearing?",
            "grey",
            "Is the color of the shirt the man is wearing gray?",
        ),
        (how_many, "How many athletes are on the field?", "5", "Are there exactly five athletes on the field?"),
        (how_many, "How many dogs are in the picture?", "2", "Are there exactly two dogs in the picture?"),
        (how_many, "How many giraffes are walking around?", "4", "Are there exactly four giraffes walking around?"),
        (how_many, "How many cakes are on the table?", "1", "Is there exactly one cake on the table?"),
        (how_many, "How many dogs?", "0", "Is it true that there are no dogs?"),
        (how_many, "How many people are here?", "one", "Is there exactly one person here?"),
        (how_many, "How many towels do you see on the wall?", "6", "Are there exactly six towels on the wall?"),
        (how_many, "How many people can be seen?", "1", "Is there exactly one person?"),
        (how_many, "How many dishes of food are there?", "1", "Is there exactly one dish of food?"),
        (how_many, "How many people have a camera?", "1", "Is there exactly one person who has a camera?"),
        (how_many, "How many people have a camera?", "0", "Is it true that there are no people who have a camera?"),
        (how_many, "How many pans are visible?", "21", "Are there exactly twenty-one pans visible?"),
        (how_many, "How many people are young?", "1", "Is there exactly one person who is young?"),
        (how_many, "How many sheep are pictured?", "1", "Is there exactly one sheep pictured?"),
        (how_many, "How many teddy bears?", "1", "Is there exactly one teddy bear?"),
        (how_many, "How many people total?", "3", "Are there exactly three people?"),
        (how_many, "How many people are wearing hats?", "1", "Is there exactly one person wearing a hat?"),
        (how_many, "How many people are wearing shoes?", "1", "Is there exactly one person wearing shoes?"),
        (how_many, "How many pictures hang on the wall?", "1", "Is there exactly one picture that hangs on the wall?"),
        (what_kind, "What kind of food is this?", "Breakfast", "Is this food breakfast?"),
        (what_kind, "What kind of event is this?", "Skiing", "Is this a skiing event?"),
        (what_kind, "What kind of animal is this?", "Elephant", "Is this animal an elephant?"),
        (what_kind, "What kind of building is this?", "Church", "Is this building a church?"),
        (what_kind, "What kind of floor is this?", "Wood", "Is this a wood floor?"),
        (what_kind, "What kind of room is this?", "living room", "Is this a living room?"),
        (what_kind, "What kind of sport is this?", "tennis", "Is this sport tennis?"),
        (what_kind, "What kind of weather is this?", "sunny", "Is this sunny weather?"),
        (what_kind, "What kind of place is this?", "park", "Is this place a park?"),
        (what_kind, "What kind of fruit is this?", "bananas", "Is this fruit a banana?"),
        (what_kind, "What kind of laptop is this?", "asus", "Is this an asus laptop?"),
        (what_kind, "What kind of bike is this?", "motorcycle", "Is this bike a motorcycle?"),
    ],
)
def test_questions_are_asked_for_yes_or_no_as_in_the_tables_of_the_paper(
    one: Augmentation, text: str, answer: str, made: str
) -> None:
    assert _written(one, text, answer) == made


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (color, "What color are the shoes?"),
        (color, "What color is the man wearing?"),
        (color, "What color is the wall painted?"),
        (color, "What color is the dog sitting on?"),
        (color, "What color is the picture, yellow or red?"),
        (color, "What color is the bus and what is on it?"),
        (how_many, "How many different colors are there?"),
        (how_many, "How many yellow vases?"),
        (how_many, "How many of these people are soldiers?"),
        (how_many, "How many legs does the man have?"),
        (how_many, "How many floors is the building?"),
        (how_many, "How many minutes until the train departs?"),
        (how_many, "How many dogs or cats are there?"),
        (how_many, "How many luggage are there?"),
        (how_many, "How many people's faces are visible?"),
        (what_kind, "What kind of animal is shown?"),
        (what_kind, "What kind of shoes is this?"),
        (what_kind, "What kind of clouds are in the photo?"),
    ],
)
def test_what_is_not_of_the_pattern_is_left_out_with_a_reason(one: Augmentation, text: str) -> None:
    assert isinstance(one.read(text), str)


@given(st.integers(0, 100))
def test_a_count_agrees_with_its_noun_and_stands_in_words(number: int) -> None:
    text = how_many.words(QuestionSubject("boxes", "on the table"), str(number))
    assert text.startswith(
        {0: "is it true that there are no ", 1: "is there exactly one box "}.get(number, "are there ")
    )
    assert ("boxes" in text) == (number != 1)
    assert not any(sign.isdigit() for sign in text)


@pytest.mark.parametrize(
    "text", ["How many elephant are there?", "How many wheels is on the cart?", "How many wear glasses?"]
)
def test_a_count_question_whose_words_do_not_agree_is_rejected(text: str) -> None:
    assert how_many.read(text) == "its words do not agree"


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("What color is the boys shirt?", "What color is the boy's shirt?"),
        ("What color is the chefs hat?", "What color is the chef's hat?"),
        ("What color is the letters in the background?", "What color is the letter in the background?"),
        ("What color is the man in the front short's?", "What color is the man's shirt?"),
    ],
)
def test_a_question_in_broken_english_is_not_repeated(text: str, mended: str) -> None:
    assert isinstance(color.read(text), str)
    assert not isinstance(color.read(mended), str)


@pytest.mark.parametrize("text", ["How many dials on oven?", "How many people are in boat?"])
def test_a_question_with_a_noun_that_lacks_its_article_is_not_repeated(text: str) -> None:
    assert how_many.read(text) == "a noun has no article"
    assert not isinstance(how_many.read(text.replace(" oven", " the oven").replace(" boat", " the boat")), str)


def test_one_is_never_asked_of_what_has_no_singular_or_takes_two() -> None:
    assert how_many.words(QuestionSubject("pants"), "1") == ""
    assert how_many.words(QuestionSubject("men", "standing next to each other"), "1") == ""
    assert how_many.words(QuestionSubject("pants"), "2") == "are there exactly two pants"


def test_people_who_say_the_same_in_other_words_are_counted_together() -> None:
    votes = ["red and white"] * 5 + ["white & red"] * 4 + ["blue"]
    found = interpret_answers(color, QuestionSubject("truck"), votes)
    assert not isinstance(found, str)
    assert (found.value, found.agreeing) == ("red and white", 9)


def test_an_answer_that_two_of_ten_people_do_not_give_is_dropped_by_name() -> None:
    asked = QuestionSubject("dogs")
    assert interpret_answers(how_many, asked, ["3"] * 5 + ["2"] * 5) == "fewer than nine of ten people agree"
    assert interpret_answers(how_many, asked, ["3"] * 8 + ["2"] * 2) == "fewer than nine of ten people agree"
    assert interpret_answers(how_many, asked, ["many"] * 9 + ["3"]) == "its answer is no number up to one hundred"
    assert not isinstance(interpret_answers(how_many, asked, ["3"] * 8 + ["three", "2"]), str)


@pytest.mark.parametrize(
    ("one", "asked", "value", "answer", "is_apart"),
    [
        (color, QuestionSubject("car"), "red", "blue", True),
        (color, QuestionSubject("car"), "red", "red and blue", False),
        (color, QuestionSubject("car"), "gray", "grey", False),
        (color, QuestionSubject("car"), "beige", "tan", False),
        (color, QuestionSubject("car"), "maroon", "burgundy", False),
        (color, QuestionSubject("car"), "dark blue", "blue", False),
        (how_many, QuestionSubject("dogs"), "3", "three", False),
        (how_many, QuestionSubject("dogs"), "3", "3 dogs", False),
        (how_many, QuestionSubject("dogs"), "3", "2", True),
        (how_many, QuestionSubject("pants"), "1", "2", False),
        (what_kind, QuestionSubject("animal"), "elephant", "cow", True),
        (what_kind, QuestionSubject("animal"), "dog", "poodle", False),
        (what_kind, QuestionSubject("furniture"), "sofa", "couch", False),
        (what_kind, QuestionSubject("floor"), "wooden", "wood", False),
        (what_kind, QuestionSubject("floor"), "tile", "wood", False),
        (what_kind, QuestionSubject("floor"), "brown", "wood", False),
        (what_kind, QuestionSubject("cat"), "house", "tabby", False),
        (what_kind, QuestionSubject("room"), "bathroom", "kitchen", True),
    ],
)
def test_a_wrong_value_is_none_of_the_answers_nor_another_word_for_one(
    one: Augmentation, asked: QuestionSubject, value: str, answer: str, is_apart: bool
) -> None:
    assert one.apart(asked, value, answer) == is_apart
