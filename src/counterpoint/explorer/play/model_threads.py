"""Loaded models for "Try a model": one thread per model, and a visitor's newest request cancels the older ones."""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from queue import SimpleQueue
from threading import Lock, Thread

from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.ports import Answerer, Model, RemoteModel, Scorer
from counterpoint.engine.dispatch import Dispatcher, QueryBatch

BATCH_SIZES = (1, 2, 8)
"""Queries of a request in each batch: the first alone, so that it is answered soonest; the last size repeats."""
MAX_QUEUED = 64
"""Requests that may wait for one model; a visitor never has more than one."""

OnAnswer = Callable[[int, Answer], None]
OnEnd = Callable[[Exception | None], None]


class RequestCancelled(Exception):  # noqa: N818 - it is no error of anybody's
    """The visitor left, or sent a newer request."""


class QueueFull(ModelError):  # noqa: N818 - it reads as what it says
    """Too many requests wait for a model."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model's name on pages and in addresses, and what it can do."""

    name: str
    slug: str
    answers: bool
    scores: bool
    scale: str = ""
    remote: bool = False  # each answer is a request to a server, which may cost something

    def can(self, mode: Mode) -> bool:
        """Whether it can be asked in this mode."""
        return self.scores if mode is Mode.SCORE else self.answers


class PlayJob:
    """The queries of one visitor to one model; `on_answer` runs in the model's thread until it is cancelled."""

    def __init__(self, queries: Sequence[Query], on_answer: OnAnswer) -> None:
        self.queries, self._on_answer = queries, on_answer
        self._is_cancelled, self._lock = False, Lock()

    def cancel(self) -> None:
        """Ask no more; the answers of the running batch are discarded."""
        with self._lock:
            self._is_cancelled = True

    def check(self) -> None:
        """Raise RequestCancelled once the job is cancelled."""
        if self._is_cancelled:
            raise RequestCancelled

    def deliver(self, start: int, place: int, answer: Answer) -> None:
        """Pass on the answer to a query of the batch that begins at `start`."""
        with self._lock:  # nothing is delivered after cancel has returned
            self.check()
            self._on_answer(start + place, answer)


class ModelThread:
    """A model in a thread of its own with a queue of jobs; cancelled jobs are skipped."""

    def __init__(self, model: Model, name: str, slug: str) -> None:
        scale = model.scale if isinstance(model, Scorer) else ""
        remote = isinstance(model, RemoteModel)
        self.info = LoadedModel(name, slug, isinstance(model, Answerer), isinstance(model, Scorer), str(scale), remote)
        if not self.info.answers and not self.info.scores:
            raise ModelError(f"{name} neither answers nor scores")
        self.model = model
        self._queue: SimpleQueue[tuple[PlayJob, OnEnd] | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name=f"play-{slug}", daemon=True)
        self._thread.start()

    def submit(self, job: PlayJob, on_end: OnEnd) -> None:
        """Queue a job; `on_end` is called after it, with the exception that ended it, if any."""
        if self._queue.qsize() >= MAX_QUEUED:
            raise QueueFull(f"{self.info.name} is asked by too many at once", hint="try again in a moment")
        self._queue.put((job, on_end))

    def close(self) -> None:
        """End the thread after the queued jobs."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        with Dispatcher(self.model) as dispatcher:
            while (item := self._queue.get()) is not None:
                job, on_end = item
                on_end(_run(dispatcher, job))


class ModelThreads:
    """All models that were named when the server was started."""

    def __init__(self, models: Sequence[tuple[str, Model]] = ()) -> None:
        self._threads: dict[str, ModelThread] = {}
        for name, model in models:
            slug = _slug(name, self._threads)
            self._threads[slug] = ModelThread(model, name, slug)
        self._newest: dict[str, tuple[int, tuple[PlayJob, ...]]] = {}
        self._lock = Lock()

    def __bool__(self) -> bool:
        return bool(self._threads)

    @property
    def models(self) -> tuple[LoadedModel, ...]:
        """The models, in the order in which they were named."""
        return tuple(thread.info for thread in self._threads.values())

    def model(self, slug: str) -> Model:
        """The model with this slug."""
        return self._threads[slug].model

    def ask(
        self,
        visitor: str,
        queries: Mapping[str, Sequence[Query]],
        on_answer: Callable[[str, int, Answer], None],
        on_end: Callable[[str, Exception | None], None],
        turn: int = 0,
    ) -> Callable[[], None]:
        """Ask models by slug, cancel this visitor's older jobs, and return a function that cancels these.

        Requests may overtake each other on their way here: those with a smaller `turn` than a running one are cancelled
        at once. The callbacks run in the models' threads; `on_end` once per model, with `RequestCancelled` if it was
        cancelled.
        """
        jobs = {slug: PlayJob(batch, partial(on_answer, slug)) for slug, batch in queries.items()}
        mine = tuple(jobs.values())
        with self._lock:
            newest, running = self._newest.get(visitor, (turn, ()))
            for older in running if turn >= newest else mine:
                older.cancel()
            if turn >= newest:
                self._newest[visitor] = turn, mine
        unfinished = set(jobs)

        def end(slug: str, problem: Exception | None) -> None:
            with self._lock:
                unfinished.discard(slug)
                if not unfinished and self._newest.get(visitor) == (turn, mine):
                    del self._newest[visitor]
            on_end(slug, problem)

        def cancel() -> None:
            for job in mine:
                job.cancel()

        for slug, job in jobs.items():
            try:
                self._threads[slug].submit(job, partial(end, slug))
            except QueueFull as problem:
                end(slug, problem)
        return cancel

    def close(self) -> None:
        """End all threads."""
        for thread in self._threads.values():
            thread.close()


def _run(dispatcher: Dispatcher, job: PlayJob) -> Exception | None:
    """Answer the queries of a job; a model is others' code, so whatever it raises is returned, not raised."""
    try:
        start = 0
        for size in (*BATCH_SIZES, *[BATCH_SIZES[-1]] * len(job.queries)):
            batch = job.queries[start : start + size]
            job.check()
            if batch:
                dispatcher.ask(QueryBatch(batch, [0] * len(batch)), partial(job.deliver, start), job.check)
            start += size
    except Exception as problem:
        return problem
    return None


def _slug(name: str, taken: Container[str]) -> str:
    """A name for addresses that no other model has."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "model"
    return next(slug for slug in chain([plain], (f"{plain}-{number}" for number in count(2))) if slug not in taken)
