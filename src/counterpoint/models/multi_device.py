"""One model on several devices: a worker process for each, and every batch divided among them."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
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
    PictureDependentModel,
    Sampler,
    Scorer,
    StreamingScorer,
)
from counterpoint.models.worker_pool import EXIT_SECONDS, WorkerPool

ModelFactory: TypeAlias = Callable[[str], tuple[Model, Callable[[Iterable[Picture]], None]]]
"""Makes the model for a device, in its process, and a function that announces its next pictures; picklable."""

BATCHES_PER_WORKER = 4
"""Batches that a worker is given at once, so that it decodes the pictures of one during another."""


def load_on_devices(
    make: ModelFactory, devices: Sequence[str], *, exit_seconds: float = EXIT_SECONDS
) -> "MultiDeviceModel":
    """A model with one process per device, and the methods that the model in each process has.

    The processes end when it is closed or garbage-collected, and at the latest with this process.
    """
    pool = WorkerPool(make, devices, tuple(PORTS), exit_seconds=exit_seconds)
    try:
        members = {"__doc__": MultiDeviceModel.__doc__}
        for port in PORTS:
            members |= PORTS[port] if port.__name__ in pool.info.ports else {}
        model: MultiDeviceModel = type("MultiDeviceModel", (MultiDeviceModel,), members)(pool)
        return model
    except BaseException:
        pool.close()
        raise


class MultiDeviceModel:
    """Processes that each hold the same model; it has the methods that each of them has."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool
        self.fingerprint: str = pool.info.fingerprint
        self.former_fingerprints: tuple[str, ...] = pool.info.former_fingerprints

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of the living processes."""
        return self._pool.processes

    def close(self) -> None:
        """End the processes."""
        self._pool.close()

    def _stream(self, method: str, *arguments: Any) -> Any:
        """The items that workers yield for their portions, as they arrive, with positions in the whole batch."""
        portions, calls = self._split(arguments)
        for number, (place, *rest) in self._pool.stream(method, calls):
            yield portions[number].start + place, *rest

    def _gather(self, method: str, queries: Sequence[Query]) -> Floats:
        """The arrays that workers return for their portions, stacked and padded with zeros."""
        return stack_padded(self._pool.call(method, self._split((queries,))[1]))

    def _split(self, arguments: tuple[Any, ...]) -> tuple[list[range], list[tuple[Any, ...]]]:
        """The portions of a batch, and the arguments for each: its queries, and its rows of features."""
        queries = next(argument for argument in arguments if not isinstance(argument, np.ndarray))
        portions = split_by_picture(queries, len(self._pool))
        split = [argument is queries or isinstance(argument, np.ndarray) for argument in arguments]
        pairs = list(zip(arguments, split, strict=True))
        return portions, [
            tuple(rows[part.start : part.stop] if divided else rows for rows, divided in pairs) for part in portions
        ]


def _streamed(method: str) -> Any:
    return lambda self, *arguments: self._stream(method, *arguments)


def _gathered(method: str) -> Any:
    return lambda self, queries: self._gather(method, queries)


PORTS: dict[type, dict[str, Any]] = {
    Answerer: {"answer": _streamed("answer")},
    Scorer: {"scale": property(lambda self: self._pool.info.scale), "score": _gathered("score")},
    StreamingScorer: {"stream_scores": _streamed("stream_scores")},
    Sampler: {"sample": _streamed("sample")},
    AveragingSampler: {"averages": True},
    PictureDependentModel: {"needs_picture": True},
    FeatureModel: {
        "picture_features": _gathered("picture_features"),
        "text_features": _gathered("text_features"),
        "answer_from": _streamed("answer_from"),
    },
    BatchingModel: {
        "batch_size": property(lambda self: BATCHES_PER_WORKER * len(self._pool) * self._pool.info.batch_size)
    },
}
"""Each protocol of models with its members, which call those of the models in the workers."""


def split_by_picture(queries: Sequence[Query], most: int) -> list[range]:
    """At most so many portions of about one size, with all neighbours on one picture in one of them.

    >>> queries = [Query(Picture(f"x:{letter}.png"), "Is it?") for letter in "aaabbc"]
    >>> split_by_picture(queries, 2)
    [range(0, 3), range(3, 6)]
    """
    pictures = [query.picture for query in queries]
    starts = [at for at, (before, picture) in enumerate(pairwise(pictures), 1) if picture is None or picture != before]
    cuts = [0]
    for number in range(1, most):
        ideal = round(len(queries) * number / most)
        after = bisect_left(starts, ideal)
        near = [at for at in starts[max(0, after - 1) : after + 1] if at > cuts[-1]]
        cuts += [min(near, key=lambda at: abs(at - ideal))] if near else []
    return [range(*pair) for pair in pairwise([*cuts, len(queries)]) if pair[0] < pair[1]]


def stack_padded(arrays: Sequence[Floats]) -> Floats:
    """Arrays stacked along the first axis; smaller ones are padded with zeros.

    >>> stack_padded([np.ones((1, 1), np.float32), np.ones((1, 2), np.float32)]).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    sizes = [max(size) for size in zip(*(array.shape[1:] for array in arrays), strict=True)]
    stacked = np.zeros((sum(map(len, arrays)), *sizes), np.float32)
    start = 0
    for array in arrays:
        stacked[(slice(start, start + len(array)), *map(slice, array.shape[1:]))] = array
        start += len(array)
    return stacked
