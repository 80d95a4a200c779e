"""Length: no text exceeds the token limit of common text encoders."""

import re

import numpy as np

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.text_pairs import TextPairs

_TOKEN = re.compile(r"\w+|[^\w\s]")


def judge(pairs: TextPairs, context: CheckContext) -> Rejections:
    """Reject pairs with a text of too many tokens: words, numbers and single punctuation marks."""
    limit = context.settings["tokens"]
    long = np.array([len(text) > limit and len(_TOKEN.findall(text)) > limit for text in pairs.texts.all], np.bool_)
    rejected = long[pairs.caption] | long[pairs.foil] if len(pairs) else np.zeros(0, np.bool_)
    return Rejections.first_of({f"a text has more than {limit} tokens": rejected}, len(pairs))


check = Check("length", "no text is longer than models read", judge, {"tokens": 80})
