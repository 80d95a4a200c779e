"""Rephrasing invariance: the same question in other words has the same answer."""

from collections.abc import Iterator
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.suites.arguments import MAKERS, Asked, questions
from counterpoint.suites.habits import Habits, survey
from counterpoint.suites.suite import Dropped, Suite
from counterpoint.suites.templates import fitting, grouped

VARIANTS = 5
"""How many other wordings a question gets."""


def rephrased(scene: Scene, habits: Habits, rng: Random) -> Iterator[Group | Dropped]:
    """Ask in one wording, then in five others."""
    for one in questions(MAKERS, scene, habits, rng):
        yield one if isinstance(one, Dropped) else _reworded(scene, one, rng)


def _reworded(scene: Scene, one: Asked, rng: Random) -> Group:
    return grouped(scene, [(template, one) for template in rng.sample(fitting(one), k=1 + VARIANTS)])


suite = Suite("rephrase", tests="a question in other words has the same answer", propose=rephrased, survey=survey)
