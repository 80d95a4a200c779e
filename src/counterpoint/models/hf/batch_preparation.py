"""Preparation of batches for generative models, in threads or worker processes that run ahead of the device."""

import os
import sys
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from queue import Empty, SimpleQueue
from shutil import rmtree
from signal import SIG_IGN, SIGINT, signal
from tempfile import mkdtemp
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar
from weakref import finalize

from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Answer, Query
from counterpoint.core.ports import Pictures, Pixels, PlacedAnswer, PreprocessingPictures
from counterpoint.engine.mapped_arrays import MappedValue, read_mapped, write_mapped
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

    With worker processes, the threads only fetch their results.
    """

    def __init__(
        self,
        prompts: PromptFormatT,
        pictures: Pictures,
        pack: Callable[[Inputs], Inputs],
        processes: "PreparationPool | None" = None,
    ) -> None:
        self.prompts = deepcopy(prompts)
        self._pictures, self._pack, self._processes = pictures, pack, processes
        self._spare: SimpleQueue[PromptFormatT] = SimpleQueue()
        self._spare.put(prompts)

    def batches(self, rows: Sequence[BatchRow], most: int) -> Iterator[PreparedBatch]:
        """Rows with one batch key, at most so many at a time, prepared ahead."""
        by_key: dict[Hashable, list[BatchRow]] = {}
        for row in rows:
            by_key.setdefault(self.prompts.batch_key(row.query), []).append(row)
        portions = [group[at : at + most] for group in by_key.values() for at in range(0, len(group), most)]
        threads = self._processes.processes if self._processes is not None else THREADS
        return map_ahead(self._prepare, portions, min(threads, os.cpu_count() or 1))

    def _prepare(self, rows: Sequence[BatchRow]) -> PreparedBatch:
        fetched = self._processes.prepare(rows) if self._processes is not None and self._processes.ready else None
        batch = self._prepare_here(rows) if fetched is None else fetched
        return PreparedBatch(batch.rows, self._pack(batch.inputs), batch.failed)

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


class PreparationPool:
    """Processes that prepare batches; until they run (`ready`), the caller prepares them itself."""

    def __init__(self, build: Callable[[], PromptFormat], pictures: Pictures, dtype: str, processes: int) -> None:
        folder = mkdtemp(prefix="counterpoint-")
        initializer = partial(_Worker.initialize, build, pictures, dtype, folder)
        self._pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=initializer)
        finalize(self, _close, self._pool, folder)
        self._started: list[Future[int]] = [self._pool.submit(os.getpid) for _ in range(processes)]
        self.processes = processes

    @classmethod
    def of(
        cls, build: Callable[[], PromptFormat], pictures: Pictures, place: str, dtype: str
    ) -> "PreparationPool | None":
        """Processes for a model on CUDA, if there are enough cores and its pictures can be pickled."""
        cores = (os.cpu_count() or 1) - 2
        if not place.startswith("cuda") or cores < MIN_CORES or not isinstance(pictures, PreprocessingPictures):
            return None
        return cls(build, pictures.source, dtype, min(MAX_PROCESSES, cores))

    @property
    def ready(self) -> bool:
        """Whether the first of them runs."""
        return any(future.done() and future.exception() is None for future in self._started)

    def prepare(self, rows: Sequence[BatchRow]) -> PreparedBatch | None:
        """Rows prepared by one of the processes; None if one of them was killed, which ends all."""
        try:
            batch: PreparedBatch = read_mapped(self._pool.submit(_Worker.prepare, rows).result())
        except BrokenExecutor:
            self._started = []
            return None
        return PreparedBatch(batch.rows, _tensors(batch.inputs), batch.failed)


def _close(pool: ProcessPoolExecutor, folder: str) -> None:
    pool.shutdown(cancel_futures=True)
    rmtree(folder, ignore_errors=True)


def _tensors(arrays: Mapping[str, tuple[Any, str]]) -> dict[str, Any]:
    import torch

    return {name: torch.from_numpy(array).view(getattr(torch, kind)) for name, (array, kind) in arrays.items()}


def _arrays(tensors: Inputs, dtype: str) -> dict[str, tuple[Any, str]]:
    """Tensors in the dtype of a model, as arrays, each with the name of its dtype."""
    import torch

    arrays = {}
    for name, tensor in tensors.items():
        cast = tensor.to(getattr(torch, dtype)) if tensor.is_floating_point() else tensor
        plain = cast.view(torch.int16) if cast.dtype is torch.bfloat16 else cast  # which numpy does not have
        arrays[name] = plain.contiguous().numpy(), str(cast.dtype).removeprefix("torch.")
    return arrays


class _Worker:
    """The state of a worker process: prompt format, source of pictures, dtype, and the folder for results."""

    prompts: ClassVar[Any]
    pictures: ClassVar[Pictures]
    dtype: ClassVar[str]
    folder: ClassVar[str]

    @classmethod
    def initialize(cls, build: Callable[[], Any], pictures: Pictures, dtype: str, folder: str) -> None:
        """Set the state; interrupts are handled by the parent, and torch uses one thread per process."""
        import torch

        signal(SIGINT, SIG_IGN)
        torch.set_num_threads(1)
        cls.prompts, cls.pictures, cls.dtype, cls.folder = build(), pictures, dtype, folder

    @classmethod
    def prepare(cls, rows: Sequence[BatchRow]) -> MappedValue:
        """The prepared rows."""
        batch = prepare_batch(rows, cls.prompts, cls.pictures)
        return write_mapped(PreparedBatch(batch.rows, _arrays(batch.inputs, cls.dtype), batch.failed), cls.folder)
