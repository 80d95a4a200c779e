"""Quantity phrases as ranges of counts: "exactly one" is 1 to 1, "some" is 2 or more.

A plain number means exactly that number: annotators of VALSE judged no foil true that has a smaller plain number than
its caption.
"""

from collections.abc import Mapping
from functools import cache
from math import inf
from typing import NamedTuple

from counterpoint.language.english import number_value
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.language.nouns import is_plural, singular
from counterpoint.language.word_diff import Words


class CountRange(NamedTuple):
    """An inclusive range of counts."""

    low: float
    high: float

    def within(self, other: "CountRange") -> bool:
        """Whether the other range contains it."""
        return other.low <= self.low and self.high <= other.high

    def is_disjoint(self, other: "CountRange") -> bool:
        """Whether the two ranges share no count."""
        return self.high < other.low or other.high < self.low


MANY = CountRange(2, inf)
SOME = CountRange(1, inf)
NONE = CountRange(0, 0)
_EXACTLY = ("exactly", "precisely", "only", "just")
_PHRASES: Mapping[str, CountRange] = {
    **dict.fromkeys(("a single", "one single", "only a single"), CountRange(1, 1)),
    **dict.fromkeys(("a", "an", "any"), SOME),
    **dict.fromkeys(("no", "zero", "not a", "not any"), NONE),
    **dict.fromkeys(("a couple of", "a pair of", "both", "a couple", "pair of"), CountRange(2, 2)),
    **dict.fromkeys(
        split_list(
            "some, several, many, multiple, various, numerous, a number of, a few, few, a bunch of, a lot of, lots of,"
            "a large number of, a group of, dozens of, bunches of, a variety of, a series of, plenty of, a set of"
        ),
        MANY,
    ),
}
_BOUNDS: Mapping[str, tuple[int, int | None]] = {  # offset of the number, and None for a lower bound
    "at least": (0, None),
    "more than": (1, None),
    "over": (1, None),
    "at most": (0, 0),
    "up to": (0, 0),
    "fewer than": (-1, 0),
    "less than": (-1, 0),
}
VOCABULARY = frozenset(word for phrase in (*_PHRASES, *_BOUNDS, *_EXACTLY) for word in phrase.split())
"""The words of quantity phrases, which may begin before the changed span."""
_NUMBERED = {
    **dict.fromkeys(("are", "is", "be"), "is"),
    **dict.fromkeys(("were", "was"), "was"),
    **dict.fromkeys(("have", "has"), "has"),
    **dict.fromkeys(("do", "does"), "does"),
    **dict.fromkeys(("their", "its", "his", "her"), "its"),
    **dict.fromkeys(("them", "it", "they", "he", "she", "him"), "it"),
    **dict.fromkeys(("these", "this"), "this"),
    **dict.fromkeys(("those", "that"), "that"),
}


def parse_quantity(words: Words) -> tuple[CountRange | None, Words]:
    """The quantity at the start of a phrase, None without one, and the rest of the phrase.

    >>> parse_quantity(("exactly", "two", "dogs"))
    (CountRange(low=2, high=2), ('dogs',))
    >>> parse_quantity(("at", "least", "two", "dogs"))[0], parse_quantity(("dogs",))
    (CountRange(low=2, high=inf), (CountRange(low=2, high=inf), ('dogs',)))
    """
    if words and words[0] in _EXACTLY:
        counts, rest = parse_quantity(words[1:])
        if counts is not None and len(rest) < len(words) - 1:
            return (CountRange(counts.low, counts.low) if counts.low else counts), rest
        return None, words
    for length in (3, 2, 1):
        opening = " ".join(words[:length])
        if opening in _BOUNDS and length < len(words) and (number := _number(words[length])) is not None:
            shift, above = _BOUNDS[opening]
            rest = words[length + 1 :]
            return (CountRange(number + shift, inf) if above is None else CountRange(0, number + shift)), rest
        if opening in _PHRASES and len(words) >= length:
            return _PHRASES[opening], words[length:]
    if words and (number := _number(words[0])) is not None:
        return CountRange(number, number), words[1:]
    if words and _is_plural(words[0]):
        return MANY, words
    return None, words


def same_but_for_number(one: Words, other: Words) -> bool:
    """Whether two phrases have the same words up to grammatical number.

    >>> same_but_for_number(("child", "is"), ("children", "are")), same_but_for_number(("dog",), ("cat",))
    (True, False)
    """
    return len(one) == len(other) and all(
        a == b or _singular(a) == _singular(b) for a, b in zip(one, other, strict=True)
    )


@cache
def _singular(word: str) -> str:
    return _NUMBERED.get(word) or singular(word)


@cache
def _number(word: str) -> int | None:
    return number_value(word) if word != "no" else None


@cache
def _is_plural(word: str) -> bool:
    return word not in _NUMBERED and is_plural(word) and singular(word) != word
