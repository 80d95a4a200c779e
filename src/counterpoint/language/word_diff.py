"""Word diff: which words of two texts differ."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple, TypeAlias

Words: TypeAlias = tuple[str, ...]
_TOKEN = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")


class WordChange(NamedTuple):
    """A span of words in one text and the span that replaces it in the other."""

    start: int
    end: int
    other_start: int
    other_end: int


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A part of a text, and whether it differs from the text it is compared with."""

    text: str
    changed: bool = False


def changed_span(one: Words, other: Words) -> WordChange | None:
    """The span from the first word that differs to the last; None where the words are equal.

    >>> changed_span(("a", "red", "car"), ("a", "blue", "old", "car"))
    WordChange(start=1, end=2, other_start=1, other_end=3)
    """
    if one == other:
        return None
    start, short = 0, min(len(one), len(other))
    while start < short and one[start] == other[start]:
        start += 1
    end, other_end = len(one), len(other)
    while end > start and other_end > start and one[end - 1] == other[other_end - 1]:
        end, other_end = end - 1, other_end - 1
    return WordChange(start, end, start, other_end)


def changed_spans(one: Words, other: Words) -> Iterator[WordChange]:
    """Every span of words that differs, in order.

    >>> list(changed_spans(("a", "dog", "is", "here"), ("some", "dog", "are", "here")))
    [WordChange(start=0, end=1, other_start=0, other_end=1), WordChange(start=2, end=3, other_start=2, other_end=3)]
    """
    whole = changed_span(one, other)
    if whole is None:
        return
    left, right = one[whole.start : whole.end], other[whole.other_start : whole.other_end]
    if not set(left) & set(right):
        yield whole
        return
    for kind, start, end, other_start, other_end in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind != "equal":
            shift = whole.start
            yield WordChange(shift + start, shift + end, shift + other_start, shift + other_end)


def replaced_words(one: Words, other: Words) -> tuple[str, str]:
    """The changed words of both texts, each as one string.

    >>> replaced_words(("a", "man", "hits", "a", "ball"), ("a", "man", "throws", "a", "ball"))
    ('hits', 'throws')
    """
    spans = list(changed_spans(one, other))
    before = " | ".join(" ".join(one[span.start : span.end]) for span in spans)
    after = " | ".join(" ".join(other[span.other_start : span.other_end]) for span in spans)
    return before, after


def mark_changes(base: str, variants: Sequence[str]) -> tuple[tuple[TextPiece, ...], ...]:
    """Split the base and each variant into pieces that together are the texts, and mark the changed ones.

    A variant is compared with the base; in the base every word is marked that any variant changes.

    >>> base, variant = mark_changes("Is there a cat?", ["Is there a black cat?"])
    >>> [piece.text for piece in variant if piece.changed]
    ['black']
    """
    base_places, base_words = _tokenize(base)
    base_changed, marked = set[int](), []
    for variant in variants:
        places, words = _tokenize(variant)
        spans = list(changed_spans(base_words, words))
        base_changed.update(*(range(span.start, span.end) for span in spans))
        changed = {index for span in spans for index in range(span.other_start, span.other_end)}
        marked.append(_pieces(variant, places, changed))
    return (_pieces(base, base_places, base_changed), *marked)


def _tokenize(text: str) -> tuple[list[tuple[int, int]], Words]:
    """The spans of the words and punctuation marks of a text, and their lowercase forms."""
    places = [match.span() for match in _TOKEN.finditer(text)]
    return places, tuple([text[start:stop].lower() for start, stop in places])


def _pieces(text: str, places: Sequence[tuple[int, int]], changed: set[int]) -> tuple[TextPiece, ...]:
    """The text in as few pieces as possible; the space between two changed words belongs to the change."""
    pieces, begin, end, inside = list[TextPiece](), 0, 0, False
    for index, (start, stop) in enumerate(places):
        if (index in changed) != inside:
            cut = end if inside else start
            pieces.append(TextPiece(text[begin:cut], inside))
            begin, inside = cut, not inside
        end = stop
    last = end if inside else len(text)
    pieces += [TextPiece(text[begin:last], inside), TextPiece(text[last:])]
    return tuple(piece for piece in pieces if piece.text)
