"""Parcels: what one process packs, another unpacks, and nothing is left behind."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from time import sleep
from typing import IO, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from patience import SECONDS
from proving import examples

from counterpoint.engine.mapped_arrays import ALIGNMENT, MappedPool, read_mapped, write_mapped

numbers = st.sampled_from([np.uint8, np.int16, np.float32, np.float64, np.bool_])
shapes = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5)


@examples(60)
@given(st.lists(st.one_of(st.text(), st.integers(), arrays.arrays(numbers, shapes)), max_size=6))
def test_what_is_packed_is_unpacked_as_it_was_and_no_file_stays(tmp_path_factory: Any, values: list[object]) -> None:
    folder = tmp_path_factory.mktemp("parcels")
    found = read_mapped(write_mapped(values, str(folder)))
    assert len(found) == len(values)
    for one, other in zip(found, values, strict=True):
        np.testing.assert_array_equal(one, other)
        assert getattr(one, "dtype", None) == getattr(other, "dtype", None)
    assert list(folder.iterdir()) == []


def test_arrays_can_be_written_to_and_begin_where_processors_like_it(tmp_path: Path) -> None:
    odd, even = read_mapped(write_mapped([np.arange(3, dtype=np.uint8), np.arange(5.0)], str(tmp_path)))
    assert even.ctypes.data % ALIGNMENT == 0
    odd += 1
    even += 1
    assert (odd.tolist(), even.tolist()) == ([1, 2, 3], [1, 2, 3, 4, 5])


def made(folder: str) -> Any:
    """A large array, packed in another process."""
    return write_mapped({"pixels": np.full((300, 300), 7, np.uint8)}, folder)


def test_arrays_cross_processes(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        parcel = pool.submit(made, str(tmp_path)).result()
    assert len(parcel.content) < 1000
    assert read_mapped(parcel)["pixels"].sum() == 7 * 300 * 300


def lock_and_double(file: Path) -> Callable[[int], int]:
    """Lock a file for as long as this process lives."""
    fcntl.flock(os.open(file, os.O_RDWR | os.O_CREAT), fcntl.LOCK_SH)
    return lambda number: 2 * number


def _is_free(lock: IO[str]) -> bool:
    sleep(0.05)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def keep_a_pool(file: Path, connection: "Connection[Any, Any]") -> None:
    pool = MappedPool(partial(lock_and_double, file), 2)
    connection.send(read_mapped(pool.call(21).result()))
    connection.recv()


def test_processes_end_with_the_one_that_started_them_though_it_is_killed(tmp_path: Path) -> None:
    here, there = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=keep_a_pool, args=(tmp_path / "lock", there))
    process.start()
    assert here.recv() == 42
    with (tmp_path / "lock").open() as lock:
        assert not _is_free(lock)
        process.kill()
        process.join()
        assert any(_is_free(lock) for _ in range(int(SECONDS / 0.05))), "no process of the pool is left"


SLOW_PROGRAM = """
import os, time
if __name__ != "__main__" and "LATE" in os.environ:
    time.sleep(2)  # as a program does that imports torch
from counterpoint.engine.mapped_arrays import MappedPool
from counterpoint.engine.worker_pool import call_workers
from counterpoint.engine.worker_processes import WorkerProcesses

class Worker:
    profile = None

    def __init__(self, place, number, report):
        os.environ["LATE"] = "1"  # the processes of the pool are later than their worker
        self.pool = MappedPool(list, 2)

    def answer(self):
        return 42

    def sleep(self):
        time.sleep(60)

if __name__ == "__main__":
    workers = WorkerProcesses(Worker, ["one", "two"], exit_seconds=SECONDS)
    for worker in range(2):
        workers.start(worker)
    print(call_workers(workers, "answer", [(), ()]))
    if SLEEPS:
        workers.send(0, "sleep")
        time.sleep(0.5)
    workers.close()
"""


def _check_silence(tmp_path: Path, is_busy: bool) -> None:
    program, folder = tmp_path / "program.py", tmp_path / "temporary"
    program.write_text(f"SLEEPS, SECONDS = {is_busy}, {0.5 if is_busy else 5.0}\n{SLOW_PROGRAM}")
    folder.mkdir()
    ended = subprocess.run(
        [sys.executable, program], env=os.environ | {"TMPDIR": str(folder)}, capture_output=True, text=True, check=False
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("[42, 42]\n", "", 0)
    assert list(folder.iterdir()) == []


@pytest.mark.prove
def test_a_worker_that_ends_before_its_pool_has_started_ends_it_in_silence(tmp_path: Path) -> None:
    _check_silence(tmp_path, is_busy=False)


def test_a_worker_that_is_stopped_at_work_closes_its_pool(tmp_path: Path) -> None:
    _check_silence(tmp_path, is_busy=True)
