"""Negation: whoever says yes to "Is there a cat?" says no to "Is there no cat?"."""

from collections.abc import Iterator
from functools import partial
from random import Random

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.scenes import Scene
from counterpoint.scenes.cooccurrence import Habits, survey
from counterpoint.suites.candidates import Draft
from counterpoint.suites.carets.originals import LUCK, Original, originals
from counterpoint.suites.carets.questions import VERIFIED
from counterpoint.suites.carets.templates import grouped
from counterpoint.suites.suite import Dropped, Suite


def negated(scene: Scene, habits: Habits, rng: Random) -> Iterator[Draft | Dropped]:
    """Ask whether something is there, then whether it is not; of two things by the laws of De Morgan."""
    for one in originals(VERIFIED, scene, habits, rng):
        yield one if isinstance(one, Dropped) else one.drafted(partial(_denied, scene, one))


def _denied(scene: Scene, one: Original) -> Group:
    gold = one.asked.gold
    twin = Gold.of("no" if gold.best == "yes" else "yes")
    wordings = [(one.template.ask, one.asked), (one.template.deny, one.asked)]
    return grouped(scene, wordings, gold=(gold, twin), relation=Relation.DIFFERS)


suite = Suite(
    "negation",
    tests="a question and its negation are not answered alike",
    propose=negated,
    survey=survey,
    rng_key=LUCK,
)
