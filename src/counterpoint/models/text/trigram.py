"""A text-only baseline: the general English trigram model of the package pocketsphinx."""

import re
from collections.abc import Sequence
from hashlib import blake2b, file_digest
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Query
from counterpoint.core.ports import Floats, Pictures, Scale
from counterpoint.language.kneser_ney import tokenize
from counterpoint.language.numbers import number_value, number_word

BASE = log(1.0001)
"""The base of the model's integer log-probabilities."""
BEGIN, END = "<s>", "</s>"
FILE = "en-us/en-us.lm.bin"
"""The file of the model within the package."""
LONGEST = 3
"""The longest number, in digits, that is spelled out."""


class TrigramModel:
    """Scores a text by the mean log-probability of its words, each after the two before it."""

    scale = Scale.SIMILARITY

    def __init__(self, model: Any, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._model = model

    def score(self, queries: Sequence[Query]) -> Floats:
        """The negative log-perplexity per word, with the end of the sentence as a word."""
        return np.array([self._score(query.text) for query in queries], np.float32)

    def _score(self, text: str) -> float:
        words = [BEGIN, *spoken_words(text), END]
        runs = (words[max(place - 2, 0) : place + 1] for place in range(1, len(words)))
        total: int = sum(self._model.prob(run[::-1]) for run in runs)
        return total * BASE / (len(words) - 1)


def trigram(pictures: Pictures | None = None) -> TrigramModel:
    """Text-only baseline: trigrams of general English, from pocketsphinx."""
    try:
        from pocketsphinx import NGramModel, get_model_path
    except ImportError as problem:
        hint = "pip install 'counterpoint[nlp]' brings it"
        raise ModelError("trigram needs the package pocketsphinx, which is not installed", hint=hint) from problem
    path = Path(get_model_path()) / FILE
    try:
        with path.open("rb") as file:
            digest = file_digest(file, lambda: blake2b(digest_size=8)).hexdigest()
        return TrigramModel(NGramModel.readfile(str(path)), f"trigram {FILE} {digest}")
    except (OSError, ValueError) as problem:
        raise ModelError(f"{path} cannot be read as a language model", hint="install pocketsphinx anew") from problem


def spoken_words(text: str) -> list[str]:
    """The words of a text as they are spoken, with numbers spelled out.

    >>> spoken_words("There are exactly 24 T-shirts.")
    ['there', 'are', 'exactly', 'twenty', 'four', 't', 'shirts']
    """
    return [part for word in tokenize(text) for part in _spell_out(word)]


def _spell_out(word: str) -> list[str]:
    value = number_value(word) if word.isdecimal() and len(word) <= LONGEST else None
    return [word] if value is None else re.split("[ -]", number_word(value))
