"""Pictures decoded ahead of the model, by threads, while it is busy with those before."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import dropwhile, takewhile
from threading import Lock
from typing import Any, Self, TypeVar

from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures, Pixels

MOST, BYTES, CORES = 2048, 512 * 2**20, 16
"""How many pictures wait at most, how much room they may take, and how many threads make them ready."""

T = TypeVar("T")


class Ahead:
    """A place where a model gets its pixels from, like the one behind it, but told which pictures come next.

    Nothing is decoded before the model has looked at a picture, so that one that never looks costs nothing. A picture
    is decoded once for all queries that follow each other on it; one that nobody has announced is decoded at once.
    """

    def __init__(self, pictures: Pictures, *, threads: int | None = None, most: int = MOST) -> None:
        self._behind, self._most = pictures, most
        self._ready: Callable[[Picture], Any] = pictures.pixels
        self._threads = threads or min(CORES, os.cpu_count() or 1)
        self._pool: ThreadPoolExecutor | None = None
        self._lock = Lock()
        self._begun: dict[Picture, Future[Any]] = {}  # in the order in which they come
        self._given: set[Picture] = set()
        self._coming: Iterator[Picture] = iter(())
        self._turn: Picture | None = None
        self._room = 2 * self._threads

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def expect(self, pictures: Iterable[Picture]) -> None:
        """The pictures of all that is to be asked, in order, each once; they are called for one by one."""
        with self._lock:
            self._forget(list(self._begun))
            self._coming, self._turn = iter(pictures), None

    def turn_to(self, picture: Picture) -> None:
        """What comes before this picture is done with."""
        with self._lock:
            self._turn = picture
            if self._pool is not None:
                self._catch_up()

    def pixels(self, picture: Picture) -> Pixels:
        """The picture as shown; a model that wants them fitted and these as well has them decoded anew."""
        if self._ready != self._behind.pixels:
            return self._behind.pixels(picture)
        shown: Pixels = self._get(picture)
        return shown

    def fitted(self, fit: Callable[[Pixels], T]) -> Callable[[Picture], T]:
        """Where a model gets its pictures from then on: what `fit` makes of the pixels of each, in these threads."""
        pixels = self._behind.pixels
        with self._lock:
            self._forget(list(self._begun))
            self._ready = lambda picture: fit(pixels(picture))
        return self._get

    def _get(self, picture: Picture) -> Any:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._threads, "decoding")
                self._catch_up()
            begun = self._begun.get(picture)
        if begun is None:
            return self._ready(picture)
        try:
            shown = begun.result()
        except BaseException:
            with self._lock:
                if self._pool is not None and picture in self._begun:  # memory may be found when it is asked for again
                    self._begun[picture] = self._pool.submit(self._ready, picture)
            raise
        with self._lock:
            self._give(picture, getattr(shown, "nbytes", 2**20))
        return shown

    def close(self) -> None:
        """Let the threads go; what they hold is dropped."""
        with self._lock:
            self._forget(list(self._begun))
            self._coming = iter(())
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._pool = None

    def _catch_up(self) -> None:
        """Forget what came before the turn, and begin what comes after it."""
        if self._turn is not None:
            if self._turn not in self._begun:
                self._coming = dropwhile(self._turn.__ne__, self._coming)
            self._forget(list(takewhile(self._turn.__ne__, self._begun)))
        self._top_up()

    def _give(self, picture: Picture, size: int) -> None:
        self._room = max(2 * self._threads, min(self._most, BYTES // max(size, 1)))
        if picture in self._begun:
            self._given.add(picture)
        if len(self._given) > self._room:  # the first to come goes first: a turn is never to one that is gone
            self._forget([one for one in self._begun if one in self._given][: -self._room])
        self._top_up()

    def _top_up(self) -> None:
        while self._pool is not None and len(self._begun) - len(self._given) < self._room:
            picture = next(self._coming, None)
            if picture is None:
                return
            self._begun[picture] = self._pool.submit(self._ready, picture)

    def _forget(self, pictures: list[Picture]) -> None:
        for picture in pictures:
            self._given.discard(picture)
            self._begun.pop(picture).cancel()
