"""Workers as processes of this machine, one per device: start, tasks, events, shutdown."""

import multiprocessing
import os
import pickle
import signal
import traceback
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from multiprocessing.connection import Connection, wait
from typing import Any
from weakref import finalize

from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.engine.shard_worker import RemoteWorker, WorkerSetup
from counterpoint.engine.worker_pool import EventKind, WorkerEvent

EXIT_SECONDS = 5.0
"""How long a process may take to end by itself."""


class WorkerProcesses:
    """A `WorkerTransport` of spawned processes, which end with this process at the latest.

    A device may be named several times, or be empty for one that the model chooses.
    """

    starts_together = True

    def __init__(
        self, setup: WorkerSetup, devices: Sequence[str], cores: int = 1, *, exit_seconds: float = EXIT_SECONDS
    ) -> None:
        assert devices, "there is a worker"
        self.names = tuple(f"{device or 'process'} ({place})" for place, device in enumerate(devices, 1))
        self._devices = tuple(devices)
        self._setup, self._cores, self._exit_seconds = pickle.dumps(setup), cores, exit_seconds
        self._numbers = count(1)
        self._processes: dict[int, tuple[Any, Connection[Any, Any]]] = {}
        self.close = finalize(self, _shut_down, self._processes, exit_seconds)

    @property
    def processes(self) -> dict[int, int]:
        """The process id of each living worker."""
        return {worker: process.pid for worker, (process, _) in self._processes.items()}

    def start(self, worker: int) -> None:
        """Start a process."""
        context = multiprocessing.get_context("spawn")  # CUDA cannot be used in a forked process
        connection, remote = context.Pipe()
        arguments = (self._setup, self._devices[worker], self._cores, next(self._numbers), remote)
        process = context.Process(target=_serve, args=arguments, name=self.names[worker], daemon=True)
        process.start()
        remote.close()
        self._processes[worker] = (process, connection)

    def stop(self, worker: int) -> None:
        """Kill a process."""
        process, connection = self._processes.pop(worker)
        connection.close()
        process.kill()
        process.join()

    def send(self, worker: int, method: str, *arguments: Any) -> None:
        """Call a method of a worker; one that is gone is reported by `receive`."""
        with suppress(OSError):
            self._processes[worker][1].send((method, arguments))

    def receive(self, seconds: float) -> list[WorkerEvent]:
        """The next event of each worker that has one."""
        by_connection = {connection: worker for worker, (_, connection) in self._processes.items()}
        ready = wait(list(by_connection), seconds)
        return [self._read(worker) for connection, worker in by_connection.items() if connection in ready]

    def _read(self, worker: int) -> WorkerEvent:
        process, connection = self._processes[worker]
        try:
            return WorkerEvent(worker, *connection.recv())
        except (EOFError, OSError):
            del self._processes[worker]
            connection.close()
            process.join(self._exit_seconds)
            reason = f"worker {self.names[worker]} died with exit code {process.exitcode}"
            return WorkerEvent(worker, EventKind.LOST, reason)


def _shut_down(processes: dict[int, tuple[Any, "Connection[Any, Any]"]], exit_seconds: float) -> None:
    """Close every connection, which ends a process at its next message; terminate one that goes on for too long."""
    for _, connection in processes.values():
        connection.close()
    for process, _ in processes.values():
        process.join(exit_seconds)
        if process.is_alive():
            process.terminate()
            process.join()
    processes.clear()


def _serve(setup: bytes, device: str, cores: int, number: int, connection: "Connection[Any, Any]") -> None:
    """The main loop of a worker: load the model, describe it, and do tasks until the connection closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # interrupts are handled by the parent process
    os.environ.setdefault("OMP_NUM_THREADS", str(cores))  # read by torch when it is imported
    try:
        worker = RemoteWorker(
            pickle.loads(setup), device, cores, number, lambda counts: _tell(connection, EventKind.PROGRESS, counts)
        )
    except Exception as problem:  # raised again in the parent
        _tell(connection, EventKind.RAISED, picklable_error(problem))
        return
    _tell(connection, EventKind.READY, worker.profile)
    while True:
        try:
            method, arguments = connection.recv()
        except (EOFError, OSError):
            return
        try:
            result = getattr(worker, method)(*arguments)
        except Exception as problem:  # raised again in the parent
            _tell(connection, EventKind.RAISED, picklable_error(problem))
        else:
            if method != "begin":
                _tell(connection, EventKind.DONE, result)


def _tell(connection: "Connection[Any, Any]", kind: EventKind, content: Any) -> None:
    try:
        connection.send((kind, content))
    except OSError:
        raise SystemExit(0) from None  # the parent process is gone


def picklable_error(problem: Exception) -> Exception:
    """An exception that can be sent to another process, with its traceback as a note if it is not one of ours."""
    if not isinstance(problem, CounterpointError):
        problem.add_note("".join(traceback.format_exception(problem)))
    try:
        pickle.loads(pickle.dumps(problem))
    except Exception:
        return ModelError(f"{type(problem).__name__}: {problem}")
    return problem
