"""Where two texts differ, word by word, so that a reader sees at a glance what was changed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_TOKENS = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of a text, and whether it was changed."""

    text: str
    changed: bool = False


def mark_changes(base: str, variants: Sequence[str]) -> tuple[tuple[TextPiece, ...], ...]:
    """The base and each variant in pieces that together are the texts: words that have no partner are changed.

    A variant is held against the base; in the base is marked what any variant changed.

    >>> base, variant = marked("Is there a cat?", ["Is there a black cat?"])
    >>> [piece.text for piece in variant if piece.changed]
    ['black']
    """
    spans, words = _tokens(base)
    kept_everywhere = set(range(len(spans)))
    found = []
    for variant in variants:
        own, said = _tokens(variant)
        here, there = _kept(words, said)
        kept_everywhere &= here
        found.append(_pieces(variant, own, there))
    return (_pieces(base, spans, kept_everywhere), *found)


def _tokens(text: str) -> tuple[list[tuple[int, int]], list[str]]:
    """Where the words and signs of a text are, and what they are in small letters."""
    spans = [match.span() for match in _TOKENS.finditer(text)]
    return spans, [text[start:stop].lower() for start, stop in spans]


def _kept(one: Sequence[str], other: Sequence[str]) -> tuple[set[int], set[int]]:
    """The places of the words that both texts share, in the order that both have them."""
    start = _alike(one, other)
    end = _alike(one[start:][::-1], other[start:][::-1])  # nearly all of two texts is alike, and need not be searched
    middle = SequenceMatcher(None, one[start : len(one) - end], other[start : len(other) - end], autojunk=False)
    blocks = [
        (0, 0, start),
        *((start + block.a, start + block.b, block.size) for block in middle.get_matching_blocks()),
        (len(one) - end, len(other) - end, end),
    ]
    return (
        {a + step for a, _, size in blocks for step in range(size)},
        {b + step for _, b, size in blocks for step in range(size)},
    )


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """With how many words both begin alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _pieces(text: str, spans: Sequence[tuple[int, int]], kept: set[int]) -> tuple[TextPiece, ...]:
    """The text in as few pieces as there are changes; the space between two changed words belongs to the change."""
    pieces, begin, end, changed = list[TextPiece](), 0, 0, False
    for place, (start, stop) in enumerate(spans):
        if (place in kept) == changed:
            cut = end if changed else start
            pieces.append(TextPiece(text[begin:cut], changed))
            begin, changed = cut, not changed
        end = stop
    last = end if changed else len(text)
    pieces += [TextPiece(text[begin:last], changed), TextPiece(text[last:])]
    return tuple(piece for piece in pieces if piece.text)
