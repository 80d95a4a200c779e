"""A masked language model: probable fillers for a gap in a sentence."""

from collections.abc import Collection, Sequence
from typing import Any

from counterpoint.core.errors import ModelError
from counterpoint.models.hf.checkpoint import Checkpoint, require_packages
from counterpoint.models.hf.sequence_classifiers import BATCH

MASK = "[MASK]"
"""The gap in a text, whatever the mask token of the checkpoint is."""
_BEGINNINGS = ("\u0120", "\u2581")  # word-initial marks of byte-pair and SentencePiece vocabularies


class MaskedLanguageModel:
    """A checkpoint that fills gaps of one or several words, by beam search from left to right."""

    def __init__(self, name: str, device: str = "") -> None:
        require_packages()
        from transformers import AutoModelForMaskedLM

        self._checkpoint = Checkpoint(name, device)
        _ = self._checkpoint.folder  # a failed download has its own error
        try:
            self._model: Any = self._checkpoint.weights(AutoModelForMaskedLM)
        except ModelError as problem:
            hint = "name a masked language model, such as google-bert/bert-base-cased, or a folder with one"
            raise ModelError(f"{name} holds no masked language model: {problem}", hint=hint) from problem
        self._tokenizer: Any = self._checkpoint.tokenizer()
        if self._tokenizer.mask_token_id is None:
            raise ModelError(f"{name} has no mask", hint="name a masked language model, such as BERT or RoBERTa")
        self._excluded = self._non_words()

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the checkpoint."""
        return self._checkpoint.identity().fingerprint

    def proposals(
        self, texts: Sequence[str], k: int, longest: int = 1, among: Collection[str] | None = None
    ) -> list[list[tuple[str, float]]]:
        """For each text the k most probable fillers of each length up to `longest` words, with their probabilities.

        Only whole words are proposed. Longer fillers are found by beam search of width k; with `among`, a set of
        fillers in lower case, beams that lead to none of them are pruned.
        """
        for text in texts:
            if text.count(MASK) != 1:
                raise ModelError(f"{text!r} has {text.count(MASK)} gaps, not one", hint=f"write the gap as {MASK}")
        found: list[list[tuple[str, float]]] = [[] for _ in texts]
        for length in range(1, longest + 1):
            begun = None if among is None else _beginnings(among, length)
            for own, more in zip(found, self._of_length(texts, k, length, begun), strict=True):
                own += more
        return [sorted(own, key=lambda one: (-one[1], one[0])) for own in found]

    def _of_length(
        self, texts: Sequence[str], k: int, length: int, begun: Collection[str] | None
    ) -> list[list[tuple[str, float]]]:
        mask = self._tokenizer.mask_token
        ways = [[("", 1.0)] if begun is None or begun else [] for _ in texts]
        for place in range(length):
            asked = [(number, said, chance) for number, own in enumerate(ways) for said, chance in own]
            shown = [
                texts[number].replace(MASK, f"{said} {' '.join([mask] * (length - place))}".strip())
                for number, said, _ in asked
            ]
            ways = [[] for _ in texts]
            for (number, said, chance), likely in zip(asked, self._most_probable(shown, k), strict=True):
                longer = ((f"{said} {self._word(token)}".strip(), chance * more) for token, more in likely)
                ways[number] += [way for way in longer if begun is None or way[0].lower() in begun]
            ways = [sorted(own, key=lambda one: (-one[1], one[0]))[:k] for own in ways]
        return ways

    def _most_probable(self, texts: Sequence[str], k: int) -> list[list[tuple[int, float]]]:
        """The most probable words for the first gap of each text."""
        import torch

        found: list[list[tuple[int, float]]] = [[] for _ in texts]
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            inputs = self._tokenizer(
                [texts[place] for place in some], padding=True, truncation=True, return_tensors="pt"
            ).to(self._checkpoint.place)
            gaps = inputs["input_ids"] == self._tokenizer.mask_token_id
            if not bool(gaps.any(-1).all()):
                raise ModelError("a gap lies beyond what the model reads", hint="leave out texts of that length")
            with torch.inference_mode():
                logits = self._model(**inputs).logits
            first = logits[torch.arange(len(some)), gaps.int().argmax(-1)].float()
            chances = torch.softmax(first, -1).masked_fill(self._excluded.to(first.device), 0.0)
            best = chances.topk(min(k, chances.shape[-1]))
            for place, values, tokens in zip(some, best.values.tolist(), best.indices.tolist(), strict=True):
                found[place] = [(token, value) for token, value in zip(tokens, values, strict=True) if value > 0]
        return found

    def _word(self, token: int) -> str:
        return str(self._tokenizer.decode([token])).strip()

    def _non_words(self) -> Any:
        """Which tokens are not whole words: word pieces, punctuation, special tokens."""
        import torch

        size = self._model.config.vocab_size
        pieces = self._tokenizer.convert_ids_to_tokens(list(range(min(size, len(self._tokenizer)))))
        marks = next((mark for mark in _BEGINNINGS if any(str(piece).startswith(mark) for piece in pieces)), "")
        excluded = torch.ones(size, dtype=torch.bool)
        special = set(self._tokenizer.all_special_ids)
        for number, piece in enumerate(map(str, pieces)):
            whole = piece.startswith(marks) if marks else not piece.startswith("##")
            excluded[number] = number in special or not whole or not self._word(number).isalpha()
        return excluded


def _beginnings(fillers: Collection[str], length: int) -> frozenset[str]:
    """All prefixes of the fillers that have `length` words."""
    split = (filler.split() for filler in fillers)
    return frozenset(" ".join(words[:end]) for words in split if len(words) == length for end in range(1, length + 1))
