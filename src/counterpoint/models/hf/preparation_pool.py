"""Preparation of batches in worker processes, which leaves the interpreter to the thread that feeds the device."""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from shutil import rmtree
from signal import SIG_IGN, SIGINT, signal
from tempfile import mkdtemp
from typing import Any, ClassVar
from weakref import finalize

from counterpoint.core.ports import Pictures, PreprocessingPictures
from counterpoint.engine.mapped_arrays import MappedValue, read_mapped, write_mapped
from counterpoint.models.hf.batch_preparation import BatchRow, Inputs, PreparedBatch, PromptFormat, prepare_batch

MIN_CORES, MAX_PROCESSES = 4, 8
"""The number of cores from which processes pay, and the largest number of processes."""


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
