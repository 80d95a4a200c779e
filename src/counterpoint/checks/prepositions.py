"""Prepositions of place against each other: which say the same, which one follows from which, and which exclude."""

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
"""Prepositions that say the same; each is in one line only, so that what follows from one follows from all."""
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
"""What a picture of which the first is said may be said to show as well."""
EXCLUSIVE: tuple[tuple[str, str], ...] = (
    ("on", "under"),
    ("above", "under"),
    ("in", "outside"),
    ("in front of", "behind"),
    ("up", "down"),
    ("into", "out of"),
    ("onto", "off"),
    ("on", "off"),
    ("with", "without"),
    ("near", "far from"),
    ("next to", "far from"),
    ("to", "from"),
    ("toward", "away from"),
    ("in", "on top of"),
    ("in", "under"),
    ("in", "behind"),
    ("in", "above"),
    ("on", "behind"),
    ("under", "behind"),
    ("on", "inside"),
    ("on", "in front of"),
    ("under", "in front of"),
    ("above", "in front of"),
    ("left", "right"),
    ("to the left of", "to the right of"),
    ("on the left of", "on the right of"),
)
"""Prepositions that are not said of the same picture."""


@cache
def entails(one: str, other: str) -> bool:
    """Whether the second may be said wherever the first is.

    >>> entails("next to", "near"), entails("beside", "next to"), entails("on", "under")
    (True, True, False)
    """
    if other in _synonyms(one):
        return True
    weaker = {phrase for own in _synonyms(one) for phrase in split_list(IMPLIED.get(own, ""))}
    return not weaker.isdisjoint(_synonyms(other))


@cache
def excludes(one: str, other: str) -> bool:
    """Whether what is in the first place is not in the second.

    >>> excludes("underneath", "on top of"), excludes("in", "with")
    (True, False)
    """
    if entails(one, other) or entails(other, one):
        return False
    pairs = {(a, b) for a, b in EXCLUSIVE} | {(b, a) for a, b in EXCLUSIVE}
    return any((own, theirs) in pairs for own in _synonyms(one) for theirs in _synonyms(other))


@cache
def is_preposition(phrase: str) -> bool:
    """Whether a phrase is one of the prepositions here."""
    return phrase in _known()


def _synonyms(phrase: str) -> frozenset[str]:
    return frozenset({phrase}).union(*(group for group in SYNONYMS if phrase in group))


@cache
def _known() -> frozenset[str]:
    weaker = (split_list(line) for line in IMPLIED.values())
    return frozenset().union(*SYNONYMS, IMPLIED, *weaker, *EXCLUSIVE, split_list(_OTHERS))


_OTHERS = "of, for, as, like, about, via, during, beyond, besides, out, away from, full of, instead of, facing"
