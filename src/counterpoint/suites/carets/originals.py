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

    content: QuestionContent
    template: Template
    base: Query
    number: int  # the id of the query

    def candidate(self, make: Callable[[], Group]) -> Candidate:
        """A group that begins with this, to be made if it is kept."""
        return Candidate(self.content.kind, self.number, self.content.gold.best, self.content.tags, make)


@dataclass(frozen=True, slots=True)
class _Pool:
    """All originals of a scene, and from what they were drawn."""

    scene: Scene
    statistics: SceneStatistics
    number: int
    originals: tuple[Original | Rejection, ...]

    def is_of(self, scene: Scene, statistics: SceneStatistics, number: int) -> bool:
        """Whether it was drawn from the very same."""
        return self.scene is scene and self.statistics is statistics and self.number == number


_last: list[_Pool] = []  # suites that are made together ask for a pool one after the other, and it is drawn once


def originals(
    kinds: Collection[str], scene: Scene, statistics: SceneStatistics, rng: Random
) -> Iterator[Original | Rejection]:
    """The questions of these kinds out of the pool of a scene, which is the same for all who begin with this luck."""
    for original in _pool(scene, statistics, rng.getrandbits(64)).originals:
        if (original.kind if isinstance(original, Rejection) else original.content.kind) in kinds:
            yield original


def _pool(scene: Scene, statistics: SceneStatistics, number: int) -> _Pool:
    for pool in _last[:1]:
        if pool.is_of(scene, statistics, number):
            return pool
    rng = Random(number)
    contents = sample_questions(KINDS, scene, statistics, rng)
    sampled = tuple(content if isinstance(content, Rejection) else _first(scene, content, rng) for content in contents)
    pool = _Pool(scene, statistics, number, sampled)
    _last[:] = [pool]
    return pool


def _first(scene: Scene, content: QuestionContent, rng: Random) -> Original:
    fitting = fitting_templates(content)
    template = fitting[int(rng.random() * len(fitting))]
    base = Query(scene.picture, word_question(template.ask, content))
    return Original(content, template, base, base.id)
