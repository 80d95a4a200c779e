"""An n-gram language model with interpolated modified Kneser-Ney smoothing (Chen and Goodman 1999).

The corpus is one array of word codes. The n-grams of each order are sorted integer keys, made of the number of the
history and the last word, so that counting is sorting and lookup is binary search, both vectorized.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

ORDER = 4
"""The default order: words in the longest n-gram."""
SENTENCE_BREAK = "\n"
"""The token between two sentences: the end of one and the beginning of the next."""

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|\n")
_FALLBACK = (0.0, 0.5, 1.0, 1.5)  # discounts for a corpus too small to estimate them


def tokenize(text: str) -> list[str]:
    """The lowercase words of a sentence, without punctuation.

    >>> tokenize("There aren't 2 T-shirts.")
    ['there', "aren't", '2', 't', 'shirts']
    """
    return [word for word in _WORD.findall(_plain(text)) if word != SENTENCE_BREAK]


@dataclass(frozen=True, slots=True)
class NGramTable:
    """The n-grams of one order: sorted keys, discounted probabilities and backoff weights.

    Both columns have an extra last entry for unseen n-grams: probability 0 and backoff 1.
    """

    keys: Numbers  # number of the history · vocabulary size + last word
    probability: Floats  # of the last word after the history, discounted
    backoff: Floats  # weight of the lower order, for words after this n-gram


@dataclass(frozen=True, slots=True)
class KneserNeyModel:
    """A trained model.

    >>> model = train_model(["A cat sits on a mat.", "A dog sits on a rug."])
    >>> plausible, implausible = model.scores(["A dog sits on a mat.", "A mat sits on a dog."])
    >>> bool(plausible > implausible)
    True
    """

    words: Mapping[str, int]
    tables: Sequence[NGramTable]  # by order, unigrams first

    def scores(self, texts: Sequence[str]) -> Floats:
        """The mean log-probability per word, end included, of each text: minus the log-perplexity."""
        codes = _encode(texts, self.words)
        ends = np.flatnonzero(codes[1:] == 0)
        sums = (
            np.add.reduceat(self._log_probabilities(codes), np.append(0, ends[:-1] + 1)) if len(texts) else np.empty(0)
        )
        return np.asarray(sums / np.diff(ends, prepend=-1))

    def _log_probabilities(self, codes: Numbers) -> Floats:
        """The log-probability of each word after the first sentence break."""
        size = len(self.words) + 1
        lengths = _context_lengths(codes)
        numbers = codes
        probability = self.tables[0].probability[codes[1:]]
        for order, table in enumerate(self.tables[1:], 2):
            history = np.where(lengths >= order - 1, numbers[:-1], -1)
            probability = self.tables[order - 2].backoff[history] * probability
            numbers = np.append(-1, _find_keys(table.keys, np.where(history < 0, -1, history * size + codes[1:])))
            probability += table.probability[numbers[1:]]
        return np.asarray(np.log(probability))


def train_model(texts: Iterable[str], order: int = ORDER) -> KneserNeyModel:
    """Train a model on sentences; `order` is the number of words in its longest n-gram."""
    assert order > 0, "an n-gram has at least one word"
    stream = _stream(texts)
    words = {word: number for number, word in enumerate(dict.fromkeys([SENTENCE_BREAK, *stream]))}
    codes = np.fromiter(map(words.__getitem__, stream), np.int64, len(stream))
    size, lengths = len(words) + 1, _context_lengths(codes)  # one more, for unknown words
    counts = _count_ngrams(codes, lengths, size, order)
    unigrams, count = counts[0]
    probability, backoff = _discounted_shares(count, np.zeros(size, np.int64), 1)
    uniform = backoff[0] / size  # unigrams are interpolated with all words of the vocabulary and unknown ones
    tables = [NGramTable(unigrams, probability + uniform, np.ones(size + 1))]
    for (lower, _), (keys, count) in pairwise(counts):
        probability, backoff = _discounted_shares(count, keys // size, len(lower))
        tables[-1] = NGramTable(lower, tables[-1].probability, np.append(backoff, 1.0))
        tables.append(NGramTable(keys, np.append(probability, 0.0), np.ones(len(keys) + 1)))
    return KneserNeyModel(words, tables)


def _count_ngrams(codes: Numbers, lengths: Numbers, size: int, order: int) -> list[tuple[Numbers, Numbers]]:
    """The keys and counts of each order: the highest by frequency, the others by number of distinct preceding words.

    An n-gram at the start of a sentence has no preceding word and counts by frequency.
    """
    last, numbers = codes[1:], codes
    keys = np.arange(size)
    counts = np.bincount(last, minlength=size)
    starts = np.zeros(size, np.bool_)
    orders = []
    for n in range(2, order + 1):
        complete = np.flatnonzero(lengths >= n - 1)
        ngrams, first, inverse, frequency = np.unique(
            numbers[:-1][complete] * size + last[complete], return_index=True, return_inverse=True, return_counts=True
        )
        suffix = numbers[1:][complete]
        preceding = np.bincount(suffix[first], minlength=len(keys))
        orders.append((keys, np.where(starts, counts, preceding)))
        keys, counts, starts = ngrams, frequency, lengths[complete][first] == n - 1
        numbers = np.full(len(codes), -1)
        numbers[1:][complete] = inverse
    return [*orders, (keys, counts)]


def _discounted_shares(counts: Numbers, history: Numbers, histories: int) -> tuple[Floats, Floats]:
    """The discounted probability of each n-gram, and the probability mass left by each history."""
    discounts = _discounts(counts)[np.minimum(counts, 3)]
    totals = np.bincount(history, counts, histories)
    left = np.bincount(history, discounts, histories)
    seen = np.maximum(totals, 1)
    return (counts - discounts) / seen[history], np.where(totals > 0, left / seen, 1.0)


def _discounts(counts: Numbers) -> Floats:
    """The modified Kneser-Ney discounts of counts 0, 1, 2, and 3 or more, from the counts of counts 1 to 4.

    >>> _discounts(np.repeat([1, 2, 3, 4], [60, 20, 10, 5])).round(2).tolist()
    [0.0, 0.6, 1.1, 1.8]
    """
    many = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].astype(np.float64)
    if not many.all():
        return np.array(_FALLBACK)
    share = many[0] / (many[0] + 2 * many[1])
    count = np.arange(1, 4)
    discounts = count - (count + 1) * share * many[1:] / many[:3]
    return np.append(0.0, discounts) if ((discounts > 0) & (discounts < count)).all() else np.array(_FALLBACK)


def _find_keys(keys: Numbers, wanted: Numbers) -> Numbers:
    """The index of each wanted key, or -1."""
    if not len(keys):
        return np.full(len(wanted), -1)
    indices = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[indices] == wanted, indices, -1)


def _context_lengths(codes: Numbers) -> Numbers:
    """The length of the history of each word after the first, sentence break included."""
    indices = np.arange(len(codes))
    starts = np.maximum.accumulate(np.where(codes == 0, indices, 0))
    return indices[1:] - starts[:-1]


def _encode(texts: Iterable[str], words: Mapping[str, int]) -> Numbers:
    stream = _stream(texts)
    return np.fromiter(map(words.get, stream, repeat(len(words))), np.int64, len(stream))


def _stream(texts: Iterable[str]) -> list[str]:
    """All words of all sentences, with a sentence break before the first sentence and after each."""
    return _WORD.findall(SENTENCE_BREAK.join(["", *map(_plain, texts), ""]))


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())
