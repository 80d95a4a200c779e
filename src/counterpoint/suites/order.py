"""Order invariance: asking for a cat and a dog is asking for a dog and a cat."""

from collections.abc import Iterator
from itertools import permutations
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.suites.asked import CHOICES
from counterpoint.suites.habits import Habits, survey
from counterpoint.suites.originals import LUCK, Original, originals
from counterpoint.suites.suite import Dropped, Suite
from counterpoint.suites.templates import grouped

KINDS = ("conjunctive verification", "disjunctive verification", *CHOICES)
"""The questions that list something."""


def swapped(scene: Scene, habits: Habits, rng: Random) -> Iterator[Group | Dropped]:
    """Ask for two things, or offer two or three choices, then list them in another order."""
    for one in originals(KINDS, scene, habits, rng):
        yield one if isinstance(one, Dropped) else _reordered(scene, one, rng)


def _reordered(scene: Scene, one: Original, rng: Random) -> Group:
    sentence, asked = one.template.ask, one.asked
    others = [order for order in permutations(asked.options) if order != asked.options]
    other = asked.listing(*others[int(rng.random() * len(others))])
    return grouped(scene, [(sentence, asked), (sentence, other)])


suite = Suite("order", tests="what is listed may be listed in any order", propose=swapped, survey=survey, luck=LUCK)
