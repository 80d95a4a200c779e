"""Grammaticality: foils are well-formed sentences by a grammar checker or an acceptability model."""

from collections.abc import Sequence

import numpy as np

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.text_pairs import Codes, Flags, Floats, TextPairs


def judge(pairs: TextPairs, context: CheckContext) -> Rejections:
    """Reject foils that score below the threshold; with `relative`, only if their captions score better."""
    threshold, both, relative = (context.settings[name] for name in ("threshold", "both", "relative"))
    foil = _score_texts(pairs.texts.all, pairs.foil, context)
    low: Flags = foil < threshold
    caption = np.full(len(pairs), np.nan)
    needed = np.ones(len(pairs), np.bool_) if both else low if relative else np.zeros(len(pairs), np.bool_)
    caption[needed] = _score_texts(pairs.texts.all, pairs.caption[needed], context)
    if relative:
        low = low & (foil < caption)
    reasons: dict[str, Flags] = {f"the foil scores below {threshold:g}": low}
    if both:
        reasons[f"the caption scores below {threshold:g}"] = caption < threshold
    means = {test: {"mean score": float(np.mean(foil[rows]))} for test, rows in pairs.by_test()}
    return Rejections.first_of(reasons, len(pairs), means)


def _score_texts(texts: Sequence[str], codes: Codes, context: CheckContext) -> Floats:
    """The score of each text, each distinct text scored once."""
    assert context.model is not None, "the check needs a grammar model"
    distinct, inverse = np.unique(codes, return_inverse=True)
    scores = np.asarray(context.model([texts[code] for code in distinct.tolist()]), np.float64)
    return np.asarray(scores[inverse], np.float64)


check = Check(
    "grammar",
    "a foil is a grammatical sentence",
    judge,
    {"threshold": 0.8, "both": False, "relative": False},
    model_kind="grammar",
    model="link-grammar",
)
