"""Original questions: one pool per scene, which the tests that share their originals all start from.

Their suites have the same rng key and draw the seed of the pool first, so that rephrase, order, negation and visual get
the same base queries for one seed, and a model answers each of them once.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from counterpoint.core.groups import Group, Query
from counterpoint.core.scenes import Scene
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.suites.balanced_sampling import Candidate
from counterpoint.suites.carets.question_sampling import sample_questions
from counterpoint.suites.carets.templates import KINDS, QuestionContent, Template, fitting_templates, word_question
from counterpoint.suites.suite import Rejection, Suite

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


_last: list[tuple[Scene, SceneStatistics, int, tuple[Original | Rejection, ...]]] = []
# suites generated together ask for the same pool in turn, so the last one is kept


def original_suite(
    name: str, *, tests: str, kinds: Collection[str], make: Callable[[Scene, Original, float], Group]
) -> Suite[Scene, SceneStatistics]:
    """A suite with one group for each original of these kinds; `make` gets a random number from 0 to 1."""
    propose = partial(propose_variants, kinds=kinds, make=make)
    return Suite(name, tests=tests, propose=propose, survey=survey_scenes, rng_key=RNG_KEY)


def propose_variants(
    scene: Scene,
    statistics: SceneStatistics,
    rng: Random,
    *,
    kinds: Collection[str],
    make: Callable[[Scene, Original, float], Group],
) -> Iterator[Candidate | Rejection]:
    """A candidate for each original of these kinds."""
    for original in originals(kinds, scene, statistics, rng):
        if isinstance(original, Rejection):
            yield original
        else:
            yield original.candidate(partial(make, scene, original, rng.random()))


def originals(
    kinds: Collection[str], scene: Scene, statistics: SceneStatistics, rng: Random
) -> Iterator[Original | Rejection]:
    """The originals of these kinds from the pool of a scene, the same for every rng in the same state."""
    for original in _pool(scene, statistics, rng.getrandbits(64)):
        if (original.kind if isinstance(original, Rejection) else original.content.kind) in kinds:
            yield original


def _pool(scene: Scene, statistics: SceneStatistics, seed: int) -> tuple[Original | Rejection, ...]:
    for last_scene, last_statistics, last_seed, pool in _last:
        if last_scene is scene and last_statistics is statistics and last_seed == seed:
            return pool
    rng = Random(seed)
    contents = sample_questions(KINDS, scene, statistics, rng)
    pool = tuple(content if isinstance(content, Rejection) else _first(scene, content, rng) for content in contents)
    _last[:] = [(scene, statistics, seed, pool)]
    return pool


def _first(scene: Scene, content: QuestionContent, rng: Random) -> Original:
    fitting = fitting_templates(content)
    template = fitting[int(rng.random() * len(fitting))]
    base = Query(scene.picture, word_question(template.ask, content))
    return Original(content, template, base, base.id)
