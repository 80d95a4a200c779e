"""Negation: whoever says yes to "Is there a cat?" says no to "Is there no cat?"."""

from collections.abc import Iterator
from functools import partial
from random import Random

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.scenes import Scene
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.suites.candidates import Candidate
from counterpoint.suites.carets.originals import RNG_KEY, Original, originals
from counterpoint.suites.carets.questions import VERIFICATIONS
from counterpoint.suites.carets.templates import group_wordings
from counterpoint.suites.suite import Rejection, Suite


def propose_negations(scene: Scene, statistics: SceneStatistics, rng: Random) -> Iterator[Candidate | Rejection]:
    """Ask whether something is there, then whether it is not; of two things by the laws of De Morgan."""
    for one in originals(VERIFICATIONS, scene, statistics, rng):
        yield one if isinstance(one, Rejection) else one.drafted(partial(_denied, scene, one))


def _denied(scene: Scene, one: Original) -> Group:
    gold = one.asked.gold
    twin = Gold.of("no" if gold.best == "yes" else "yes")
    wordings = [(one.template.ask, one.asked), (one.template.deny, one.asked)]
    return group_wordings(scene, wordings, gold=(gold, twin), relation=Relation.DIFFERS)


suite = Suite(
    "negation",
    tests="a question and its negation are not answered alike",
    propose=propose_negations,
    survey=survey_scenes,
    rng_key=RNG_KEY,
)
