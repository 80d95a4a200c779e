"""N-gram language models as text-only baselines: a sentence is scored by its log-probability."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b, file_digest
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterpoint.core.errors import ModelError
from counterpoint.core.extras import install_command
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Query
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pictures, Scale
from counterpoint.language.english import number_value, number_word
from counterpoint.language.kneser_ney import ORDER, KneserNeyModel, tokenize, train_model

VERSION = 1
"""Of the scoring; part of the fingerprint."""
_NUMBERED = re.compile(r"(\d{12})\.\w+$")
_LAYOUT = "a file of captions has one in each line, or is COCO's: annotations with image_id and caption"
BASE = log(1.0001)
"""The base of the model's integer log-probabilities."""
BEGIN, END = "<s>", "</s>"
FILE = "en-us/en-us.lm.bin"
"""The file of the model within the package."""
LONGEST = 3
"""The longest number, in digits, that is spelled out."""


class TrainingCaption(NamedTuple):
    """A caption for training, and the key of its picture, if known."""

    picture: str
    text: str


class NGramModel:
    """Scores a text by the mean log-probability of its words; picture and context do not count."""

    scale = Scale.SIMILARITY

    def __init__(self, model: KneserNeyModel, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._model = model

    def score(self, queries: Sequence[Query]) -> Floats:
        """The negative log-perplexity per word."""
        return self._model.scores([query.text for query in queries]).astype(np.float32)


class CrossFittedNGrams:
    """Cross-fitted models: each picture is scored by the one that was not trained on its captions."""

    scale = Scale.SIMILARITY

    def __init__(self, models: Sequence[KneserNeyModel], folds: Mapping[str, int], fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._models, self._folds = models, folds

    def score(self, queries: Sequence[Query]) -> Floats:
        """The negative log-perplexity per word; NaN for a picture that is in no fold."""
        keys = [picture_key(query.picture) for query in queries]
        folds = group_pairs((self._folds[key], place) for place, key in enumerate(keys) if key in self._folds)
        scores = np.full(len(queries), np.nan, np.float32)
        for fold, places in folds.items():
            scores[places] = self._models[fold].scores([queries[place].text for place in places])
        return scores


def ngram(pictures: Pictures | None = None, *, captions: str = "", order: int = ORDER) -> NGramModel:
    """Text-only baseline: an n-gram model of your own captions (captions=FILE)."""
    if not captions:
        hint = "say captions=FILE, or cross-fit it to the captions of a lab: counterpoint study blind LAB"
        raise ModelError("ngram has no captions to learn from", hint=hint)
    if order < 1:
        raise ModelError(f"ngram: order is {order}, not 1 or more", hint=f"leave it out, and it is {ORDER}")
    texts = [caption.text for caption in read_captions(Path(captions))]
    return NGramModel(train_model(texts, order), f"ngram {order} {texts_digest(texts)}")


def texts_digest(texts: Iterable[str]) -> str:
    """A digest of the training texts, in any order."""
    return hex_id(content_id([VERSION, *sorted(texts)]))


def picture_key(picture: Picture | str | None) -> str:
    """The key of a picture, whatever its folder: COCO's number in twelve digits, or else its address.

    >>> picture_key(Picture("coco:val2014/COCO_val2014_000000291619.jpg"))
    '000000291619'
    >>> picture_key("swig:exercising_255.jpg"), picture_key(None)
    ('swig:exercising_255.jpg', '')
    """
    address = picture.address if isinstance(picture, Picture) else picture or ""
    numbered = _NUMBERED.search(address)
    return numbered[1] if numbered else address


def read_captions(path: Path) -> list[TrainingCaption]:
    """The captions in a file: one in each line, or in COCO's layout, with their pictures."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is no text in UTF-8"
        raise ModelError(f"{path} cannot be read: {reason}", hint=_LAYOUT) from problem
    is_json = text.lstrip().startswith(("{", "["))
    captions = _annotated(path, text) if is_json else [TrainingCaption("", line) for line in text.splitlines()]
    if not (kept := [caption for caption in captions if caption.text.strip()]):
        raise ModelError(f"{path} holds no caption", hint=_LAYOUT)
    return kept


def _annotated(path: Path, text: str) -> list[TrainingCaption]:
    try:
        records: Any = json.loads(text)["annotations"]
        return [TrainingCaption(f"{record['image_id']:012d}", record["caption"].strip()) for record in records]
    except (ValueError, LookupError, TypeError, AttributeError) as problem:
        raise ModelError(f"{path} is JSON, and not in COCO's layout of captions", hint=_LAYOUT) from problem


class TrigramModel:
    """Scores a text by the mean log-probability of its words, each after the two before it."""

    scale = Scale.SIMILARITY

    def __init__(self, model: Any, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self._model = model

    def score(self, queries: Sequence[Query]) -> Floats:
        """The negative log-perplexity per word, with the end of the sentence as a word."""
        return np.array([self._score(query.text) for query in queries], np.float32)

    def _score(self, text: str) -> float:
        words = [BEGIN, *spoken_words(text), END]
        runs = (words[max(place - 2, 0) : place + 1] for place in range(1, len(words)))
        total: int = sum(self._model.prob(run[::-1]) for run in runs)
        return total * BASE / (len(words) - 1)


def trigram(pictures: Pictures | None = None) -> TrigramModel:
    """Text-only baseline: trigrams of general English, from pocketsphinx."""
    try:
        from pocketsphinx import NGramModel, get_model_path
    except ImportError as problem:
        hint = install_command("nlp")
        raise ModelError("trigram needs the package pocketsphinx, which is not installed", hint=hint) from problem
    path = Path(get_model_path()) / FILE
    try:
        with path.open("rb") as file:
            digest = file_digest(file, lambda: blake2b(digest_size=8)).hexdigest()
        return TrigramModel(NGramModel.readfile(str(path)), f"trigram {FILE} {digest}")
    except (OSError, ValueError) as problem:
        raise ModelError(f"{path} cannot be read as a language model", hint="install pocketsphinx anew") from problem


def spoken_words(text: str) -> list[str]:
    """The words of a text as they are spoken, with numbers spelled out.

    >>> spoken_words("There are exactly 24 T-shirts.")
    ['there', 'are', 'exactly', 'twenty', 'four', 't', 'shirts']
    """
    return [part for word in tokenize(text) for part in _spell_out(word)]


def _spell_out(word: str) -> list[str]:
    value = number_value(word) if word.isdecimal() and len(word) <= LONGEST else None
    return [word] if value is None else re.split("[ -]", number_word(value))
