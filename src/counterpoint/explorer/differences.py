"""Where two texts differ, word by word, so that a reader sees at a glance what was changed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

_TOKENS = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text, and whether it was changed."""

    text: str
    changed: bool = False


def marked(base: str, variants: Sequence[str]) -> tuple[tuple[Piece, ...], ...]:
    """The base and each variant in pieces that together are the texts: words that have no partner are changed.

    A variant is held against the base; in the base is marked what any variant changed.

    >>> base, variant = marked("Is there a cat?", ["Is there a black cat?"])
    >>> [piece.text for piece in variant if piece.changed]
    ['black']
    """
    kept_everywhere = set(range(len(_spans(base))))
    found = []
    for variant in variants:
        here, there = _kept(base, variant)
        kept_everywhere &= here
        found.append(_pieces(variant, there))
    return (_pieces(base, kept_everywhere), *found)


def _spans(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _TOKENS.finditer(text)]


def _words(text: str) -> list[str]:
    return [match[0].lower() for match in _TOKENS.finditer(text)]


def _kept(one: str, other: str) -> tuple[set[int], set[int]]:
    """The places of the words that both texts share, in the order that both have them."""
    blocks = SequenceMatcher(None, _words(one), _words(other), autojunk=False).get_matching_blocks()
    return (
        {block.a + step for block in blocks for step in range(block.size)},
        {block.b + step for block in blocks for step in range(block.size)},
    )


def _pieces(text: str, kept: set[int]) -> tuple[Piece, ...]:
    """The text in as few pieces as there are changes; the space between two changed words belongs to the change."""
    return tuple(
        Piece("".join(part for part, _ in run), changed)
        for changed, run in groupby(_parts(text, kept), key=lambda part: part[1])
    )


def _parts(text: str, kept: set[int]) -> Iterator[tuple[str, bool]]:
    end, before = 0, False
    for place, (start, stop) in enumerate(_spans(text)):
        changed = place not in kept
        if start > end:
            yield text[end:start], changed and before
        yield text[start:stop], changed
        end, before = stop, changed
    if end < len(text):
        yield text[end:], False
