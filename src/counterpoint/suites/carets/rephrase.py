"""Rephrasing invariance: a question in other words has the same answer."""

from collections.abc import Iterator
from functools import partial
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.suites.balanced_sampling import Candidate
from counterpoint.suites.carets.originals import RNG_KEY, Original, originals
from counterpoint.suites.carets.templates import CHOICES, VERIFICATIONS, fitting_templates, group_wordings
from counterpoint.suites.suite import Rejection, Suite

KINDS = (*VERIFICATIONS, *CHOICES)
"""All kinds of questions but attribute verification."""


def propose_rephrasings(scene: Scene, statistics: SceneStatistics, rng: Random) -> Iterator[Candidate | Rejection]:
    """Ask in one wording, then in another."""
    for original in originals(KINDS, scene, statistics, rng):
        yield (
            original
            if isinstance(original, Rejection)
            else original.candidate(partial(_rephrased_group, scene, original, rng.random()))
        )


def _rephrased_group(scene: Scene, original: Original, draw: float) -> Group:
    fitting = fitting_templates(original.content)
    other = fitting[int(draw * (len(fitting) - 1))]
    other = fitting[-1] if other is original.template else other
    return group_wordings(scene, [(original.template.ask, original.content), (other.ask, original.content)])


suite = Suite(
    "rephrase",
    tests="a question in other words has the same answer",
    propose=propose_rephrasings,
    survey=survey_scenes,
    rng_key=RNG_KEY,
)
