"""What was changed between two texts, word by word."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple, TypeAlias

Words: TypeAlias = tuple[str, ...]


class WordChange(NamedTuple):
    """Words of one text, from a place to another, and the words that stand there in the other text."""

    start: int
    end: int
    other_start: int
    other_end: int


def changed_span(one: Words, other: Words) -> WordChange | None:
    """The stretch from the first word that differs to the last; nothing where the words are the same.

    >>> between(("a", "red", "car"), ("a", "blue", "old", "car"))
    Change(start=1, end=2, other_start=1, other_end=3)
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
    """Every stretch of words that differs, in order.

    >>> list(changes(("a", "dog", "is", "here"), ("some", "dog", "are", "here")))
    [Change(start=0, end=1, other_start=0, other_end=1), Change(start=2, end=3, other_start=2, other_end=3)]
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
    """The words that were changed and those in their place, each as one text.

    >>> replaced(("a", "man", "hits", "a", "ball"), ("a", "man", "throws", "a", "ball"))
    ('hits', 'throws')
    """
    found = list(changed_spans(one, other))
    was = " | ".join(" ".join(one[change.start : change.end]) for change in found)
    now = " | ".join(" ".join(other[change.other_start : change.other_end]) for change in found)
    return was, now
