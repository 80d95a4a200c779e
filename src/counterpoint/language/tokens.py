"""Tokenized text: the words of a text with their positions, and their parts of speech by the Hanover Tagger."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

NOUN_PREFIXES = ("NN", "NP")
"""How the tags of nouns begin."""


@lru_cache(1 << 15)
def tag_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The part-of-speech tag of each word of a sentence, in the C5 tag set of the British National Corpus.

    >>> tag_words(("How", "many", "dogs", "are", "here", "?"))
    ('AVQ', 'DT0', 'NN2', 'VBB', 'AV0', 'PUN')
    """
    return tuple(str(tag) for _, _, tag in _tagger().tag_sent(list(words))) if words else ()


def is_noun(tag: str) -> bool:
    """Whether a tag is that of a common or proper noun."""
    return tag.startswith(NOUN_PREFIXES)


@cache
def _tagger() -> Any:
    from HanTa.HanoverTagger import HanoverTagger  # takes 0.4 s to import

    return HanoverTagger("morphmodel_en.pgz")


_TOKEN = re.compile(r"[^\W_]+(?:-[^\W_]+)*|['’][^\W_]+|[^\w\s]|_")


@dataclass(frozen=True)
class TokenizedText:
    """A text in which single words can be replaced without touching the rest.

    >>> question = TokenizedText.of("What's the dog's name?")
    >>> question.lower
    ('what', "'s", 'the', 'dog', "'s", 'name', '?')
    >>> question.replace({0: "Who", 3: "cat"})
    "Who's the cat's name?"
    """

    text: str
    words: tuple[str, ...]
    lower: tuple[str, ...]  # the words in lowercase, with straight apostrophes
    starts: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> "TokenizedText":
        """Tokenize a text into words, contracted endings and punctuation marks."""
        matches = list(_TOKEN.finditer(text))
        words = tuple([match[0] for match in matches])
        lower = tuple([word.lower().replace("’", "'") for word in words])
        return cls(text, words, lower, tuple([match.start() for match in matches]))

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The part-of-speech tag of each word."""
        return tag_words(self.words)

    def end(self, index: int) -> int:
        """The position in the text after a word."""
        return self.starts[index] + len(self.words[index])

    def replace(self, replacements: Mapping[int, str]) -> str:
        """The text with other words at these indices; an empty word removes the space before it too."""
        parts, start = list[str](), 0
        for index in sorted(replacements):
            before = self.text[start : self.starts[index]]
            parts += [before if replacements[index] else before.rstrip(), replacements[index]]
            start = self.end(index)
        return "".join((*parts, self.text[start:]))


def match_case(word: str, other: str) -> str:
    """The second word in the letter case of the first.

    >>> match_case("What", "which"), match_case("WHAT", "which"), match_case("what", "which")
    ('Which', 'WHICH', 'which')
    """
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other[:1].upper() + other[1:] if word[:1].isupper() else other
