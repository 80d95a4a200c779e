"""Checks of the texts alone: duplicates, length in tokens, and minimality, that a foil differs in one span of words.

Words that only agree in number with the changed span do not count as another span: "exactly one dog is here", "some
dogs are here".
"""

import re

import numpy as np

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.quantities import same_but_for_number
from counterpoint.checks.text_pairs import Codes, TextPairs
from counterpoint.language.word_diff import Words, changed_spans

_TOKEN = re.compile(r"\w+|[^\w\s]")


def _judge_length(pairs: TextPairs, context: CheckContext) -> Rejections:
    """Reject pairs with a text of too many tokens: words, numbers and single punctuation marks."""
    limit = context.settings["tokens"]
    long = np.array([len(text) > limit and len(_TOKEN.findall(text)) > limit for text in pairs.texts.all], np.bool_)
    rejected = long[pairs.caption] | long[pairs.foil] if len(pairs) else np.zeros(0, np.bool_)
    return Rejections.first_of({f"a text has more than {limit} tokens": rejected}, len(pairs))


length = Check("length", "no text is longer than models read", _judge_length, {"tokens": 80})


SAME = "the caption and the foil are equal"
TWICE = "the pair occurs already"
REVERSED = "the pair occurs already, with caption and foil exchanged"


def _judge_duplicates(pairs: TextPairs, context: CheckContext) -> Rejections:
    """Reject all but the first occurrence of each pair on the same picture and context."""
    caption, foil = _text_numbers(pairs)
    keys = np.stack([pairs.test, pairs.picture, np.minimum(caption, foil), np.maximum(caption, foil)])
    _, first, number = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    original = first[number.reshape(-1)]
    comparable = pairs.picture >= 0  # where base and variant are shown different pictures, their texts may be equal
    repeated = comparable & (original != np.arange(len(pairs))) & (pairs.group != pairs.group[original])
    reversed_ = caption != caption[original]
    reasons = {SAME: comparable & (caption == foil), REVERSED: repeated & reversed_, TWICE: repeated & ~reversed_}
    return Rejections.first_of(reasons, len(pairs))


def _text_numbers(pairs: TextPairs) -> tuple[Codes, Codes]:
    """Numbers that are equal for texts of equal words; outside `ranks` groups, for texts of equal characters."""
    known: dict[tuple[str, ...], int] = {}
    codes = np.array([known.setdefault(words, len(known)) for words in pairs.texts.words], np.int32)
    if not len(pairs):
        return pairs.caption, pairs.foil
    offset = np.int32(len(known))
    caption, foil = (
        np.where(pairs.ranks, codes[side], offset + side).astype(np.int32) for side in (pairs.caption, pairs.foil)
    )
    return caption, foil


duplicates = Check("duplicates", "a caption and its foil differ, and no pair occurs twice", _judge_duplicates)


def _judge_minimality(pairs: TextPairs, context: CheckContext) -> Rejections:
    """Reject pairs that differ in too many spans or, if a limit is set, in too many words."""
    most, most_words = context.settings["spans"], context.settings["words"]
    spans, words = np.zeros(len(pairs), np.int32), np.zeros(len(pairs), np.int32)
    tokens = pairs.texts.words
    for index, (caption, foil) in enumerate(zip(pairs.caption.tolist(), pairs.foil.tolist(), strict=True)):
        sizes = _span_sizes(tokens[caption], tokens[foil])
        spans[index], words[index] = len(sizes), sum(sizes)
    reasons = {f"differs in more than {most} place{'s' * (most != 1)}": spans > most}
    if most_words:
        reasons[f"differs in more than {most_words} words"] = words > most_words
    return Rejections.first_of(reasons, len(pairs))


def _span_sizes(caption: Words, foil: Words) -> list[int]:
    """The number of words in each changed span, without spans of mere agreement where there are others."""
    spans = [
        (caption[span.start : span.end], foil[span.other_start : span.other_end])
        for span in changed_spans(caption, foil)
    ]
    if len(spans) > 1:
        spans = [pair for pair in spans if not same_but_for_number(*pair)] or spans[:1]
    return [max(map(len, pair)) for pair in spans]


minimality = Check(
    "minimality", "a foil differs from its caption in one place", _judge_minimality, {"spans": 1, "words": 0}
)
