"""Sanity baselines with known scores: a model that always gives the same answer, and one that guesses."""

from collections.abc import Iterator, Sequence

import numpy as np

from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.ids import content_id, seeded_rng
from counterpoint.core.ports import MEAN_TRIAL, Floats, Pictures, PlacedAnswer, SampledAnswer, Scale
from counterpoint.models.answer_distributions import AnswerDistribution

COMMON_ANSWERS = ("yes", "no", "red", "white", "black", "blue", "green", "left", "right", "1", "2", "3")
"""The random answers to a question without choices."""


class ConstantModel:
    """Always the same answer, and the same score.

    >>> list(ConstantModel("yes").answer([Query(None, "Is it?"), Query(None, "Is it not?")]))[1][1].value
    'yes'
    """

    scale = Scale.PROBABILITY

    def __init__(self, value: str = "yes") -> None:
        self.fingerprint = f"constant-{value}"
        self._answer = Answer.of(value, top=((value, 1.0),))
        self._score = Answer.scored(0.5)

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """The answer, once for each query."""
        for position, query in enumerate(queries):
            yield position, self._score if query.mode is Mode.SCORE else self._answer

    def score(self, queries: Sequence[Query]) -> Floats:
        """0.5 for every text."""
        return np.full(len(queries), 0.5, np.float32)


class RandomModel:
    """A random answer to each query, which depends on the query and the seed alone."""

    scale = Scale.PROBABILITY
    averages = True

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self.fingerprint = f"random-{seed}"

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """One of the choices, or of a few common answers."""
        for position, query in enumerate(queries):
            if query.mode is Mode.SCORE:
                yield position, Answer.scored(self._draw(query))
                continue
            answers = query.choices or COMMON_ANSWERS
            chosen = answers[int(self._draw(query) * len(answers))]
            others = [(value, 1 / len(answers)) for value in answers if value != chosen]
            yield position, Answer.of(chosen, top=((chosen, 1 / len(answers)), *others[:4]))

    def score(self, queries: Sequence[Query]) -> Floats:
        """A random number from 0 to 1."""
        return np.array([self._draw(query) for query in queries], np.float32)

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[SampledAnswer]:
        """Another draw for each trial; trial 0 is the plain pass, and a mean is the uniform distribution."""
        for trial in trials:
            if trial >= MEAN_TRIAL:
                for position, query in enumerate(queries):
                    answers = query.choices or COMMON_ANSWERS
                    uniform = AnswerDistribution(answers, np.full(len(answers), 1 / len(answers)))
                    yield position, trial, uniform.mean_answer(5)
                continue
            model = RandomModel(content_id([self._seed, seed, trial])) if trial else self
            yield from ((position, trial, answer) for position, answer in model.answer(queries))

    def _draw(self, query: Query) -> float:
        return seeded_rng("guess", self._seed, query.id).random()


def constant(pictures: Pictures | None = None) -> ConstantModel:
    """Answers yes to everything."""
    return ConstantModel()


def random(pictures: Pictures | None = None) -> RandomModel:
    """Random answers, the same in every run."""
    return RandomModel()
