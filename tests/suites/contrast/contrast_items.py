"""Questions with programs and scenes to make contrast sets from, drawn by hand and from the world."""

from collections.abc import Sequence
from functools import cache

from proving import scaled

from counterpoint.core.groups import Gold, Group
from counterpoint.core.items import GroundedQuestion, Question, Step
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.suites.contrast.contrast_sets import suite
from counterpoint.suites.suite import Tally, generate_groups
from counterpoint.world.source import World

Thing = tuple[str, tuple[str, ...], tuple[int, int, int, int]]

SCENES = max(scaled(250), 100)
"""Enough scenes of the world for every template to occur."""


def scene(number: int, things: Sequence[Thing], links: tuple[tuple[str, str, str], ...] = ()) -> Scene:
    """Things, each a name, its values and its box in a picture of 400 to 300; they are numbered from 1."""
    objects = tuple(SceneObject(str(n), name, looks, Box(*box)) for n, (name, looks, box) in enumerate(things, 1))
    return Scene(
        f"{number}", Picture(f"test:{number}.png"), Size(400, 300), objects, tuple(Link(*link) for link in links)
    )


def program(*steps: str) -> tuple[Step, ...]:
    """Steps as in "relate: cup,near,s (1)", each built on the one before it; those with a star begin anew."""
    found: list[Step] = []
    for place, step in enumerate(steps):
        operation, _, argument = step.removeprefix("*").partition(": ")
        inputs = () if place == 0 or step.startswith("*") else (place - 1,)
        found.append(Step(operation, argument, inputs))
    return tuple(found)


def either(first: str, second: str) -> tuple[Step, ...]:
    """The program that asks for one thing or another."""
    steps = program(f"select: {first}", "exist: ?", f"*select: {second}", "exist: ?")
    return (*steps, Step("or", "", (1, 3)))


def asked(scene: Scene, text: str, answer: str, steps: tuple[Step, ...], number: str = "007") -> GroundedQuestion:
    """One question about a scene."""
    return GroundedQuestion(
        Question(number, scene.picture, text, Gold.of(answer), scene=scene.id, program=steps), scene
    )


LIVING = [
    scene(
        100 + n,
        [
            ("table", ("brown",), (10, 200, 120, 80)),
            ("cat", ("black",), (300, 220, 60, 50)),
            ("scissors", ("red",), (30, 180, 30, 20)),
            ("bread", ("tan",), (90, 180, 30, 20)),
            ("umbrella", ("blue",), (200, 40, 40, 90)),
            ("kite", ("green",), (250, 10, 40, 40)),
        ],
        (("3", "near", "1"), ("4", "near", "1"), ("2", "near", "1")),
    )
    for n in range(3)
]
"""Scenes in which everything is together, so that each thing is plausible beside each other one."""


def others() -> list[GroundedQuestion]:
    """Questions about other scenes, which only say what comes together."""
    bare = [scene(200 + n, [("boat", (), (10, 10, 90, 90))]) for n in range(3)]
    steps = program("select: scene", "verify weather: sunny")
    return [asked(one, "Is it sunny?", "no", steps) for one in (*LIVING, *bare)]


def made(*items: GroundedQuestion, seed: int = 0) -> tuple[list[Group], Tally]:
    """The contrast sets of some questions in the company of the others, and what was dropped."""
    tally = Tally()
    company = [*others(), *(GroundedQuestion(item.question, item.scene) for item in items)]
    return [group for _, group in generate_groups(suite, company, seed, tally=tally)], tally


def reasons(*items: GroundedQuestion) -> set[str]:
    """Why questions got no contrasts, but for those of no template."""
    _, tally = made(*items)
    return {reason for (kind, reason), count in tally.dropped.items() if count and kind != "no template"}


@cache
def world_items(scenes: int = SCENES) -> tuple[GroundedQuestion, ...]:
    """The questions of the world."""
    return tuple(World("test", scenes).grounded())


@cache
def world_sets(scenes: int = SCENES, seed: int = 0) -> tuple[Group, ...]:
    """The contrast sets of the world."""
    return tuple(group for _, group in generate_groups(suite, world_items(scenes), seed))
