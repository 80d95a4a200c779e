"""Queries made ready in processes of their own, so that whoever keeps a device busy has the interpreter to himself.

Tensors come back in files, which are memory as long as they are read at once: a pipe would copy them twice, and the
memory that processes share is short in many containers.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree
from signal import SIG_IGN, SIGINT, signal
from tempfile import mkdtemp
from typing import Any, ClassVar
from uuid import uuid4
from weakref import finalize

import numpy as np

from counterpoint.core.ports import Fitting, Pictures
from counterpoint.models.hf.preparing import Batch, Inputs, Row, Wording, prepared

LEAST, MOST = 4, 8
"""How many cores there must be for processes to pay, and how many processes there are at most."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """A batch on its way between processes: the rows that are ready, the files of their inputs, and what failed."""

    batch: Batch
    files: Mapping[str, tuple[str, str]]  # by name: file, and the type of its numbers


class Apart:
    """Processes that make batches ready; until they are at work, whoever asks is told so and does it himself."""

    def __init__(self, build: Callable[[], Wording], pictures: Pictures, dtype: str, processes: int) -> None:
        folder = mkdtemp(prefix="counterpoint-")
        settle = partial(_Bench.settle, build, pictures, dtype, folder)
        self._pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=settle)
        finalize(self, _closed, self._pool, folder)
        self._begun: list[Future[int]] = [self._pool.submit(os.getpid) for _ in range(processes)]
        self.processes = processes

    @classmethod
    def of(cls, build: Callable[[], Wording], pictures: Pictures, place: str, dtype: str) -> "Apart | None":
        """Processes for a model on an accelerator, if there are cores for them and its pictures can travel."""
        cores = (os.cpu_count() or 1) - 2
        if not place.startswith("cuda") or cores < LEAST or not isinstance(pictures, Fitting):
            return None
        return cls(build, pictures.behind, dtype, min(MOST, cores))

    @property
    def ready(self) -> bool:
        """Whether the first of them is at work."""
        return any(one.done() and one.exception() is None for one in self._begun)

    def prepared(self, rows: Sequence[Row]) -> Batch | None:
        """Rows made ready by one of the processes; nothing if one of them was killed, and all are gone with it."""
        try:
            parcel = self._pool.submit(_Bench.prepared, rows).result()
        except BrokenExecutor:
            self._begun = []
            return None
        return Batch(parcel.batch.rows, _fetched(parcel.files), parcel.batch.failed)


def _closed(pool: ProcessPoolExecutor, folder: str) -> None:
    pool.shutdown(cancel_futures=True)
    rmtree(folder, ignore_errors=True)


def _fetched(files: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    import torch

    found = {}
    for name, (file, kind) in files.items():
        found[name] = torch.from_numpy(np.load(file)).view(getattr(torch, kind))
        Path(file).unlink()
    return found


class _Bench:
    """What a process knows: how queries are worded, where pictures come from, and where it leaves what it made."""

    wording: ClassVar[Any]
    pictures: ClassVar[Pictures]
    dtype: ClassVar[str]
    folder: ClassVar[Path]

    @classmethod
    def settle(cls, build: Callable[[], Any], pictures: Pictures, dtype: str, folder: str) -> None:
        """Take up work; the keys that stop a run are for its own process, and its threads are as many as processes."""
        import torch

        signal(SIGINT, SIG_IGN)
        torch.set_num_threads(1)
        cls.wording, cls.pictures, cls.dtype, cls.folder = build(), pictures, dtype, Path(folder)

    @classmethod
    def prepared(cls, rows: Sequence[Row]) -> Parcel:
        """Rows made ready, their inputs in files."""
        batch = prepared(rows, cls.wording, cls.pictures)
        return Parcel(Batch(batch.rows, {}, batch.failed), cls._left(batch.inputs))

    @classmethod
    def _left(cls, inputs: Inputs) -> dict[str, tuple[str, str]]:
        import torch

        left = {}
        for name, tensor in inputs.items():
            made = tensor.to(getattr(torch, cls.dtype)) if tensor.is_floating_point() else tensor
            plain = made.view(torch.int16) if made.dtype is torch.bfloat16 else made  # which numpy does not know
            file = cls.folder / f"{uuid4().hex}.npy"
            np.save(file, plain.numpy())
            left[name] = str(file), str(made.dtype).removeprefix("torch.")
        return left
