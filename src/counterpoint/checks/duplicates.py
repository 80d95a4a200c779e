"""Duplicates: a caption that is its own foil, a pair that is there twice, or once each way round."""

import numpy as np

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.text_pairs import Codes, Flags, TextPairs

SAME = "the caption and the foil say the same"
TWICE = "the pair is there already"
REVERSED = "the pair is there already, the other way round"


def judge(pairs: TextPairs, given: CheckContext) -> Rejections:
    """Speak against all but the first of each pair that is shown with the same thing."""
    caption, foil = _plain(pairs)
    compared = np.stack([pairs.test, pairs.picture, np.minimum(caption, foil), np.maximum(caption, foil)])
    _, first, number = np.unique(compared, axis=1, return_index=True, return_inverse=True)
    seen = first[number.reshape(-1)]
    shown = pairs.picture >= 0  # where a base and its variant are shown different things, the texts may well be alike
    again = shown & (seen != np.arange(len(pairs))) & (pairs.group != pairs.group[seen])
    turned = caption != caption[seen]
    reasons: dict[str, Flags] = {SAME: shown & (caption == foil), REVERSED: again & turned, TWICE: again & ~turned}
    return Rejections.first(reasons, len(pairs))


def _plain(pairs: TextPairs) -> tuple[Codes, Codes]:
    """Numbers for texts that are equal where their words are; where nothing is ranked, every sign counts."""
    known: dict[tuple[str, ...], int] = {}
    codes = np.array([known.setdefault(words, len(known)) for words in pairs.texts.words], np.int32)
    if not len(pairs):
        return pairs.caption, pairs.foil
    exact = np.int32(len(known))
    caption, foil = (
        np.where(pairs.ranks, codes[side], exact + side).astype(np.int32) for side in (pairs.caption, pairs.foil)
    )
    return caption, foil


check = Check("duplicates", "a caption and its foil differ, and no pair is there twice", judge)
