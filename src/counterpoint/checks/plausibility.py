"""Plausibility: captions and foils that a model which never looks cannot tell apart by how usual they are."""

import numpy as np

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.text_pairs import Codes, Flags, Floats, TextPairs


def judge(pairs: TextPairs, given: CheckContext) -> Rejections:
    """Speak against pairs of which one text is far more usual than the other, and against a surplus on one side.

    The ratio is that of the perplexities per word. With `balance`, of the pairs of a test whose captions are the more
    usual, those with the largest ratio go, until there are as many the other way round; or the reverse.
    """
    assert given.ask is not None, "the check asks a language model"
    most, balance = given.settings["ratio"], given.settings["balance"]
    gain = _score_texts(pairs, pairs.caption, given) - _score_texts(pairs, pairs.foil, given)
    with np.errstate(invalid="ignore"):
        foil_worse: Flags = (gain > np.log(most)) if most else np.zeros(len(pairs), np.bool_)
        caption_worse: Flags = (gain < -np.log(most)) if most else np.zeros(len(pairs), np.bool_)
    reasons = {
        f"the caption is more than {most:g} times as usual": foil_worse,
        f"the foil is more than {most:g} times as usual": caption_worse,
        "its side is the more usual one too often": np.zeros(len(pairs), np.bool_),
    }
    kept = ~(foil_worse | caption_worse)
    if balance:
        surplus = np.zeros(len(pairs), np.bool_)
        for _, places in pairs.by_test():
            surplus[_surplus(gain, places[kept[places]])] = True
        reasons["its side is the more usual one too often"] = surplus
        kept &= ~surplus
    notes = {
        test: {"caption more usual": _share(gain[places]), "after": _share(gain[places[kept[places]]])}
        for test, places in pairs.by_test()
    }
    found = Rejections.first(reasons, len(pairs))
    return Rejections(found.codes, found.reasons, notes)


def _surplus(gain: Floats, places: np.typing.NDArray[np.intp]) -> np.typing.NDArray[np.intp]:
    """The pairs that one side has more of, the farthest apart first."""
    above, below = places[gain[places] > 0], places[gain[places] < 0]
    many = above if len(above) > len(below) else below
    order = np.argsort(-np.abs(gain[many]), kind="stable")
    return np.asarray(many[order[: abs(len(above) - len(below))]])


def _share(gain: Floats) -> float:
    """How often the caption is the more usual text, ties counted as half."""
    return float(np.mean((gain > 0) + 0.5 * (gain == 0))) if len(gain) else float("nan")


def _score_texts(pairs: TextPairs, side: Codes, given: CheckContext) -> Floats:
    """The mean log-probability of the words of each text, asked with its picture, which some models must not know."""
    assert given.ask is not None
    texts = [pairs.texts.all[code] for code in side.tolist()]
    return np.asarray(given.ask(texts, pairs.pictures), np.float64)


check = Check(
    "plausibility",
    "a caption is not far more usual than its foil, nor the foil than the caption",
    judge,
    {"ratio": 2.0, "balance": False},
    asks="language",
    model="trigram",
)
