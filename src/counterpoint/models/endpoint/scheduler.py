"""Jobs put to a server side by side: the first on each picture before the others, and again what came to nothing."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from random import Random
from time import monotonic

from counterpoint.core.answers import Answer
from counterpoint.core.errors import BudgetExhausted, ModelError, ModelUnreachable
from counterpoint.core.groups import Query
from counterpoint.core.ids import seeded_rng
from counterpoint.models.endpoint.rate_limiter import RateLimiter, backoff_delay

MAX_POLL_SECONDS = 5.0
"""Seconds, at most, between two looks whether a server is there by now."""


@dataclass(frozen=True, slots=True)
class QueryTask:
    """A query in a trial, and its place in the batch."""

    place: int
    trial: int
    query: Query


class RetryableError(Exception):
    """A request came to nothing, and may be sent again after a while; `away` says that nobody was there to take it."""

    def __init__(self, reason: str, *, wait: float = 0.0, away: bool = False) -> None:
        super().__init__(reason)
        self.wait, self.away = wait, away


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a job is tried, how long the first wait is, and for how long a server may be away; in seconds."""

    attempts: int = 8
    first: float = 0.5
    away: float = 120.0


@dataclass(slots=True)
class ServerState:
    """What is remembered of a server from one batch to the next: its pace, the budget, and since when it is away."""

    pace: RateLimiter
    budget: int = 0  # requests that may be sent; 0 means any number
    sent: int = 0
    retries: int = 0
    heard: bool = False  # whether it has ever answered
    away: float | None = None

    def send(self) -> None:
        """One more request, if there may be one more."""
        if self.budget and self.sent >= self.budget:
            raise BudgetExhausted(f"the budget of {self.budget:,} requests is used up", hint="run again to go on")
        self.sent += 1


class RequestScheduler:
    """Some jobs on their way; each is settled once, or not at all where the round has to be stopped."""

    def __init__(
        self,
        jobs: Sequence[QueryTask],
        attempt: Callable[[QueryTask], Awaitable[Answer]],
        line: ServerState,
        patience: RetryPolicy,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._waiting = TaskQueue(jobs)
        self._attempt, self._line, self._patience, self._clock = attempt, line, patience, clock
        self._running: dict[asyncio.Future[Answer], int] = {}
        self._tried, self._missed = Counter[int](), Counter[int]()
        self._stop: ModelError | None = None

    async def settled(self) -> AsyncGenerator[tuple[QueryTask, Answer], None]:
        """Jobs with their answers as they arrive; what stops the round is raised when all that is on its way is in."""
        try:
            while self._running or (self._waiting and self._stop is None):
                self._send()
                for task in await self._some():
                    job = self._waiting.jobs[self._running[task]]
                    if (answer := self._looked_at(task)) is not None:
                        yield job, answer
        finally:
            for task in self._running:
                task.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
        if self._stop is not None:
            raise self._stop

    def _send(self) -> None:
        now = self._clock()
        for _ in range(self._line.pace.room(len(self._running), now) if self._stop is None else 0):
            number = self._waiting.next(now)
            if number is None:
                return
            self._running[asyncio.ensure_future(self._attempt(self._waiting.jobs[number]))] = number

    async def _some(self) -> list[asyncio.Future[Answer]]:
        """Those that are done, as soon as there are any, or when somebody's time has come."""
        now = self._clock()
        pauses = [time - now for time in (self._waiting.due, self._line.pace.resume) if time > now]
        pause = min(pauses) if pauses and self._stop is None else None
        if not self._running:
            await asyncio.sleep(pause or 0)
            return []
        done, _ = await asyncio.wait(self._running, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
        return [task for task in self._running if task in done]

    def _looked_at(self, task: asyncio.Future[Answer]) -> Answer | None:
        number = self._running.pop(task)
        self._waiting.release(number)
        try:
            return task.result()
        except RetryableError as problem:
            return self._again(number, problem)
        except (BudgetExhausted, ModelUnreachable) as problem:
            self._stop = self._stop or problem
            return None

    def _again(self, number: int, problem: RetryableError) -> Answer | None:
        now, luck = self._clock(), self._luck(number)
        if problem.away:
            self._missed[number] += 1
            wait = backoff_delay(self._missed[number], luck, first=self._patience.first, most=MAX_POLL_SECONDS)
            if self._line.away is not None and now - self._line.away >= self._patience.away:
                self._stop = self._stop or ModelUnreachable(
                    str(problem), hint="see that the server runs, and run again"
                )
        else:
            self._tried[number] += 1
            wait = max(problem.wait, backoff_delay(self._tried[number], luck, first=self._patience.first))
            if self._tried[number] >= self._patience.attempts:
                return Answer.failed(problem)
        if self._stop is None:
            self._line.retries += 1
            self._waiting.later(number, now + wait)
        return None

    def _luck(self, number: int) -> Random:
        job = self._waiting.jobs[number]
        return seeded_rng("again", job.query.id, job.trial, self._tried[number], self._missed[number])


class TaskQueue:
    """Jobs that are not on their way: they go picture by picture, and the first on a picture goes before the others."""

    def __init__(self, jobs: Sequence[QueryTask]) -> None:
        pictures: dict[Hashable, list[QueryTask]] = {}
        for job in jobs:
            pictures.setdefault(job.query.picture or (job.place, job.trial), []).append(job)
        self.jobs = [job for some in pictures.values() for job in some]
        self.ready: list[int] = []
        self._behind: dict[int, range] = {}
        self._later: list[tuple[float, int]] = []
        start = 0
        for some in pictures.values():
            self.ready.append(start)
            self._behind[start] = range(start + 1, start + len(some))
            start += len(some)

    def __bool__(self) -> bool:
        return bool(self.ready or self._later or self._behind)

    @property
    def due(self) -> float:
        """When the next of those that wait for a time may go; long ago, where none does."""
        return self._later[0][0] if self._later else -inf

    def next(self, now: float) -> int | None:
        """The job that is to go, if any may."""
        while self._later and self._later[0][0] <= now:
            heappush(self.ready, heappop(self._later)[1])
        return heappop(self.ready) if self.ready else None

    def later(self, number: int, time: float) -> None:
        """A job has to wait."""
        heappush(self._later, (time, number))

    def release(self, number: int) -> None:
        """A job was tried once: if others were waiting for it, they may go."""
        for follower in self._behind.pop(number, ()):
            heappush(self.ready, follower)
