"""Captions and foils as texts: word lists, rewritten spans, and cross-fitted plausibility by n-gram models."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from math import exp
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.groups import Group
from counterpoint.core.ids import content_id
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture
from counterpoint.language.kneser_ney import KneserNeyModel, train_model
from counterpoint.language.lexicon.word_lists import split_list, word_list, word_table
from counterpoint.suites.bloom_filter import BloomFilter
from counterpoint.suites.question_groups import Tags, caption_group
from counterpoint.suites.suite import Rejection, Suite
from counterpoint.suites.valse.paired_foils import FoilOption, MirroredSampler, assign_mirrored

DATA = Path(__file__).parent / "data"
"""The folder of the word lists."""
read_lists = partial(word_table, folder=DATA)
"""A file of word lists of the foils, by its name."""
listed_words = partial(word_list, folder=DATA)
"""One list of a file."""
MARGIN, LITTLE = 0.05, 0.01
"""The margins in log perplexity per word from which on one sentence counts as likelier than another."""
FOLDS = 5
"""Folds of pictures: a caption is scored by the captions of the other folds."""
_ANY = 0.35  # of captions with a likelier foil, the share that may get any foil
Floats: TypeAlias = NDArray[np.float64]


@cache
def word_pattern(name: str, key: str) -> re.Pattern[str]:
    """A pattern for any item of a list; items may be regular expressions."""
    return re.compile(rf"\b(?:{'|'.join(split_list(read_lists(name)[key]))})\b")


class Rewrite(NamedTuple):
    """A span of a text, and its replacement in the caption and in the foil."""

    start: int
    end: int
    caption: str
    foil: str


def apply_rewrites(text: str, rewrites: Iterable[Rewrite]) -> tuple[str, str]:
    """A text with its spans rewritten, as a caption and as a foil; the capital of a sentence is kept.

    >>> apply_rewrites("A dog is here.", [Rewrite(0, 5, "exactly one dog", "some dogs"), Rewrite(6, 8, "is", "are")])
    ('Exactly one dog is here.', 'Some dogs are here.')
    """
    caption, foil, place = "", "", 0
    for rewrite in sorted(rewrites):
        before, first = text[: rewrite.start].rstrip(), text[rewrite.start : rewrite.start + 1]
        begins = not before or before.endswith((".", "!", "?"))  # a Frisbee within a sentence asks for no capital
        said, false = (words[:1].upper() + words[1:] if begins and first.isupper() else words for words in rewrite[2:])
        caption += text[place : rewrite.start] + said
        foil += text[place : rewrite.start] + false
        place = rewrite.end
    return caption + text[place:], foil + text[place:]


@cache
def picture_fold(picture: Picture) -> int:
    """The fold of a picture, by a hash of its address."""
    return content_id(["fold", picture.address]) % FOLDS


class CrossFittedPlausibility:
    """Kneser-Ney models, one per fold, each trained on first use on the captions outside the fold.

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
        """Minus the log perplexity per word of each text, by the captions of other folds."""
        fold = picture_fold(picture)
        if fold not in self._models:
            others = (text for place, texts in enumerate(self._texts) if place != fold for text in texts)
            self._models[fold] = train_model(others)
        return np.asarray(self._models[fold].scores(texts))

    def gains(self, picture: Picture, caption: str, foils: Sequence[str]) -> Floats:
        """The score of each foil minus that of the caption, in log perplexity per word."""
        scores = self.scores(picture, [caption, *foils])
        return np.asarray(scores[1:] - scores[0], np.float64)

    def draw_foil(self, picture: Picture, caption: str, foils: Sequence[str], rng: Random) -> tuple[int, str]:
        """The number of a sampled foil, and the likelier side: mostly a foil that is likelier than the caption.

        With a fixed probability any foil is drawn, so that both sides occur; likelier foils are drawn more often.
        """
        gains, words = self.gains(picture, caption, foils), len(caption.split())
        usual = [number for number, gain in enumerate(gains) if gain > MARGIN]
        pool = usual if usual and rng.random() > _ANY else range(len(gains))
        number = rng.choices(list(pool), [exp(min(0.0, float(gains[number]) * words)) for number in pool])[0]
        return number, likelier_side(gains[number], len(foils))


def likelier_side(gain: float, among: int = 1) -> str:
    """The likelier side, by a margin that is robust to another language model.

    A foil that was sampled among several was selected by this model, so that another model will find it less likely
    (the winner's curse): then a caption needs a smaller margin.
    """
    return "foil" if gain > MARGIN else "caption" if gain < (-LITTLE if among > 1 else -MARGIN) else "neither"


class CaptionSurvey(ABC):
    """The captions of a source: their plausibility, and a Bloom filter of what they state of each picture."""

    def __init__(self, captions: Iterable[Caption]) -> None:
        self._stated = BloomFilter()
        self.plausibility = CrossFittedPlausibility(self._read(captions))

    @abstractmethod
    def facts(self, caption: Caption) -> Iterable[str]:
        """What a caption states, one text for each fact; subclasses count what they need."""

    def states(self, picture: Picture, fact: str) -> bool:
        """Whether a caption of the picture states a fact."""
        return self._stated.has(picture.address, fact)

    def _read(self, captions: Iterable[Caption]) -> Iterator[tuple[Picture, str]]:
        for caption in captions:
            for fact in self.facts(caption):
                self._stated.add(caption.picture.address, fact)
            yield caption.picture, caption.text


class CaptionFoil(NamedTuple):
    """A foil of a caption: the two words exchanged, its text, the proof that it is false, and further tags."""

    word: str
    other: str
    text: str
    proof: str
    tags: Tags = ()


def mirrored_foils(
    captions: Iterable[Caption], survey: CaptionSurvey, propose: Callable[[Caption], Sequence[CaptionFoil]]
) -> dict[str, str]:
    """Of the foils that captions may have, the text of the one that has a mirror image, by the caption's id."""
    foils, options = dict[str, Sequence[CaptionFoil]](), dict[str, list[FoilOption]]()
    for caption in captions:
        if made := propose(caption):
            gains = survey.plausibility.gains(caption.picture, caption.text, [foil.text for foil in made])
            foils[caption.id] = made
            rows = zip(made, gains, strict=True)
            options[caption.id] = [FoilOption(foil.word, foil.other, likelier_side(gain)) for foil, gain in rows]
    return {name: foils[name][place].text for name, place in assign_mirrored(options).items()}


def draw_caption_foil(
    piece: str, caption: Caption, foils: Sequence[CaptionFoil], survey: CaptionSurvey, rng: Random, lack: str
) -> Group | Rejection:
    """The group of one foil, preferably one that is the more plausible sentence; `lack` is the reason for none."""
    if not foils:
        return Rejection(piece, lack)
    texts = [foil.text for foil in foils]
    number, likelier = survey.plausibility.draw_foil(caption.picture, caption.text, texts, rng)
    foil = foils[number]
    return caption_group(
        caption,
        (caption.text, foil.text),
        (foil.word, foil.other),
        test=piece,
        kind=piece,
        proof=f"caption {caption.id} says {foil.word!r}, {foil.proof}",
        likelier=likelier,
        tags=(("direction", f"{foil.word}->{foil.other}"), *foil.tags),
    )


caption_suite = partial(Suite, choose=MirroredSampler, takes="captions", prefers="described", always_balances=True)
"""A suite of captions with foils, sampled so that each word replaces another as often as the reverse."""
