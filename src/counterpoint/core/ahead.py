"""Work ahead of a consumer: threads make the next results while one is in use."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def map_ahead(
    make: Callable[[Item], Made], items: Iterable[Item], threads: int, ahead: int | None = None
) -> Iterator[Made]:
    """The results of `make` in order, computed by threads that run a few items ahead of the consumer.

    These are as many as there are threads, or `ahead`.

    >>> list(map_ahead(str, range(5), threads=2))
    ['0', '1', '2', '3', '4']
    """
    waiting: deque[Future[Made]] = deque()
    most = threads if ahead is None else ahead
    with ThreadPoolExecutor(threads, "preparing") as pool:
        try:
            for item in items:
                waiting.append(pool.submit(make, item))
                if len(waiting) > most:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
