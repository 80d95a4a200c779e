"""Prepositions of place: which are synonyms, which one implies another, and which exclude each other."""

from collections.abc import Mapping
from functools import cache

from counterpoint.language.lexicon.word_lists import split_list

SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(split_list(line))
    for line in (
        "on, upon, on top of, atop, onto, on the top of",
        "in, inside, inside of, within, into, in the inside of",
        "next to, beside, by, alongside, at the side of, to the side of, adjacent to, by the side of",
        "near, close to, nearby, near to, close by",
        "under, underneath, below, beneath, underneath of",
        "above, over",
        "in front of, ahead of, in the front of",
        "behind, in back of, at the back of",
        "outside, outside of, out of",
        "off, off of",
        "toward, towards, to",
        "among, amongst, amid, in the midst of",
        "through, throughout",
        "between, in between",
        "with, along with, together with",
        "across from, opposite",
        "in the middle of, in the center of, at the center of",
    )
)
"""Synonymous prepositions; each occurs in one line only, so that synonyms imply the same."""
IMPLIED: Mapping[str, str] = {
    "next to": "near, with, at",
    "in front of": "near, by, beside, with, next to",
    "behind": "near, by, with",
    "on": "with, at, against",
    "in": "at, with, among",
    "under": "near, with",
    "between": "near, by, beside, among, with, next to",
    "among": "near, with, in, by",
    "against": "near, by, next to, on, with",
    "through": "in, along",
    "along": "on, by, near, down, across, next to",
    "down": "on, along",
    "up": "on, along",
    "across": "on, along, over",
    "at": "near, by, in, on, with, in front of",
    "near": "by, with, at, next to",
    "with": "near, by, next to",
    "around": "near, by, on, about",
    "over": "across",
    "past": "by, near, along",
    "from": "off, out of",
    "in the middle of": "in, on, among",
}
"""The prepositions that also hold wherever the key holds."""
EXCLUSIVE: tuple[tuple[str, ...], ...] = tuple(
    tuple(pair.split(" | "))
    for pair in split_list(
        "on | under, above | under, in | outside, in front of | behind, up | down, into | out of, "
        "onto | off, on | off, with | without, near | far from, next to | far from, to | from, "
        "toward | away from, in | on top of, in | under, in | behind, in | above, on | behind, "
        "under | behind, on | inside, on | in front of, under | in front of, above | in front of, "
        "left | right, to the left of | to the right of, on the left of | on the right of"
    )
)
"""Prepositions that cannot hold of the same two objects in one picture."""


@cache
def entails(one: str, other: str) -> bool:
    """Whether the second holds wherever the first does.

    >>> entails("next to", "near"), entails("beside", "next to"), entails("on", "under")
    (True, True, False)
    """
    if other in _synonyms(one):
        return True
    implied = {phrase for synonym in _synonyms(one) for phrase in split_list(IMPLIED.get(synonym, ""))}
    return not implied.isdisjoint(_synonyms(other))


@cache
def excludes(one: str, other: str) -> bool:
    """Whether the second is false wherever the first holds.

    >>> excludes("underneath", "on top of"), excludes("in", "with")
    (True, False)
    """
    if entails(one, other) or entails(other, one):
        return False
    pairs = {*EXCLUSIVE, *(pair[::-1] for pair in EXCLUSIVE)}
    return any((left, right) in pairs for left in _synonyms(one) for right in _synonyms(other))


@cache
def is_preposition(phrase: str) -> bool:
    """Whether a phrase is one of these prepositions."""
    return phrase in _known()


def _synonyms(phrase: str) -> frozenset[str]:
    return frozenset({phrase}).union(*(group for group in SYNONYMS if phrase in group))


@cache
def _known() -> frozenset[str]:
    implied = (split_list(line) for line in IMPLIED.values())
    return frozenset().union(*SYNONYMS, IMPLIED, *implied, *EXCLUSIVE, split_list(_OTHERS))


_OTHERS = "of, for, as, like, about, via, during, beyond, besides, out, away from, full of, instead of, facing"
