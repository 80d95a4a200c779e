"""How likely a model takes each of its answers to be: the best of them, and the mean of several passes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.answers import Answer
from counterpoint.core.ports import MEAN_TRIAL

MEAN_RULE = "mean of passes"
"""The rule by which the answer of a mean was found."""


@dataclass(frozen=True, slots=True)
class AnswerDistribution:
    """All answers that a model could give to a query, and the probability of each."""

    answers: Sequence[str]
    odds: NDArray[np.float64]
    whole: bool = True  # they add up to one; else each is the probability that this answer is right
    logits: NDArray[np.float64] | None = None  # by which the best are told apart where probabilities cannot

    def said(self, top: int) -> Answer:
        """The best answer, and so many of the best with their probabilities.

        >>> AnswerDistribution(["no", "yes"], np.array([0.25, 0.75])).said(5).top
        (('yes', 0.75), ('no', 0.25))
        """
        best = self._best(top)
        return Answer.of(best[0][0], top=best)

    def mean_said(self, top: int) -> Answer:
        """The same of a mean of passes, whose score is its entropy over that of knowing nothing."""
        best = self._best(top)
        return Answer(best[0][0], best[0][0], MEAN_RULE, score=self.entropy if self.whole else None, top=best)

    @property
    def entropy(self) -> float:
        """The entropy as a share of the largest that so many answers could have: 0 is sure, 1 knows nothing.

        >>> AnswerDistribution(["a", "b", "c", "d"], np.array([0.5, 0.5, 0.0, 0.0])).entropy
        0.5
        """
        likely = self.odds[self.odds > 0]
        most = np.log(len(self.odds))
        return float(min(max(-(likely * np.log(likely)).sum() / most, 0.0), 1.0)) if most else 0.0

    def _best(self, top: int) -> tuple[tuple[str, float], ...]:
        best = np.argsort(-(self.odds if self.logits is None else self.logits), kind="stable")[:top]
        return tuple((self.answers[place], float(self.odds[place])) for place in best)


def mean_distribution(passes: Sequence[AnswerDistribution]) -> AnswerDistribution:
    """The mean of the distributions of some passes over the same answers."""
    return AnswerDistribution(passes[0].answers, np.mean([one.odds for one in passes], axis=0), passes[0].whole)


def required_passes(trials: Iterable[int]) -> list[int]:
    """The passes that have to be made for some trials: each once, with those that a mean is taken of.

    >>> required_passes([0, 2, MEAN_TRIAL + 3])
    [0, 1, 2, 3]
    """
    found = set[int]()
    for trial in trials:
        found.update(range(1, trial - MEAN_TRIAL + 1) if trial >= MEAN_TRIAL else [trial])
    return sorted(found)


def mean_answer_of(trial: int, passes: dict[int, AnswerDistribution | Answer], top: int) -> Answer:
    """The answer of a trial that is a mean; a pass that failed fails it."""
    spreads = list[AnswerDistribution]()
    for number in range(1, trial - MEAN_TRIAL + 1):
        if isinstance(one := passes[number], Answer):
            return one
        spreads.append(one)
    return mean_distribution(spreads).mean_said(top)
