"""Sequence classifiers: checkpoints that label a text or a pair of texts, for acceptability and entailment."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from counterpoint.core.errors import ModelError
from counterpoint.core.ports import Floats
from counterpoint.models.hf.checkpoint import Checkpoint, require_packages

BATCH = 32
NLI_LABELS = ("entailment", "neutral", "contradiction")
"""The labels of natural language inference, by our names; those of a checkpoint begin alike."""
_NLI_STEMS = ("entail", "neutral", "contradict")
_ACCEPTABLE = ("acceptable", "grammatical", "correct", "valid")
_NEGATIONS = ("un", "in", "not", "non")
_NUMBERED = ("label_0", "label_1")  # as CoLA numbers them: 1 is acceptable


class SequenceClassifier:
    """A sequence classifier from the hub or a folder."""

    def __init__(self, name: str, device: str = "") -> None:
        require_packages()
        from transformers import AutoModelForSequenceClassification

        self._checkpoint = Checkpoint(name, device)
        self._model: Any = self._checkpoint.weights(AutoModelForSequenceClassification)
        self._tokenizer: Any = self._checkpoint.tokenizer()

    @property
    def labels(self) -> Mapping[int, str]:
        """Its labels in lower case, by number."""
        return {int(number): str(label).lower() for number, label in self._model.config.id2label.items()}

    def probabilities(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Floats:
        """One row per text, or per pair of texts, and one column per label; texts of similar length share a batch."""
        import torch

        order = sorted(range(len(texts)), key=lambda place: len(texts[place]) + (len(others[place]) if others else 0))
        probabilities = np.zeros((len(texts), len(self.labels)), np.float32)
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            inputs = self._tokenizer(
                [texts[place] for place in places],
                [others[place] for place in places] if others else None,
                padding=True,
                truncation=True,
                return_tensors="pt",
            )
            with torch.inference_mode():
                logits = self._model(**inputs.to(self._checkpoint.place)).logits
            probabilities[places] = torch.softmax(logits.float(), -1).cpu().numpy()
        return probabilities


class AcceptabilityClassifier:
    """A classifier with two labels, one of which says that a sentence is acceptable (CoLA)."""

    def __init__(self, name: str, *, device: str = "") -> None:
        self._classifier = SequenceClassifier(name, device)
        self._acceptable = _acceptable_label(dict(self._classifier.labels), name)

    def scores(self, texts: Sequence[str]) -> Floats:
        """The probability that each text is acceptable."""
        return self._classifier.probabilities(texts)[:, self._acceptable]


class EntailmentClassifier:
    """A classifier of pairs of texts (NLI), whose labels are found by their names, in whatever order they are.

    A checkpoint that only numbers them is given the names in that order, as in "entailment|neutral|contradiction".
    """

    def __init__(self, name: str, *, labels: str = "", device: str = "") -> None:
        self._classifier = SequenceClassifier(name, device)
        named = dict(enumerate(labels.lower().split("|"))) if labels else self._classifier.labels
        self._labels: dict[int, str] = {
            number: ours
            for number, label in named.items()
            for stem, ours in zip(_NLI_STEMS, NLI_LABELS, strict=True)
            if label.startswith(stem)
        }
        if sorted(self._labels.values()) != sorted(NLI_LABELS) or len(named) != len(self._classifier.labels):
            fact = f"{name} has the labels {', '.join(named.values())}, not {', '.join(NLI_LABELS)}"
            raise ModelError(fact, hint=f"where it numbers them, give their names: labels={'|'.join(NLI_LABELS)}")

    def labels(self, premises: Sequence[str], hypotheses: Sequence[str]) -> list[str]:
        """The most probable label of each hypothesis, given its premise."""
        probabilities = self._classifier.probabilities(premises, hypotheses)
        return [self._labels[number] for number in probabilities.argmax(-1).tolist()]


def _acceptable_label(labels: dict[int, str], name: str) -> int:
    """The number of the label that means acceptable."""
    if tuple(labels[number] for number in sorted(labels)) == _NUMBERED:
        return 1
    numbers = [n for n, label in labels.items() if label.endswith(_ACCEPTABLE) and not label.startswith(_NEGATIONS)]
    if len(numbers) != 1:
        fact = f"{name} has the labels {', '.join(labels.values())}, none of which is called acceptable"
        raise ModelError(fact, hint="name a checkpoint that was trained on acceptability, as on CoLA")
    return numbers[0]
