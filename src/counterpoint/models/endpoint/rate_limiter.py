"""How fast a server is asked: one more at once while it answers, half as many when it pushes back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import inf, isfinite
from random import Random


@dataclass(frozen=True, slots=True)
class RateLimiter:
    """How many requests may be on their way; whatever happens gives the next pace.

    >>> RateLimiter.full(8).pushed_back(sent=0.0, now=1.0).limit
    4.0
    """

    most: int
    limit: float
    eased: float = -inf  # when it last went down: what was sent before that tells nothing new
    resume: float = -inf  # nothing is sent before

    @classmethod
    def full(cls, most: int) -> "RateLimiter":
        """As fast as it may ever be."""
        return cls(most, float(most))

    def room(self, running: int, now: float) -> int:
        """How many more may be sent."""
        return 0 if now < self.resume else max(0, int(self.limit) - running)

    def answered(self) -> "RateLimiter":
        """After an answer: one more at once when as many were answered as may be on their way."""
        return replace(self, limit=min(float(self.most), self.limit + 1 / self.limit))

    def pushed_back(self, *, sent: float, now: float, wait: float = 0.0) -> "RateLimiter":
        """After the server had enough of a request: half as many, and none for as long as it wants.

        Many that were on their way together are pushed back together; that counts once.
        """
        resume = max(self.resume, now + wait) if wait > 0 else self.resume
        if sent < self.eased:
            return replace(self, resume=resume)
        return replace(self, limit=max(1.0, self.limit / 2), eased=now, resume=resume)


def backoff_delay(times: int, luck: Random, *, first: float, most: float = 60.0) -> float:
    """Seconds until what came to nothing so many times is asked again: each time twice as long, up to half off by luck.

    >>> 2.0 <= backoff_delay(3, Random(0), first=1.0) <= 4.0
    True
    """
    return min(most, first * 2.0 ** min(times - 1, 32)) * (1 - luck.random() / 2)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that a server wants to be left alone, by its headers: a number, or the date when they are over.

    >>> retry_after({"retry-after": "1.5"}, datetime(2026, 11, 15, tzinfo=UTC))
    1.5
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        said = headers.get(name, "").strip()
        try:
            seconds = float(said) * unit
        except ValueError:
            seconds = _until(said, now)
        if isfinite(seconds):
            return max(0.0, seconds)
    return None


def _until(date: str, now: datetime) -> float:
    try:
        found = parsedate_to_datetime(date)
    except ValueError:
        return inf
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() - now.timestamp()
