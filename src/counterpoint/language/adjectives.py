"""Comparison of adjectives: larger, largest; more colorful, most colorful."""

from functools import cache

from counterpoint.language.lexicon.word_lists import word_list, word_table
from counterpoint.language.verbs import doubles_its_end, syllables


def comparative(adjective: str) -> str:
    """The comparative.

    >>> comparative("large"), comparative("big"), comparative("shiny"), comparative("good"), comparative("colorful")
    ('larger', 'bigger', 'shinier', 'better', 'more colorful')
    """
    return _irregular(adjective, 0) or _inflect(adjective, "er", "more")


def superlative(adjective: str) -> str:
    """The superlative.

    >>> superlative("large"), superlative("thin"), superlative("far"), superlative("modern")
    ('largest', 'thinnest', 'farthest', 'most modern')
    """
    return _irregular(adjective, 1) or _inflect(adjective, "est", "most")


@cache
def _irregular(adjective: str, index: int) -> str:
    forms: list[str] | None = word_table("adjectives")["irregular"].get(adjective)
    return forms[index] if forms else ""


def _inflect(adjective: str, ending: str, word: str) -> str:
    if not _takes_ending(adjective):
        return f"{word} {adjective}"
    if adjective.endswith("e"):
        return adjective + ending[1:]
    if adjective.endswith("y") and adjective[-2] not in "aeiou":
        return adjective[:-1] + "i" + ending
    return adjective + (adjective[-1] if doubles_its_end(adjective) else "") + ending


def _takes_ending(adjective: str) -> bool:
    if " " in adjective or "-" in adjective or adjective in word_list("adjectives", "with_more"):
        return False
    if adjective.endswith(("ing", "ed")) and adjective != "red":
        return False
    if adjective in word_list("adjectives", "with_ending"):
        return True
    return syllables(adjective) == 1 or (syllables(adjective) == 2 and adjective.endswith(("y", "le", "ow")))
