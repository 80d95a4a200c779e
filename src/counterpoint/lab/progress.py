"""Progress of long work, reported through one callback; warnings and skips go to the logger "counterpoint"."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

logger = logging.getLogger("counterpoint")
"""Where warnings, skipped records and notes of the application layer go."""

T = TypeVar("T")
_EACH = 100


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """How far one task has come."""

    task: str  # "reading", or the title of a model
    done: int
    total: int | None = None  # unknown for a stream
    detail: str = ""  # what else is worth showing: rate, failures, time left


ProgressCallback: TypeAlias = Callable[[ProgressEvent], None]
"""Called in the thread that does the work; a slow callback slows the work."""


def ignore_progress(event: ProgressEvent) -> None:
    """The callback for callers that do not want to know."""


def track(
    items: Iterable[T], task: str, progress: ProgressCallback = ignore_progress, *, total: int | None = None
) -> Iterator[T]:
    """Yield the same items, and report each after it was used; after the first hundred every hundredth, and the last.

    >>> list(track("ab", "reading", lambda event: print(event.task, event.done, event.total)))
    reading 1 2
    reading 2 2
    ['a', 'b']
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    done = 0
    for done, item in enumerate(items, 1):
        yield item
        if done <= _EACH or not done % _EACH:
            progress(ProgressEvent(task, done, total))
    if done > _EACH and done % _EACH:
        progress(ProgressEvent(task, done, total))
