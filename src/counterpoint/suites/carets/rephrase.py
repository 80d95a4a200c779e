"""Rephrasing invariance: the same question in other words has the same answer."""

from collections.abc import Iterator
from functools import partial
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.scenes.cooccurrence import Habits, survey
from counterpoint.suites.candidates import Draft
from counterpoint.suites.carets.originals import LUCK, Original, originals
from counterpoint.suites.carets.questions import CHOICES, VERIFIED
from counterpoint.suites.carets.templates import fitting, grouped
from counterpoint.suites.suite import Dropped, Suite

KINDS = (*VERIFIED, *CHOICES)
"""The questions that are asked in other words: all but those whether something has an attribute."""


def rephrased(scene: Scene, habits: Habits, rng: Random) -> Iterator[Draft | Dropped]:
    """Ask in one wording, then in another."""
    for one in originals(KINDS, scene, habits, rng):
        yield one if isinstance(one, Dropped) else one.drafted(partial(_reworded, scene, one, rng.random()))


def _reworded(scene: Scene, one: Original, luck: float) -> Group:
    found = fitting(one.asked)
    other = found[int(luck * (len(found) - 1))]
    other = found[-1] if other is one.template else other
    return grouped(scene, [(one.template.ask, one.asked), (other.ask, one.asked)])


suite = Suite(
    "rephrase", tests="a question in other words has the same answer", propose=rephrased, survey=survey, rng_key=LUCK
)
