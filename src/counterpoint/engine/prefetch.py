"""Pictures decoded ahead of the model, by threads or processes, while it is busy with those before."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from multiprocessing import get_context
from shutil import rmtree
from signal import SIG_IGN, SIGINT, signal
from tempfile import mkdtemp
from threading import Lock
from typing import Any, ClassVar, Self, TypeVar
from weakref import finalize

from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures, Pixels
from counterpoint.engine.mapped_arrays import MappedValue, read_mapped, write_mapped

MAX_PICTURES, MAX_BYTES, MAX_THREADS = 2048, 512 * 2**20, 16
"""How many pictures wait at most, how much room they may take, and how many threads make them ready."""
MIN_PROCESS_CORES, CHUNK = 4, 16
"""How many cores there must be for processes to pay, and how many pictures a thread or process is handed at a time."""

T = TypeVar("T")


class _Coming:
    """Pictures that are called for one after another; those that show one file are neighbours, and stay together."""

    def __init__(self, pictures: Iterable[Picture] = ()) -> None:
        self._rest = iter(pictures)
        self._next = next(self._rest, None)

    def skip_to(self, picture: Picture) -> None:
        """Leave out what comes before a picture, or all where it does not come."""
        while self._next is not None and self._next != picture:
            self._next = next(self._rest, None)

    def some(self, few: int, most: int) -> list[Picture]:
        """At least a few where there are any, then the others of the last file, up to most of them."""
        found: list[Picture] = []
        while self._next is not None and len(found) < most:
            if len(found) >= few and self._next.address != found[-1].address:
                break
            found.append(self._next)
            self._next = next(self._rest, None)
        return found


class _Portion:
    """Some pictures that a process makes ready, unpacked when the first of them is asked for."""

    def __init__(self, future: Future[MappedValue]) -> None:
        self.future, self._lock = future, Lock()
        self._made: list[Any] | None = None

    def __getitem__(self, place: int) -> Any:
        with self._lock:
            if self._made is None:
                self._made = read_mapped(self.future.result())
        return self._made[place]


@dataclass(frozen=True, slots=True)
class _Part:
    """One picture of a portion."""

    portion: _Portion
    place: int

    def result(self) -> Any:
        made = self.portion[self.place]
        if isinstance(made, Exception):
            raise made
        return made

    def cancel(self) -> bool:
        return self.portion.future.cancel()


class Prefetcher:
    """A place where a model gets its pixels from, like the one behind it, but told which pictures come next.

    Nothing is decoded before the model has looked at a picture, so that one that never looks costs nothing. A picture
    is decoded once for all queries that follow each other on it; one that nobody has announced is decoded at once. All
    edits of one file are made by one thread or process, which can keep what it has decoded.
    """

    def __init__(self, pictures: Pictures, *, threads: int | None = None, most: int = MAX_PICTURES) -> None:
        self._behind, self._most = pictures, most
        self._ready: Callable[[Picture], Any] = pictures.pixels
        self._threads = threads or min(MAX_THREADS, os.cpu_count() or 1)
        self._pool: Executor | None = None
        self._fit: Callable[[Pixels], Any] | None = None
        self._apart = False
        self._lock = Lock()
        self._begun: dict[Picture, Future[Any] | _Part] = {}  # in the order in which they come
        self._given: set[Picture] = set()
        self._coming = _Coming()
        self._turn: Picture | None = None
        self._room = 2 * self._threads

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    @property
    def behind(self) -> Pictures:
        """Where the pixels come from, without these threads."""
        return self._behind

    def expect(self, pictures: Iterable[Picture]) -> None:
        """The pictures of all that is to be asked, in order, each once; they are called for one by one."""
        with self._lock:
            self._forget(list(self._begun))
            self._coming, self._turn = _Coming(pictures), None
            if self._apart:
                self._top_up()

    def turn_to(self, picture: Picture) -> None:
        """What comes before this picture is done with."""
        with self._lock:
            self._turn = picture
            if self._pool is not None:
                self._catch_up()

    def pixels(self, picture: Picture) -> Pixels:
        """The picture as shown; a model that wants them fitted and these as well has them decoded anew."""
        if self._fit is not None:
            return self._behind.pixels(picture)
        shown: Pixels = self._get(picture)
        return shown

    def fitted(self, fit: Callable[[Pixels], T], *, apart: bool = False) -> Callable[[Picture], T]:
        """Where a model gets its pictures from then on: what `fit` makes of the pixels of each, in these threads.

        What is made `apart` is made by processes, where there are cores for them: a model that starts small work on a
        device all the time is held up by threads that share its interpreter.
        """
        pixels = self._behind.pixels
        with self._lock:
            self._forget(list(self._begun))
            self._fit, self._apart = fit, apart and self._threads >= MIN_PROCESS_CORES
            self._ready = lambda picture: fit(pixels(picture))
            if self._apart and self._pool is None:
                self._pool = self._opened()  # processes take a while to begin
        return self._get

    def _get(self, picture: Picture) -> Any:
        with self._lock:
            if self._pool is None:
                self._pool = self._opened()
                self._catch_up()
            begun = self._begun.get(picture)
        if begun is None:
            return self._ready(picture)
        try:
            shown = begun.result()
        except BrokenExecutor:  # a process was killed, most likely for want of memory
            self._close()
            self._apart = False
            return self._ready(picture)
        except BaseException:
            with self._lock:
                if self._pool is not None and picture in self._begun:  # memory may be found when it is asked for again
                    self._begun[picture] = self._begin([picture])[0]
            raise
        with self._lock:
            self._give(picture, getattr(shown, "nbytes", 2**20))
        return shown

    def close(self) -> None:
        """Let the threads go; what they hold is dropped."""
        with self._lock:
            self._coming = _Coming()
        self._close()

    def _close(self) -> None:
        with self._lock:
            self._forget(list(self._begun))
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._pool = None

    def _catch_up(self) -> None:
        """Forget what came before the turn, and begin what comes after it."""
        if self._turn is not None:
            if self._turn not in self._begun:
                self._coming.skip_to(self._turn)
            self._forget(list(takewhile(self._turn.__ne__, self._begun)))
        self._top_up()

    def _give(self, picture: Picture, size: int) -> None:
        self._room = max(2 * self._threads, min(self._most, MAX_BYTES // max(size, 1)))
        if picture in self._begun:
            self._given.add(picture)
        while len(self._given) > self._room:  # the first to come goes first: a turn is never to one that is gone
            self._forget([next(one for one in self._begun if one in self._given)])
        self._top_up()

    def _top_up(self) -> None:
        while self._pool is not None and (free := self._room + len(self._given) - len(self._begun)) > 0:
            few, most = (CHUNK, 2 * CHUNK) if self._apart else (1, min(CHUNK, free))
            pictures = self._coming.some(few, most)
            if not pictures:
                return
            self._begun |= zip(pictures, self._begin(pictures), strict=True)

    def _opened(self) -> Executor:
        if not self._apart:
            return ThreadPoolExecutor(self._threads, "decoding")
        assert self._fit is not None, "only what is fitted is made apart"
        folder = mkdtemp(prefix="counterpoint-")
        finalize(self, rmtree, folder, ignore_errors=True)
        settle = partial(_Apart.settle, self._behind, self._fit, folder)
        pool = ProcessPoolExecutor(self._threads, get_context("spawn"), initializer=settle)
        for _ in range(self._threads):
            pool.submit(os.getpid)
        return pool

    def _begin(self, pictures: list[Picture]) -> list[Future[Any]] | list[_Part]:
        assert self._pool is not None, "somebody is there to begin"
        if not self._apart:
            begun = [Future[Any]() for _ in pictures]
            self._pool.submit(_make_ready, self._ready, pictures, begun)
            return begun
        portion = _Portion(self._pool.submit(_Apart.made, pictures))
        return [_Part(portion, place) for place in range(len(pictures))]

    def _forget(self, pictures: list[Picture]) -> None:
        for picture in pictures:
            self._given.discard(picture)
            self._begun.pop(picture).cancel()


def _make_ready(ready: Callable[[Picture], Any], pictures: list[Picture], begun: list[Future[Any]]) -> None:
    """Make pictures ready one after another, but for those that nobody wants any more."""
    for picture, future in zip(pictures, begun, strict=True):
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(ready(picture))
        except BaseException as problem:
            future.set_exception(problem)


class _Apart:
    """What a process knows: where pictures come from, and how they are fitted."""

    pictures: ClassVar[Pictures]
    fit: ClassVar[Callable[[Pixels], Any]]
    folder: ClassVar[str]

    @classmethod
    def settle(cls, pictures: Pictures, fit: Callable[[Pixels], Any], folder: str) -> None:
        """Take what is needed for all portions; the keys that stop a run are for its own process."""
        signal(SIGINT, SIG_IGN)
        cls.pictures, cls.fit, cls.folder = pictures, staticmethod(fit), folder

    @classmethod
    def made(cls, pictures: list[Picture]) -> MappedValue:
        """What becomes of each picture, in order: it is ready, or says what was wrong."""
        return write_mapped([cls._one(picture) for picture in pictures], cls.folder)

    @classmethod
    def _one(cls, picture: Picture) -> Any:
        try:
            return cls.fit(cls.pictures.pixels(picture))
        except Exception as problem:
            return problem
