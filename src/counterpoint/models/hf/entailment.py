"""Inference by a checkpoint that was trained to tell entailment, neutrality and contradiction."""

from collections.abc import Sequence

from counterpoint.core.errors import ModelError
from counterpoint.models.hf.sequence_classifier import SequenceClassifier

LABELS = ("entailment", "neutral", "contradiction")
"""What a text can be to another, as we call it; a checkpoint's own labels begin alike."""
_STEMS = ("entail", "neutral", "contradict")


class EntailmentClassifier:
    """A classifier of pairs of texts, whose labels are found by their names, in whatever order they are.

    A checkpoint that only numbers them is told their names in that order, as in "entailment|neutral|contradiction".
    """

    def __init__(self, name: str, *, labels: str = "", device: str = "") -> None:
        self._labeller = SequenceClassifier(name, device)
        own = dict(enumerate(labels.lower().split("|"))) if labels else self._labeller.labels
        self._said: dict[int, str] = {
            number: ours
            for number, label in own.items()
            for stem, ours in zip(_STEMS, LABELS, strict=True)
            if label.startswith(stem)
        }
        if sorted(self._said.values()) != sorted(LABELS) or len(own) != len(self._labeller.labels):
            fact = f"{name} has the labels {', '.join(own.values())}, not {', '.join(LABELS)}"
            raise ModelError(fact, hint=f"where it numbers them, say which is which: labels={'|'.join(LABELS)}")

    def labels(self, premises: Sequence[str], hypotheses: Sequence[str]) -> list[str]:
        """The likeliest label of each hypothesis, if its premise is true."""
        found = self._labeller.probabilities(premises, hypotheses)
        return [self._said[number] for number in found.argmax(-1).tolist()]
