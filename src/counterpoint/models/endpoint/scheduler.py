"""Request scheduler: tasks sent concurrently under an AIMD rate limit, with retries, backoff and a request budget.

The concurrency limit grows by one per round of answers and halves when the server pushes back. It begins at its
maximum, and from the first answers on is at most what the server says it still takes.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from heapq import heappop, heappush
from math import inf, isfinite
from random import Random
from time import monotonic

from counterpoint.core.costs import REQUESTS, Budget, Cost, Usage
from counterpoint.core.errors import BudgetExhausted, ModelError, ModelUnreachable
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Answer, Query
from counterpoint.core.ids import seeded_rng

ROUNDING = 1e-9
"""The share by which sums of prices may be above a budget."""
MAX_POLL_SECONDS = 5.0
"""The longest wait between two attempts to reach a server that is down."""


@dataclass(frozen=True, slots=True)
class RateLimiter:
    """How many requests may be in flight, as a value; each event returns the next state. Times are in seconds.

    >>> RateLimiter.full(8).after_pushback(sent=0.0, now=1.0).limit
    4.0
    """

    maximum: int
    limit: float
    reduced_at: float = -inf  # requests sent before this time say nothing new about the limit
    resume_at: float = -inf  # nothing is sent before this time
    remaining: float = inf  # requests that the server says it takes before its quota is filled again

    @classmethod
    def full(cls, maximum: int) -> "RateLimiter":
        """A limiter at its maximum."""
        return cls(maximum, float(maximum))

    def free_slots(self, running: int, now: float) -> int:
        """How many more requests may be sent."""
        return 0 if now < self.resume_at else max(0, int(min(self.limit, max(1.0, self.remaining))) - running)

    def after_answer(self, remaining: float = inf) -> "RateLimiter":
        """Additive increase: one more slot once as many requests were answered as may be in flight."""
        return replace(self, limit=min(float(self.maximum), self.limit + 1 / self.limit), remaining=remaining)

    def after_pushback(self, *, sent: float, now: float, wait: float = 0.0) -> "RateLimiter":
        """Multiplicative decrease: half the slots, and nothing for as long as the server asks.

        Requests in flight together are rejected together; that counts once.
        """
        resume_at = max(self.resume_at, now + wait) if wait > 0 else self.resume_at
        if sent < self.reduced_at:
            return replace(self, resume_at=resume_at)
        return replace(self, limit=max(1.0, self.limit / 2), reduced_at=now, resume_at=resume_at)


def backoff_delay(failures: int, rng: Random, *, first: float, maximum: float = 60.0) -> float:
    """Seconds until the next attempt: exponential backoff with up to 50 % jitter.

    >>> 2.0 <= backoff_delay(3, Random(0), first=1.0) <= 4.0
    True
    """
    return min(maximum, first * 2.0 ** min(failures - 1, 32)) * (1 - rng.random() / 2)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that a server asks to wait, from its Retry-After header: a number or a date.

    >>> retry_after({"retry-after": "1.5"}, datetime(2026, 11, 15, tzinfo=UTC))
    1.5
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        try:
            seconds = float(value) * unit
        except ValueError:
            seconds = _seconds_until(value, now)
        if isfinite(seconds):
            return max(0.0, seconds)
    return None


def remaining_requests(headers: Mapping[str, str]) -> float:
    """How many requests a server says it still takes, from its rate-limit headers; infinity where it says nothing.

    >>> remaining_requests({"x-ratelimit-remaining-requests": "12"})
    12.0
    """
    for name in ("x-ratelimit-remaining-requests", "anthropic-ratelimit-requests-remaining", "ratelimit-remaining"):
        with suppress(ValueError):
            number = float(headers.get(name, ""))
            return max(0.0, number) if isfinite(number) else inf
    return inf


def _seconds_until(date: str, now: datetime) -> float:
    try:
        time = parsedate_to_datetime(date)
    except ValueError:
        return inf
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() - now.timestamp()


@dataclass(frozen=True, slots=True)
class QueryTask:
    """A query in a trial, and its position in the batch."""

    place: int
    trial: int
    query: Query


class RetryableError(Exception):
    """A request failed and may be sent again after `wait` seconds; `unreachable` if no server took it."""

    def __init__(self, reason: str, *, wait: float = 0.0, unreachable: bool = False) -> None:
        super().__init__(reason)
        self.wait, self.unreachable = wait, unreachable


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a task is attempted, the first backoff delay, and how long a server may be down; in seconds."""

    attempts: int = 8
    first_delay: float = 0.5
    max_downtime: float = 120.0


@dataclass(slots=True)
class ServerState:
    """What is known of a server from one batch to the next: rate limit, budget, and since when it is down."""

    limiter: RateLimiter
    budget: Budget | None = None
    cost: Cost = field(default_factory=Cost)  # of the replies so far
    sent: int = 0
    in_flight: int = 0
    retries: int = 0
    is_metered: bool = True  # every reply so far stated its tokens
    has_answered: bool = False
    down_since: float | None = None

    def count_request(self) -> None:
        """Count one more request, which is in flight then; raise BudgetExhausted where the budget has none left.

        A budget in tokens or money keeps the mean of the replies so far in reserve for each request in flight.
        """
        if self.budget is not None:
            self._require_budget(self.budget)
        self.sent += 1
        self.in_flight += 1

    def count_reply(self, usage: Usage | None) -> None:
        """Count the tokens of a reply."""
        self.cost = self.cost.with_usages([usage])
        self.is_metered = self.is_metered and usage is not None

    def _require_budget(self, budget: Budget) -> None:
        if budget.unit != REQUESTS and not self.is_metered:
            fact = f"a budget of {budget} cannot be kept, since the server does not state its tokens"
            raise BudgetExhausted(fact, hint="give a number of requests")
        spent = budget.spent(self.sent, self.cost)
        reserve = 1 if budget.unit == REQUESTS else (self.in_flight + 1) * spent / max(1, self.cost.answers)
        if spent + reserve > budget.amount * (1 + ROUNDING):
            raise BudgetExhausted(f"the budget of {budget} is used up", hint="run again to go on")


