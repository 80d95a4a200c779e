"""What all captions say: how usual a sentence is among those of other pictures, and what was said of a picture."""

from collections.abc import Iterable, Sequence
from functools import cache
from math import exp
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.ids import content_id
from counterpoint.core.pictures import Picture
from counterpoint.language.kneser_ney import KneserNeyModel, train_model

MARGIN, LITTLE = 0.05, 0.01
"""By how much, in logarithms of the perplexity per word, one sentence is to be more usual than another to count so."""
FOLDS = 5
"""A caption is held against those of four fifths of the pictures, never against its own."""
_ANY = 0.35  # of captions with a foil that is more usual, the share that may take another
Floats: TypeAlias = NDArray[np.float64]


@cache
def picture_fold(picture: Picture) -> int:
    """The fifth that a picture belongs to, whatever else there is."""
    return content_id(["fold", picture.address]) % FOLDS


class CrossFittedPlausibility:
    """Models of captions, each trained when it is first asked, on the captions of pictures outside one fold.

    >>> usual = CrossFittedPlausibility((Picture(f"a:{n}.png"), "A cat sits on a mat.") for n in range(9))
    >>> common, rare = usual.scores(Picture("a:1.png"), ["A cat sits on a mat.", "A mat sits on a cat."])
    >>> bool(common > rare)
    True
    """

    def __init__(self, captions: Iterable[tuple[Picture, str]]) -> None:
        self._texts: tuple[list[str], ...] = tuple([] for _ in range(FOLDS))
        self._models: dict[int, KneserNeyModel] = {}
        for picture, text in captions:
            self._texts[picture_fold(picture)].append(text)

    def scores(self, picture: Picture, texts: Sequence[str]) -> Floats:
        """For each text minus the logarithm of its perplexity per word, by the captions of other pictures."""
        fold = picture_fold(picture)
        if fold not in self._models:
            others = (text for place, texts in enumerate(self._texts) if place != fold for text in texts)
            self._models[fold] = train_model(others)
        return np.asarray(self._models[fold].scores(texts))

    def gains(self, picture: Picture, caption: str, foils: Sequence[str]) -> Floats:
        """How much more usual than a caption each of its foils is, in logarithms of the perplexity per word."""
        own, *scores = self.scores(picture, [caption, *foils])
        return np.asarray([score - own for score in scores])

    def draw_foil(self, picture: Picture, caption: str, foils: Sequence[str], rng: Random) -> tuple[int, str]:
        """The number of one of several foils, and which is the more usual: as a rule the foil, if there is such a one.

        Sometimes it is any of them, so that both sorts come to be; the more usual are drawn more often.
        """
        gains, words = self.gains(picture, caption, foils), len(caption.split())
        usual = [number for number, gain in enumerate(gains) if gain > MARGIN]
        pool = usual if usual and rng.random() > _ANY else range(len(gains))
        number = rng.choices(list(pool), [exp(min(0.0, float(gains[number]) * words)) for number in pool])[0]
        return number, likelier_side(gains[number], len(foils))


def likelier_side(gain: float, among: int = 1) -> str:
    """Which of the two is the more usual, by so much that another model of captions would say so too.

    A foil that was drawn among several was drawn because this model finds it usual, so that another may well not: then
    a caption needs less to count as the more usual.
    """
    return "foil" if gain > MARGIN else "caption" if gain < (-LITTLE if among > 1 else -MARGIN) else "neither"
