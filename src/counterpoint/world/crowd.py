"""The world as VQA would have it: its questions are those that people type, with ten answers each."""

from collections.abc import Iterator

from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.world.source import World
from counterpoint.world.vqa import vqa_questions


class Crowd(World):
    """So many scenes of a split, with questions in the manner of VQA, in several phrasings, and no others."""

    rules = "vqa"
    """By which its answers are compared: the official program for ten answers."""

    def questions(self) -> Iterator[Question]:
        """Questions in the manner of VQA."""
        return self.crowd_questions()

    def grounded(self) -> Iterator[GroundedQuestion]:
        """The same questions, each with the scene it asks about."""
        for scene in self.scenes():
            yield from (
                GroundedQuestion(question, scene) for question in vqa_questions(scene, self._luck("vqa", scene))
            )
