"""Order invariance: asking for a cat and a dog is asking for a dog and a cat."""

from collections.abc import Iterator
from functools import partial
from itertools import permutations
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.suites.candidates import Candidate
from counterpoint.suites.carets.originals import RNG_KEY, Original, originals
from counterpoint.suites.carets.questions import CHOICES
from counterpoint.suites.carets.templates import group_wordings
from counterpoint.suites.suite import Rejection, Suite

KINDS = ("conjunctive verification", "disjunctive verification", *CHOICES)
"""The questions that list something."""


def propose_orders(scene: Scene, statistics: SceneStatistics, rng: Random) -> Iterator[Candidate | Rejection]:
    """Ask for two things, or offer two or three choices, then list them in another order."""
    for one in originals(KINDS, scene, statistics, rng):
        yield one if isinstance(one, Rejection) else one.drafted(partial(_reordered, scene, one, rng.random()))


def _reordered(scene: Scene, one: Original, luck: float) -> Group:
    sentence, asked = one.template.ask, one.asked
    others = [order for order in permutations(asked.options) if order != asked.options]
    other = asked.listing(*others[int(luck * len(others))])
    return group_wordings(scene, [(sentence, asked), (sentence, other)])


suite = Suite(
    "order",
    tests="what is listed may be listed in any order",
    propose=propose_orders,
    survey=survey_scenes,
    rng_key=RNG_KEY,
)
