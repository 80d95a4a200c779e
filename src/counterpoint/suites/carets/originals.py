"""Questions as they are first asked: one pool for a scene, from which the tests that share their originals all start.

Their suites draw for the same luck, and draw the number of the pool before anything else; so one seed gives rephrase,
order, negation and visual the same base queries, and a model answers each of them once.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from random import Random

from counterpoint.core.groups import Group, Query
from counterpoint.core.scenes import Scene
from counterpoint.scenes.cooccurrence import SceneStatistics
from counterpoint.suites.candidates import Candidate
from counterpoint.suites.carets.question_sampling import sample_questions
from counterpoint.suites.carets.questions import KINDS, QuestionContent
from counterpoint.suites.carets.templates import Template, fitting_templates, word_question
from counterpoint.suites.suite import Rejection

RNG_KEY = "originals"
"""What the luck of the suites that share their originals is drawn for."""


@dataclass(frozen=True, slots=True)
class Original:
    """A question, the template that it is first asked with, and the query that these make."""

    asked: QuestionContent
    template: Template
    base: Query
    number: int  # the id of the query

    def drafted(self, make: Callable[[], Group]) -> Candidate:
        """A group that begins with this, to be made if it is kept."""
        return Candidate(self.asked.kind, self.number, self.asked.gold.best, self.asked.tags, make)


@dataclass(frozen=True, slots=True)
class _Pool:
    """All originals of a scene, and from what they were drawn."""

    scene: Scene
    statistics: SceneStatistics
    number: int
    drawn: tuple[Original | Rejection, ...]

    def is_of(self, scene: Scene, statistics: SceneStatistics, number: int) -> bool:
        """Whether it was drawn from the very same."""
        return self.scene is scene and self.statistics is statistics and self.number == number


_last: list[_Pool] = []  # suites that are made together ask for a pool one after the other, and it is drawn once


def originals(
    kinds: Collection[str], scene: Scene, statistics: SceneStatistics, rng: Random
) -> Iterator[Original | Rejection]:
    """The questions of these kinds out of the pool of a scene, which is the same for all who begin with this luck."""
    for one in _pool(scene, statistics, rng.getrandbits(64)).drawn:
        if (one.kind if isinstance(one, Rejection) else one.asked.kind) in kinds:
            yield one


def _pool(scene: Scene, statistics: SceneStatistics, number: int) -> _Pool:
    for pool in _last[:1]:
        if pool.is_of(scene, statistics, number):
            return pool
    rng = Random(number)
    asked = sample_questions(KINDS, scene, statistics, rng)
    drawn = tuple(one if isinstance(one, Rejection) else _first(scene, one, rng) for one in asked)
    pool = _Pool(scene, statistics, number, drawn)
    _last[:] = [pool]
    return pool


def _first(scene: Scene, asked: QuestionContent, rng: Random) -> Original:
    found = fitting_templates(asked)
    template = found[int(rng.random() * len(found))]
    base = Query(scene.picture, word_question(template.ask, asked))
    return Original(asked, template, base, base.id)
