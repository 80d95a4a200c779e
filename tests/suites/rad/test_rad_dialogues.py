"""Turns of dialogues that are not asked after what was said before them."""

from collections.abc import Sequence

import pytest

from counterpoint.core.groups import Group
from counterpoint.core.items import Dialogue, Turn
from counterpoint.core.pictures import Picture
from counterpoint.suites.rad import dialogues
from counterpoint.suites.rad.told_before import ASKED_BEFORE, NUMBER_TOLD, OWN_NAME, SEVERAL_TOLD, WHICH
from counterpoint.suites.suite import Tally, generate_groups

COLORS = ("red", "orange", "brown", "yellow", "beige", "white", "green")
POOL = tuple(
    Dialogue(f"pool {place}", Picture(f"visdial:pool/{place}.jpg"), "a photo", (Turn(question, answer),))
    for question, answers in (("what color is the car", COLORS), ("how many cars are there", "0123"))
    for place, answer in enumerate(answers)
)


def _talks(caption: str, *turns: tuple[str, str]) -> list[Dialogue]:
    """One dialogue forty times, on as many pictures, so that every value that can be drawn is drawn."""
    said = tuple(Turn(question, answer) for question, answer in turns)
    return [Dialogue(str(place), Picture(f"visdial:val/{place}.jpg"), caption, said) for place in range(40)]


def _made(talks: Sequence[Dialogue]) -> tuple[list[Group], Tally]:
    tally, own = Tally(), {talk.picture for talk in talks}
    groups = [group for _, group in generate_groups(dialogues.open_suite, [*POOL, *talks], tally=tally)]
    return [group for group in groups if group.base.picture in own], tally


def _asked_values(talks: Sequence[Dialogue]) -> set[str]:
    return {dict(group.tags[1])["value"] for group in _made(talks)[0]}


@pytest.mark.parametrize(
    ("thing", "answer", "never"),
    [
        ("floor", "beige", {"yellow", "brown", "white"}),
        ("stallion", "brown", {"red", "orange", "yellow", "beige"}),
        ("wall", "brown", {"red", "orange", "beige"}),
        ("hair", "red", {"brown", "orange", "yellow"}),
    ],
)
def test_near_colors_are_not_held_against_each_other(thing: str, answer: str, never: set[str]) -> None:
    asked = _asked_values(_talks("a photo", (f"what color is the {thing}", answer)))
    assert asked.isdisjoint(never)
    assert {answer, "green"} <= asked


def test_a_wall_that_is_brown_is_not_yellow() -> None:
    assert "yellow" in _asked_values(_talks("a photo", ("what color is the wall", "brown")))


@pytest.mark.parametrize(
    ("kind", "caption", "turns", "reason"),
    [
        ("color", "men with kites", [("what color is the first kite", "red")], WHICH),
        ("color", "an orange in a box", [("what color is the orange", "dark orange")], OWN_NAME),
        ("how-many", "2 zebras in a field", [("how many zebras are there", "2")], NUMBER_TOLD),
        ("how-many", "two very young men", [("how many men are there", "2")], NUMBER_TOLD),
        ("how-many", "a park", [("who is there", "2 men"), ("how many men", "2")], NUMBER_TOLD),
        ("how-many", "a sheep is surrounded by other sheep", [("how many sheep are there", "2")], NUMBER_TOLD),
        ("how-many", "people at the beach", [("how many people are there", "1")], SEVERAL_TOLD),
    ],
)
def test_what_was_told_or_stays_open_is_not_asked(
    kind: str, caption: str, turns: list[tuple[str, str]], reason: str
) -> None:
    groups, tally = _made(_talks(caption, *turns))
    assert groups == []
    assert tally.dropped[kind, reason] == 40


@pytest.mark.parametrize(
    ("caption", "turns"),
    [
        ("a bed with pillows", [("how many pillows are there", "3")]),
        ("a family at the beach", [("how many people are there", "3")]),
        ("a group of men", [("how many people", "3")]),
        ("a bed", [("what is on it", "blue pillows"), ("how many pillows are there", "3")]),
    ],
)
def test_where_several_are_told_of_neither_none_nor_one_is_asked_for(
    caption: str, turns: list[tuple[str, str]]
) -> None:
    assert _asked_values(_talks(caption, *turns)) == {"2", "3"}


def test_a_question_or_a_denial_tells_of_nothing() -> None:
    turns = ("any trains", "yes"), ("are there people", "no trains, no people"), ("how many trains", "3")
    assert _asked_values(_talks("a station", *turns)) == {"0", "1", "2", "3"}


def test_what_was_asked_is_not_asked_again() -> None:
    groups, tally = _made(_talks("a photo", ("what color is the car", "red"), ("What color is the car?", "red")))
    assert {group.base.text for group in groups} == {"what color is the car"}
    assert tally.dropped["color", ASKED_BEFORE] == 40
