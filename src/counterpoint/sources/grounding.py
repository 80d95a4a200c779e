"""Questions with the scenes they ask about: scenes are held by id, questions pass by one at a time."""

from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

from counterpoint.core.items import Grounded, Question
from counterpoint.core.scenes import Scene
from counterpoint.sources.skips import Skips

NO_SCENE = "a question about a picture whose scene is not there"
_REMEDY = "the other questions stay; are the scenes those of the same split?"


class Readable(Protocol):
    """A split of a data set that has scenes and questions, and counts what it leaves out of the latest it read."""

    skips: Skips

    def scenes(self) -> Iterator[Scene]:
        """What annotators saw in each picture."""
        ...

    def questions(self) -> Iterator[Question]:
        """Questions with their right answers."""
        ...


class Grounding:
    """The questions of a source with their scenes; it can be walked again and again, and reads the questions each time.

    What was left out of the scenes, and every question without one, is counted with what was left out of the questions,
    anew in each pass.
    """

    def __init__(self, scenes: Readable, questions: Readable) -> None:
        self._scenes, self._questions = scenes, questions

    @cached_property
    def scenes(self) -> dict[str, Scene]:
        """Every scene by its id."""
        return {scene.id: scene for scene in self._scenes.scenes()}

    def __iter__(self) -> Iterator[Grounded]:
        scenes, questions = self.scenes, self._questions.questions()
        skips = self._questions.skips
        skips.include(self._scenes.skips)
        for question in questions:
            if question.scene in scenes:
                yield Grounded(question, scenes[question.scene])
            else:
                skips.skip(NO_SCENE, f"{question.id}: {question.scene or 'none is named'}", _REMEDY)
