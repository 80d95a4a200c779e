"""Slips of the keyboard that leave a word readable: one letter amiss, never the first, and never another word."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache

from counterpoint.language.lexicon.vocabulary import is_word, possible_readings
from counterpoint.language.lexicon.word_lists import split_list, word_table

SHORTEST = 4
"""Letters of the shortest word that is misspelt; one that loses a letter has one more."""


@lru_cache(1 << 15)
def misspell(word: str, slip: str) -> tuple[str, ...]:
    """What a slip can make of a word in small letters, so that it can be read as nothing else.

    It is no word itself, and no other everyday word is one slip away from it. Its first and last letters stay, but that
    the last may be doubled. Short words and those that are not English have no such slips.

    >>> misspelt("people", "transposed"), misspelt("where", "dropped")
    (('poeple', 'pepole', 'peolpe'), ())
    """
    if len(word) < SHORTEST + (slip == "dropped") or not (word.isascii() and word.isalpha() and is_word(word)):
        return ()
    return tuple(dict.fromkeys(made for made in TYPOS[slip](word) if _is_clear(made, word)))


def _is_clear(made: str, word: str) -> bool:
    return made != word and not is_word(made) and possible_readings(made) <= {word}


def _neighbouring_keys(word: str) -> Iterator[str]:
    for place in range(1, len(word) - 1):
        for key in _neighbours()[word[place]]:
            yield word[:place] + key + word[place + 1 :]


def _transpositions(word: str) -> Iterator[str]:
    for place in range(1, len(word) - 2):
        yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def _omissions(word: str) -> Iterator[str]:
    for place in range(1, len(word) - 1):
        yield word[:place] + word[place + 1 :]


def _repetitions(word: str) -> Iterator[str]:
    for place in range(1, len(word)):
        if word[place] not in (word[place - 1], word[place + 1 : place + 2]):
            yield word[: place + 1] + word[place:]


TYPOS: Mapping[str, Callable[[str], Iterator[str]]] = {
    "typo": _neighbouring_keys,
    "transposed": _transpositions,
    "dropped": _omissions,
    "doubled": _repetitions,
}
"""A neighbouring key, two letters in the wrong order, a letter too few, a letter twice."""


@cache
def _neighbours() -> Mapping[str, str]:
    """The keys beside each key, and above and below it: each row is half a key further to the right."""
    rows = split_list(word_table("noise")["keys"])
    found: dict[str, str] = {}
    for number, row in enumerate(rows):
        above, below = rows[number - 1] if number else "", rows[number + 1] if number + 1 < len(rows) else ""
        for place, key in enumerate(row):
            beside = row[max(0, place - 1) : place] + row[place + 1 : place + 2]
            found[key] = beside + above[place : place + 2] + below[max(0, place - 1) : place + 1]
    return found
