"""Who writes questions: functions that each know one kind, called in a lucky order."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeAlias

from counterpoint.world.question_programs import QuestionDraft
from counterpoint.world.referents import ReferentFinder

QuestionWriter: TypeAlias = Callable[[ReferentFinder, Random], QuestionDraft | None]
"""Writes one question about a scene, or nothing where it finds none that could not be doubted."""


def write_drafts(
    makers: Sequence[tuple[QuestionWriter, int]], namer: ReferentFinder, rng: Random, tries: int
) -> Iterator[QuestionDraft]:
    """What the makers write about one scene; the weightier are asked more often, and seldom the same one twice."""
    weights = [weight for _, weight in makers]
    for _ in range(tries):
        if not any(weights):
            return
        place = rng.choices(range(len(makers)), weights)[0]
        weights[place] //= 3
        draft = makers[place][0](namer, rng)
        if draft is not None:
            yield draft
