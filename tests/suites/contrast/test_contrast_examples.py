"""The examples of the paper on automatic contrast sets: its text, Figures 1 and 2, and Tables 1 and 10."""

from dataclasses import replace

import pytest
from contrast_items import Thing, asked, program, scene

from counterpoint.core.items import GroundedQuestion, Step
from counterpoint.suites.contrast.contrast_sets import suite
from counterpoint.suites.suite import generate_groups

_OTHERS = [("elephant", ()), ("man", ()), ("trees", ()), ("bush", ()), ("boy", ()), ("water", ()), ("wall", ())]


def _company() -> list[GroundedQuestion]:
    """Other scenes of the source: the objects that take the place of others, each twice beside each of three things."""
    rows = [(name, beside) for name, _ in _OTHERS for beside in ("puddle", "players", "boat")] * 2
    boxes = [[(name, (), (50, 50, 90, 90)), (beside, (), (200, 50, 90, 90))] for name, beside in rows]
    steps = program("select: scene", "verify weather: sunny")
    scenes = [scene(300 + n, things) for n, things in enumerate(boxes)]
    rest = [scene(800 + n, [("cup", (), (50, 50, 90, 90))]) for n in range(len(scenes))]
    return [asked(one, "Is it sunny?", "no", steps, one.id) for one in (*scenes, *rest)]


def _contrasts(things: list[Thing], text: str, answer: str, steps: tuple[Step, ...]) -> dict[str, str]:
    item = asked(replace(scene(1, things), is_complete=True), text, answer, steps)
    groups = [group for _, group in generate_groups(suite.configured({"contrasts": 40}), [item, *_company()])]
    pairs = ((query.text, gold) for group in groups for query, gold in zip(group.variants, group.gold[1:], strict=True))
    return {text: gold.best for text, gold in pairs if gold}


_ZEBRA: list[Thing] = [
    ("zebra", (), (300, 100, 90, 120)),
    ("puddle", (), (100, 230, 90, 40)),
    ("fence", ("wood",), (60, 100, 120, 100)),
]
_PLAYERS: list[Thing] = [("players", (), (200, 100, 90, 150)), ("fence", (), (60, 100, 120, 100))]
_BOAT: list[Thing] = [("boat", (), (150, 100, 200, 150)), ("cats", (), (60, 200, 60, 60))]
_PEOPLE: list[Thing] = [
    ("man", (), (150, 60, 60, 200)),
    ("boy", (), (300, 120, 50, 140)),
    ("zebra", (), (10, 120, 90, 120)),
]
_KITCHEN: list[Thing] = [("dishwasher", (), (20, 120, 100, 120)), ("dishes", (), (300, 120, 60, 40))]


@pytest.mark.parametrize(
    ("things", "text", "steps", "made", "never"),
    [
        (
            _ZEBRA,
            "Is there a fence near the puddle?",
            program("select: puddle (2)", "relate: fence,near,s (3)", "exist: ?"),
            ("Is there an elephant near the puddle?", "Is there a man near the puddle?"),
            "Is there a wall near the puddle?",
        ),
        (
            _ZEBRA,
            "Is the puddle to the left of the zebra?",
            program("select: puddle (2)", "verify rel: zebra,to the left of,o (1)"),
            ("Is the puddle to the right of the zebra?",),
            "",
        ),
        (
            _PLAYERS,
            "Is there any fence near the players?",
            program("select: players (1)", "relate: fence,near,s (2)", "exist: ?"),
            ("Is there any tree near the players?",),
            "Are there any trees near the players?",
        ),
        (
            _BOAT,
            "Are there any cats near the boat?",
            program("select: boat (1)", "relate: cats,near,s (2)", "exist: ?"),
            ("Are there any bushes near the boat?", "Is there any water near the boat?"),
            "Is there any bush near the boat?",
        ),
        (
            _PEOPLE,
            "Is the boy to the right of the man?",
            program("select: boy (2)", "verify rel: man,to the right of,o (1)"),
            ("Is the boy to the left of the man?", "Is the zebra to the right of the man?"),
            "",
        ),
    ],
)
def test_the_contrasts_that_the_paper_prints_are_made(
    things: list[Thing], text: str, steps: tuple[Step, ...], made: tuple[str, ...], never: str
) -> None:
    found = _contrasts(things, text, "yes", steps)
    assert {contrast: found.get(contrast) for contrast in made} == dict.fromkeys(made, "no")
    assert never not in found


def test_dishes_are_not_told_apart_from_those_that_a_dishwasher_may_show() -> None:
    steps = program("select: dishwasher (1)", "query: hposition")
    assert _contrasts(_KITCHEN, "On which side is the dishwasher?", "left", steps) == {}
    fish = [_KITCHEN[0], ("fish", (), (300, 120, 60, 40))]
    assert (
        next(iter(_contrasts(fish, "On which side is the dishwasher?", "left", steps))) == "On which side is the fish?"
    )
