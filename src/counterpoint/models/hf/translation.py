"""Translation by a sequence-to-sequence checkpoint, such as those of Marian."""

from collections.abc import Sequence
from typing import Any

from counterpoint.models.hf.checkpoint import Checkpoint, require_packages

MAX_TOKENS = 128
"""The longest translation."""


class SequenceTranslator:
    """A sequence-to-sequence checkpoint with greedy decoding, so that one text has one translation."""

    def __init__(self, name: str, device: str = "") -> None:
        require_packages()
        from transformers import AutoModelForSeq2SeqLM

        self._checkpoint = Checkpoint(name, device)
        self._model: Any = self._checkpoint.weights(AutoModelForSeq2SeqLM)
        self._tokenizer: Any = self._checkpoint.tokenizer()

    def translate(self, texts: Sequence[str]) -> list[str]:
        """One translation for each text."""
        import torch

        encoded = self._tokenizer(list(texts), return_tensors="pt", padding=True, truncation=True)
        place = self._checkpoint.place
        inputs = {name: tensor.to(place) for name, tensor in encoded.items() if name != "token_type_ids"}
        with torch.inference_mode():
            tokens = self._model.generate(**inputs, max_new_tokens=MAX_TOKENS, do_sample=False, num_beams=1)
        return [str(text) for text in self._tokenizer.batch_decode(tokens, skip_special_tokens=True)]
