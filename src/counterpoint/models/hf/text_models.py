"""Checkpoints that read text alone: sequence classifiers, translators, and masked language models."""

from collections.abc import Collection, Iterator, Mapping, Sequence
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
MAX_TOKENS = 128
"""The longest translation."""
MASK = "[MASK]"
"""The gap in a text, whatever the mask token of the checkpoint is."""
_BEGINNINGS = ("\u0120", "\u2581")  # word-initial marks of byte-pair and SentencePiece vocabularies


class TextModel:
    """A checkpoint from the hub or a folder, of one of the auto-classes of transformers, with its tokenizer."""

    def __init__(self, name: str, family: str, device: str = "") -> None:
        require_packages()
        import transformers

        self._checkpoint = Checkpoint(name, device)
        self._model: Any = self._checkpoint.weights(getattr(transformers, family))
        self._tokenizer: Any = self._checkpoint.tokenizer()

    def _logits(self, *columns: Sequence[str]) -> Iterator[tuple[list[int], Any, Any]]:
        """Texts, or pairs of them, in batches of similar length: positions, inputs and logits."""
        import torch

        rows = list(zip(*columns, strict=True))
        order = sorted(range(len(rows)), key=lambda place: sum(map(len, rows[place])))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            batch = [[column[place] for place in places] for column in columns]
            inputs = self._tokenizer(*batch, padding=True, truncation=True, return_tensors="pt")
            with torch.inference_mode():
                logits = self._model(**inputs.to(self._checkpoint.place)).logits
            yield places, inputs, logits


class SequenceClassifier(TextModel):
    """A sequence classifier of texts, or of pairs of texts."""

    def __init__(self, name: str, device: str = "") -> None:
        super().__init__(name, "AutoModelForSequenceClassification", device)

    @property
    def names(self) -> Mapping[int, str]:
        """Its labels in lower case, by number."""
        return {int(number): str(label).lower() for number, label in self._model.config.id2label.items()}

    def probabilities(self, *columns: Sequence[str]) -> Floats:
        """One row per text, or per pair of texts, and one column per label."""
        probabilities = np.zeros((len(columns[0]), len(self.names)), np.float32)
        for places, _, logits in self._logits(*columns):
            probabilities[places] = logits.float().softmax(-1).cpu().numpy()
        return probabilities


class AcceptabilityClassifier(SequenceClassifier):
    """A classifier with two labels, one of which says that a sentence is acceptable (CoLA)."""

    def __init__(self, name: str, *, device: str = "") -> None:
        super().__init__(name, device)
        self._acceptable = _acceptable_label(dict(self.names), name)

    def scores(self, texts: Sequence[str]) -> Floats:
        """The probability that each text is acceptable."""
        return self.probabilities(texts)[:, self._acceptable]


class EntailmentClassifier(SequenceClassifier):
    """A classifier of pairs of texts (NLI), whose labels are found by their names, in whatever order they are.

    A checkpoint that only numbers them is given the names in that order, as in "entailment|neutral|contradiction".
    """

    def __init__(self, name: str, *, labels: str = "", device: str = "") -> None:
        super().__init__(name, device)
        named = dict(enumerate(labels.lower().split("|"))) if labels else self.names
        self._labels: dict[int, str] = {
            number: ours
            for number, label in named.items()
            for stem, ours in zip(_NLI_STEMS, NLI_LABELS, strict=True)
            if label.startswith(stem)
        }
        if sorted(self._labels.values()) != sorted(NLI_LABELS) or len(named) != len(self.names):
            fact = f"{name} has the labels {', '.join(named.values())}, not {', '.join(NLI_LABELS)}"
            raise ModelError(fact, hint=f"where it numbers them, give their names: labels={'|'.join(NLI_LABELS)}")

    def labels(self, premises: Sequence[str], hypotheses: Sequence[str]) -> list[str]:
        """The most probable label of each hypothesis, given its premise."""
        probabilities = self.probabilities(premises, hypotheses)
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


