"""Worker processes that call one function, and pass arrays in a memory-mapped file, with only the rest pickled.

A pipe would copy large arrays three times, and shared memory is scarce in many containers. The file is deleted as soon
as it is mapped, so it hardly ever reaches a disk.
"""

import mmap
import os
import pickle
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from multiprocessing.util import Finalize
from pathlib import Path
from shutil import rmtree
from signal import SIG_IGN, SIGINT, signal
from tempfile import mkdtemp
from threading import Thread
from typing import Any, ClassVar
from uuid import uuid4
from weakref import finalize

ALIGNMENT = 64
"""Arrays begin at multiples of so many bytes."""


@dataclass(frozen=True, slots=True)
class MappedValue:
    """A pickled value without its arrays, the file that holds these, and the byte range of each."""

    content: bytes
    file: str = ""
    spans: tuple[tuple[int, int], ...] = ()


def write_mapped(value: object, folder: str) -> MappedValue:
    """A value ready for another process; its arrays are written to a new file in a folder."""
    buffers: list[pickle.PickleBuffer] = []
    content = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    if not buffers:
        return MappedValue(content)
    file, spans, end = Path(folder) / uuid4().hex, [], 0
    with file.open("wb") as out:
        for view in (buffer.raw() for buffer in buffers):
            out.write(bytes(-end % ALIGNMENT))
            start = end + -end % ALIGNMENT
            end = start + view.nbytes
            out.write(view)
            spans.append((start, end))
    return MappedValue(content, str(file), tuple(spans))


def read_mapped(mapped: MappedValue) -> Any:
    """The value; its arrays are views of the mapped file, which is deleted."""
    if not mapped.file:
        return pickle.loads(mapped.content)
    with open(mapped.file, "rb") as file:
        view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) if mapped.spans[-1][1] else b"")
    with suppress(OSError):
        Path(mapped.file).unlink()
    return pickle.loads(mapped.content, buffers=[view[start:end] for start, end in mapped.spans])


class MappedPool(ProcessPoolExecutor):
    """Spawned processes, each with the function that `build` returns there; interrupts are handled by the parent.

    They end with the pool, at work or still starting, and with the process that started them, also where that is
    killed.
    """

    def __init__(self, build: Callable[[], Callable[[Any], object]], processes: int) -> None:
        folder = mkdtemp(prefix="counterpoint-")
        super().__init__(processes, get_context("spawn"), initializer=_Worker.initialize, initargs=(build, folder))
        finalize(self, rmtree, folder, ignore_errors=True)
        # before multiprocessing deletes its semaphores, without which a process that is still starting raises
        self._end = Finalize(self, _terminate, (self._processes,), exitpriority=1)
        self.processes = processes
        self.started = [self.submit(os.getpid) for _ in range(processes)]

    def call(self, argument: object) -> Future[MappedValue]:
        """What the function returns, to be read by `read_mapped`."""
        return self.submit(_Worker.call, argument)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes at once: what was called and is not done raises `BrokenExecutor` or is cancelled."""
        self._end()
        super().shutdown(wait, cancel_futures=cancel_futures)


def _terminate(processes: Mapping[int, BaseProcess]) -> None:
    for process in list(processes.values()):
        process.terminate()


class _Worker:
    """The state of a worker process: its function, and the folder for results."""

    function: ClassVar[Callable[[Any], object]]
    folder: ClassVar[str]

    @classmethod
    def initialize(cls, build: Callable[[], Callable[[Any], object]], folder: str) -> None:
        signal(SIGINT, SIG_IGN)
        Thread(target=cls._end_with_parent, args=(folder,), daemon=True).start()
        if hasattr(os, "nice"):  # Windows has no such call
            os.nice(5)  # the process that feeds the device comes first
        cls.function, cls.folder = staticmethod(build()), folder

    @classmethod
    def call(cls, argument: object) -> MappedValue:
        return write_mapped(cls.function(argument), cls.folder)

    @staticmethod
    def _end_with_parent(folder: str) -> None:
        parent = parent_process()
        assert parent is not None, "it was spawned"
        wait([parent.sentinel])
        rmtree(folder, ignore_errors=True)
        os._exit(1)
