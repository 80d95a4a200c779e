"""Checkpoints that read a text, or two, and choose a label: the part that graders of grammar and inference share."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from counterpoint.core.errors import ModelError
from counterpoint.core.ports import Floats
from counterpoint.models.hf.checkpoint import Checkpoint

BATCH = 32


def require_packages() -> None:
    """Refuse in one sentence where the packages of the extra are not installed."""
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise ModelError(f"{package} is not installed", hint="pip install 'counterpoint[hf]'")


class SequenceClassifier:
    """A sequence classifier from the hub or a folder."""

    def __init__(self, name: str, device: str = "") -> None:
        require_packages()
        from transformers import AutoModelForSequenceClassification

        self._checkpoint = Checkpoint(name, device)
        self._model: Any = self._checkpoint.weights(AutoModelForSequenceClassification)
        self._tokenizer: Any = self._checkpoint.tokenizer()

    @property
    def name(self) -> str:
        """The name it was called by."""
        return self._checkpoint.name

    @property
    def labels(self) -> Mapping[int, str]:
        """Its labels in small letters, by number."""
        return {int(number): str(label).lower() for number, label in self._model.config.id2label.items()}

    def probabilities(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Floats:
        """One row per text, or per pair of texts, and one column per label; texts of like length are read together."""
        import torch

        order = sorted(range(len(texts)), key=lambda place: len(texts[place]) + (len(others[place]) if others else 0))
        found = np.zeros((len(texts), len(self.labels)), np.float32)
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            inputs = self._tokenizer(
                [texts[place] for place in some],
                [others[place] for place in some] if others else None,
                padding=True,
                truncation=True,
                return_tensors="pt",
            )
            with torch.inference_mode():
                logits = self._model(**inputs.to(self._checkpoint.place)).logits
            found[some] = torch.softmax(logits.float(), -1).cpu().numpy()
        return found
