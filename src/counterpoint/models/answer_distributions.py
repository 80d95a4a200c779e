"""The distribution of a model over its answers: from logits, its best answers, and the mean of several passes."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.ports import MEAN_TRIAL, Floats
from counterpoint.models.hf.checkpoint import Checkpoint

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
    probabilities = np.mean([distribution.probabilities for distribution in passes], axis=0)
    return AnswerDistribution(passes[0].answers, probabilities, passes[0].normalized)


class AnswerLabels:
    """Converts logits to answers: the best label, and the `top` best with their probabilities.

    >>> AnswerLabels(["yes", "no"], 5, "softmax").answer(Query(None, "Is it?"), np.zeros(2, np.float32)).top
    (('yes', 0.5), ('no', 0.5))
    """

    def __init__(self, names: Sequence[str], top: int, odds: str) -> None:
        self.top = top
        self._names, self._odds = names, odds
        self._places = {name.strip().lower(): place for place, name in reversed(list(enumerate(names)))}

    def answer(self, query: Query, logits: Floats) -> Answer:
        """The best labels with their probabilities, among the choices where any of them is a label."""
        result = self.distribution(query, logits)
        return result.answer(self.top) if isinstance(result, AnswerDistribution) else result

    def distribution(self, query: Query, logits: Floats) -> AnswerDistribution | Answer:
        """The probability of each label, among the choices where any of them is one; a failed answer otherwise."""
        if query.mode is Mode.SCORE:
            return Answer.failed("a classifier answers questions, and does not score texts")
        if not np.isfinite(logits).all():
            return Answer.failed("the logits are not finite; a wider dtype may help")
        offered = {self._places.get(choice.strip().lower(), -1): choice for choice in reversed(query.choices)}
        places = sorted(place for place in offered if place >= 0) or list(range(len(logits)))
        exact = logits[places].astype(np.float64)
        named = [offered.get(place, self._names[place]) for place in places] if query.choices else self._names
        if self._odds == "sigmoid":
            return AnswerDistribution(named, np.exp(-np.logaddexp(0, -exact)), normalized=False, logits=exact)
        weights = np.exp(exact - exact.max())
        return AnswerDistribution(named, weights / weights.sum(), logits=exact)


def read_labels(checkpoint: Checkpoint, file: str) -> list[str]:
    """The labels in the order of the outputs, from a file or from the checkpoint."""
    config = checkpoint.config
    wanted = int(getattr(config, "num_qa_labels", 0) or config.num_labels)
    hint = f"--model-args labels=FILE names its {wanted:,} answers in order: a list in JSON, or one a line"
    if file:
        labels = _read_list(Path(file), hint)
    else:
        labels = [str(label) for _, label in sorted(config.id2label.items(), key=lambda pair: int(pair[0]))]
    place = file or checkpoint.name
    if len(labels) != wanted:
        raise ModelError(f"{place} names {len(labels):,} answers, and the model has {wanted:,}", hint=hint)
    if all(label == f"LABEL_{number}" for number, label in enumerate(labels)):
        raise ModelError(f"{place} does not say which answers its outputs stand for", hint=hint)
    return labels


def _read_list(file: Path, hint: str) -> list[str]:
    try:
        text = file.read_text(encoding="utf-8")
        labels = json.loads(text) if file.suffix == ".json" else text.splitlines()
    except (OSError, ValueError) as problem:
        raise ModelError(f"{file} cannot be read: {problem}", hint=hint) from problem
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ModelError(f"{file} holds no list of answers", hint=hint)
    return labels
