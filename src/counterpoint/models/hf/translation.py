"""Translation by a checkpoint that reads one text and writes another, such as those of Marian."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from counterpoint.core.errors import ModelError
from counterpoint.models.hf.checkpoint import Checkpoint

LONGEST = 128
"""How many tokens a translation has at most."""


class SequenceTranslator:
    """A sequence-to-sequence checkpoint; it writes the likeliest text, so that one text has one translation."""

    def __init__(self, name: str, device: str = "") -> None:
        for package in ("torch", "transformers"):
            if find_spec(package) is None:
                raise ModelError(f"{package} is not installed", hint="pip install 'counterpoint[hf]'")
        from transformers import AutoModelForSeq2SeqLM

        self._checkpoint = Checkpoint(name, device)
        self._model: Any = self._checkpoint.weights(AutoModelForSeq2SeqLM)
        self._tokenizer: Any = self._checkpoint.tokenizer()

    def translated(self, texts: Sequence[str]) -> list[str]:
        """One text for each, by greedy search."""
        import torch

        inputs = self._tokenizer(list(texts), return_tensors="pt", padding=True, truncation=True)
        inputs = {
            name: tensor.to(self._checkpoint.place) for name, tensor in inputs.items() if name != "token_type_ids"
        }
        with torch.inference_mode():
            written = self._model.generate(**inputs, max_new_tokens=LONGEST, do_sample=False, num_beams=1)
        return [str(text) for text in self._tokenizer.batch_decode(written, skip_special_tokens=True)]
