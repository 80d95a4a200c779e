"""Checks by models of text: grammaticality of foils, entailment between texts, plausibility without a picture."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.entailment_rules import CONTRADICTED, ENTAILED, LABELS, NEUTRAL, UNKNOWN, entailment_label
from counterpoint.checks.text_pairs import Codes, Flags, Floats, TextPairs
from counterpoint.core.errors import UnknownName

_UNSCORED = "the model has no score for its texts"


def _judge_grammar(pairs: TextPairs, context: CheckContext) -> Rejections:
    """Reject foils that score below the threshold; with `relative`, only if their captions score better."""
    threshold, both, relative = (context.settings[name] for name in ("threshold", "both", "relative"))
    foil = _score_texts(pairs.texts.all, pairs.foil, context)
    low: Flags = foil < threshold
    caption = np.full(len(pairs), np.nan)
    needed = np.ones(len(pairs), np.bool_) if both else low if relative else np.zeros(len(pairs), np.bool_)
    caption[needed] = _score_texts(pairs.texts.all, pairs.caption[needed], context)
    if relative:
        low = low & (foil < caption)
    unscored: Flags = np.isnan(foil) | (needed & np.isnan(caption))
    reasons: dict[str, Flags] = {f"the foil scores below {threshold:g}": low, _UNSCORED: unscored}
    if both:
        reasons[f"the caption scores below {threshold:g}"] = caption < threshold
    means = {test: {"mean score": _mean(foil[rows])} for test, rows in pairs.by_test()}
    return Rejections.first_of(reasons, len(pairs), means)


def _mean(scores: Floats) -> float:
    known = scores[~np.isnan(scores)]
    return float(np.mean(known)) if len(known) else float("nan")


def _score_texts(texts: Sequence[str], codes: Codes, context: CheckContext) -> Floats:
    """The score of each text, each distinct text scored once."""
    assert context.model is not None, "the check needs a grammar model"
    distinct, inverse = np.unique(codes, return_inverse=True)
    scores = np.asarray(context.model([texts[code] for code in distinct.tolist()]), np.float64)
    return np.asarray(scores[inverse], np.float64)


grammar = Check(
    "grammar",
    "a foil is a grammatical sentence",
    _judge_grammar,
    {"threshold": 0.8, "both": False, "relative": False},
    model_kind="grammar",
    model="link-grammar",
)


ACTIONS = "action-replacement", "actions"
"""Tests and kinds in which verbs are exchanged."""
REASONS = {
    ENTAILED: "the foil follows from the caption",
    NEUTRAL: "the foil may be true as well",
    CONTRADICTED: "the foil contradicts the caption",
}


def _judge_entailment(pairs: TextPairs, context: CheckContext) -> Rejections:
    """Reject foils whose label is not in the setting `keep`; pairs that the rules do not cover are kept."""
    labels = np.array([LABELS.index(label) for label in _labels(pairs, context)], np.int32)
    kept = [name.strip() for name in context.settings["keep"].split(",")]
    for name in kept:
        if name not in LABELS:
            raise UnknownName("entailment label", name, LABELS)
    codes = np.where(np.isin(labels, [LABELS.index(name) for name in (*kept, UNKNOWN)]), -1, labels)
    notes = {test: Counter(LABELS[code] for code in np.sort(labels[rows]).tolist()) for test, rows in pairs.by_test()}
    return Rejections(codes.astype(np.int32), [REASONS.get(label, "") for label in LABELS], notes)


def _labels(pairs: TextPairs, context: CheckContext) -> Sequence[str]:
    if context.model is None:
        words = pairs.texts.words
        rows = zip(pairs.caption.tolist(), pairs.foil.tolist(), pairs.test.tolist(), pairs.kind.tolist(), strict=True)
        return [
            entailment_label(words[caption], words[foil], pairs.tests[test] in ACTIONS or pairs.kinds[kind] in ACTIONS)
            for caption, foil, test, kind in rows
        ]
    texts = pairs.texts.all
    distinct, inverse = np.unique(np.stack([pairs.caption, pairs.foil]), axis=1, return_inverse=True)
    labels: Sequence[str] = context.model([texts[code] for code in distinct[0]], [texts[code] for code in distinct[1]])
    return [labels[index] for index in inverse.reshape(-1).tolist()]


entailment = Check(
    "entailment",
    "a foil contradicts its caption",
    _judge_entailment,
    {"keep": CONTRADICTED},
    model_kind="entailment",
    model="rules",
)


_IMBALANCE = "its more plausible side is the more frequent one"


def _judge_plausibility(pairs: TextPairs, context: CheckContext) -> Rejections:
    """Reject pairs of which one text is far more plausible than the other, and an imbalance between the sides.

    The ratio is that of the perplexities per word. With `balance`, the pairs of a test with the largest ratio in the
    more frequent direction are rejected until both directions are equally frequent.
    """
    ratio, balance = context.settings["ratio"], context.settings["balance"]
    gain = _log_probabilities(pairs, pairs.caption, context) - _log_probabilities(pairs, pairs.foil, context)
    limit = np.log(ratio) if ratio else np.inf
    foil_worse: Flags = gain > limit
    caption_worse: Flags = gain < -limit
    unscored: Flags = np.isnan(gain)
    kept, imbalanced = ~(foil_worse | caption_worse | unscored), np.zeros(len(pairs), np.bool_)
    if balance:
        for _, rows in pairs.by_test():
            imbalanced[_surplus(gain, rows[kept[rows]])] = True
        kept &= ~imbalanced
    reasons = {
        f"the caption is more than {ratio:g} times as plausible": foil_worse,
        f"the foil is more than {ratio:g} times as plausible": caption_worse,
        _IMBALANCE: imbalanced,
        _UNSCORED: unscored,
    }
    notes = {
        test: {"caption more usual": _caption_share(gain[rows]), "after": _caption_share(gain[rows[kept[rows]]])}
        for test, rows in pairs.by_test()
    }
    return Rejections.first_of(reasons, len(pairs), notes)


def _surplus(gain: Floats, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """The pairs by which one direction outnumbers the other, those with the largest ratio first."""
    above, below = rows[gain[rows] > 0], rows[gain[rows] < 0]
    many = above if len(above) > len(below) else below
    order = np.argsort(-np.abs(gain[many]), kind="stable")
    return np.asarray(many[order[: abs(len(above) - len(below))]])


def caption_shares(pairs: TextPairs, context: CheckContext) -> dict[str, float]:
    """The share of pairs of each test whose caption is the more plausible text to a model that filtered nothing."""
    gain = _log_probabilities(pairs, pairs.caption, context) - _log_probabilities(pairs, pairs.foil, context)
    return {test: _caption_share(gain[rows]) for test, rows in pairs.by_test()}


def _caption_share(gain: Floats) -> float:
    """The share of pairs whose caption is the more plausible text, ties counted as half, of those with scores."""
    gain = gain[~np.isnan(gain)]
    return float(np.mean((gain > 0) + 0.5 * (gain == 0))) if len(gain) else float("nan")


def _log_probabilities(pairs: TextPairs, side: Codes, context: CheckContext) -> Floats:
    """The mean log-probability per word of each text; the model is told the picture for cross-fitting."""
    assert context.model is not None, "the check needs a language model"
    texts = [pairs.texts.all[code] for code in side.tolist()]
    return np.asarray(context.model(texts, pairs.pictures), np.float64)


plausibility = Check(
    "plausibility",
    "neither a caption nor its foil is far more plausible than the other",
    _judge_plausibility,
    {"ratio": 2.0, "balance": False},
    model_kind="language",
    model="trigram",
    tag="plausible",
)
