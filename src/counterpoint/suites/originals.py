"""Questions as they are first asked: one pool for a scene, from which the tests that share their originals all start.

Their suites draw for the same luck, and draw the whole pool before anything else; so one seed gives rephrase, order,
negation and visual the same base queries, and a model answers each of them once.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from random import Random

from counterpoint.core.scenes import Scene
from counterpoint.suites.arguments import questions
from counterpoint.suites.asked import KINDS, Asked
from counterpoint.suites.habits import Habits
from counterpoint.suites.suite import Dropped
from counterpoint.suites.templates import Template, fitting

LUCK = "originals"
"""What the luck of the suites that share their originals is drawn for."""


@dataclass(frozen=True, slots=True)
class Original:
    """A question, and the template that it is first asked with."""

    asked: Asked
    template: Template


def originals(kinds: Collection[str], scene: Scene, habits: Habits, rng: Random) -> Iterator[Original | Dropped]:
    """The questions of these kinds out of the pool of a scene; the pool is always drawn whole."""
    pool = [one if isinstance(one, Dropped) else _asked_first(one, rng) for one in questions(KINDS, scene, habits, rng)]
    for one in pool:
        if (one.kind if isinstance(one, Dropped) else one.asked.kind) in kinds:
            yield one


def _asked_first(asked: Asked, rng: Random) -> Original:
    found = fitting(asked)
    return Original(asked, found[int(rng.random() * len(found))])
