"""Typos that leave a word readable: one edit, never of the first letter, and never another word."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache

from counterpoint.language.lexicon.vocabulary import is_word, possible_readings
from counterpoint.language.lexicon.word_lists import split_list, word_table

SHORTEST = 4
"""The letters of the shortest word that is misspelled; one more where a letter is dropped."""


@lru_cache(1 << 15)
def misspell(word: str, typo: str) -> tuple[str, ...]:
    """The misspellings of a lowercase word by a kind of typo that can be read as this word only.

    A misspelling is not a word itself, and no other everyday word is within one edit of it. First and last letters
    stay, but the last may be doubled. Short and unknown words have no misspellings.

    >>> misspell("people", "transposed"), misspell("where", "dropped")
    (('poeple', 'pepole', 'peolpe'), ())
    """
    if len(word) < SHORTEST + (typo == "dropped") or not (word.isascii() and word.isalpha() and is_word(word)):
        return ()
    return tuple(dict.fromkeys(text for text in TYPOS[typo](word) if _is_unambiguous(text, word)))


def _is_unambiguous(text: str, word: str) -> bool:
    return text != word and not is_word(text) and possible_readings(text) <= {word}


def _neighbouring_keys(word: str) -> Iterator[str]:
    for index in range(1, len(word) - 1):
        for key in _keyboard()[word[index]]:
            yield word[:index] + key + word[index + 1 :]


def _transpositions(word: str) -> Iterator[str]:
    for index in range(1, len(word) - 2):
        yield word[:index] + word[index + 1] + word[index] + word[index + 2 :]


def _omissions(word: str) -> Iterator[str]:
    for index in range(1, len(word) - 1):
        yield word[:index] + word[index + 1 :]


def _repetitions(word: str) -> Iterator[str]:
    for index in range(1, len(word)):
        if word[index] not in (word[index - 1], word[index + 1 : index + 2]):
            yield word[: index + 1] + word[index:]


TYPOS: Mapping[str, Callable[[str], Iterator[str]]] = {
    "typo": _neighbouring_keys,
    "transposed": _transpositions,
    "dropped": _omissions,
    "doubled": _repetitions,
}
"""The kinds of typos: a neighbouring key, two letters transposed, a letter dropped, a letter doubled."""


@cache
def _keyboard() -> Mapping[str, str]:
    """The neighbours of each key on the keyboard, whose rows are each shifted by half a key."""
    rows = split_list(word_table("noise")["keys"])
    neighbours: dict[str, str] = {}
    for number, row in enumerate(rows):
        above, below = rows[number - 1] if number else "", rows[number + 1] if number + 1 < len(rows) else ""
        for index, key in enumerate(row):
            beside = row[max(0, index - 1) : index] + row[index + 1 : index + 2]
            neighbours[key] = beside + above[index : index + 2] + below[max(0, index - 1) : index + 1]
    return neighbours
