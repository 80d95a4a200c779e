"""A question with the words that no noise may touch, because its answer turns on them."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from counterpoint.language.lexicon.attributes import attribute_classes
from counterpoint.language.lexicon.vocabulary import is_word
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.language.numbers import number_value
from counterpoint.language.question_types import parse_question
from counterpoint.language.tokens import TokenizedText

ENGLISH = 0.6
"""The share of the words of a text that the lexicon must know."""
MARKS = "?.!"
"""What can end a sentence."""
_BREAK = re.compile(r"[?.!;:\n]")
_QUOTES = frozenset('"“”«»`')


@dataclass(frozen=True, slots=True)
class ProtectedQuestion:
    """A question, its words, and the places of those that may be misspelt or renamed.

    What stays are signs, numbers, names, quoted words, the answers that are offered, and words that turn it round.

    >>> asked = Loose.of("Is the IBM laptop red or blue?")
    >>> [asked.wording.words[place] for place in asked.free]
    ['Is', 'the', 'laptop', 'or']
    """

    wording: TokenizedText
    free: tuple[int, ...]
    bare: str  # without the mark at its end
    mark: str  # a question mark where it has none

    @classmethod
    def of(cls, text: str, choices: tuple[str, ...] = ()) -> "ProtectedQuestion":
        """A text, and the answers that are offered beside it."""
        wording, whole = TokenizedText.of(text), text.strip()
        bare = whole.rstrip(MARKS).rstrip()
        return cls(wording, _free(wording, _offered(wording, choices)), bare, whole[len(bare) :].strip() or "?")

    @property
    def is_english(self) -> bool:
        """Whether most words are known and at least one of them only holds sentences together."""
        small = [word for word in self.wording.small if word[0].isalpha()]
        if word_list("noise", "function").isdisjoint(small):
            return False
        return sum(map(is_word, small)) >= ENGLISH * len(small)

    @property
    def is_single(self) -> bool:
        """Whether it is one question and nothing else, so that something can be put before and behind it."""
        return _BREAK.search(self.bare) is None

    @property
    def is_plain(self) -> bool:
        """Whether no word but the first is written with a capital, so that letters can change their case."""
        rest = self.wording.text[1:]
        if rest == rest.lower():
            return True
        others = zip(self.wording.words[1:], self.wording.small[1:], strict=True)
        return self.wording.text[:1].isalpha() and all(word in (small, "I") for word, small in others)


def _free(wording: TokenizedText, offered: frozenset[str]) -> tuple[int, ...]:
    quoted, found = False, []
    for place, (word, small) in enumerate(zip(wording.words, wording.small, strict=True)):
        quoted ^= word in _QUOTES
        is_name = place and word != small
        if not (quoted or is_name or _is_telling(small) or small in offered):
            found.append(place)
    return tuple(found)


def _offered(wording: TokenizedText, choices: tuple[str, ...]) -> frozenset[str]:
    """Words of the answers that a question offers, in itself or beside it."""
    if not choices and "or" not in wording.small:
        return frozenset()
    options = (*parse_question(wording.text).options, *choices)
    return frozenset(word for option in options for word in TokenizedText.of(option).small)


@lru_cache(1 << 16)
def _is_telling(word: str) -> bool:
    if not word[0].isalpha() or word in word_list("noise", "telling") or number_value(word) is not None:
        return True
    return any(char.isdigit() for char in word) or word in _colors()


@cache
def _colors() -> frozenset[str]:
    return frozenset(
        word for value in attribute_classes()["color"].values for phrase in value for word in phrase.split()
    )
