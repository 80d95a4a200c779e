"""Plausibility: a text-only language model cannot tell captions from foils by their perplexity."""

import numpy as np
from numpy.typing import NDArray

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.text_pairs import Codes, Flags, Floats, TextPairs

_IMBALANCE = "its more plausible side is the more frequent one"


def judge(pairs: TextPairs, context: CheckContext) -> Rejections:
    """Reject pairs of which one text is far more plausible than the other, and an imbalance between the sides.

    The ratio is that of the perplexities per word. With `balance`, the pairs of a test with the largest ratio in the
    more frequent direction are rejected until both directions are equally frequent.
    """
    ratio, balance = context.settings["ratio"], context.settings["balance"]
    gain = _score_texts(pairs, pairs.caption, context) - _score_texts(pairs, pairs.foil, context)
    limit = np.log(ratio) if ratio else np.inf
    foil_worse: Flags = gain > limit
    caption_worse: Flags = gain < -limit
    kept, imbalanced = ~(foil_worse | caption_worse), np.zeros(len(pairs), np.bool_)
    if balance:
        for _, rows in pairs.by_test():
            imbalanced[_surplus(gain, rows[kept[rows]])] = True
        kept &= ~imbalanced
    reasons = {
        f"the caption is more than {ratio:g} times as plausible": foil_worse,
        f"the foil is more than {ratio:g} times as plausible": caption_worse,
        _IMBALANCE: imbalanced,
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


def _caption_share(gain: Floats) -> float:
    """The share of pairs whose caption is the more plausible text, ties counted as half."""
    return float(np.mean((gain > 0) + 0.5 * (gain == 0))) if len(gain) else float("nan")


def _score_texts(pairs: TextPairs, side: Codes, context: CheckContext) -> Floats:
    """The mean log-probability per word of each text; the model is told the picture for cross-fitting."""
    assert context.model is not None, "the check needs a language model"
    texts = [pairs.texts.all[code] for code in side.tolist()]
    return np.asarray(context.model(texts, pairs.pictures), np.float64)


check = Check(
    "plausibility",
    "neither a caption nor its foil is far more plausible than the other",
    judge,
    {"ratio": 2.0, "balance": False},
    model_kind="language",
    model="trigram",
)
