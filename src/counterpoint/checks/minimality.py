"""Minimality: a foil differs from its caption in one span of words.

Words that only agree in number with the changed span do not count as another span: "exactly one dog is here", "some
dogs are here".
"""

import numpy as np

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.quantities import same_but_for_number
from counterpoint.checks.text_pairs import TextPairs
from counterpoint.language.word_diff import Words, changed_spans


def judge(pairs: TextPairs, context: CheckContext) -> Rejections:
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


check = Check("minimality", "a foil differs from its caption in one place", judge, {"spans": 1, "words": 0})
