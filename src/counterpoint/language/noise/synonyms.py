"""Other words for the same: names and phrases whose sense is clear wherever people speak of pictures."""

from collections.abc import Iterator, Mapping
from functools import cache
from random import Random

from counterpoint.language.english import article
from counterpoint.language.lexicon.senses import curated_names
from counterpoint.language.lexicon.word_lists import split_list, word_table
from counterpoint.language.noise.protected_words import ProtectedQuestion
from counterpoint.language.nouns import is_plural, plural, singular
from counterpoint.language.tagger import is_noun
from counterpoint.language.tokens import match_case

LONGEST = 3
"""Words of the longest phrase in the list."""


def replace_synonym(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """One word or phrase in other words; never a part of a longer name, nor an answer that is offered.

    What the question names already is no other word for something else: a lady beside a woman stays a lady.
    """
    found = [
        (place, length, others)
        for place, length, others in _replaceable_phrases(question)
        if _is_free(question, place, length)
    ]
    if not found:
        return
    place, length, others = found[int(rng.random() * len(found))]
    other = others[int(rng.random() * len(others))]
    wording = question.wording
    changes = dict.fromkeys(range(place, place + length), "")
    changes[place] = match_case(wording.words[place], other)
    if place and wording.small[place - 1] in ("a", "an"):
        changes[place - 1] = match_case(wording.words[place - 1], article(other))
    yield wording.exchanged(changes)


def _replaceable_phrases(question: ProtectedQuestion) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where something stands that has other words, how long it is, and these words; longer phrases come first."""
    small, after = question.wording.small, 0
    for place in range(len(small)):
        if place < after or small[place] not in _openers():
            continue
        for length in range(min(LONGEST, len(small) - place), 0, -1):
            phrase = " ".join(small[place : place + length])
            others = _phrases().get(phrase) or _nouns(phrase)
            others = tuple(other for other in others if other not in small)
            if others and (phrase in _phrases() or _is_name(question, place + length - 1)):
                yield place, length, others
                after = place + length
                break


def _is_name(question: ProtectedQuestion, place: int) -> bool:
    """Whether a word is a noun that stands for a thing, and not before another noun, as in "baby elephant"."""
    tags = question.wording.tags
    return is_noun(tags[place]) and not (place + 1 < len(tags) and is_noun(tags[place + 1]))


def _is_free(question: ProtectedQuestion, place: int, length: int) -> bool:
    small = question.wording.small
    if not set(range(place, place + length)) <= set(question.free):
        return False
    longer = ((place - 1, place + length), (place, place + length + 1))
    around = (" ".join(small[start:end]) for start, end in longer if start >= 0 and end <= len(small))
    return not any(singular(name) in _names() for name in around)


@cache
def _nouns(phrase: str) -> tuple[str, ...]:
    """Other names for a thing or for things, in the number of the phrase."""
    table: Mapping[str, str] = word_table("noise")["synonyms"]["nouns"]
    if phrase in table:
        return split_list(table[phrase])
    one = singular(phrase)
    if one == phrase or one not in table or not is_plural(phrase):
        return ()
    return tuple(plural(other) for other in split_list(table[one]))


@cache
def _phrases() -> Mapping[str, tuple[str, ...]]:
    return {phrase: split_list(others) for phrase, others in word_table("noise")["synonyms"]["phrases"].items()}


@cache
def _openers() -> frozenset[str]:
    """The first words of everything that has other words."""
    nouns: Mapping[str, str] = word_table("noise")["synonyms"]["nouns"]
    return frozenset(phrase.split()[0] for phrase in (*_phrases(), *nouns, *map(plural, nouns)))


@cache
def _names() -> frozenset[str]:
    return frozenset(curated_names())
