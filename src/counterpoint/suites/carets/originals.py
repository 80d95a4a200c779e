"""Original questions: one pool per scene, which the tests that share their originals all start from.

Their suites have the same rng key and draw the seed of the pool first, so that rephrase, order, negation and visual get
the same base queries for one seed, and a model answers each of them once.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from random import Random

from counterpoint.core.groups import Group, Query
from counterpoint.core.scenes import Scene
from counterpoint.scenes.cooccurrence import SceneStatistics
from counterpoint.suites.balanced_sampling import Candidate
from counterpoint.suites.carets.question_sampling import sample_questions
from counterpoint.suites.carets.templates import KINDS, QuestionContent, Template, fitting_templates, word_question
from counterpoint.suites.suite import Rejection

RNG_KEY = "originals"
"""The rng key of the suites that share their originals."""


@dataclass(frozen=True, slots=True)
class Original:
    """A question, its template, and the resulting base query."""

    content: QuestionContent
    template: Template
    base: Query
    number: int  # the id of the query

    def candidate(self, make: Callable[[], Group]) -> Candidate:
        """A candidate with this base; `make` builds the group if it is kept."""
        return Candidate(self.content.kind, self.number, self.content.gold.best, self.content.tags, make)


@dataclass(frozen=True, slots=True)
class _Pool:
    """All originals of a scene, with what they were sampled from."""

    scene: Scene
    statistics: SceneStatistics
    number: int
    originals: tuple[Original | Rejection, ...]

    def is_of(self, scene: Scene, statistics: SceneStatistics, number: int) -> bool:
        """Whether it was sampled from the same scene, statistics and seed."""
        return self.scene is scene and self.statistics is statistics and self.number == number


_last: list[_Pool] = []  # suites generated together ask for the same pool in turn, so the last one is kept


def originals(
    kinds: Collection[str], scene: Scene, statistics: SceneStatistics, rng: Random
) -> Iterator[Original | Rejection]:
    """The originals of these kinds from the pool of a scene, the same for every rng in the same state."""
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
