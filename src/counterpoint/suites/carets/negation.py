"""Negation: "Is there a cat?" and "Is there no cat?" have different answers."""

from collections.abc import Iterator
from functools import partial
from random import Random

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.scenes import Scene
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.suites.balanced_sampling import Candidate
from counterpoint.suites.carets.originals import RNG_KEY, Original, originals
from counterpoint.suites.carets.templates import VERIFICATIONS, group_wordings
from counterpoint.suites.suite import Rejection, Suite


def propose_negations(scene: Scene, statistics: SceneStatistics, rng: Random) -> Iterator[Candidate | Rejection]:
    """Ask whether something is present, then whether it is absent; two objects are negated by De Morgan's laws."""
    for original in originals(VERIFICATIONS, scene, statistics, rng):
        yield (
            original
            if isinstance(original, Rejection)
            else original.candidate(partial(_negated_group, scene, original))
        )


def _negated_group(scene: Scene, original: Original) -> Group:
    gold = original.content.gold
    twin = Gold.of("no" if gold.best == "yes" else "yes")
    wordings = [(original.template.ask, original.content), (original.template.deny, original.content)]
    return group_wordings(scene, wordings, gold=(gold, twin), relation=Relation.DIFFERS)


suite = Suite(
    "negation",
    tests="a question and its negation have different answers",
    propose=propose_negations,
    survey=survey_scenes,
    rng_key=RNG_KEY,
)
