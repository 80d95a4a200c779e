"""The examples that Beyond Accuracy prints: Section 3.2, and the questions in its Figures 4, 5, 8 and 9."""

from typing import Any

import pytest

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.suites.bias.modality_bias import picture_bias, question_bias
from counterpoint.suites.robustness import word_noise
from counterpoint.suites.robustness.picture_changes import KINDS, noise
from counterpoint.suites.suite import Suite, generate_groups

BUSINESS = "{} type of business is operated out of the tan building with the blue awning and large red doors"
FIGURES = {
    "what language are these characters written in": ("chinese", "japanese"),
    "which part os the subjects body shows a piercing": ("ear", "earlobe"),
    BUSINESS.format("what"): ("farm business", "mechanic", "storage", "store"),
    "what breed of bear is this": ("brown", "brown bear", "grizzly"),
    "what nationality is this girl": ("asian", "japanese", "korean"),
    "who is wearing a glove": ("catcher",),
}
"""The questions of the filter view and of the sample view, with their ground truths."""


def _asked(number: int, text: str, *answers: str) -> Question:
    return Question(str(number), Picture(f"coco:{number}.jpg"), text, Gold.of(*answers))


def _made(suite: Suite[Any, Any], items: list[Question]) -> dict[str, Group]:
    return {group.base.text: group for _, group in generate_groups(suite, items)}


QUESTIONS = [_asked(n, text, *answers) for n, (text, answers) in enumerate(FIGURES.items())]


def test_every_question_of_the_filter_view_is_asked_about_twelve_noisy_pictures() -> None:
    """Of twelve answers nine stay for a score of 75.00, as it is printed."""
    groups = _made(noise, QUESTIONS)
    assert list(groups) == list(FIGURES)
    for text, group in groups.items():
        assert len(group.variants) == 12
        assert {query.text for query in group.queries} == {text}
        assert {dict(tags)["edit"] for tags in group.tags[1:]} == set(KINDS)
        assert set(group.gold) == {Gold.of(*FIGURES[text])}


@pytest.mark.parametrize(
    ("text", "rewrites"),
    [
        ("who is wearing a glove", ["who's wearing a glove"]),
        ("what language are these characters written in", ["which language are these characters written in"]),
        (BUSINESS.format("what"), [BUSINESS.format("which")]),
        ("what breed of bear is this", ["which breed of bear is this"]),
        ("what nationality is this girl", ["which nationality is this girl"]),
        ("what color is the car", ["which color is the car", "what colour is the car"]),
        ("where is the dog", ["where's the dog"]),
        ("which part os the subjects body shows a piercing", []),
    ],
)
def test_the_four_rules_rewrite_the_questions_that_are_printed(text: str, rewrites: list[str]) -> None:
    groups = _made(word_noise.sears, [_asked(0, text, "x")])
    assert [query.text for group in groups.values() for query in group.variants] == rewrites


def test_the_zoo_is_swapped_for_a_fruit_bowl_and_not_for_another_animal() -> None:
    items = [
        _asked(1, "What animals are shown?", "elephants"),
        _asked(2, "What fruit is in the bowl?", "apple"),
        _asked(3, "What is the dog doing?", "sleeping"),
    ]
    group = _made(question_bias, items)["What animals are shown?"]
    assert group.relation is Relation.SWAP
    assert [query.picture for query in group.variants] == [items[1].picture]


def test_who_is_wearing_a_glove_is_swapped_for_questions_that_share_nothing_with_it() -> None:
    others = [_asked(90 + n, text, "x") for n, text in enumerate(("Is it a glove?", "What is left of the chair?"))]
    group = _made(picture_bias, [*QUESTIONS, *others])["who is wearing a glove"]
    assert {query.picture for query in group.variants} == {group.base.picture}
    texts = {query.text for query in group.variants}
    assert texts == {*FIGURES, "What is left of the chair?"} - {group.base.text}
