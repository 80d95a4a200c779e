"""Questions with the scenes they ask about: scenes are held by id, questions pass by one at a time."""

from collections.abc import Iterator
from functools import cached_property
from heapq import nsmallest
from typing import Protocol

from counterpoint.core.ids import content_id
from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.core.scenes import Scene
from counterpoint.sources.reading.skips import Skips

NO_SCENE = "a question about a picture whose scene is not there"
_REMEDY = "the other questions stay; are the scenes those of the same split?"


class SplitReader(Protocol):
    """A split of a data set that has scenes and questions, and counts what it leaves out of the latest it read."""

    skips: Skips

    def scenes(self) -> Iterator[Scene]:
        """What annotators saw in each picture."""
        ...

    def questions(self) -> Iterator[Question]:
        """Questions with their right answers."""
        ...


class GroundedQuestions:
    """The questions of a source with their scenes; it can be walked again and again, and reads the questions each time.

    At most so many questions are taken, those that a sample of as many would hold, without holding them. What was left
    out of the scenes, and every question without one, is counted with what was left out of the questions, anew in each
    pass, and told to the source that was asked.
    """

    def __init__(
        self, scenes: SplitReader, questions: SplitReader, asked: SplitReader, most: int | None, seed: int
    ) -> None:
        self._scenes, self._questions, self._asked = scenes, questions, asked
        self._most, self._seed = most, seed

    @cached_property
    def scenes(self) -> dict[str, Scene]:
        """Every scene by its id."""
        return {scene.id: scene for scene in self._scenes.scenes()}

    @cached_property
    def _last(self) -> int | None:
        """The number of the last question of the sample; none where all belong to it."""
        if self._most is None:
            return None
        numbers = (self._number(question) for question in self._questions.questions())
        found = nsmallest(self._most + 1, numbers)
        return found[self._most - 1] if len(found) > self._most else None

    def _number(self, question: Question) -> int:
        return content_id([self._seed, question.id])  # as in every sample

    def __iter__(self) -> Iterator[GroundedQuestion]:
        scenes, last, questions = self.scenes, self._last, self._questions.questions()
        skips = self._asked.skips = self._questions.skips
        skips.include(self._scenes.skips)
        for question in questions:
            if last is not None and self._number(question) > last:
                continue
            if question.scene in scenes:
                yield GroundedQuestion(question, scenes[question.scene])
            else:
                skips.skip(NO_SCENE, f"{question.id}: {question.scene or 'none is named'}", _REMEDY)
