"""Preparation of batches for generative models, in threads or worker processes that run ahead of the device."""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeAlias, TypeVar

from counterpoint.core.errors import PictureError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Answer, Query
from counterpoint.core.ports import Pictures, Pixels, PlacedAnswer, PreprocessingPictures
from counterpoint.engine.mapped_arrays import MappedPool, read_mapped
from counterpoint.models.hf.prompt_formats import PromptFormat

THREADS, SWITCH_SECONDS = 4, 0.0005
"""Batches prepared at a time, given enough cores, and the switch interval of threads in seconds."""

Inputs: TypeAlias = Mapping[str, Any]
"""The inputs of a model, tensors by name."""
Item = TypeVar("Item")
Made = TypeVar("Made")
MIN_CORES, MAX_PROCESSES = 4, 8
"""The number of cores from which processes pay, and the largest number of processes."""


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One row of a batch: a query, its position, and the tokens whose likelihood is wanted, if any."""

    position: int
    query: Query
    tail: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedBatch:
    """Rows with their inputs, and failed answers for those whose picture cannot be read."""

    rows: list[BatchRow]
    inputs: Inputs
    failed: list[PlacedAnswer]


PromptFormatT = TypeVar("PromptFormatT", bound=PromptFormat)


class BatchPreparer(Generic[PromptFormatT]):
    """Prepares batches in threads, each with a copy of the prompt format, since tokenizers cannot be shared.

    With a pool of processes, the threads only fetch their results, as soon as the first of the processes runs.
    """

    def __init__(
        self,
        prompts: PromptFormatT,
        pictures: Pictures,
        pack: Callable[[Inputs], Inputs],
        pool: MappedPool | None = None,
    ) -> None:
        self.prompts = deepcopy(prompts)
        self._pictures, self._pack, self._pool = pictures, pack, pool
        self._spare: SimpleQueue[PromptFormatT] = SimpleQueue()
        self._spare.put(prompts)

    def batches(self, rows: Sequence[BatchRow], most: int) -> Iterator[PreparedBatch]:
        """Rows with one batch key, at most so many at a time, prepared ahead."""
        groups = group_pairs((self.prompts.batch_key(row.query), row) for row in rows).values()
        portions = [group[at : at + most] for group in groups for at in range(0, len(group), most)]
        threads = THREADS if self._pool is None else self._pool.processes
        return map_ahead(self._prepare, portions, min(threads, os.cpu_count() or 1))

    def _prepare(self, rows: Sequence[BatchRow]) -> PreparedBatch:
        batch = self._fetch(rows) or self._prepare_here(rows)
        return replace(batch, inputs=self._pack(batch.inputs))

    def _fetch(self, rows: Sequence[BatchRow]) -> PreparedBatch | None:
        """Rows prepared by one of the processes, if any runs; all end where one of them was killed."""
        pool = self._pool
        if pool is None or not any(future.done() and future.exception() is None for future in pool.started):
            return None
        try:
            return from_worker(read_mapped(pool.call(rows).result()))
        except BrokenExecutor:
            pool.started = []
            return None

    def _prepare_here(self, rows: Sequence[BatchRow]) -> PreparedBatch:
        try:
            prompts = self._spare.get_nowait()
        except Empty:
            prompts = deepcopy(self.prompts)
        batch = prepare_batch(rows, prompts, self._pictures)
        self._spare.put(prompts)
        return batch


def prepare_batch(rows: Sequence[BatchRow], prompts: PromptFormat, pictures: Pictures) -> PreparedBatch:
    """Rows as one batch of inputs; those whose picture cannot be read have failed."""
    ready: list[BatchRow] = []
    pixels: list[Pixels | None] = []
    failed: list[PlacedAnswer] = []
    for row in rows:
        try:
            picture = row.query.picture if prompts.shows_picture(row.query) else None
            pixels.append(pictures.pixels(picture) if picture else None)
            ready.append(row)
        except (PictureError, OSError) as problem:
            failed.append((row.position, Answer.failed(problem)))
    return PreparedBatch(ready, prompts.inputs([row.query for row in ready], pixels) if ready else {}, failed)


def map_ahead(make: Callable[[Item], Made], items: Iterable[Item], threads: int) -> Iterator[Made]:
    """The results of `make` in order, computed by threads that run a few items ahead of the consumer.

    >>> list(map_ahead(str, range(5), threads=2))
    ['0', '1', '2', '3', '4']
    """
    waiting: deque[Future[Made]] = deque()
    default = sys.getswitchinterval()
    with ThreadPoolExecutor(threads, "preparing") as pool:
        sys.setswitchinterval(min(default, SWITCH_SECONDS))  # or the thread that feeds the device waits too long
        try:
            for item in items:
                waiting.append(pool.submit(make, item))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            sys.setswitchinterval(default)
            for future in waiting:
                future.cancel()


def preparation_pool(
    build: Callable[[], PromptFormat], pictures: Pictures, place: str, dtype: str
) -> MappedPool | None:
    """Processes for a model on CUDA, if there are enough cores and its pictures can be pickled."""
    cores = (os.cpu_count() or 1) - 2
    if not place.startswith("cuda") or cores < MIN_CORES or not isinstance(pictures, PreprocessingPictures):
        return None
    return MappedPool(partial(preparation_worker, build, pictures.source, dtype), min(MAX_PROCESSES, cores))


def preparation_worker(
    build: Callable[[], PromptFormat], pictures: Pictures, dtype: str
) -> Callable[[Sequence[BatchRow]], PreparedBatch]:
    """A function that prepares rows in a worker process; their inputs are arrays, each with the name of its dtype."""
    import torch

    torch.set_num_threads(1)
    prompts = build()

    def prepare(rows: Sequence[BatchRow]) -> PreparedBatch:
        batch = prepare_batch(rows, prompts, pictures)
        arrays = {}
        for name, tensor in batch.inputs.items():
            cast = tensor.to(getattr(torch, dtype)) if tensor.is_floating_point() else tensor
            plain = cast.view(torch.int16) if cast.dtype is torch.bfloat16 else cast  # which numpy does not have
            arrays[name] = plain.contiguous().numpy(), str(cast.dtype).removeprefix("torch.")
        return replace(batch, inputs=arrays)

    return prepare


def from_worker(batch: PreparedBatch) -> PreparedBatch:
    """A batch that a worker process prepared, with its inputs as tensors again."""
    import torch

    arrays = batch.inputs.items()
    inputs = {name: torch.from_numpy(array).view(getattr(torch, kind)) for name, (array, kind) in arrays}
    return replace(batch, inputs=inputs)
