"""The examples of the paper on RAD: Table 6 of its appendix, and the pair of Section 2.2."""

import pytest

from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.suites.rad.counterfactuals import suite
from counterpoint.suites.suite import generate_groups

_POOL = (
    ("What color is the car?", "red"),
    ("What color is the boat?", "blue"),
    ("What color is the bird?", "green"),
    ("How many cows?", "2"),
    ("How many pigs?", "4"),
    ("How many hens?", "1"),
    ("How many cats?", "0"),
    ("What kind of animal is this?", "elephant"),
    ("What kind of food is this?", "pizza"),
    ("What kind of event is this?", "baseball"),
    ("What kind of building is this?", "house"),
    ("What kind of floor is this?", "brick"),
)


def _question(number: int, text: str, answer: str) -> Question:
    picture = Picture(f"coco:val2014/{number}.jpg")
    return Question(str(number), picture, text, Gold.of(answer), votes=(answer,) * 10)


@pytest.mark.parametrize(
    ("text", "answer", "variant", "gold"),
    [
        ("What color is the vehicle?", "Red", "Is the color of the vehicle red?", "yes"),
        ("What color is the cat?", "White", "Is the color of the cat white?", "yes"),
        ("What color is the court?", "Green", "Is the color of the court green?", "yes"),
        ("What color is the vase?", "Blue", "Is the color of the vase red?", "no"),
        ("What color is the man's hat?", "Red", "Is the color of the man's hat red?", "yes"),
        ("What color is the sky?", "Blue", "Is the color of the sky blue?", "yes"),
        ("How many athletes are on the field?", "5", "Are there exactly five athletes on the field?", "yes"),
        ("How many dogs are in the picture?", "3", "Are there exactly two dogs in the picture?", "no"),
        ("How many giraffes are walking around?", "2", "Are there exactly four giraffes walking around?", "no"),
        ("How many cakes are on the table?", "0", "Is there exactly one cake on the table?", "no"),
        ("How many dogs?", "1", "Is it true that there are no dogs?", "no"),
        ("What kind of food is this?", "Breakfast", "Is this food breakfast?", "yes"),
        ("What kind of event is this?", "Skiing", "Is this a skiing event?", "yes"),
        ("What kind of animal is this?", "Cow", "Is this animal an elephant?", "no"),
        ("What kind of building is this?", "Church", "Is this building a church?", "yes"),
        ("What kind of floor is this?", "Wood", "Is this a wood floor?", "yes"),
    ],
)
def test_every_pair_that_the_paper_prints_is_made(text: str, answer: str, variant: str, gold: str) -> None:
    items = [_question(number, *row) for number, row in enumerate([(text, answer), *_POOL])]
    pairs = (  # one by one, so that seeds are tried until one makes the pair
        (group.queries[1].text, told.best)
        for seed in range(60)
        for _, group in generate_groups(suite, items, seed)
        if dict(group.tags[0])["question"] == "0" and (told := group.gold[1])
    )
    assert (variant, gold) in pairs
