"""Flaws of a question that no rewrite mends: no good English, or nothing that a picture shows."""

import re
from collections.abc import Sequence

from counterpoint.language.articles import MISSING_ARTICLE, has_bare_name
from counterpoint.language.clauses import strip_question
from counterpoint.language.english import is_countable
from counterpoint.language.nouns import is_mass, is_plural
from counterpoint.language.tokens import is_noun, tag_words
from counterpoint.suites.questions.existence import parse_existence
from counterpoint.suites.questions.words import has_word, listed_words

_VERB = re.compile(
    r"\b(?:is|are|was|were|do|does|did|can|could|has|have|would|will|should)\b|\b\w+(?:'s|s)\b", re.IGNORECASE
)
_OF_NOTHING = re.compile(r"how many (?:are|is|can|could|do|does|wear|have)\b", re.IGNORECASE)
_TWICE = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)  # "a a necklace"
_TWO_VERBS = re.compile(
    r"(?:what (?:is|are) (?!the |this |that |these |those )|is this )\w+ (?:is|are) ", re.IGNORECASE
)  # "what is sport are they playing", "is this roses are real"
_MANY_IS = re.compile(r"how many \w+s is ", re.IGNORECASE)
_COLOR_BARE = re.compile(r"what colou?r is ([a-z]+)", re.IGNORECASE)


def flaw(text: str) -> str:
    """Why a question is no good English, or cannot be answered from a picture, or nothing.

    >>> flaw("Who the bad dog?"), flaw("What color is lamp?"), flaw("What is sport are they playing?")
    ('it has no verb', 'a noun has no article', 'it has two verbs')
    >>> flaw("What color is the ladies headband?"), flaw("Is this an American?"), flaw("How many buses?")
    ('a possessive has no apostrophe', 'no picture shows what it asks for', '')
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
    if _MANY_IS.match(words) or (existence and existence.opening == "is there" and is_many and not is_odd):
        return "its verb does not agree with what it asks for"
    if any(
        word in listed_words("unmarked") and is_noun(tag) for word, tag in zip(lower, _next_tags(words), strict=True)
    ):
        return "a possessive has no apostrophe"
    return ""


def _is_bare_noun(words: str, predicate: Sequence[str]) -> bool:
    """Whether all that follows "is this" are nouns, and the last is a single thing: "is this summer event"."""
    tags = tag_words((*words.split(), "?"))[2:-1]
    is_one = len(predicate) > 1 and is_countable(predicate[-1]) and not is_plural(predicate[-1])
    return is_one and all(tag in ("NN0", "NN1") for tag in tags)


def _next_tags(words: str) -> tuple[str, ...]:
    """For each word, the tag of the one behind it; nothing for the last one."""
    tags = tag_words((*words.split(), "?"))[1:-1]
    return (*tags, "")
