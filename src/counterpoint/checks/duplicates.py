"""Duplicates: a foil equal to its caption, or a pair that occurs twice, in the same or the reverse direction."""

import numpy as np

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.text_pairs import Codes, TextPairs

SAME = "the caption and the foil are equal"
TWICE = "the pair occurs already"
REVERSED = "the pair occurs already, with caption and foil exchanged"


def judge(pairs: TextPairs, context: CheckContext) -> Rejections:
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


check = Check("duplicates", "a caption and its foil differ, and no pair occurs twice", judge)
