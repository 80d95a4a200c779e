"""AIMD rate limiter: the concurrency limit grows by one per round of answers and halves when the server pushes back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf, isfinite
from random import Random


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

    @classmethod
    def full(cls, maximum: int) -> "RateLimiter":
        """A limiter at its maximum."""
        return cls(maximum, float(maximum))

    def free_slots(self, running: int, now: float) -> int:
        """How many more requests may be sent."""
        return 0 if now < self.resume_at else max(0, int(self.limit) - running)

    def after_answer(self) -> "RateLimiter":
        """Additive increase: one more slot once as many requests were answered as may be in flight."""
        return replace(self, limit=min(float(self.maximum), self.limit + 1 / self.limit))

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


def _seconds_until(date: str, now: datetime) -> float:
    try:
        time = parsedate_to_datetime(date)
    except ValueError:
        return inf
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() - now.timestamp()