class RequestScheduler:
    """Sends the tasks of one batch; each is answered once, or not at all where the run has to stop."""

    def __init__(
        self,
        tasks: Sequence[QueryTask],
        attempt: Callable[[QueryTask], Awaitable[Answer]],
        state: ServerState,
        policy: RetryPolicy,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._queue = TaskQueue(tasks)
        self._attempt, self._state, self._policy, self._clock = attempt, state, policy, clock
        self._running: dict[asyncio.Future[Answer], int] = {}
        self._done = asyncio.Queue[asyncio.Future[Answer]]()
        self._failures, self._unreached = Counter[int](), Counter[int]()
        self._stop: ModelError | None = None

    async def answers(self) -> AsyncGenerator[tuple[QueryTask, Answer], None]:
        """Tasks with their answers as they arrive; what stops the run is raised once nothing is in flight."""
        try:
            while self._running or (self._queue and self._stop is None):
                self._send()
                for future in await self._completed():
                    task = self._queue.tasks[self._running[future]]
                    if (answer := self._result(future)) is not None:
                        yield task, answer
        finally:
            for future in self._running:
                future.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)
        if self._stop is not None:
            raise self._stop

    def _send(self) -> None:
        now = self._clock()
        for _ in range(self._state.limiter.free_slots(len(self._running), now) if self._stop is None else 0):
            number = self._queue.next(now)
            if number is None:
                return
            future = asyncio.ensure_future(self._attempt(self._queue.tasks[number]))
            future.add_done_callback(self._done.put_nowait)
            self._running[future] = number

    async def _completed(self) -> list[asyncio.Future[Answer]]:
        """The requests that are done, as soon as there are any; none when a delayed task becomes due first."""
        now = self._clock()
        pauses = [time - now for time in (self._queue.due, self._state.limiter.resume_at) if time > now]
        pause = min(pauses) if pauses and self._stop is None else None
        if not self._running:
            await asyncio.sleep(pause or 0)
            return []
        try:
            async with asyncio.timeout(pause):
                first = await self._done.get()  # `asyncio.wait` would look at all that are running
        except TimeoutError:
            return []
        return [first, *(self._done.get_nowait() for _ in range(self._done.qsize()))]

    def _result(self, future: asyncio.Future[Answer]) -> Answer | None:
        number = self._running.pop(future)
        self._queue.release(number)
        try:
            return future.result()
        except RetryableError as problem:
            return self._retry(number, problem)
        except (BudgetExhausted, ModelUnreachable) as problem:
            self._stop = self._stop or problem
            return None

    def _retry(self, number: int, problem: RetryableError) -> Answer | None:
        task, now, first = self._queue.tasks[number], self._clock(), self._policy.first_delay
        rng = seeded_rng("again", task.query.id, task.trial, self._failures[number], self._unreached[number])
        if problem.unreachable:
            self._unreached[number] += 1
            wait = backoff_delay(self._unreached[number], rng, first=first, maximum=MAX_POLL_SECONDS)
            if self._state.down_since is not None and now - self._state.down_since >= self._policy.max_downtime:
                hint = "check that the server runs, and run again"
                self._stop = self._stop or ModelUnreachable(str(problem), hint=hint)
        else:
            self._failures[number] += 1
            wait = max(problem.wait, backoff_delay(self._failures[number], rng, first=first))
            if self._failures[number] >= self._policy.attempts:
                return Answer.failed(problem)
        if self._stop is None:
            self._state.retries += 1
            self._queue.delay(number, now + wait)
        return None


class TaskQueue:
    """Tasks that are not in flight, picture by picture; the first on a picture goes before the others.

    The server then has the picture in its prefix cache when the others arrive.
    """

    def __init__(self, tasks: Sequence[QueryTask]) -> None:
        self.tasks: list[QueryTask] = []
        self._ready: list[int] = []
        self._followers: dict[int, range] = {}
        self._delayed: list[tuple[float, int]] = []
        for group in group_pairs((task.query.picture or (task.place, task.trial), task) for task in tasks).values():
            first = len(self.tasks)
            self.tasks += group
            self._ready.append(first)
            self._followers[first] = range(first + 1, len(self.tasks))

    def __bool__(self) -> bool:
        return bool(self._ready or self._delayed or self._followers)

    @property
    def due(self) -> float:
        """When the next delayed task may go; minus infinity where none is delayed."""
        return self._delayed[0][0] if self._delayed else -inf

    def next(self, now: float) -> int | None:
        """The number of the task to send next, if any may go."""
        while self._delayed and self._delayed[0][0] <= now:
            heappush(self._ready, heappop(self._delayed)[1])
        return heappop(self._ready) if self._ready else None

    def delay(self, number: int, time: float) -> None:
        """Hold a task back until a time."""
        heappush(self._delayed, (time, number))

    def release(self, number: int) -> None:
        """Let the other tasks on a picture go once its first was attempted."""
        for follower in self._followers.pop(number, ()):
            heappush(self._ready, follower)
