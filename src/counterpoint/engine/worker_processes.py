"""Workers as processes of this machine, spawned or forked: start, tasks, events, shutdown."""

import atexit
import multiprocessing
import pickle
import signal
import traceback
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from multiprocessing.connection import Connection, wait
from typing import Any, Literal
from weakref import finalize

from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.engine.worker_pool import EventKind, WorkerBuilder, WorkerEvent

EXIT_SECONDS = 5.0
"""How long a process may take to end by itself."""


class WorkerProcesses:
    """A `WorkerTransport` of processes, which end with this process at the latest.

    A spawned process begins anew, as CUDA needs it, and gets a pickled builder; a forked one shares the memory that
    this process has, and gets the builder as it is. A process may have processes of its own, which daemons may not.
    """

    starts_together = True

    def __init__(
        self,
        build: WorkerBuilder,
        names: Sequence[str],
        *,
        method: Literal["spawn", "fork"] = "spawn",
        exit_seconds: float = EXIT_SECONDS,
    ) -> None:
        assert names, "there is a worker"
        self.names, self._exit_seconds = tuple(names), exit_seconds
        self._context: Any = multiprocessing.get_context(method)
        self._is_forked = method == "fork"
        self._build = build if self._is_forked else pickle.dumps(build)
        self._numbers = count(1)
        self._processes: dict[int, tuple[Any, Connection[Any, Any]]] = {}
        self.close = finalize(self, _shut_down, self._processes, exit_seconds)
        atexit.register(self.close)  # runs before multiprocessing waits for processes that nobody closed

    def start(self, worker: int) -> None:
        """Start a process."""
        connection, remote = self._context.Pipe()
        inherited = [connection, *(own for _, own in self._processes.values())] if self._is_forked else []
        arguments = (self._build, worker, next(self._numbers), remote, inherited)
        process = self._context.Process(target=_serve, args=arguments, name=self.names[worker])
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
    """Close every connection, which ends a process at its next message; stop one that goes on for too long."""
    for _, connection in processes.values():
        connection.close()
    for process, _ in processes.values():
        process.join(exit_seconds)
        if process.is_alive():
            process.terminate()
            process.join(exit_seconds)
        if process.is_alive():
            process.kill()
            process.join()
    processes.clear()


def _serve(
    build: bytes | WorkerBuilder,
    place: int,
    number: int,
    connection: "Connection[Any, Any]",
    inherited: Sequence["Connection[Any, Any]"],
) -> None:
    """The main loop of a worker: build it, describe it, and do tasks until the connection closes.

    A connection closes when no process has its other end any more: a forked one closes those that it inherited.
    """
    for other in inherited:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # interrupts are handled by the parent process
    signal.signal(signal.SIGTERM, _exit)
    try:
        make: WorkerBuilder = pickle.loads(build) if isinstance(build, bytes) else build
        worker = make(place, number, lambda counts: _tell(connection, EventKind.PROGRESS, counts))
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


def _exit(*about: object) -> None:
    """End by an exception, so that pools of this process are closed and their semaphores deleted."""
    raise SystemExit(1)


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
