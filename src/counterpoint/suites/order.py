"""Order invariance: asking for a cat and a dog is asking for a dog and a cat."""

from collections.abc import Iterator
from itertools import permutations
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.suites.arguments import Asked, questions
from counterpoint.suites.habits import Habits, survey
from counterpoint.suites.suite import Dropped, Suite
from counterpoint.suites.templates import fitting, grouped

KINDS = ("conjunctive verification", "disjunctive verification", "object choice", "attribute choice")
"""The questions that list something."""


def swapped(scene: Scene, habits: Habits, rng: Random) -> Iterator[Group | Dropped]:
    """Ask for two things, or offer two or three choices, then list them in another order."""
    for one in questions(KINDS, scene, habits, rng):
        yield one if isinstance(one, Dropped) else _reordered(scene, one, rng)


def _reordered(scene: Scene, one: Asked, rng: Random) -> Group:
    template = rng.choice(fitting(one))
    others = [order for order in permutations(one.options) if order != one.options]
    return grouped(scene, [(template, one), (template, one.listing(*rng.choice(others)))])


suite = Suite("order", tests="what is listed may be listed in any order", propose=swapped, survey=survey)
