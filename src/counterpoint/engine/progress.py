"""How far a run has come."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic


@dataclass(frozen=True, slots=True)
class Progress:
    """Of `total` that were missing so many are done, some of them failed; `cached` were answered by earlier runs."""

    done: int
    total: int
    cached: int
    failed: int
    rate: float  # queries a second
    left: float | None  # seconds; unknown before anything is done
    retries: int = 0  # requests that came to nothing and were asked again

    def __str__(self) -> str:
        left = "" if self.left is None or self.done == self.total else f", {format_duration(self.left)} left"
        failed = f", {self.failed:,} failed" if self.failed else ""
        retried = f", {self.retries:,} retried" if self.retries else ""
        cached = f", {self.cached:,} cached" if self.cached else ""
        return f"{self.done:,} of {self.total:,}, {self.rate:,.0f}/s{cached}{failed}{retried}{left}"


ProgressCallback = Callable[[Progress], None]
"""Whoever wants to know how far a run has come."""


@dataclass(slots=True)
class ProgressMeter:
    """Counts, and tells a watcher a few times a second."""

    total: int
    cached: int
    watch: ProgressCallback
    clock: Callable[[], float] = monotonic
    every: float = 0.2  # seconds
    retries: Callable[[], int] = lambda: 0
    done: int = 0
    failed: int = 0
    _began: float = field(init=False)
    _told: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self._told = self.clock()

    def count(self, done: int, failed: int) -> None:
        """So many more, of which so many failed."""
        self.done, self.failed = self.done + done, self.failed + failed
        if self.clock() - self._told >= self.every:
            self.tell()

    def tell(self) -> None:
        """Say how far it is."""
        self._told = self.clock()
        rate = self.done / self.seconds if self.seconds > 0 else 0.0
        left = (self.total - self.done) / rate if rate else None
        self.watch(Progress(self.done, self.total, self.cached, self.failed, rate, left, self.retries()))

    @property
    def seconds(self) -> float:
        """Since it began."""
        return self.clock() - self._began


def format_duration(seconds: float) -> str:
    """A time as people say it.

    >>> format_duration(42), format_duration(90), format_duration(7500)
    ('42 s', '1 min 30 s', '2 h 5 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
