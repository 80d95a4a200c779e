"""Order invariance: asking for a cat and a dog is asking for a dog and a cat."""

from collections.abc import Iterator
from functools import partial
from itertools import permutations
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.suites.balanced_sampling import Candidate
from counterpoint.suites.carets.originals import RNG_KEY, Original, originals
from counterpoint.suites.carets.templates import CHOICES, group_wordings
from counterpoint.suites.suite import Rejection, Suite

KINDS = ("conjunctive verification", "disjunctive verification", *CHOICES)
"""The questions that list something."""


def propose_orders(scene: Scene, statistics: SceneStatistics, rng: Random) -> Iterator[Candidate | Rejection]:
    """Ask for two objects, or offer two or three choices, then list them in another order."""
    for original in originals(KINDS, scene, statistics, rng):
        yield (
            original
            if isinstance(original, Rejection)
            else original.candidate(partial(_reordered_group, scene, original, rng.random()))
        )


def _reordered_group(scene: Scene, original: Original, draw: float) -> Group:
    sentence, content = original.template.ask, original.content
    others = [order for order in permutations(content.options) if order != content.options]
    other = content.listing(*others[int(draw * len(others))])
    return group_wordings(scene, [(sentence, content), (sentence, other)])


suite = Suite(
    "order",
    tests="the order of what is listed does not change the answer",
    propose=propose_orders,
    survey=survey_scenes,
    rng_key=RNG_KEY,
)
