"""Flaws of a question that no rewrite mends: no good English, or nothing that a picture shows."""

import re
from collections.abc import Sequence
from itertools import takewhile

from counterpoint.language.articles import MISSING_ARTICLE, has_bare_name
from counterpoint.language.clauses import strip_question
from counterpoint.language.english import is_countable
from counterpoint.language.lexicon.senses import curated_names, is_a
from counterpoint.language.noun_chunks import tag_text
from counterpoint.language.nouns import is_mass, is_plural, singular
from counterpoint.language.tokens import is_noun, tag_words
from counterpoint.suites.questions.existence import parse_existence
from counterpoint.suites.questions.words import has_word, listed_words

_VERB = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can|could|has|have|would|will|should)\b|\b\w+(?:'s|s)\b", re.IGNORECASE
)
_OF_NOTHING = re.compile(r"how many (?:are|is|can|could|do|does|wear|have)\b", re.IGNORECASE)
_TWICE = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)  # "a a necklace"
_TWO_VERBS = re.compile(
    r"(?:what (?:is|are) (?!the |this |that |these |those )|is this )\w+ (?:is|are) |(?:is|are) .*\btaken place\b",
    re.IGNORECASE,
)  # "what is sport are they playing", "is this roses are real", "is the photo taken place at night"
_MANY_IS = re.compile(
    r"how many \w+s is |what are (?:on|in|at|under|above|below|behind|beside|near|next|inside) ", re.IGNORECASE
)
_COLOR_IS = re.compile(r"what colou?r is (?:the|these|those|his|her|their) (.+)", re.IGNORECASE)
_COLOR_BARE = re.compile(r"what colou?r is ([a-z]+)", re.IGNORECASE)


def flaw(text: str) -> str:
    """Why a question is no good English, or cannot be answered from a picture, or nothing.

    >>> flaw("Who the bad dog?"), flaw("What color is lamp?"), flaw("What is sport are they playing?")
    ('it has no verb', 'a noun has no article', 'it has two verbs')
    >>> flaw("What color is the ladies headband?"), flaw("Is this an American?"), flaw("How many buses?")
    ('a possessive has no apostrophe', 'no picture shows what it asks for', '')
    >>> flaw("What color is the letters on the wall?"), flaw("What are on the shelves?")
    ('its verb does not agree with what it asks for', 'its verb does not agree with what it asks for')
    """
    words = strip_question(text)
    lower = words.lower().split()
    if has_word(words, "unseen"):
        return "no picture shows what it asks for"
    if lower[0] in ("what", "which", "who", "where") and not _VERB.search(words):
        return "it has no verb"
    if (match := _COLOR_BARE.fullmatch(words)) and not (is_plural(match[1]) or is_mass(match[1])):
        return MISSING_ARTICLE
    if lower[:2] in (["is", "this"], ["is", "that"]) and _is_bare_noun(words, lower[2:]):
        return MISSING_ARTICLE
    if has_bare_name(words):
        return MISSING_ARTICLE
    if _TWO_VERBS.match(words):
        return "it has two verbs"
    if _OF_NOTHING.match(words):
        return "it does not say of what"
    if _TWICE.search(words):
        return "a word stands there twice"
    existence = parse_existence(words)
    is_odd = existence is not None and existence.is_counted_oddly
    is_many = existence is not None and is_plural(existence.noun) and not is_mass(existence.noun)
    is_many_there = existence is not None and existence.opening == "is there" and is_many and not is_odd
    if _MANY_IS.match(words) or _has_plural_color(words) or is_many_there:
        return "its verb does not agree with what it asks for"
    last = lower[-1].removesuffix("'s")
    if last != lower[-1] and not {last, f"{last}s"}.isdisjoint(curated_names()) and not _are_people(f"{last}s"):
        return "a plural has an apostrophe"
    tags = tag_words((*words.split(), "?"))[1:-1]
    if any(
        is_noun(tag) and _is_unmarked(word) and not after.endswith(("ing", "market")) and not _are_people(after)
        for word, after, tag in zip(lower, lower[1:], tags, strict=False)
    ):
        return "a possessive has no apostrophe"
    return ""


def _is_unmarked(word: str) -> bool:
    """Whether a word before a noun may be a possessive without its apostrophe: "the boys shirt", "five chefs hats"."""
    return word in listed_words("unmarked") or ("'" not in word and _are_people(word))


def _are_people(word: str) -> bool:
    one = singular(word)
    return word.endswith("s") and is_plural(word) and one in curated_names() and is_a(one, "person")


def _has_plural_color(words: str) -> bool:
    """Whether one color is asked of several things: "what color is the letters"."""
    match = _COLOR_IS.fullmatch(words)
    tokens = tag_text(match[1]) if match else []
    named = list(takewhile(lambda token: token.tag.startswith(("AJ", "N", "CRD", "VVN", "POS")), tokens))
    return bool(named) and is_noun(named[-1].tag) and is_plural(named[-1].text) and not is_mass(named[-1].text)


def _is_bare_noun(words: str, predicate: Sequence[str]) -> bool:
    """Whether all that follows "is this" are nouns, and the last is a single thing: "is this summer event"."""
    tags = tag_words((*words.split(), "?"))[2:-1]
    is_one = len(predicate) > 1 and is_countable(predicate[-1]) and not is_plural(predicate[-1])
    return is_one and all(tag in ("NN0", "NN1") for tag in tags)
