"""A question with the words that noise must not change, because its answer depends on them."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from counterpoint.language.english import number_value
from counterpoint.language.lexicon.attributes import attribute_classes
from counterpoint.language.lexicon.vocabulary import is_word
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.language.question_types import parse_question
from counterpoint.language.tokens import TokenizedText

ENGLISH = 0.6
"""The least share of known words in an English text."""
MARKS = "?.!"
"""Punctuation that ends a sentence."""
_BREAK = re.compile(r"[?.!;:\n]")
_QUOTES = frozenset('"“”«»`')


@dataclass(frozen=True, slots=True)
class ProtectedQuestion:
    """A tokenized question, and the indices of the words that may be misspelled or replaced.

    Protected are punctuation, numbers, names, quoted words, offered answers, and words that change the answer.

    >>> question = ProtectedQuestion.of("Is the IBM laptop red or blue?")
    >>> [question.tokens.words[index] for index in question.editable]
    ['Is', 'the', 'laptop', 'or']
    """

    tokens: TokenizedText
    editable: tuple[int, ...]
    body: str  # without the mark at its end
    mark: str  # a question mark where it has none

    @classmethod
    def of(cls, text: str, choices: tuple[str, ...] = ()) -> "ProtectedQuestion":
        """Parse a question with the choices that are offered beside it."""
        tokens, whole = TokenizedText.of(text), text.strip()
        body = whole.rstrip(MARKS).rstrip()
        mark = whole[len(body) :].strip() or "?"
        return cls(tokens, _editable(tokens, _offered_words(tokens, choices)), body, mark)

    @property
    def is_english(self) -> bool:
        """Whether most words are known and at least one is a function word."""
        words = [word for word in self.tokens.lower if word[0].isalpha()]
        if word_list("noise", "function").isdisjoint(words):
            return False
        return sum(map(is_word, words)) >= ENGLISH * len(words)

    @property
    def is_single(self) -> bool:
        """Whether it is one sentence, so that text can be added before and after it."""
        return _BREAK.search(self.body) is None

    @property
    def is_lowercase(self) -> bool:
        """Whether no word but the first is capitalized, so that letter case carries no meaning."""
        rest = self.tokens.text[1:]
        if rest == rest.lower():
            return True
        others = zip(self.tokens.words[1:], self.tokens.lower[1:], strict=True)
        return self.tokens.text[:1].isalpha() and all(word in (lower, "I") for word, lower in others)


def _editable(tokens: TokenizedText, offered: frozenset[str]) -> tuple[int, ...]:
    quoted, indices = False, []
    for index, (word, lower) in enumerate(zip(tokens.words, tokens.lower, strict=True)):
        quoted ^= word in _QUOTES
        is_name = index and word != lower
        if not (quoted or is_name or _decides_answer(lower) or lower in offered):
            indices.append(index)
    return tuple(indices)


def _offered_words(tokens: TokenizedText, choices: tuple[str, ...]) -> frozenset[str]:
    """The words of the answers that a question offers, in itself or as choices."""
    if not choices and "or" not in tokens.lower:
        return frozenset()
    options = (*parse_question(tokens.text).options, *choices)
    return frozenset(word for option in options for word in TokenizedText.of(option).lower)


@lru_cache(1 << 16)
def _decides_answer(word: str) -> bool:
    if not word[0].isalpha() or word in word_list("noise", "telling") or number_value(word) is not None:
        return True
    return any(char.isdigit() for char in word) or word in _colors()


@cache
def _colors() -> frozenset[str]:
    colors = attribute_classes()["color"].values
    return frozenset(word for value in colors for phrase in value for word in phrase.split())
