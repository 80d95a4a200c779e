"""A text as words: what they are, where they stand, and what part of speech each is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from counterpoint.language.tagger import tag_words

_TOKEN = re.compile(r"[^\W_]+(?:-[^\W_]+)*|['’][^\W_]+|[^\w\s]|_")


@dataclass(frozen=True)
class TokenizedText:
    """A text, of which single words can be exchanged without touching the rest.

    >>> asked = Wording.of("What's the dog's name?")
    >>> asked.small
    ('what', "'s", 'the', 'dog', "'s", 'name', '?')
    >>> asked.exchanged({0: "Who", 3: "cat"})
    "Who's the cat's name?"
    """

    text: str
    words: tuple[str, ...]
    small: tuple[str, ...]  # the words in small letters, with straight apostrophes
    starts: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> "TokenizedText":
        """The words of a text, signs and contracted endings among them."""
        found = list(_TOKEN.finditer(text))
        words = tuple([one[0] for one in found])
        small = tuple([word.lower().replace("’", "'") for word in words])
        return cls(text, words, small, tuple([one.start() for one in found]))

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The part of speech of each word, looked up when it is first asked for."""
        return tag_words(self.words)

    def end(self, place: int) -> int:
        """Where a word ends in the text."""
        return self.starts[place] + len(self.words[place])

    def exchanged(self, others: Mapping[int, str]) -> str:
        """The text with other words at some places; an empty word takes the space before it along."""
        parts, start = list[str](), 0
        for place in sorted(others):
            before = self.text[start : self.starts[place]]
            parts += [before if others[place] else before.rstrip(), others[place]]
            start = self.end(place)
        return "".join((*parts, self.text[start:]))


def match_case(word: str, other: str) -> str:
    """A word written as another is: with a capital, or all in capitals.

    >>> in_case_of("What", "which"), in_case_of("WHAT", "which"), in_case_of("what", "which")
    ('Which', 'WHICH', 'which')
    """
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other[:1].upper() + other[1:] if word[:1].isupper() else other
