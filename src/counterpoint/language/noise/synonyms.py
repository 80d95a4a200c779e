"""Synonym replacement: nouns and phrases whose sense is unambiguous in questions about pictures."""

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
"""The words of the longest phrase in the list."""


def replace_synonym(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """Replace one word or phrase by a synonym; never a part of a longer name, nor an offered answer.

    A synonym that the question already contains is not used: a lady beside a woman stays a lady.
    """
    phrases = [phrase for phrase in _replaceable_phrases(question) if _is_editable(question, *phrase[:2])]
    if not phrases:
        return
    index, length, synonyms = phrases[int(rng.random() * len(phrases))]
    synonym = synonyms[int(rng.random() * len(synonyms))]
    tokens = question.tokens
    replacements = dict.fromkeys(range(index, index + length), "")
    replacements[index] = match_case(tokens.words[index], synonym)
    if index and tokens.lower[index - 1] in ("a", "an"):
        replacements[index - 1] = match_case(tokens.words[index - 1], article(synonym))
    yield tokens.replace(replacements)


def _replaceable_phrases(question: ProtectedQuestion) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Index, length and synonyms of each phrase that has any, the longest match at each index."""
    lower, end = question.tokens.lower, 0
    for index in range(len(lower)):
        if index < end or lower[index] not in _first_words():
            continue
        for length in range(min(LONGEST, len(lower) - index), 0, -1):
            phrase = " ".join(lower[index : index + length])
            synonyms = _phrases().get(phrase) or _nouns(phrase)
            synonyms = tuple(synonym for synonym in synonyms if synonym not in lower)
            if synonyms and (phrase in _phrases() or _is_head_noun(question, index + length - 1)):
                yield index, length, synonyms
                end = index + length
                break


def _is_head_noun(question: ProtectedQuestion, index: int) -> bool:
    """Whether a word is a noun that no other noun follows, as one follows "baby" in "baby elephant"."""
    tags = question.tokens.tags
    return is_noun(tags[index]) and not (index + 1 < len(tags) and is_noun(tags[index + 1]))


def _is_editable(question: ProtectedQuestion, index: int, length: int) -> bool:
    lower = question.tokens.lower
    if not set(range(index, index + length)) <= set(question.editable):
        return False
    longer = ((index - 1, index + length), (index, index + length + 1))
    phrases = (" ".join(lower[start:end]) for start, end in longer if start >= 0 and end <= len(lower))
    return not any(singular(phrase) in _names() for phrase in phrases)


@cache
def _nouns(phrase: str) -> tuple[str, ...]:
    """Synonyms of a noun, in its grammatical number."""
    table: Mapping[str, str] = word_table("noise")["synonyms"]["nouns"]
    if phrase in table:
        return split_list(table[phrase])
    noun = singular(phrase)
    if noun == phrase or noun not in table or not is_plural(phrase):
        return ()
    return tuple(plural(synonym) for synonym in split_list(table[noun]))


@cache
def _phrases() -> Mapping[str, tuple[str, ...]]:
    return {phrase: split_list(others) for phrase, others in word_table("noise")["synonyms"]["phrases"].items()}


@cache
def _first_words() -> frozenset[str]:
    """The first words of all phrases that have synonyms."""
    nouns: Mapping[str, str] = word_table("noise")["synonyms"]["nouns"]
    return frozenset(phrase.split()[0] for phrase in (*_phrases(), *nouns, *map(plural, nouns)))


@cache
def _names() -> frozenset[str]:
    return frozenset(curated_names())