class SequenceTranslator(TextModel):
    """A sequence-to-sequence checkpoint with greedy decoding, so that one text has one translation."""

    def __init__(self, name: str, device: str = "") -> None:
        super().__init__(name, "AutoModelForSeq2SeqLM", device)

    def translate(self, texts: Sequence[str]) -> list[str]:
        """One translation for each text."""
        import torch

        encoded = self._tokenizer(list(texts), return_tensors="pt", padding=True, truncation=True)
        place = self._checkpoint.place
        inputs = {name: tensor.to(place) for name, tensor in encoded.items() if name != "token_type_ids"}
        with torch.inference_mode():
            tokens = self._model.generate(**inputs, max_new_tokens=MAX_TOKENS, do_sample=False, num_beams=1)
        return [str(text) for text in self._tokenizer.batch_decode(tokens, skip_special_tokens=True)]


class MaskedLanguageModel(TextModel):
    """A checkpoint that fills gaps of one or several words, by beam search from left to right."""

    def __init__(self, name: str, device: str = "") -> None:
        require_packages()
        _ = Checkpoint(name, device).folder  # a failed download has its own error
        try:
            super().__init__(name, "AutoModelForMaskedLM", device)
        except ModelError as problem:
            hint = "name a masked language model, such as google-bert/bert-base-cased, or a folder with one"
            raise ModelError(f"{name} holds no masked language model: {problem}", hint=hint) from problem
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
        fillers: list[list[tuple[str, float]]] = [[] for _ in texts]
        for length in range(1, longest + 1):
            begun = None if among is None else _beginnings(among, length)
            for proposed, longer in zip(fillers, self._of_length(texts, k, length, begun), strict=True):
                proposed += longer
        return [sorted(proposed, key=lambda filler: (-filler[1], filler[0])) for proposed in fillers]

    def _of_length(
        self, texts: Sequence[str], k: int, length: int, begun: Collection[str] | None
    ) -> list[list[tuple[str, float]]]:
        mask = self._tokenizer.mask_token
        beams = [[("", 1.0)] if begun is None or begun else [] for _ in texts]
        for place in range(length):
            begun_beams = [(number, *beam) for number, own_beams in enumerate(beams) for beam in own_beams]
            masked = [
                texts[number].replace(MASK, f"{words} {' '.join([mask] * (length - place))}".strip())
                for number, words, _ in begun_beams
            ]
            beams = [[] for _ in texts]
            for (number, words, chance), likely in zip(begun_beams, self._most_probable(masked, k), strict=True):
                longer = ((f"{words} {self._word(token)}".strip(), chance * more) for token, more in likely)
                beams[number] += [beam for beam in longer if begun is None or beam[0].lower() in begun]
            beams = [sorted(own_beams, key=lambda beam: (-beam[1], beam[0]))[:k] for own_beams in beams]
        return beams

    def _most_probable(self, texts: Sequence[str], k: int) -> list[list[tuple[int, float]]]:
        """The most probable words for the first gap of each text."""
        import torch

        tokens_by_text: list[list[tuple[int, float]]] = [[] for _ in texts]
        for places, inputs, logits in self._logits(texts):
            gaps = inputs["input_ids"] == self._tokenizer.mask_token_id
            if not bool(gaps.any(-1).all()):
                raise ModelError("a gap lies beyond what the model reads", hint="leave out texts of that length")
            first = logits[torch.arange(len(places)), gaps.int().argmax(-1)].float()
            chances = torch.softmax(first, -1).masked_fill(self._excluded.to(first.device), 0.0)
            best = chances.topk(min(k, chances.shape[-1]))
            for place, values, tokens in zip(places, best.values.tolist(), best.indices.tolist(), strict=True):
                tokens_by_text[place] = [pair for pair in zip(tokens, values, strict=True) if pair[1] > 0]
        return tokens_by_text

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
