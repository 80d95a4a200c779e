"""Models that must come out as expected: one that always says the same, one that guesses, one that knows."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from counterpoint.core.answers import Answer
from counterpoint.core.groups import Gold, Mode, Query
from counterpoint.core.ids import canonical, content_id, hex_id, seeded_rng
from counterpoint.core.ports import MEAN_TRIAL, Floats, Pictures, PlacedAnswer, Scale
from counterpoint.models.answer_distributions import AnswerDistribution

COMMON_ANSWERS = ("yes", "no", "red", "white", "black", "blue", "green", "left", "right", "1", "2", "3")
"""What the random model says where a question has no choices."""


class ConstantModel:
    """Always the same answer, and the same score.

    >>> list(ConstantModel("yes").answer([Query(None, "Is it?"), Query(None, "Is it not?")]))[1][1].value
    'yes'
    """

    scale = Scale.PROBABILITY

    def __init__(self, value: str = "yes") -> None:
        self._value = value
        self.fingerprint = f"constant-{value}"

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """The answer, once for each query."""
        for position, query in enumerate(queries):
            scored = query.mode is Mode.SCORE
            yield position, Answer.scored(0.5) if scored else Answer.of(self._value, top=((self._value, 1.0),))

    def score(self, queries: Sequence[Query]) -> Floats:
        """One half, whatever the text."""
        return np.full(len(queries), 0.5, np.float32)


class RandomModel:
    """A guess at each query, which follows from the query and the seed alone."""

    scale = Scale.PROBABILITY
    averages = True

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self.fingerprint = f"random-{seed}"

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """One of the choices, or of a few common answers."""
        for position, query in enumerate(queries):
            if query.mode is Mode.SCORE:
                yield position, Answer.scored(self._luck(query))
                continue
            listed = query.choices or COMMON_ANSWERS
            chosen = listed[int(self._luck(query) * len(listed))]
            others = [(value, 1 / len(listed)) for value in listed if value != chosen]
            yield position, Answer.of(chosen, top=((chosen, 1 / len(listed)), *others[:4]))

    def score(self, queries: Sequence[Query]) -> Floats:
        """A number from 0 to 1."""
        return np.array([self._luck(query) for query in queries], np.float32)

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """Another guess for each trial; trial 0 is the plain one, and a mean is as likely as any guess."""
        for trial in trials:
            if trial >= MEAN_TRIAL:
                yield from ((position, trial, self._mean(query)) for position, query in enumerate(queries))
                continue
            guessing = RandomModel(content_id([self._seed, seed, trial])) if trial else self
            yield from ((position, trial, answer) for position, answer in guessing.answer(queries))

    def _mean(self, query: Query) -> Answer:
        listed = query.choices or COMMON_ANSWERS
        return AnswerDistribution(listed, np.full(len(listed), 1 / len(listed))).mean_said(5)

    def _luck(self, query: Query) -> float:
        return seeded_rng("guess", self._seed, query.id).random()


class Knowing:
    """Told the right answers beforehand, by the ids of queries; where it knows none, it fails.

    >>> asked = Query(None, "Is it?")
    >>> [answer.value for _, answer in Knowing({asked.id: Gold.of("no")}).answer([asked])]
    ['no']
    """

    scale = Scale.PROBABILITY

    def __init__(self, gold: Mapping[int, Gold]) -> None:
        self._gold = dict(gold)
        told = [[hex_id(number), *(value for value, _ in gold.answers)] for number, gold in sorted(self._gold.items())]
        self.fingerprint = f"gold-{hex_id(content_id(canonical(told)))}"

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """The best of the right answers; as a score, what credit "yes" would have."""
        for position, query in enumerate(queries):
            gold = self._gold.get(query.id)
            if gold is None:
                yield position, Answer.failed("this query is not among those it was told")
            elif query.mode is Mode.SCORE:
                yield position, Answer.scored(gold.credit("yes"))
            else:
                yield position, Answer.of(gold.best, top=((gold.best, 1.0),))

    def score(self, queries: Sequence[Query]) -> Floats:
        """One where the text fits, zero where it does not; not a number where it was told nothing."""
        said = (answer.score for _, answer in self.answer([_scoring(query) for query in queries]))
        return np.array([np.nan if score is None else score for score in said], np.float32)


def constant(pictures: Pictures | None = None) -> ConstantModel:
    """Says yes to everything."""
    return ConstantModel()


def random(pictures: Pictures | None = None) -> RandomModel:
    """Guesses, the same at every run."""
    return RandomModel()


def gold(answers: Mapping[int, Gold]) -> Knowing:
    """Knows what it was told."""
    return Knowing(answers)


def _scoring(query: Query) -> Query:
    return Query(query.picture, query.text, Mode.SCORE, query.choices, query.context, query.edits)
