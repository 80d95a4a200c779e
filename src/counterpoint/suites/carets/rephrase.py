"""Rephrasing invariance: the same question in other words has the same answer."""

from collections.abc import Iterator
from functools import partial
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.suites.candidates import Candidate
from counterpoint.suites.carets.originals import RNG_KEY, Original, originals
from counterpoint.suites.carets.questions import CHOICES, VERIFICATIONS
from counterpoint.suites.carets.templates import fitting_templates, group_wordings
from counterpoint.suites.suite import Rejection, Suite

KINDS = (*VERIFICATIONS, *CHOICES)
"""The questions that are asked in other words: all but those whether something has an attribute."""


def propose_rephrasings(scene: Scene, statistics: SceneStatistics, rng: Random) -> Iterator[Candidate | Rejection]:
    """Ask in one wording, then in another."""
    for one in originals(KINDS, scene, statistics, rng):
        yield one if isinstance(one, Rejection) else one.drafted(partial(_reworded, scene, one, rng.random()))


def _reworded(scene: Scene, one: Original, luck: float) -> Group:
    found = fitting_templates(one.asked)
    other = found[int(luck * (len(found) - 1))]
    other = found[-1] if other is one.template else other
    return group_wordings(scene, [(one.template.ask, one.asked), (other.ask, one.asked)])


suite = Suite(
    "rephrase",
    tests="a question in other words has the same answer",
    propose=propose_rephrasings,
    survey=survey_scenes,
    rng_key=RNG_KEY,
)
