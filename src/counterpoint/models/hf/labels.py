"""The labels of an answer classifier, and answers from its logits."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.ports import Floats
from counterpoint.models.answer_distributions import AnswerDistribution
from counterpoint.models.hf.checkpoint import Checkpoint


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
        whole = self._odds != "sigmoid"
        return AnswerDistribution(named, _softmax(exact) if whole else _sigmoid(exact), whole, exact)


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


def _sigmoid(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.exp(-np.logaddexp(0, -logits)))


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.exp(logits - logits.max())
    return np.asarray(weights / weights.sum())
