"""Processes that each hold a model: how they are started, asked and let go, and what becomes of one that dies."""

import multiprocessing
import pickle
import signal
import traceback
import warnings
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
"""Seconds that a process has to end by itself."""


class _News(Enum):
    """What a process tells: one thing of many, the last or only thing, or what was raised instead."""

    ITEM = 1
    DONE = 2
    RAISED = 3


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What a process says of its model once it has it."""

    fingerprint: str
    ports: frozenset[str]
    scale: Scale | None
    batch: int


@dataclass(frozen=True, slots=True)
class _Job:
    """A method of the model, and what it is given; whether what it returns is to be told one by one."""

    method: str
    arguments: tuple[Any, ...]
    streamed: bool


class _Member:
    """One process, seen from outside."""

    def __init__(self, context: Any, make: Callable[[str], Any], device: str, ports: tuple[type, ...]) -> None:
        self.device = device
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(make, device, ports, theirs), name=device, daemon=True)
        self.process.start()
        theirs.close()
        self.owes = True  # it tells of its model first

    def send(self, job: _Job) -> None:
        """Give it a job, once it has told all it had to tell about one that nobody waits for any more."""
        while self.owes:
            self.news()
        self.connection.send(job)
        self.owes = True

    def news(self) -> tuple[_News, Any]:
        """What it tells next; an error if it died instead."""
        news, thing = self.connection.recv()
        self.owes = news is _News.ITEM
        return news, thing

    def lost(self) -> ModelError:
        """What is to be said of its death."""
        self.connection.close()
        self.process.join(EXIT_SECONDS)
        fact = f"the worker on {self.device} died with exit code {self.process.exitcode}"
        return ModelError(fact, hint="it may have run out of memory; smaller batches need less")


class WorkerPool:
    """Processes with the same model on a device each; those that die are left out from then on."""

    def __init__(self, make: Callable[[str], Any], devices: Sequence[str], ports: tuple[type, ...]) -> None:
        if not devices or not all(devices):
            raise ModelError(f"{','.join(devices)!r} names no devices", hint="devices look like cuda:0,cuda:1")
        context = multiprocessing.get_context("spawn")  # CUDA cannot be used in a forked process
        self._members: list[_Member] = []
        self.close = finalize(self, _let_go, self._members)
        try:
            for device in devices:
                self._members.append(_Member(context, make, device, ports))
            cards: list[WorkerInfo] = self._results(dict(enumerate(self._members)))
        except BaseException:
            self.close()
            raise
        self.card = cards[0]
        if any(card != self.card for card in cards):
            self.close()
            told = ", ".join(sorted({card.fingerprint for card in cards}))
            raise ModelError(f"the models on {', '.join(devices)} are not the same: {told}", hint="give one dtype=")

    def __len__(self) -> int:
        if not self._members:
            raise ModelError("no worker is left", hint="what was answered is kept; run again to go on")
        return len(self._members)

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of the processes that are at work."""
        return tuple(member.process.pid for member in self._members)

    def streamed(self, method: str, portions: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """What a method yields for each portion, as it comes, with the number of the portion."""
        yield from self._told(self._sent(method, portions, streamed=True))

    def returned(self, method: str, portions: Sequence[tuple[Any, ...]]) -> list[Any]:
        """What a method returns for each portion."""
        return self._results(self._sent(method, portions, streamed=False))

    def _results(self, asked: Mapping[int, _Member]) -> list[Any]:
        found = dict(self._told(asked))
        return [found[number] for number in sorted(found)]

    def _sent(self, method: str, portions: Sequence[tuple[Any, ...]], *, streamed: bool) -> dict[int, _Member]:
        asked = dict(enumerate(self._members[: len(portions)]))
        for number, member in asked.items():
            try:
                member.send(_Job(method, portions[number], streamed))
            except (EOFError, OSError):
                member.connection.close()  # that it is dead is said when its news are waited for
        return asked

    def _told(self, asked: Mapping[int, _Member]) -> Iterator[tuple[int, Any]]:
        """What processes tell about the last job; what one raises flies on once the others are done."""
        problems: list[BaseException] = []
        waiting = {member.connection: (number, member) for number, member in asked.items()}
        while waiting:
            for connection in [one for one in waiting if one.closed] or wait(list(waiting)):
                number, member = waiting[connection]
                try:
                    news, thing = member.news()
                except (EOFError, OSError):
                    problems.append(self._without(member))
                    del waiting[connection]
                    continue
                if news is not _News.ITEM:
                    del waiting[connection]
                if news is _News.RAISED:
                    problems.append(thing)
                elif news is _News.ITEM or thing is not None:
                    yield number, thing
        if problems:
            raise problems[0]

    def _without(self, member: _Member) -> ModelError:
        problem = member.lost()
        self._members.remove(member)
        if self._members:
            warnings.warn(f"{problem}; {len(self._members)} go on without it", RuntimeWarning, stacklevel=2)
        return problem


def _let_go(members: list[_Member]) -> None:
    """Close every connection, which ends a process that waits; one that goes on for long is ended."""
    for member in members:
        member.connection.close()
    for member in members:
        member.process.join(EXIT_SECONDS)
        if member.process.is_alive():
            member.process.terminate()
            member.process.join()
    members.clear()


def _work(make: Callable[[str], Any], device: str, ports: tuple[type, ...], connection: "Connection[Any, Any]") -> None:
    """The life of a process: it makes its model, says what it can do, and does what it is given until nobody asks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a key that stops the run is for the process that asks
    try:
        model, expect = make(device)
        able = frozenset(port.__name__ for port in ports if isinstance(model, port))
        card = WorkerInfo(model.fingerprint, able, getattr(model, "scale", None), getattr(model, "batch", 0))
    except Exception as problem:
        _tell(connection, (_News.RAISED, _portable(problem)))
        return
    _tell(connection, (_News.DONE, card))
    while True:
        try:
            job: _Job = connection.recv()
        except (EOFError, OSError):
            return
        expect(_pictures(job.arguments))
        _do(connection, job, getattr(model, job.method))


def _do(connection: "Connection[Any, Any]", job: _Job, method: Callable[..., Any]) -> None:
    """Tell what a method yields, returns or raises."""
    try:
        found = method(*job.arguments)
        if isinstance(found, AsyncIterable):
            raise ModelError("a model that answers asynchronously needs no workers", hint="name one device")
        if job.streamed:
            for item in found:
                _tell(connection, (_News.ITEM, item))
            found = None
    except Exception as problem:
        _tell(connection, (_News.RAISED, _portable(problem)))
    else:
        _tell(connection, (_News.DONE, found))


def _tell(connection: "Connection[Any, Any]", message: tuple[_News, Any]) -> None:
    try:
        connection.send(message)
    except OSError:
        raise SystemExit(0) from None  # nobody listens any more


def _portable(problem: Exception) -> Exception:
    """An exception that can cross to another process, with where it was raised if it is not one of ours."""
    if not isinstance(problem, CounterpointError):
        problem.add_note("".join(traceback.format_exception(problem)))
    try:
        pickle.loads(pickle.dumps(problem))
    except Exception:
        return ModelError(f"{type(problem).__name__}: {problem}")
    return problem


def _pictures(arguments: Iterable[Any]) -> list[Picture]:
    """The pictures of the queries among the arguments of a call, each once, in order."""
    listed = [one for argument in arguments if isinstance(argument, list | tuple) for one in argument]
    return list(dict.fromkeys(one.picture for one in listed if isinstance(one, Query) and one.picture is not None))
