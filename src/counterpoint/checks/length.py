"""Length: texts short enough that no model cuts them off."""

import re

import numpy as np

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.text_pairs import TextPairs

_TOKEN = re.compile(r"\w+|[^\w\s]")


def judge(pairs: TextPairs, given: CheckContext) -> Rejections:
    """Speak against a pair with a text of too many tokens, which are words, numbers and single signs."""
    most = given.settings["tokens"]
    long = np.array([len(text) > most and len(_TOKEN.findall(text)) > most for text in pairs.texts.all], np.bool_)
    if not len(pairs):
        return Rejections.against(np.zeros(0, np.bool_), "")
    return Rejections.against(long[pairs.caption] | long[pairs.foil], f"a text has more than {most} tokens")


check = Check("length", "no text is longer than models read", judge, {"tokens": 80})
