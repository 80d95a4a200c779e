"""Worker processes that each hold a model: start, calls, messages, shutdown, and what happens when one dies."""

import logging
import multiprocessing
import pickle
import signal
import traceback
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import Connection, wait
from typing import Any
from weakref import finalize

from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Scale

EXIT_SECONDS = 5.0
"""How long a process may take to end by itself."""
logger = logging.getLogger(__name__)


class _MessageKind(Enum):
    """The messages of a worker: one item of many, the last or only result, or an exception."""

    ITEM = 1
    DONE = 2
    RAISED = 3


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What a worker says of its model once it is loaded."""

    fingerprint: str
    former_fingerprints: tuple[str, ...]
    ports: frozenset[str]
    scale: Scale | None
    batch_size: int


class _Worker:
    """One process, as seen from the parent."""

    def __init__(
        self, context: Any, make: Callable[[str], Any], device: str, ports: tuple[type, ...], exit_seconds: float
    ) -> None:
        self.device, self.exit_seconds = device, exit_seconds
        self.connection, remote = context.Pipe()
        self.process = context.Process(target=_serve, args=(make, device, ports, remote), name=device, daemon=True)
        self.process.start()
        remote.close()
        self._busy = True  # it sends its WorkerInfo first

    def send(self, *call: Any) -> None:
        """Send method, arguments, and whether items are streamed, after draining what nobody took of the last call."""
        while self._busy:
            self.receive()
        self.connection.send(call)
        self._busy = True

    def receive(self) -> tuple[_MessageKind, Any]:
        """The next message; EOFError or OSError if the process died."""
        kind, content = self.connection.recv()
        self._busy = kind is _MessageKind.ITEM
        return kind, content


class WorkerPool:
    """Processes with the same model on a device each; a worker that dies is left out from then on."""

    def __init__(
        self,
        make: Callable[[str], Any],
        devices: Sequence[str],
        ports: tuple[type, ...],
        *,
        exit_seconds: float = EXIT_SECONDS,
    ) -> None:
        if not devices or not all(devices):
            raise ModelError(f"{','.join(devices)!r} names no devices", hint="devices look like cuda:0,cuda:1")
        context = multiprocessing.get_context("spawn")  # CUDA cannot be used in a forked process
        self._workers: list[_Worker] = []
        self.close = finalize(self, _shut_down, self._workers)
        try:
            for device in devices:
                self._workers.append(_Worker(context, make, device, ports, exit_seconds))
            infos: list[WorkerInfo] = self._results(dict(enumerate(self._workers)))
        except BaseException:
            self.close()
            raise
        self.info = infos[0]
        if any(info != self.info for info in infos):
            self.close()
            listed = ", ".join(sorted({info.fingerprint for info in infos}))
            raise ModelError(f"the models on {', '.join(devices)} are not the same: {listed}", hint="give one dtype=")

    def __len__(self) -> int:
        if not self._workers:
            raise ModelError("no worker is left", hint="the answers so far are kept; run again to go on")
        return len(self._workers)

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of the living processes."""
        return tuple(worker.process.pid for worker in self._workers)

    def stream(self, method: str, portions: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """The items that a method yields for each portion, as they arrive, with the number of the portion."""
        yield from self._messages(self._send(method, portions, streamed=True))

    def call(self, method: str, portions: Sequence[tuple[Any, ...]]) -> list[Any]:
        """What a method returns for each portion."""
        return self._results(self._send(method, portions, streamed=False))

    def _results(self, called: Mapping[int, _Worker]) -> list[Any]:
        results = dict(self._messages(called))
        return [results[number] for number in sorted(results)]

    def _send(self, method: str, portions: Sequence[tuple[Any, ...]], *, streamed: bool) -> dict[int, _Worker]:
        called = dict(enumerate(self._workers[: len(portions)]))
        for number, worker in called.items():
            try:
                worker.send(method, portions[number], streamed)
            except (EOFError, OSError):
                worker.connection.close()  # its death is reported when its messages are awaited
        return called

    def _messages(self, called: Mapping[int, _Worker]) -> Iterator[tuple[int, Any]]:
        """The messages about the last call; what a worker raises is raised once the others are done."""
        problems: list[BaseException] = []
        waiting = {worker.connection: (number, worker) for number, worker in called.items()}
        while waiting:
            for connection in [pipe for pipe in waiting if pipe.closed] or wait(list(waiting)):
                number, worker = waiting[connection]
                try:
                    kind, content = worker.receive()
                except (EOFError, OSError):
                    problems.append(self._remove(worker))
                    del waiting[connection]
                    continue
                if kind is not _MessageKind.ITEM:
                    del waiting[connection]
                if kind is _MessageKind.RAISED:
                    problems.append(content)
                elif kind is _MessageKind.ITEM or content is not None:
                    yield number, content
        if problems:
            raise problems[0]

    def _remove(self, worker: _Worker) -> ModelError:
        worker.connection.close()
        worker.process.join(worker.exit_seconds)
        fact = f"the worker on {worker.device} died with exit code {worker.process.exitcode}"
        problem = ModelError(fact, hint="it may have run out of memory; smaller batches need less")
        self._workers.remove(worker)
        if self._workers:
            logger.warning("%s; %d go on without it", problem, len(self._workers))
        return problem


def _shut_down(workers: list[_Worker]) -> None:
    """Close every connection, which ends a waiting process; terminate one that goes on for too long."""
    for worker in workers:
        worker.connection.close()
    for worker in workers:
        worker.process.join(worker.exit_seconds)
        if worker.process.is_alive():
            worker.process.terminate()
            worker.process.join()
    workers.clear()


def _serve(
    make: Callable[[str], Any], device: str, ports: tuple[type, ...], connection: "Connection[Any, Any]"
) -> None:
    """The main loop of a worker: load the model, describe it, and answer calls until the connection closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # interrupts are handled by the parent process
    try:
        model, expect = make(device)
        info = WorkerInfo(
            model.fingerprint,
            getattr(model, "former_fingerprints", ()),
            frozenset(port.__name__ for port in ports if isinstance(model, port)),
            getattr(model, "scale", None),
            getattr(model, "batch_size", 0),
        )
    except Exception as problem:
        _tell(connection, (_MessageKind.RAISED, _picklable(problem)))
        return
    _tell(connection, (_MessageKind.DONE, info))
    while True:
        try:
            method, arguments, streamed = connection.recv()
        except (EOFError, OSError):
            return
        expect(_pictures(arguments))
        _execute(connection, getattr(model, method), arguments, streamed)


def _execute(
    connection: "Connection[Any, Any]", method: Callable[..., Any], arguments: Iterable[Any], streamed: bool
) -> None:
    """Send what a method yields, returns or raises."""
    try:
        result = method(*arguments)
        if isinstance(result, AsyncIterable):
            raise ModelError("a model that answers asynchronously needs no workers", hint="name one device")
        if streamed:
            for item in result:
                _tell(connection, (_MessageKind.ITEM, item))
            result = None
    except Exception as problem:
        _tell(connection, (_MessageKind.RAISED, _picklable(problem)))
    else:
        _tell(connection, (_MessageKind.DONE, result))


def _tell(connection: "Connection[Any, Any]", message: tuple[_MessageKind, Any]) -> None:
    try:
        connection.send(message)
    except OSError:
        raise SystemExit(0) from None  # the parent process is gone


def _picklable(problem: Exception) -> Exception:
    """An exception that can be sent to another process, with its traceback as a note if it is not one of ours."""
    if not isinstance(problem, CounterpointError):
        problem.add_note("".join(traceback.format_exception(problem)))
    try:
        pickle.loads(pickle.dumps(problem))
    except Exception:
        return ModelError(f"{type(problem).__name__}: {problem}")
    return problem


def _pictures(arguments: Iterable[Any]) -> list[Picture]:
    """The pictures of the queries among the arguments of a call, each once, in order."""
    listed = [item for argument in arguments if isinstance(argument, list | tuple) for item in argument]
    return list(dict.fromkeys(item.picture for item in listed if isinstance(item, Query) and item.picture is not None))
