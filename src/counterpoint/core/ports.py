"""What a model is, as small protocols: it has those methods that it can honour, and is asked for no more."""

from collections.abc import AsyncIterable, Callable, Iterable, Sequence
from enum import StrEnum
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.answers import Answer
from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture

Pixels: TypeAlias = NDArray[np.uint8]
"""Height × width × 3, red, green and blue from 0 to 255."""
Floats: TypeAlias = NDArray[np.float32]
"""Numbers as a model makes them."""
T = TypeVar("T")
PlacedAnswer: TypeAlias = tuple[int, Answer]
"""An answer with the position of its query."""
SampledAnswer: TypeAlias = tuple[int, int, Answer]
"""An answer with the position of its query and its trial."""
MEAN_TRIAL = 1 << 15
"""The trial `MEAN + n` stands for the mean of the passes 1 to n: its answer is the best one of the mean distribution,
its top-k are those of the mean, and its score is the entropy of the mean as a share of the largest there could be."""


class Scale(StrEnum):
    """What the numbers of a scorer are."""

    PROBABILITY = "probability"
    SIMILARITY = "similarity"


class Pictures(Protocol):
    """Where a model gets its pixels from: edits are applied, nothing is written."""

    def pixels(self, picture: Picture) -> Pixels:
        """The picture as shown."""
        ...


@runtime_checkable
class PreprocessingPictures(Protocol):
    """Pictures that can be made ready for a model on their way, by the threads that decode them ahead of it."""

    @property
    def behind(self) -> Pictures:
        """Where the pixels come from, without these threads: what can be sent to another process."""
        ...

    def fitted(self, fit: Callable[[Pixels], T], *, apart: bool = False) -> Callable[[Picture], T]:
        """Where the model gets its pictures from then on: what `fit`, a pure function, makes of the pixels of each.

        What is made `apart` may be made in other processes, so that `fit` and what it makes have to be picklable.
        """
        ...


@runtime_checkable
class Model(Protocol):
    """Anything with a fingerprint that changes whenever an answer could: weights, prompt, decoding."""

    @property
    def fingerprint(self) -> str:
        """Content of the model, as text."""
        ...


@runtime_checkable
class Answerer(Model, Protocol):
    """A model that speaks."""

    def answer(self, queries: Sequence[Query]) -> Iterable[PlacedAnswer] | AsyncIterable[PlacedAnswer]:
        """Answers with the positions of their queries, in any order; a failed query is an answer that says so."""
        ...


@runtime_checkable
class Scorer(Model, Protocol):
    """A model that says how well a text fits a picture."""

    @property
    def scale(self) -> Scale:
        """Whether its numbers are probabilities or similarities."""
        ...

    def score(self, queries: Sequence[Query]) -> Floats:
        """One number per query, higher where the text fits better."""
        ...


@runtime_checkable
class StreamingScorer(Scorer, Protocol):
    """A scorer whose scores come one by one, so that one that cannot be had says why and costs the others nothing."""

    def rate(self, queries: Sequence[Query]) -> Iterable[PlacedAnswer] | AsyncIterable[PlacedAnswer]:
        """Scores as answers, with the positions of their queries, in any order."""
        ...


@runtime_checkable
class FeatureModel(Model, Protocol):
    """A model whose features can be taken out, changed, and put back in; the first axis is the query."""

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """What it makes of the pictures."""
        ...

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """What it makes of the texts."""
        ...

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterable[PlacedAnswer]:
        """Answers from features."""
        ...


@runtime_checkable
class Sampler(Model, Protocol):
    """A model with stochastic passes: dropout left on, or sampling."""

    def sample(
        self, queries: Sequence[Query], trials: Sequence[int], seed: int
    ) -> Iterable[SampledAnswer] | AsyncIterable[SampledAnswer]:
        """Query position, trial and answer; one pass depends on query, trial and seed alone, not on its batch."""
        ...


@runtime_checkable
class AveragingSampler(Sampler, Protocol):
    """A sampler that knows the whole distribution of each pass, and so can be asked for the trial `MEAN + n` too."""

    @property
    def averages(self) -> bool:
        """Whether it does."""
        ...


@runtime_checkable
class RemoteModel(Model, Protocol):
    """A model that asks again by itself what came to nothing, and counts how often."""

    @property
    def retries(self) -> int:
        """How many requests were asked again so far."""
        ...


@runtime_checkable
class LookaheadModel(Model, Protocol):
    """A model that begins with what comes next before it has handed over what it is asked now."""

    def coming(self, queries: Sequence[Query]) -> None:
        """What it will be asked next, most likely."""
        ...


@runtime_checkable
class BatchingModel(Model, Protocol):
    """A model that knows how many queries it is best asked at once; what users say goes before it."""

    @property
    def batch(self) -> int:
        """So many."""
        ...


@runtime_checkable
class SizedModel(Model, Protocol):
    """A model that knows how large it is."""

    @property
    def parameters(self) -> int:
        """How many numbers were learnt."""
        ...
