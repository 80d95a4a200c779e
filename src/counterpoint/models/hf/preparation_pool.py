"""Queries made ready in processes of their own, so that whoever keeps a device busy has the interpreter to himself."""

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
"""How many cores there must be for processes to pay, and how many processes there are at most."""


class PreparationPool:
    """Processes that make batches ready; until they are at work, whoever asks is told so and does it himself."""

    def __init__(self, build: Callable[[], PromptFormat], pictures: Pictures, dtype: str, processes: int) -> None:
        folder = mkdtemp(prefix="counterpoint-")
        settle = partial(_Bench.settle, build, pictures, dtype, folder)
        self._pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=settle)
        finalize(self, _closed, self._pool, folder)
        self._begun: list[Future[int]] = [self._pool.submit(os.getpid) for _ in range(processes)]
        self.processes = processes

    @classmethod
    def of(
        cls, build: Callable[[], PromptFormat], pictures: Pictures, place: str, dtype: str
    ) -> "PreparationPool | None":
        """Processes for a model on an accelerator, if there are cores for them and its pictures can travel."""
        cores = (os.cpu_count() or 1) - 2
        if not place.startswith("cuda") or cores < MIN_CORES or not isinstance(pictures, PreprocessingPictures):
            return None
        return cls(build, pictures.source, dtype, min(MAX_PROCESSES, cores))

    @property
    def ready(self) -> bool:
        """Whether the first of them is at work."""
        return any(one.done() and one.exception() is None for one in self._begun)

    def prepared(self, rows: Sequence[BatchRow]) -> PreparedBatch | None:
        """Rows made ready by one of the processes; nothing if one of them was killed, and all are gone with it."""
        try:
            batch: PreparedBatch = read_mapped(self._pool.submit(_Bench.prepared, rows).result())
        except BrokenExecutor:
            self._begun = []
            return None
        return PreparedBatch(batch.rows, _tensors(batch.inputs), batch.failed)


def _closed(pool: ProcessPoolExecutor, folder: str) -> None:
    pool.shutdown(cancel_futures=True)
    rmtree(folder, ignore_errors=True)


def _tensors(arrays: Mapping[str, tuple[Any, str]]) -> dict[str, Any]:
    import torch

    return {name: torch.from_numpy(array).view(getattr(torch, kind)) for name, (array, kind) in arrays.items()}


def _arrays(tensors: Inputs, dtype: str) -> dict[str, tuple[Any, str]]:
    """Tensors in the type that a model wants, as arrays, each with the name of its type."""
    import torch

    found = {}
    for name, tensor in tensors.items():
        made = tensor.to(getattr(torch, dtype)) if tensor.is_floating_point() else tensor
        plain = made.view(torch.int16) if made.dtype is torch.bfloat16 else made  # which numpy does not know
        found[name] = plain.contiguous().numpy(), str(made.dtype).removeprefix("torch.")
    return found


class _Bench:
    """What a process knows: how queries are worded, where pictures come from, and where it leaves what it made."""

    wording: ClassVar[Any]
    pictures: ClassVar[Pictures]
    dtype: ClassVar[str]
    folder: ClassVar[str]

    @classmethod
    def settle(cls, build: Callable[[], Any], pictures: Pictures, dtype: str, folder: str) -> None:
        """Take up work; the keys that stop a run are for its own process, and its threads are as many as processes."""
        import torch

        signal(SIGINT, SIG_IGN)
        torch.set_num_threads(1)
        cls.wording, cls.pictures, cls.dtype, cls.folder = build(), pictures, dtype, folder

    @classmethod
    def prepared(cls, rows: Sequence[BatchRow]) -> MappedValue:
        """Rows made ready."""
        batch = prepare_batch(rows, cls.wording, cls.pictures)
        return write_mapped(PreparedBatch(batch.rows, _arrays(batch.inputs, cls.dtype), batch.failed), cls.folder)
