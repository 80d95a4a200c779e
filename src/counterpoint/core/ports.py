"""Protocols of models: a model has the methods it supports, and the engine calls no others."""

from collections.abc import AsyncIterable, Callable, Iterable, Mapping, MutableMapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.costs import TokenPrices
from counterpoint.core.groups import Answer, Query
from counterpoint.core.pictures import Picture

Pixels: TypeAlias = NDArray[np.uint8]
"""Height × width × 3, red, green and blue from 0 to 255."""
Floats: TypeAlias = NDArray[np.float32]
"""Scores or features."""
T = TypeVar("T")
PlacedAnswer: TypeAlias = tuple[int, Answer]
"""An answer with the position of its query."""
SampledAnswer: TypeAlias = tuple[int, int, Answer]
"""An answer with the position of its query and its trial."""
MEAN_TRIAL = 1 << 15
"""The trial `MEAN_TRIAL + n` is the mean of the passes 1 to n: its answer is the best one of the mean distribution,
its top-k are those of the mean, and its score is the entropy of the mean as a share of the maximal entropy."""


class Scale(StrEnum):
    """What the numbers of a scorer are."""

    PROBABILITY = "probability"
    SIMILARITY = "similarity"


class Pictures(Protocol):
    """A source of pixels: edits are applied, nothing is written.

    An address names one picture for as long as the source lives: prefetchers and models cache by address and edits. A
    source that receives pictures, as a server does, gives each an address of its own, such as a digest of its bytes.
    """

    def pixels(self, picture: Picture) -> Pixels:
        """The picture as shown."""


@runtime_checkable
class PictureFiles(Pictures, Protocol):
    """A source of pixels that knows the files behind them."""

    def file(self, address: str) -> Path | None:
        """The file behind an address; None where there is none."""


@runtime_checkable
class PreprocessingPictures(Protocol):
    """A source of pixels that can also preprocess them for a model, in the threads that decode ahead of it."""

    @property
    def source(self) -> Pictures:
        """The plain source behind it, which can be sent to another process."""

    @property
    def cores(self) -> int:
        """The cores of the processor that the model and its pictures may use."""

    def preprocess_with(self, function: Callable[[Pixels], T], *, in_processes: bool = False) -> Callable[[Picture], T]:
        """A loader that returns what `function`, a pure function of pixels, makes of each picture.

        With `in_processes` it may run in worker processes, so the function and its results have to be picklable.
        """


def picture_loader(
    pictures: Pictures, function: Callable[[Pixels], T], *, in_processes: bool = False
) -> Callable[[Picture], T]:
    """Loads what `function` makes of each picture, ahead of the model where `pictures` is a prefetcher."""
    if isinstance(pictures, PreprocessingPictures):
        return pictures.preprocess_with(function, in_processes=in_processes)
    return lambda picture: function(pictures.pixels(picture))


@runtime_checkable
class Model(Protocol):
    """Anything with a fingerprint that changes whenever an answer could: weights, prompt, decoding."""

    @property
    def fingerprint(self) -> str:
        """The identity of the model, as text."""


@runtime_checkable
class RenamedModel(Model, Protocol):
    """A model that earlier releases knew by other fingerprints; answers stored under these are its own."""

    @property
    def former_fingerprints(self) -> tuple[str, ...]:
        """The fingerprints of earlier releases for the same weights, prompt and decoding."""


@runtime_checkable
class Answerer(Model, Protocol):
    """A model that answers questions."""

    def answer(self, queries: Sequence[Query]) -> Iterable[PlacedAnswer] | AsyncIterable[PlacedAnswer]:
        """Answers with the positions of their queries, in any order; a failed query is a failed answer."""


@runtime_checkable
class Scorer(Model, Protocol):
    """A model that scores how well a text fits a picture."""

    @property
    def scale(self) -> Scale:
        """Whether its numbers are probabilities or similarities."""

    def score(self, queries: Sequence[Query]) -> Floats:
        """One number per query, higher where the text fits better."""


@runtime_checkable
class StreamingScorer(Scorer, Protocol):
    """A scorer that yields scores one by one, so that one failed query has a reason and leaves the others alone."""

    def stream_scores(self, queries: Sequence[Query]) -> Iterable[PlacedAnswer] | AsyncIterable[PlacedAnswer]:
        """Scores as answers, with the positions of their queries, in any order."""


@runtime_checkable
class FeatureModel(Model, Protocol):
    """A model whose features can be read, edited and put back; the first axis is the query."""

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """The features of the pictures."""

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """The features of the texts."""

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterable[PlacedAnswer]:
        """Answers from features."""


@runtime_checkable
class Sampler(Model, Protocol):
    """A model with stochastic passes: dropout left on, or sampling."""

    def sample(
        self, queries: Sequence[Query], trials: Sequence[int], seed: int
    ) -> Iterable[SampledAnswer] | AsyncIterable[SampledAnswer]:
        """Query position, trial and answer; a pass depends on query, trial and seed alone, not on its batch."""


@runtime_checkable
class AveragingSampler(Sampler, Protocol):
    """A sampler that has the whole distribution of each pass, and so can answer the trial `MEAN_TRIAL + n` too."""

    @property
    def averages(self) -> bool:
        """Whether it does."""


@runtime_checkable
class RemoteModel(Model, Protocol):
    """A model behind a server, which retries failed requests itself and counts them."""

    @property
    def retries(self) -> int:
        """How many requests were sent again so far."""


@runtime_checkable
class NegotiatingModel(Model, Protocol):
    """A model that leaves out settings which its server refuses."""

    @property
    def not_sent(self) -> tuple[str, ...]:
        """The settings that the fingerprint covers, and that the server refused so far."""


@runtime_checkable
class PricedModel(Model, Protocol):
    """A model whose tokens have a price."""

    @property
    def prices(self) -> TokenPrices | None:
        """The prices of its tokens, where a table was named."""


@runtime_checkable
class DeferredModel(Model, Protocol):
    """A model that is asked by batches which outlive a run; records of them are kept outside of it."""

    def keep_batches_in(self, journal: MutableMapping[str, Mapping[str, Any]]) -> None:
        """Keep the records of batches here, by name; what is in it already is collected and not submitted again."""

    def forget_collected(self) -> None:
        """Delete the records of batches whose answers are stored."""


@runtime_checkable
class LookaheadModel(Model, Protocol):
    """A model that can begin with the next batch before it has returned the current one."""

    def expect(self, queries: Sequence[Query]) -> None:
        """The queries that most likely come next."""


@runtime_checkable
class BatchingModel(Model, Protocol):
    """A model with a preferred batch size, which a user's setting overrides."""

    @property
    def batch_size(self) -> int:
        """Queries per call."""


@runtime_checkable
class PictureDependentModel(Model, Protocol):
    """A model that may be unable to do anything without a picture."""

    @property
    def needs_picture(self) -> bool:
        """Whether it is; queries without a picture are then not asked."""


@runtime_checkable
class SizedModel(Model, Protocol):
    """A model that knows its size."""

    @property
    def parameters(self) -> int:
        """The number of its parameters."""


def score_array(scored: Iterable[PlacedAnswer], count: int) -> Floats:
    """The scores of so many queries as an array; NaN where there is none.

    >>> score_array([(1, Answer.scored(0.5))], 2).tolist()
    [nan, 0.5]
    """
    scores = np.full(count, np.nan, np.float32)
    for position, answer in scored:
        scores[position] = np.nan if answer.score is None else answer.score
    return scores
