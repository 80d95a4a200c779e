"""Progress of a run."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from counterpoint.core.costs import Cost


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A worker of a run, and what it has answered so far."""

    name: str  # its device, or its node
    state: str = "starting"  # starting, up, benched (lost too often, and not started again)
    answered: int = 0
    seconds: float = 0.0  # at work
    losses: int = 0  # how often its process ended early
    reason: str = ""  # why it was lost last

    @property
    def rate(self) -> float:
        """Queries a second."""
        return self.answered / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """For the record of a run."""
        about = {"name": self.name, "state": self.state, "answered": self.answered, "seconds": round(self.seconds, 3)}
        return about | ({"losses": self.losses, "reason": self.reason} if self.losses else {})


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of the `total` missing rows are done, and how many failed; `cached` were answered by earlier runs."""

    done: int
    total: int
    cached: int
    failed: int
    rate: float  # queries a second
    left: float | None  # seconds; unknown at first
    retries: int = 0  # requests that failed and were sent again
    cost: Cost = field(default_factory=Cost)
    workers: tuple[WorkerStatus, ...] = ()  # where there are several

    def __str__(self) -> str:
        left = "" if self.left is None or self.done == self.total else f", {format_duration(self.left)} left"
        failed = f", {self.failed:,} failed" if self.failed else ""
        retried = f", {self.retries:,} retried" if self.retries else ""
        cached = f", {self.cached:,} cached" if self.cached else ""
        price = f", {self.cost.price_text}" if self.cost.price_text else ""
        up = sum(worker.state == "up" for worker in self.workers)
        workers = f", {up} of {len(self.workers)} workers" if self.workers else ""
        return f"{self.done:,} of {self.total:,}, {self.rate:,.0f}/s{workers}{cached}{failed}{retried}{price}{left}"


_FIRST = 3  # answers from which on the time left is told; before batches are sent, one query is asked by itself

RunCallback = Callable[[Progress], None]
"""Called with the progress of a run a few times a second."""


@dataclass(slots=True)
class ProgressMeter:
    """Counts answers, and reports progress a few times a second."""

    total: int
    cached: int
    report: RunCallback
    clock: Callable[[], float] = monotonic
    every: float = 0.2  # seconds
    retries: Callable[[], int] = lambda: 0
    workers: Callable[[], tuple[WorkerStatus, ...]] = lambda: ()
    cost: Cost = field(default_factory=Cost)
    done: int = 0
    failed: int = 0
    _began: float = field(init=False)
    _reported: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self._reported = self.clock()

    def count(self, done: int, failed: int) -> None:
        """Count answers and failures."""
        self.done, self.failed = self.done + done, self.failed + failed
        if self.clock() - self._reported >= self.every:
            self.report_now()

    def report_now(self) -> None:
        """Report the progress."""
        self._reported = self.clock()
        rate = self.done / self.seconds if self.seconds > 0 else 0.0
        left = (self.total - self.done) / rate if rate and self.done >= _FIRST else None
        counts = (self.done, self.total, self.cached, self.failed, rate, left, self.retries())
        self.report(Progress(*counts, self.cost, self.workers()))

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return self.clock() - self._began


def format_duration(seconds: float) -> str:
    """A duration in at most two units.

    >>> format_duration(42), format_duration(90), format_duration(7500)
    ('42 s', '1 min 30 s', '2 h 5 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
