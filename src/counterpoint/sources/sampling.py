"""Seeded sampling by hashed ids, of items and of questions that are joined with their scenes.

A sample is the same on every machine, and a smaller one is part of every larger one.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from heapq import heappush, heappushpop, nsmallest
from typing import Protocol, TypeVar

from counterpoint.core.ids import content_id
from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.core.scenes import Scene
from counterpoint.sources.reading.records import Skips

SAMPLE_SIZE = 15_000
"""Items per data set, as in the tool paper."""


class HasId(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str:
        """Unique among all of its kind."""
        ...


Item = TypeVar("Item", bound=HasId)


def sample_items(
    items: Iterable[Item],
    limit: int | None = SAMPLE_SIZE,
    seed: int = 0,
    on_repeated: Callable[[Item], None] = lambda item: None,
) -> Iterator[Item]:
    """At most `limit` of the items, in their order; all of them without a limit.

    Items are taken by the smallest hashes of seed and id, kept in a heap: so a smaller sample is part of every larger
    one, and the order of the items changes nothing but the order of the sample. Of items that share an id the first is
    taken; `on_repeated` is called with the others, unless none of them belongs to the sample.
    """
    ids: set[str] = set()
    if limit is None:
        for item in items:
            if item.id in ids:
                on_repeated(item)
            else:
                ids.add(item.id)
                yield item
        return
    taken: list[tuple[int, int, Item]] = []
    for place, item in enumerate(items):
        if item.id in ids:
            on_repeated(item)
            continue
        entry = (-content_id([seed, item.id]), -place, item)
        if len(taken) < limit:
            heappush(taken, entry)
            ids.add(item.id)
        elif taken and entry[:2] > taken[0][:2]:
            ids.add(item.id)
            ids.remove(heappushpop(taken, entry)[2].id)
    yield from (item for _, _, item in sorted(taken, key=lambda entry: -entry[1]))


NO_SCENE = "a question about a picture whose scene is not there"
_REMEDY = "the other questions stay; are the scenes those of the same split?"


class SplitReader(Protocol):
    """A split of a data set with scenes and questions; `skips` counts what its latest pass skipped."""

    skips: Skips

    def scenes(self) -> Iterator[Scene]:
        """What annotators saw in each picture."""
        ...

    def questions(self) -> Iterator[Question]:
        """Questions with their right answers."""
        ...


class GroundedQuestions:
    """The questions of a source with their scenes; each iteration reads the questions again.

    With a limit, the questions are those of a sample of this size, found without holding them. Skipped scenes, and
    questions without a scene, are counted with the skipped questions, anew in each pass, in the skips of `source`.
    """

    def __init__(
        self, scenes: SplitReader, questions: SplitReader, source: SplitReader, limit: int | None, seed: int
    ) -> None:
        self._scenes, self._questions, self._source = scenes, questions, source
        self._limit, self._seed = limit, seed

    @cached_property
    def scenes(self) -> dict[str, Scene]:
        """Every scene by its id."""
        return {scene.id: scene for scene in self._scenes.scenes()}

    @cached_property
    def _largest(self) -> int | None:
        """The largest hash of the questions in the sample; none where all belong to it."""
        if self._limit is None:
            return None
        numbers = (self._hash(question) for question in self._questions.questions())
        smallest = nsmallest(self._limit + 1, numbers)
        return smallest[self._limit - 1] if len(smallest) > self._limit else None

    def _hash(self, question: Question) -> int:
        return content_id([self._seed, question.id])  # as in every sample

    def __iter__(self) -> Iterator[GroundedQuestion]:
        scenes, largest, questions = self.scenes, self._largest, self._questions.questions()
        skips = self._source.skips = self._questions.skips
        skips.include(self._scenes.skips)
        for question in questions:
            if largest is not None and self._hash(question) > largest:
                continue
            if question.scene in scenes:
                yield GroundedQuestion(question, scenes[question.scene])
            else:
                skips.skip(NO_SCENE, f"{question.id}: {question.scene or 'none is named'}", _REMEDY)
