"""Noun inflection: singular, plural, mass nouns and pairs, by the head of a phrase."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from counterpoint.language.lexicon.word_lists import word_list, word_table

_REST = re.compile(r" (?:of|in|on|with|at|from|for|to|under|above|near|behind|beside|by|that|who|which) ")
_SINGULAR_ENDINGS = ("ss", "us", "is")
_SIBILANTS = ("s", "x", "z", "ch", "sh")


@cache
def plural(noun: str) -> str:
    """The plural; plurals, pairs and pure mass nouns stay as they are.

    >>> plural("slice of pizza"), plural("bookshelf"), plural("sheep"), plural("pants"), plural("grass")
    ('slices of pizza', 'bookshelves', 'sheep', 'pants', 'grass')
    """
    if is_plural(noun) or (is_mass(noun) and _listed_as(noun, "mass") not in word_list("nouns", "also_counted")):
        return noun
    return _inflect_head(noun, _plurals(), _plural_word)


@cache
def singular(noun: str) -> str:
    """The singular; pairs and other nouns without a singular stay as they are.

    >>> singular("wine glasses"), singular("glasses"), singular("people"), singular("bus")
    ('wine glass', 'glasses', 'person', 'bus')
    """
    if not is_plural(noun) or _has_no_singular(noun):
        return noun
    return _inflect_head(noun, _singulars(), _singular_word)


@cache
def is_plural(noun: str) -> bool:
    """Whether a noun agrees with "are": plurals, pairs and "clothes"."""
    if _irregular_plural(noun) or _has_no_singular(noun) or _listed(noun, "plural_in_us_is"):
        return True
    if _listed(noun, "same") or _listed(noun, "singular_in_s") or any(e in _plurals() for e in _endings(noun)):
        return False
    word = head(noun).lower()
    if word.endswith("men"):
        return word not in word_list("nouns", "in_men")
    return len(word) > 2 and word.endswith("s") and not word.endswith(_SINGULAR_ENDINGS)


@cache
def is_mass(noun: str) -> bool:
    """Whether a noun is uncountable, such as grass and bread."""
    return _listed(noun, "mass")


@cache
def is_pair(noun: str) -> bool:
    """Whether a noun without a singular names one object of two parts, such as pants and scissors."""
    return _listed(noun, "pair") and not _irregular_plural(noun)


def is_countable(noun: str) -> bool:
    """Whether "one" can stand before its singular and "two" before its plural."""
    return not (is_mass(noun) or _has_no_singular(noun))


def measure(noun: str) -> str:
    """The measure word of a mass noun: slices of bread, cups of coffee, else pieces."""
    table: Mapping[str, str] = word_table("nouns")["measure"]
    return next((table[ending] for ending in _endings(noun) if ending in table), "piece")


def head(noun: str) -> str:
    """The head of a noun phrase: the last word before a preposition.

    >>> head("slice of pizza"), head("traffic light")
    ('slice', 'light')
    """
    return _split(noun)[0].rpartition(" ")[2]


def _split(noun: str) -> tuple[str, str]:
    """The phrase up to its head, and the rest."""
    rest = _REST.search(noun)
    return (noun[: rest.start()], noun[rest.start() :]) if rest else (noun, "")


def _endings(noun: str) -> Iterator[str]:
    """The suffixes of the phrase up to its head: "hot dog bun", "dog bun", "bun"."""
    ending, space = _split(noun)[0].lower(), " "
    while space:
        yield ending
        _, space, ending = ending.partition(" ")


@cache
def _listed_as(noun: str, key: str) -> str:
    """The longest suffix of the phrase that is in a list, or an empty string."""
    known = word_list("nouns", key)
    return next((ending for ending in _endings(noun) if ending in known), "")


def _listed(noun: str, key: str) -> bool:
    return _listed_as(noun, key) != ""


def _irregular_plural(noun: str) -> bool:
    return any(ending in _singulars() for ending in _endings(noun))


def _has_no_singular(noun: str) -> bool:
    return (_listed(noun, "pair") or _listed(noun, "plural_only")) and not _irregular_plural(noun)


def _inflect_head(noun: str, table: Mapping[str, str], change: Callable[[str], str]) -> str:
    """The phrase with its head inflected by a table of suffixes, or else by a rule for words."""
    front, rest = _split(noun)
    for ending in _endings(noun):
        if ending in table:
            kept, word = len(front) - len(ending), table[ending]
            return front[:kept] + (word[0].upper() + word[1:] if front[kept].isupper() else word) + rest
    before, space, word = front.rpartition(" ")
    return before + space + change(word) + rest


@cache
def _plurals() -> Mapping[str, str]:
    table: Mapping[str, str] = word_table("nouns")["irregular"]
    return table


@cache
def _singulars() -> Mapping[str, str]:
    return {many: one for one, many in _plurals().items()}


def _plural_word(word: str) -> str:
    low = word.lower()
    if low in word_list("nouns", "same"):
        return word
    if low.endswith("man") and low not in word_list("nouns", "in_mans"):
        return word[:-3] + "men"
    if low in word_list("nouns", "in_ves"):
        return word.removesuffix("e")[:-1] + "ves"
    if low.endswith("y") and low[-2:-1] not in tuple("aeiou"):
        return word[:-1] + "ies"
    if low.endswith(_SIBILANTS) or low in word_list("nouns", "in_oes"):
        return word + "es"
    return word + "s"


def _singular_word(word: str) -> str:
    low = word.lower()
    if low.endswith("men"):
        return word[:-3] + "man"
    if low.endswith("ves"):
        for ending in ("f", "fe"):
            if low[:-3] + ending in word_list("nouns", "in_ves"):
                return word[:-3] + ending
    if low.endswith("ies") and low[:-1] not in word_list("nouns", "in_ie") and len(low) > 3:
        return word[:-3] + "y"
    if low.endswith("es") and low[:-1] not in word_list("nouns", "in_silent_e"):
        listed = word_list("nouns", "singular_in_s") | word_list("nouns", "in_oes")
        if low[:-2] in listed or low[:-2].endswith(("ss", "x", "zz", "ch", "sh", "tz")):
            return word[:-2]
    return word[:-1]
