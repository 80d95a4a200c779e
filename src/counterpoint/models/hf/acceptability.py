"""Grammaticality by a checkpoint that was trained on judgements of acceptability, such as those of CoLA."""

from collections.abc import Sequence

from counterpoint.core.errors import ModelError
from counterpoint.core.ports import Floats
from counterpoint.models.hf.sequence_classifier import SequenceClassifier

_GOOD = ("acceptable", "grammatical", "correct", "valid")
_NOT = ("un", "in", "not", "non")
_NUMBERED = ("label_0", "label_1")  # as CoLA numbers them: 1 is acceptable


class AcceptabilityClassifier:
    """A classifier with two labels, one of which says that a sentence is acceptable."""

    def __init__(self, name: str, *, device: str = "") -> None:
        self._labeller = SequenceClassifier(name, device)
        self._good = _good(dict(self._labeller.labels), name)

    def scores(self, texts: Sequence[str]) -> Floats:
        """The probability that each text is acceptable."""
        return self._labeller.probabilities(texts)[:, self._good]


def _good(labels: dict[int, str], name: str) -> int:
    """The number of the label that says so."""
    if tuple(labels[number] for number in sorted(labels)) == _NUMBERED:
        return 1
    found = [number for number, label in labels.items() if label.endswith(_GOOD) and not label.startswith(_NOT)]
    if len(found) != 1:
        fact = f"{name} has the labels {', '.join(labels.values())}, none of which is called acceptable"
        raise ModelError(fact, hint="name a checkpoint that was trained on acceptability, as on CoLA")
    return found[0]
