"""The distribution of a model over its answers: the best of them, and the mean of several passes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.groups import Answer
from counterpoint.core.ports import MEAN_TRIAL

MEAN_RULE = "mean of passes"
"""The rule of an answer that is the best one of a mean distribution."""


@dataclass(frozen=True, slots=True)
class AnswerDistribution:
    """All answers that a model could give to a query, and the probability of each."""

    answers: Sequence[str]
    probabilities: NDArray[np.float64]
    normalized: bool = True  # else each is the probability that this answer is correct
    logits: NDArray[np.float64] | None = None  # for ranking, where probabilities saturate

    def answer(self, top: int) -> Answer:
        """The best answer, with the probabilities of the `top` best.

        >>> AnswerDistribution(["no", "yes"], np.array([0.25, 0.75])).answer(5).top
        (('yes', 0.75), ('no', 0.25))
        """
        best = self._best(top)
        return Answer.of(best[0][0], top=best)

    def mean_answer(self, top: int) -> Answer:
        """The same for a mean of passes; its score is the normalized entropy."""
        best = self._best(top)
        score = self.entropy if self.normalized else None
        return Answer(best[0][0], best[0][0], MEAN_RULE, score=score, top=best)

    @property
    def entropy(self) -> float:
        """The entropy as a share of that of the uniform distribution, from 0 to 1.

        >>> AnswerDistribution(["a", "b", "c", "d"], np.array([0.5, 0.5, 0.0, 0.0])).entropy
        0.5
        """
        positive = self.probabilities[self.probabilities > 0]
        most = np.log(len(self.probabilities))
        return float(min(max(-(positive * np.log(positive)).sum() / most, 0.0), 1.0)) if most else 0.0

    def _best(self, top: int) -> tuple[tuple[str, float], ...]:
        best = np.argsort(-(self.probabilities if self.logits is None else self.logits), kind="stable")[:top]
        return tuple((self.answers[place], float(self.probabilities[place])) for place in best)


def required_passes(trials: Iterable[int]) -> list[int]:
    """The passes that some trials need, each once, including those of a mean.

    >>> required_passes([0, 2, MEAN_TRIAL + 3])
    [0, 1, 2, 3]
    """
    passes = set[int]()
    for trial in trials:
        passes.update(range(1, trial - MEAN_TRIAL + 1) if trial >= MEAN_TRIAL else [trial])
    return sorted(passes)


def answer_in_trial(trial: int, passes: dict[int, AnswerDistribution | Answer], top: int) -> Answer:
    """The answer of a trial from its passes; in a mean, one failed pass fails it."""
    if trial < MEAN_TRIAL:
        result = passes[trial]
        return result.answer(top) if isinstance(result, AnswerDistribution) else result
    distributions = list[AnswerDistribution]()
    for number in range(1, trial - MEAN_TRIAL + 1):
        if isinstance(result := passes[number], Answer):
            return result
        distributions.append(result)
    return mean_distribution(distributions).mean_answer(top)


def mean_distribution(passes: Sequence[AnswerDistribution]) -> AnswerDistribution:
    """The mean of the distributions of some passes over the same answers."""
    probabilities = np.mean([one.probabilities for one in passes], axis=0)
    return AnswerDistribution(passes[0].answers, probabilities, passes[0].normalized)
