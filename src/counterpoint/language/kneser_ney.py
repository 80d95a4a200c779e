"""A language model of our own: how usual a sentence is, from the short runs of words in others.

It is an interpolated Kneser-Ney model with three discounts for each length of run (Chen and Goodman 1999). Sentences
stand in one long column of numbers; the runs of each length are sorted numbers made of the run that goes before and
the last word, so that counting is sorting, and looking up is halving, whole columns at a time.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

ORDER = 4
"""How many words make the longest run."""
SENTENCE_BREAK = "\n"
"""What stands between two sentences: the end of one and the beginning of the next."""

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|\n")
_FALLBACK = (0.0, 0.5, 1.0, 1.5)  # where a text is too small to tell its discounts


def tokenize(text: str) -> list[str]:
    """The words of a sentence in small letters; signs are left out, and digits stay digits.

    >>> words_of("There aren't 2 T-shirts.")
    ['there', "aren't", '2', 't', 'shirts']
    """
    return [word for word in _WORD.findall(_plain(text)) if word != SENTENCE_BREAK]


@dataclass(frozen=True, slots=True)
class NGramTable:
    """The runs of one length: sorted keys, what each adds, and what each leaves to shorter runs after it.

    Both columns have one more place, at the end, for what is not there: it adds nothing and leaves everything.
    """

    keys: Numbers  # the number of the run without its last word, times the size of the vocabulary, plus that word
    adds: Floats  # to the probability of the last word, after the others
    leaves: Floats  # to the shorter run, of the probability of whatever follows this one


@dataclass(frozen=True, slots=True)
class KneserNeyModel:
    """A trained model.

    >>> model = trained(["A cat sits on a mat.", "A dog sits on a rug."])
    >>> usual, unusual = model.scores(["A dog sits on a mat.", "A mat sits on a dog."])
    >>> bool(usual > unusual)
    True
    """

    words: Mapping[str, int]
    runs: Sequence[NGramTable]  # by length, single words first

    def scores(self, texts: Sequence[str]) -> Floats:
        """The mean logarithm of the probability of each word and of the end: minus the logarithm of the perplexity."""
        codes = _encode(texts, self.words)
        ends = np.flatnonzero(codes[1:] == 0)
        sums = np.add.reduceat(self._logarithms(codes), np.append(0, ends[:-1] + 1)) if len(texts) else np.empty(0)
        return np.asarray(sums / np.diff(ends, prepend=-1))

    def logarithms(self, text: str) -> Floats:
        """The logarithm of the probability of each word of one sentence, and of its end."""
        return self._logarithms(_encode([text], self.words))

    def _logarithms(self, codes: Numbers) -> Floats:
        """Of everything after the first mark."""
        size = len(self.words) + 1
        since = _context_lengths(codes)
        places = codes
        chance = self.runs[0].adds[codes[1:]]
        for length, runs in enumerate(self.runs[1:], 2):
            before = np.where(since >= length - 1, places[:-1], -1)
            chance = self.runs[length - 2].leaves[before] * chance
            places = np.append(-1, _find_keys(runs.keys, np.where(before < 0, -1, before * size + codes[1:])))
            chance += runs.adds[places[1:]]
        return np.asarray(np.log(chance))


def train_model(texts: Iterable[str], order: int = ORDER) -> KneserNeyModel:
    """The model of some sentences; `order` is the number of words in its longest run."""
    assert order > 0, "a run has at least one word"
    stream = _stream(texts)
    words = {word: number for number, word in enumerate(dict.fromkeys([SENTENCE_BREAK, *stream]))}
    codes = np.fromiter(map(words.__getitem__, stream), np.int64, len(stream))
    size, since = len(words) + 1, _context_lengths(codes)  # one more, for words that were never seen
    counted = _count_ngrams(codes, since, size, order)
    runs = [_unigrams(counted[0], size)]
    for shorter, longer in pairwise(counted):
        adds, leaves = _discounted_shares(longer.counts, longer.keys // size, len(shorter.keys))
        runs[-1] = NGramTable(shorter.keys, runs[-1].adds, np.append(leaves, 1.0))
        runs.append(NGramTable(longer.keys, np.append(adds, 0.0), np.ones(len(longer.keys) + 1)))
    return KneserNeyModel(words, runs)


@dataclass(frozen=True, slots=True)
class _NGramCounts:
    """The runs of one length, and how often each counts."""

    keys: Numbers
    counts: Numbers


def _count_ngrams(codes: Numbers, since: Numbers, size: int, order: int) -> list[_NGramCounts]:
    """The runs of each length: the longest by how often they come, the others by how many words come before them.

    What begins a sentence has nothing before it, and is counted by how often it comes.
    """
    last, places = codes[1:], codes
    keys = np.arange(size)
    counts = np.bincount(last, minlength=size)
    starts = np.zeros(size, np.bool_)
    found = []
    for length in range(2, order + 1):
        whole = np.flatnonzero(since >= length - 1)
        runs, first, inverse, times = np.unique(
            places[:-1][whole] * size + last[whole], return_index=True, return_inverse=True, return_counts=True
        )
        shorter = places[1:][whole]
        before = np.bincount(shorter[first], minlength=len(keys))
        found.append(_NGramCounts(keys, np.where(starts, counts, before)))
        keys, counts, starts = runs, times, since[whole][first] == length - 1
        places = np.full(len(codes), -1)
        places[1:][whole] = inverse
    return [*found, _NGramCounts(keys, counts)]


def _unigrams(counted: _NGramCounts, size: int) -> NGramTable:
    """Single words: what is discounted goes to all alike, words that were never seen among them."""
    adds, leaves = _discounted_shares(counted.counts, np.zeros(size, np.int64), 1)
    return NGramTable(counted.keys, adds + leaves[0] / size, np.ones(size + 1))


def _discounted_shares(counts: Numbers, history: Numbers, histories: int) -> tuple[Floats, Floats]:
    """What each run adds, and what is left of each history, once every count was discounted."""
    discounts = _discounts(counts)[np.minimum(counts, 3)]
    totals = np.bincount(history, counts, histories)
    left = np.bincount(history, discounts, histories)
    seen = np.maximum(totals, 1)
    return (counts - discounts) / seen[history], np.where(totals > 0, left / seen, 1.0)


def _discounts(counts: Numbers) -> Floats:
    """What is taken from a count of 0, 1, 2, and 3 or more, by how many runs count once, twice, three and four times.

    >>> _discounts(np.repeat([1, 2, 3, 4], [60, 20, 10, 5])).round(2).tolist()
    [0.0, 0.6, 1.1, 1.8]
    """
    many = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].astype(np.float64)
    if not many.all():
        return np.array(_FALLBACK)
    share = many[0] / (many[0] + 2 * many[1])
    times = np.arange(1, 4)
    taken = times - (times + 1) * share * many[1:] / many[:3]
    return np.append(0.0, taken) if ((taken > 0) & (taken < times)).all() else np.array(_FALLBACK)


def _find_keys(keys: Numbers, wanted: Numbers) -> Numbers:
    """Where each key stands, or -1."""
    if not len(keys):
        return np.full(len(wanted), -1)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[places] == wanted, places, -1)


def _context_lengths(codes: Numbers) -> Numbers:
    """How many words, the mark included, stand in the sentence before each place but the first."""
    places = np.arange(len(codes))
    begun = np.maximum.accumulate(np.where(codes == 0, places, 0))
    return places[1:] - begun[:-1]


def _encode(texts: Iterable[str], words: Mapping[str, int]) -> Numbers:
    stream = _stream(texts)
    return np.fromiter(map(words.get, stream, repeat(len(words))), np.int64, len(stream))


def _stream(texts: Iterable[str]) -> list[str]:
    """All words of all sentences, with a mark before the first sentence and after each."""
    return _WORD.findall(SENTENCE_BREAK.join(["", *map(_plain, texts), ""]))


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())
