"""Word-level tokenizer: lower-case words of a fixed vocabulary, with hash buckets for unknown words."""

import re
from collections.abc import Iterable, Sequence

from counterpoint.core.ids import content_id

PADDING = 0
"""The number of padding."""
BUCKETS = 8
"""Numbers that unknown words share, by a hash of the word."""
LENGTH = 24
"""Words of a text that are read."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def split_words(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation.

    >>> split_words("Isn't the dog's T-shirt RED?")
    ["isn't", 'the', "dog's", 't', 'shirt', 'red']
    """
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


class Vocabulary:
    """Words with their numbers, which start after the padding and the buckets.

    >>> words = Vocabulary(["dog", "the"])
    >>> words.numbers("The dog!")
    [10, 9]
    >>> len(words)
    11
    """

    def __init__(self, known: Iterable[str]) -> None:
        self.known = tuple(known)
        self._numbers = {word: 1 + BUCKETS + place for place, word in enumerate(self.known)}

    def __len__(self) -> int:
        return 1 + BUCKETS + len(self.known)

    def number(self, word: str) -> int:
        """The number of one word."""
        known = self._numbers.get(word)
        return 1 + content_id(word) % BUCKETS if known is None else known

    def numbers(self, text: str, context: str = "") -> list[int]:
        """The words of a text, after as many of the last words of the context as fit; never empty."""
        words = split_words(text)[:LENGTH]
        before = split_words(context)[-(LENGTH - len(words)) :] if len(words) < LENGTH else []
        return [self.number(word) for word in (*before, *words)] or [1]

    @classmethod
    def of(cls, texts: Iterable[str], *, least: int = 2) -> "Vocabulary":
        """The words that occur at least so often in some texts, sorted."""
        counts: dict[str, int] = {}
        for text in texts:
            for word in split_words(text):
                counts[word] = counts.get(word, 0) + 1
        return cls(sorted(word for word, count in counts.items() if count >= least))


def group_by_length(rows: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """The positions of texts of each length, so that a batch needs no padding.

    >>> group_by_length([[4], [5, 6], [7]])
    {1: [0, 2], 2: [1]}
    """
    by_length: dict[int, list[int]] = {}
    for position, row in enumerate(rows):
        by_length.setdefault(len(row), []).append(position)
    return by_length
