"""What the shipped models promise on unseen scenes, on a sample with room; `make prove` prints the full figures."""

from functools import cache

import pytest

from counterpoint import catalog
from counterpoint.studies.plain_accuracy import PlainExam, PlainReport, examine
from counterpoint.world.source import World

SCENES = 40


@cache
def world() -> World:
    return World("test", SCENES)


@cache
def exam() -> PlainExam:
    return PlainExam.of(world())


@cache
def report(name: str) -> PlainReport:
    return examine(name, catalog.model(name, world()), exam())


def right(name: str) -> float:
    found = report(name).overall
    assert found is not None
    assert found.n > 500
    return found.value


@pytest.mark.parametrize(("name", "least"), [("fusion", 0.82), ("cnn-lstm", 0.62)])
def test_a_model_that_looks_gets_most_answers_right(name: str, least: float) -> None:
    assert right(name) >= least


def test_guessing_from_the_question_alone_falls_ten_points_short_of_looking() -> None:
    assert right("question-only") <= 0.60
    assert right("question-only") <= right("cnn-lstm") - 0.10


def test_guessing_from_the_picture_alone_gets_least() -> None:
    assert right("picture-only") < right("question-only")


@pytest.mark.parametrize("name", ["fusion", "two-tower"])
def test_the_right_caption_ranks_above_a_random_one(name: str) -> None:
    ranking = report(name).ranking
    assert ranking is not None
    assert ranking.value >= 0.9
