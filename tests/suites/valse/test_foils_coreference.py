"""Coreference: the pronoun of a question means what the caption speaks of."""

from collections import Counter

import pytest

from counterpoint.core.items import Dialogue, Turn
from counterpoint.core.pictures import Picture
from counterpoint.suites.suite import Tally, generate_groups
from counterpoint.suites.valse.coreference import (
    CLEAN,
    STANDARD,
    caption_answers,
    instrument,
    pronouns,
    refer_to_caption,
    suite,
    yes_or_no,
)
from counterpoint.world.source import World


def _dialogue(place: int, caption: str, *turns: tuple[str, str], folder: str = "VisualDialog_val2018") -> Dialogue:
    said = tuple(Turn(question, answer) for question, answer in turns)
    return Dialogue(str(place), Picture(f"visdial:{folder}/{place}.jpg"), caption, said)


def test_a_caption_a_question_and_its_answer_become_a_caption_and_a_foil() -> None:
    talks = [
        _dialogue(1, "a skateboarding man is on a half pipe", ("does he wear a helmet", "no, he doesn't")),
        _dialogue(2, "a man on a horse", ("does he wear a helmet?", "yes")),
    ]
    texts = {tuple(query.text for query in group.queries) for _, group in generate_groups(suite, talks)}
    assert texts == {
        (
            "A skateboarding man is on a half pipe. Does he wear a helmet? No.",
            "A skateboarding man is on a half pipe. Does he wear a helmet? Yes.",
        ),
        ("A man on a horse. Does he wear a helmet? Yes.", "A man on a horse. Does he wear a helmet? No."),
    }


@pytest.mark.parametrize(
    ("question", "caption", "since", "sure"),
    [
        ("is he tall", "a man with a dog", (), True),
        ("is she tall", "a man with a dog", (), False),
        ("are they tall", "two men with a dog", (), True),
        ("is it sunny", "two men", ("is there a car", "yes"), True),
        ("is it red", "two men", (), False),
        ("is it red", "a bus on a street", (), True),
        ("is it red", "a bus on a street", ("is there a car", "yes"), False),
        ("is it red", "a bus and a car", (), False),
        ("is this a zoo", "a giraffe", ("is there a fence", "yes"), True),
        ("are there clouds", "a giraffe", (), False),
        ("is she wearing glasses", "a woman and a boy", ("is there a girl", "yes"), False),
        ("is his hat red", "a boy at a table", (), True),
    ],
)
def test_a_pronoun_is_taken_where_it_can_mean_one_thing(
    question: str, caption: str, since: tuple[str, ...], sure: bool
) -> None:
    assert refer_to_caption(question, caption, since) is sure


def test_a_relative_that_is_no_pronoun_of_its_own() -> None:
    assert pronouns("is the man that you see tall") == ()
    assert not refer_to_caption("is he the man that you see", "a man", ())


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        ("yes", "yes"),
        ("nope", "no"),
        ("Yes, she is", "yes"),
        ("no but close", None),
        ("i think so", None),
        ("2", None),
        ("nobody", None),
        ("yes i think", None),
        ("", None),
    ],
)
def test_answers_are_cut_to_yes_or_no_where_they_are_sure(answer: str, word: str | None) -> None:
    assert yes_or_no(answer) == word


def test_a_question_that_the_caption_answers_is_not_asked() -> None:
    talks = [_dialogue(1, "a closed red umbrella", ("is it open", "no")), _dialogue(2, "a box", ("is it open", "yes"))]
    tally = Tally()
    assert list(generate_groups(suite, talks, tally=tally)) == []
    assert tally.dropped["coreference", "the caption answers the question"] == 1
    assert caption_answers("a closed red umbrella", "is it open")
    assert not caption_answers("an umbrella", "is it open")


def test_pictures_of_training_make_the_standard_instrument() -> None:
    assert instrument(Picture("coco:train2014/COCO_train2014_000000000001.jpg")) == STANDARD
    assert instrument(Picture("coco:val2014/COCO_val2014_000000000001.jpg")) == STANDARD
    assert instrument(Picture("visdial:VisualDialog_val2018/VisualDialog_val2018_000000000001.jpg")) == CLEAN
    assert [instrument(Picture(f"world:{split}/000001.png")) for split in ("train", "test")] == [STANDARD, CLEAN]


@pytest.mark.parametrize(("split", "test"), [("train", STANDARD), ("test", CLEAN)])
def test_the_world_speaks_with_pronouns_and_half_of_its_answers_are_yes(split: str, test: str) -> None:
    groups = [group for _, group in generate_groups(suite, list(World(split, 150).dialogues()))]
    words = Counter(dict(group.tags[0])["word"] for group in groups)
    assert {group.test for group in groups} == {test}
    assert words["yes"] == words["no"] > 3
