"""Grammaticality: foils that read as well-formed sentences, as a grammar checker or a learned scorer has it."""

from collections.abc import Sequence

import numpy as np

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.text_pairs import Codes, Flags, Floats, TextPairs


def judge(pairs: TextPairs, given: CheckContext) -> Rejections:
    """Speak against foils that score below the threshold; where asked, only if their captions score better."""
    assert given.ask is not None, "the check asks a scorer of sentences"
    least, both, relative = (given.settings[name] for name in ("threshold", "both", "relative"))
    foil = _score_texts(pairs.texts.all, pairs.foil, given)
    low: Flags = foil < least
    caption = np.full(len(pairs), np.nan)
    asked = np.ones(len(pairs), np.bool_) if both else low if relative else np.zeros(len(pairs), np.bool_)
    caption[asked] = _score_texts(pairs.texts.all, pairs.caption[asked], given)
    if relative:
        low = low & (foil < caption)
    reasons: dict[str, Flags] = {f"the foil scores below {least:g}": low}
    if both:
        reasons[f"the caption scores below {least:g}"] = caption < least
    found = Rejections.first(reasons, len(pairs))
    means = {test: {"mean score": float(np.mean(foil[places]))} for test, places in pairs.by_test()}
    return Rejections(found.codes, found.reasons, means)


def _score_texts(texts: Sequence[str], codes: Codes, given: CheckContext) -> Floats:
    """The score of each text, each asked for once."""
    assert given.ask is not None
    used, places = np.unique(codes, return_inverse=True)
    scores = np.asarray(given.ask([texts[code] for code in used.tolist()]), np.float64)
    return np.asarray(scores[places], np.float64)


check = Check(
    "grammar",
    "a foil is a grammatical sentence",
    judge,
    {"threshold": 0.8, "both": False, "relative": False},
    asks="grammar",
    model="link-grammar",
)
