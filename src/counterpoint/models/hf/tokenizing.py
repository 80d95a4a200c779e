"""Texts as the tokens of a checkpoint, padded only as far as those that go together need it."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from counterpoint.core.groups import Query
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.picture_processing import stack_on_device

Tokens: TypeAlias = dict[str, list[int]]
"""One text by the names under which a model takes it: the numbers of its tokens, and what belongs to each."""


def full_text(query: Query) -> str:
    """The text of a query after what was said before it."""
    return f"{query.context} {query.text}" if query.context else query.text


def drop_full_mask(tokens: Tokens) -> Tokens:
    """The tokens without a mask that hides none of them: many models wait for the device to learn as much.

    >>> drop_full_mask({"input_ids": [7, 9], "attention_mask": [1, 1]})
    {'input_ids': [7, 9]}
    """
    hides = not all(tokens.get("attention_mask", ()))
    return {name: numbers for name, numbers in tokens.items() if hides or name != "attention_mask"}


class TextTokenizer:
    """Reads texts with the tokenizer of a checkpoint; what is longer than the model can read is cut off at its end."""

    def __init__(self, tokenizer: Any, longest: int, *, whole: bool = False) -> None:
        self._tokenizer, self._longest = tokenizer, longest
        self._padding = "max_length" if whole else False

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> "TextTokenizer":
        """The one for a checkpoint; SigLIP was trained on texts of full length, and reads no other."""
        from transformers import AutoTokenizer

        tokenizer = checkpoint.load(AutoTokenizer.from_pretrained)
        config = checkpoint.config
        texts = getattr(config, "qformer_config", None) or getattr(config, "text_config", None) or config
        places = int(getattr(texts, "max_position_embeddings", 0) or tokenizer.model_max_length)
        if config.model_type == "altclip":
            places -= 2  # as in RoBERTa, whose first two places no token takes
        return cls(tokenizer, min(places, tokenizer.model_max_length), whole=config.model_type.startswith("siglip"))

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Each text as its tokens."""
        if not texts:
            return []
        read = self._tokenizer(list(texts), truncation=True, max_length=self._longest, padding=self._padding)
        return [{name: read[name][place] for name in read} for place in range(len(texts))]

    def batch(self, some: Sequence[Tokens], device: Any) -> dict[str, Any]:
        """Texts as the inputs of a model, padded at their ends to the longest; nobody waits for the device."""
        longest = max(len(one["input_ids"]) for one in some)
        found = {}
        for name in some[0]:
            filled = (self._tokenizer.pad_token_id or 0) if name == "input_ids" else 0
            rows = np.full((len(some), longest), filled, np.int64)
            for row, one in zip(rows, some, strict=True):
                row[: len(one[name])] = one[name]
            found[name] = stack_on_device(list(rows), device)
        return found
