"""Prepositions of place: which are synonyms, which one implies another, and which exclude each other."""

from functools import cache, partial
from pathlib import Path

from counterpoint.language.lexicon.word_lists import split_list, word_table

read_rules = partial(word_table, "entailment", Path(__file__).parent / "data")
"""The word lists of the entailment rules."""


@cache
def entails(one: str, other: str) -> bool:
    """Whether the second holds wherever the first does.

    >>> entails("next to", "near"), entails("beside", "next to"), entails("on", "under")
    (True, True, False)
    """
    synonyms, implied = synonyms_of(one), read_rules()["implied"]
    holding = synonyms.union(*(split_list(implied.get(synonym, "")) for synonym in synonyms))
    return other in synonyms or not holding.isdisjoint(synonyms_of(other))


@cache
def excludes(one: str, other: str) -> bool:
    """Whether the second is false wherever the first holds.

    >>> excludes("underneath", "on top of"), excludes("in", "with")
    (True, False)
    """
    if entails(one, other) or entails(other, one):
        return False
    pairs = exclusive_pairs()
    sides = [(left, right) for left in synonyms_of(one) for right in synonyms_of(other)]
    return any((left, right) in pairs or (right, left) in pairs for left, right in sides)


@cache
def all_prepositions() -> frozenset[str]:
    """Every preposition that the rules know."""
    rules = read_rules()
    lists = (*rules["synonyms"], *rules["implied"].values(), rules["others"])
    return frozenset().union(rules["implied"], *exclusive_pairs(), *map(split_list, lists))


@cache
def synonyms_of(phrase: str) -> frozenset[str]:
    """A preposition and its synonyms."""
    return frozenset({phrase}).union(*(line for line in map(split_list, read_rules()["synonyms"]) if phrase in line))


@cache
def exclusive_pairs() -> frozenset[tuple[str, ...]]:
    """Pairs of prepositions that cannot hold of the same two objects in one picture."""
    return frozenset(tuple(pair.split(" | ")) for pair in split_list(read_rules()["exclusive"]))
