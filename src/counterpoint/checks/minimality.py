"""Minimality: a foil differs from its caption in one place.

Words that only agree with what was changed are not another place: exactly one dog is here, some dogs are here.
"""

import numpy as np

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.quantities import same_but_for_number
from counterpoint.checks.text_pairs import Flags, TextPairs, Words
from counterpoint.language.word_diff import changed_spans


def judge(pairs: TextPairs, given: CheckContext) -> Rejections:
    """Speak against pairs that differ in too many places or, if a number is set, in too many words."""
    most, most_words = given.settings["spans"], given.settings["words"]
    spans, words = np.zeros(len(pairs), np.int32), np.zeros(len(pairs), np.int32)
    split = pairs.texts.words
    for place, (one, other) in enumerate(zip(pairs.caption.tolist(), pairs.foil.tolist(), strict=True)):
        sizes = _sizes(split[one], split[other])
        spans[place], words[place] = len(sizes), sum(sizes)
    reasons: dict[str, Flags] = {f"differs in more than {most} place{'s' * (most != 1)}": spans > most}
    if most_words:
        reasons[f"differs in more than {most_words} words"] = words > most_words
    return Rejections.first(reasons, len(pairs))


def _sizes(one: Words, other: Words) -> list[int]:
    """How many words were changed in each place, mere agreement left out where there is anything else."""
    found = [
        (one[change.start : change.end], other[change.other_start : change.other_end])
        for change in changed_spans(one, other)
    ]
    if len(found) > 1:
        found = [pair for pair in found if not same_but_for_number(*pair)] or found[:1]
    return [max(map(len, pair)) for pair in found]


check = Check("minimality", "a foil differs from its caption in one place", judge, {"spans": 1, "words": 0})
