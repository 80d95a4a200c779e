"""Loaded models to play with: each has a thread of its own, and the newest request of a visitor ends the older ones."""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from queue import SimpleQueue
from threading import Lock, Thread

from counterpoint.core.answers import Answer
from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Mode, Query
from counterpoint.core.ports import Answerer, Model, RemoteModel, Scorer
from counterpoint.engine.dispatch import Dispatcher, QueryBatch

BATCH_SIZES = (1, 2, 8)
"""How many queries of a request are put at once: the first alone, so that it is answered first; then more."""
MAX_QUEUED = 64
"""Requests that may wait for one model; a visitor never has more than one."""


class RequestCancelled(Exception):  # noqa: N818 - it reads as what it says
    """A request no longer matters."""


class QueueFull(ModelError):  # noqa: N818 - it reads as what it says
    """Too many visitors wait for a model."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model as pages name it, and what it can do."""

    name: str
    slug: str
    answers: bool
    scores: bool
    scale: str = ""
    remote: bool = False  # each answer is a request to a server, which may cost something

    def can(self, mode: Mode) -> bool:
        """Whether it can be asked in this way."""
        return self.scores if mode is Mode.SCORE else self.answers


class PlayJob:
    """What a visitor asks of one model: the answers come to `heard`, in the model's thread, until it is over."""

    def __init__(self, queries: Sequence[Query], heard: Callable[[int, Answer], None]) -> None:
        self.queries, self._heard = queries, heard
        self._over, self._lock = False, Lock()

    def stop(self) -> None:
        """Ask no more; what the model is at is thrown away."""
        with self._lock:
            self._over = True

    def check(self) -> None:
        """Raise Stopped once it no longer matters."""
        if self._over:
            raise RequestCancelled

    def hear(self, place: int, answer: Answer) -> None:
        """Pass on an answer."""
        with self._lock:  # nothing is heard after stop has returned
            self.check()
            self._heard(place, answer)


class ModelThread:
    """A model in a thread of its own; requests wait in line, and those that were stopped meanwhile are let go."""

    def __init__(self, model: Model, name: str, slug: str) -> None:
        scale = model.scale if isinstance(model, Scorer) else ""
        remote = isinstance(model, RemoteModel)
        self.known = LoadedModel(name, slug, isinstance(model, Answerer), isinstance(model, Scorer), str(scale), remote)
        if not self.known.answers and not self.known.scores:
            raise ModelError(f"{name} neither answers nor scores")
        self.model = model
        self._line: SimpleQueue[tuple[PlayJob, Callable[[Exception | None], None]] | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name=f"play-{slug}", daemon=True)
        self._thread.start()

    def ask(self, turn: PlayJob, done: Callable[[Exception | None], None]) -> None:
        """Put a request into the line; `done` is called at its end, with what went wrong, if anything did."""
        if self._line.qsize() >= MAX_QUEUED:
            raise QueueFull(f"{self.known.name} is asked by too many at once", hint="try again in a moment")
        self._line.put((turn, done))

    def close(self) -> None:
        """Let the thread end after what is in the line."""
        self._line.put(None)
        self._thread.join()

    def _work(self) -> None:
        with Dispatcher(self.model) as asker:
            while (waiting := self._line.get()) is not None:
                turn, done = waiting
                done(self._asked(asker, turn))

    def _asked(self, asker: Dispatcher, turn: PlayJob) -> Exception | None:
        """What went wrong; a model is others' code, and whatever it raises must not end its thread."""
        try:
            start = 0
            for size in (*BATCH_SIZES, *[BATCH_SIZES[-1]] * len(turn.queries)):
                part = turn.queries[start : start + size]
                turn.check()
                if part:
                    asker.ask(QueryBatch(part, [0] * len(part)), _moved(turn, start), turn.check)
                start += size
        except Exception as problem:
            return problem
        return None


def _moved(turn: PlayJob, start: int) -> Callable[[int, Answer], None]:
    return lambda place, answer: turn.hear(start + place, answer)


class ModelThreads:
    """All models that were named when the server was started."""

    def __init__(self, models: Sequence[tuple[str, Model]] = ()) -> None:
        self._players: dict[str, ModelThread] = {}
        for name, model in models:
            short = _short(name, self._players)
            self._players[short] = ModelThread(model, name, short)
        self._newest: dict[str, tuple[PlayJob, ...]] = {}
        self._lock = Lock()

    def __bool__(self) -> bool:
        return bool(self._players)

    @property
    def known(self) -> tuple[LoadedModel, ...]:
        """The models, in the order in which they were named."""
        return tuple(player.known for player in self._players.values())

    def model(self, slug: str) -> Model:
        """The model of a name."""
        return self._players[slug].model

    def ask(
        self,
        visitor: str,
        asked: Mapping[str, Sequence[Query]],
        heard: Callable[[str, int, Answer], None],
        done: Callable[[str, Exception | None], None],
    ) -> Callable[[], None]:
        """Ask each of some models some queries, and stop what this visitor asked before; says how to stop this.

        `heard` and `done` are called in the models' threads; `done` once for each model, with `Stopped` if it was.
        """
        turns = {slug: PlayJob(queries, _of(slug, heard)) for slug, queries in asked.items()}
        mine = tuple(turns.values())
        with self._lock:
            for older in self._newest.get(visitor, ()):
                older.stop()
            self._newest[visitor] = mine
        waiting = set(turns)

        def ended(slug: str, problem: Exception | None) -> None:
            with self._lock:
                waiting.discard(slug)
                if not waiting and self._newest.get(visitor) is mine:
                    del self._newest[visitor]
            done(slug, problem)

        def stop() -> None:
            for turn in mine:
                turn.stop()

        for slug, turn in turns.items():
            try:
                self._players[slug].ask(turn, _of_end(slug, ended))
            except QueueFull as problem:
                ended(slug, problem)
        return stop

    def close(self) -> None:
        """Let all threads end."""
        for player in self._players.values():
            player.close()


def _of(slug: str, heard: Callable[[str, int, Answer], None]) -> Callable[[int, Answer], None]:
    return lambda place, answer: heard(slug, place, answer)


def _of_end(slug: str, ended: Callable[[str, Exception | None], None]) -> Callable[[Exception | None], None]:
    return lambda problem: ended(slug, problem)


def _short(name: str, taken: Container[str]) -> str:
    """A name as addresses have it, which no other model has."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "model"
    return next(one for one in chain([plain], (f"{plain}-{number}" for number in count(2))) if one not in taken)
