"""How many a phrase speaks of, as a range: "exactly one" is one and no more, "some" is two or more.

A plain number is read as that number and no more, as people read it: of the foils in VALSE that say a plain number
smaller than their caption's, they took none for true.
"""

from collections.abc import Mapping
from functools import cache
from math import inf
from typing import NamedTuple

from counterpoint.checks.text_pairs import Words
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.language.nouns import is_plural, singular
from counterpoint.language.numbers import number_value


class CountRange(NamedTuple):
    """From how many to how many."""

    low: float
    high: float

    def within(self, other: "CountRange") -> bool:
        """Whether all of it is in the other."""
        return other.low <= self.low and self.high <= other.high

    def apart(self, other: "CountRange") -> bool:
        """Whether nothing is in both."""
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
_BOUNDS: Mapping[str, tuple[int, int | None]] = {  # what is added to the number, and whether it bounds from above
    "at least": (0, None),
    "more than": (1, None),
    "over": (1, None),
    "at most": (0, 0),
    "up to": (0, 0),
    "fewer than": (-1, 0),
    "less than": (-1, 0),
}
VOCABULARY = frozenset(word for phrase in (*_PHRASES, *_BOUNDS, *_EXACTLY) for word in phrase.split())
"""The words by which a phrase of quantity may begin before the place that was changed."""
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
    """How many the beginning of a phrase says, if it says so, and the rest of the phrase.

    >>> quantity(("exactly", "two", "dogs"))
    (Range(low=2, high=2), ('dogs',))
    >>> quantity(("at", "least", "two", "dogs"))[0], quantity(("dogs",))
    (Range(low=2, high=inf), (Range(low=2, high=inf), ('dogs',)))
    """
    if words and words[0] in _EXACTLY:
        said, rest = parse_quantity(words[1:])
        if said is not None and len(rest) < len(words) - 1:
            return (CountRange(said.low, said.low) if said.low else said), rest
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
    """Whether two phrases are the same words, of one or of many.

    >>> same_but_for_number(("child", "is"), ("children", "are")), same_but_for_number(("dog",), ("cat",))
    (True, False)
    """
    return len(one) == len(other) and all(a == b or _one(a) == _one(b) for a, b in zip(one, other, strict=True))


@cache
def _one(word: str) -> str:
    return _NUMBERED.get(word) or singular(word)


@cache
def _number(word: str) -> int | None:
    return number_value(word) if word != "no" else None


@cache
def _is_plural(word: str) -> bool:
    return word not in _NUMBERED and is_plural(word) and singular(word) != word
