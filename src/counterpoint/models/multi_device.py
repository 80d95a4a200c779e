"""One model on several devices: a process for each, and every batch divided among them."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Self, TypeAlias

import numpy as np

from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import (
    Answerer,
    AveragingSampler,
    BatchingModel,
    FeatureModel,
    Floats,
    Model,
    PlacedAnswer,
    SampledAnswer,
    Sampler,
    Scale,
    Scorer,
    StreamingScorer,
)
from counterpoint.models.worker_pool import WorkerPool

ModelFactory: TypeAlias = Callable[[str], tuple[Model, Callable[[Iterable[Picture]], None]]]
"""Makes the model for a device, in its process, and what is to be told which pictures come next; it can be pickled."""

BATCHES_PER_WORKER = 4
"""Batches that a worker is given at once, so that it can decode the pictures of one while it is busy with another."""


def load_on_devices(make: ModelFactory, devices: Sequence[str]) -> "MultiDeviceModel":
    """A model that answers with as many processes as there are devices, and can do what the model in each can do.

    The processes end when it is closed, when it is forgotten, and at the latest when this process ends.
    """
    crew = WorkerPool(make, devices, tuple(PORTS))
    try:
        able = [kind for port, kind in PORTS.items() if port.__name__ in crew.card.ports]
        kind: type[MultiDeviceModel] = (
            type("Workers", tuple(able), {"__doc__": MultiDeviceModel.__doc__}) if able else MultiDeviceModel
        )
        return kind(crew)
    except BaseException:
        crew.close()
        raise


class MultiDeviceModel:
    """Processes with a model each, all the same; together they have the methods that each of them has."""

    def __init__(self, crew: WorkerPool) -> None:
        self._crew = crew
        self.fingerprint: str = crew.card.fingerprint

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of the processes that are at work."""
        return self._crew.processes

    def close(self) -> None:
        """Let the processes go."""
        self._crew.close()

    def _streamed(self, method: str, queries: Sequence[Query], *more: Any) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """What the workers yield for their portions, as it comes, with where each portion begins."""
        some = split_by_picture(queries, len(self._crew))
        jobs = [([queries[place] for place in portion], *more) for portion in some]
        for number, item in self._crew.streamed(method, jobs):
            yield some[number].start, item

    def _gathered(self, method: str, queries: Sequence[Query]) -> Floats:
        """What the workers return for their portions, one under the other."""
        some = split_by_picture(queries, len(self._crew))
        found = self._crew.returned(method, [([queries[place] for place in portion],) for portion in some])
        return stack_padded(found)


class _Answering(MultiDeviceModel):
    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers as they come, from whichever worker."""
        for start, (place, answer) in self._streamed("answer", queries):
            yield start + place, answer


class _Scoring(MultiDeviceModel):
    @property
    def scale(self) -> Scale:
        """Whether its numbers are probabilities or similarities."""
        assert self._crew.card.scale is not None, "a model that scores says what its numbers are"
        return self._crew.card.scale

    def score(self, queries: Sequence[Query]) -> Floats:
        """One number per query, higher where the text fits better."""
        return self._gathered("score", queries)


class _Rating(_Scoring):
    def rate(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Scores as they come, from whichever worker, each with the reason why there is none, if so."""
        for start, (place, answer) in self._streamed("rate", queries):
            yield start + place, answer


class _Sampling(MultiDeviceModel):
    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[SampledAnswer]:
        """Passes as they come, from whichever worker."""
        for start, (place, trial, answer) in self._streamed("sample", queries, trials, seed):
            yield start + place, trial, answer


class _Averaging(MultiDeviceModel):
    averages = True


class _Featuring(MultiDeviceModel):
    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """What the workers make of the pictures; zeros where one has more for a picture than another."""
        return self._gathered("picture_features", queries)

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """What the workers make of the texts."""
        return self._gathered("text_features", queries)

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers from features, as they come."""
        some = split_by_picture(queries, len(self._crew))
        jobs = [tuple(rows[one.start : one.stop] for rows in (picture, text, queries)) for one in some]
        for number, (place, answer) in self._crew.streamed("answer_from", jobs):
            yield some[number].start + place, answer


class _Pacing(MultiDeviceModel):
    @property
    def batch(self) -> int:
        """Some batches for each worker."""
        return BATCHES_PER_WORKER * len(self._crew) * self._crew.card.batch


PORTS: dict[type, type[MultiDeviceModel]] = {
    Answerer: _Answering,
    StreamingScorer: _Rating,
    Scorer: _Scoring,
    Sampler: _Sampling,
    AveragingSampler: _Averaging,
    FeatureModel: _Featuring,
    BatchingModel: _Pacing,
}
"""What a model may be able to do, each with how workers do it."""


def split_by_picture(queries: Sequence[Query], most: int) -> list[range]:
    """At most so many portions of about one size, with all neighbours on one picture in one of them.

    >>> on = [Query(Picture(f"x:{letter}.png"), "Is it?") for letter in "aaabbc"]
    >>> split_by_picture(on, 2)
    [range(0, 3), range(3, 6)]
    """
    pictures = [query.picture for query in queries]
    starts = [at for at, (before, one) in enumerate(pairwise(pictures), 1) if one is None or one != before]
    cuts = [0]
    for number in range(1, most):
        ideal = round(len(queries) * number / most)
        after = bisect_left(starts, ideal)
        near = [at for at in starts[max(0, after - 1) : after + 1] if at > cuts[-1]]
        cuts += [min(near, key=lambda at: abs(at - ideal))] if near else []
    return [range(*pair) for pair in pairwise([*cuts, len(queries)]) if pair[0] < pair[1]]


def stack_padded(arrays: Sequence[Floats]) -> Floats:
    """Arrays one under the other; those that are smaller are filled up with zeros.

    >>> stack_padded([np.ones((1, 1), np.float32), np.ones((1, 2), np.float32)]).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    sizes = [max(size) for size in zip(*(array.shape[1:] for array in arrays), strict=True)]
    found = np.zeros((sum(map(len, arrays)), *sizes), np.float32)
    start = 0
    for array in arrays:
        found[(slice(start, start + len(array)), *map(slice, array.shape[1:]))] = array
        start += len(array)
    return found
