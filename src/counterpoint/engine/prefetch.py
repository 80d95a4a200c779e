"""Prefetcher: decodes and preprocesses pictures ahead of the model, in threads or processes."""

from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from threading import Lock
from typing import Any, Self, TypeVar

from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures, Pixels
from counterpoint.engine.cores import usable_cores
from counterpoint.engine.mapped_arrays import MappedPool, MappedValue, read_mapped

MAX_PICTURES, MAX_BYTES, MAX_THREADS = 2048, 512 * 2**20, 16
"""Limits of the pictures held ready, of their memory, and of the threads."""
MIN_PROCESS_CORES, CHUNK = 4, 16
"""The number of cores from which processes pay, and the pictures that a thread or process gets at a time."""

T = TypeVar("T")


class _PictureStream:
    """The pictures to come, in order; those that show one file are neighbours, and stay in one chunk."""

    def __init__(self, pictures: Iterable[Picture] = ()) -> None:
        self._rest = iter(pictures)
        self._next = next(self._rest, None)

    def skip_to(self, picture: Picture) -> None:
        """Drop everything before a picture, or everything where it does not come."""
        while self._next is not None and self._next != picture:
            self._next = next(self._rest, None)

    def take(self, least: int, most: int) -> list[Picture]:
        """The next pictures: at least so many where there are any, then the others of the last file, up to `most`."""
        chunk: list[Picture] = []
        while self._next is not None and len(chunk) < most:
            if len(chunk) >= least and self._next.address != chunk[-1].address:
                break
            chunk.append(self._next)
            self._next = next(self._rest, None)
        return chunk


class _Chunk:
    """Pictures that a process prepares, unpacked when the first of them is asked for."""

    def __init__(self, future: Future[MappedValue]) -> None:
        self.future, self._lock = future, Lock()
        self._results: list[Any] | None = None

    def __getitem__(self, place: int) -> Any:
        with self._lock:
            if self._results is None:
                self._results = read_mapped(self.future.result())
        return self._results[place]


@dataclass(frozen=True, slots=True)
class _ChunkItem:
    """One picture of a chunk, with the methods of a future."""

    chunk: _Chunk
    place: int

    def result(self) -> Any:
        result = self.chunk[self.place]
        if isinstance(result, Exception):
            raise result
        return result

    def cancel(self) -> bool:
        return self.chunk.future.cancel()


class Prefetcher:
    """A source of pixels in front of another, which is told which pictures come next.

    Nothing is decoded before the model has asked for a picture, so that text-only models cost nothing. A picture is
    decoded once for all consecutive queries on it; an unannounced one is decoded on demand. All edits of one file are
    applied by one thread or process, which can keep the decoded file.
    """

    def __init__(
        self, pictures: Pictures, *, threads: int | None = None, most: int = MAX_PICTURES, cores: int | None = None
    ) -> None:
        self.cores = cores or usable_cores()
        self._source, self._most = pictures, most
        self._load: Callable[[Picture], Any] = pictures.pixels
        self._threads = threads or min(MAX_THREADS, self.cores)
        self._pool: ThreadPoolExecutor | MappedPool | None = None
        self._preprocess: Callable[[Pixels], Any] | None = None
        self._in_processes = False
        self._lock = Lock()
        self._started: dict[Picture, Future[Any] | _ChunkItem] = {}  # in the order of the stream
        self._delivered: set[Picture] = set()
        self._stream = _PictureStream()
        self._turn: Picture | None = None
        self._capacity = 2 * self._threads

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    @property
    def source(self) -> Pictures:
        """The plain source behind it."""
        return self._source

    def expect(self, pictures: Iterable[Picture]) -> None:
        """Announce the pictures of all queries to come, in order, each once; the iterable is read lazily."""
        with self._lock:
            self._forget(list(self._started))
            self._stream, self._turn = _PictureStream(pictures), None
            if self._in_processes:
                self._fill()

    def turn_to(self, picture: Picture) -> None:
        """Drop what comes before this picture."""
        with self._lock:
            self._turn = picture
            if self._pool is not None:
                self._advance()

    def pixels(self, picture: Picture) -> Pixels:
        """The picture as shown; decoded anew for a model that has its pictures preprocessed."""
        if self._preprocess is not None:
            return self._source.pixels(picture)
        pixels: Pixels = self._get(picture)
        return pixels

    def preprocess_with(self, function: Callable[[Pixels], T], *, in_processes: bool = False) -> Callable[[Picture], T]:
        """A loader that returns what `function` makes of the pixels of each picture, computed ahead.

        With `in_processes` it runs in processes, where there are enough cores: a model that launches many small kernels
        is slowed down by threads that share its interpreter.
        """
        pixels = self._source.pixels
        with self._lock:
            self._forget(list(self._started))
            self._preprocess, self._in_processes = function, in_processes and self._threads >= MIN_PROCESS_CORES
            self._load = lambda picture: function(pixels(picture))
            if self._in_processes and self._pool is None:
                self._pool = self._open_pool()  # processes take a while to start
        return self._get

    def _get(self, picture: Picture) -> Any:
        with self._lock:
            if self._pool is None:
                self._pool = self._open_pool()
                self._advance()
            future = self._started.get(picture)
        if future is None:
            return self._load(picture)
        try:
            result = future.result()
        except BrokenExecutor:  # a process was killed, most likely for lack of memory
            self._close_pool()
            self._in_processes = False
            return self._load(picture)
        except BaseException:
            with self._lock:
                if self._pool is not None and picture in self._started:  # there may be memory on the next attempt
                    self._started[picture] = self._submit([picture])[0]
            raise
        with self._lock:
            self._deliver(picture, getattr(result, "nbytes", 2**20))
        return result

    def close(self) -> None:
        """Stop the workers and drop what they hold."""
        with self._lock:
            self._stream = _PictureStream()
        self._close_pool()

    def _close_pool(self) -> None:
        with self._lock:
            self._forget(list(self._started))
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._pool = None

    def _advance(self) -> None:
        """Forget what comes before the current picture, and start what comes after it."""
        if self._turn is not None:
            if self._turn not in self._started:
                self._stream.skip_to(self._turn)
            self._forget(list(takewhile(self._turn.__ne__, self._started)))
        self._fill()

    def _deliver(self, picture: Picture, size: int) -> None:
        self._capacity = max(2 * self._threads, min(self._most, MAX_BYTES // max(size, 1)))
        if picture in self._started:
            self._delivered.add(picture)
        while len(self._delivered) > self._capacity:  # the oldest first, so that the current picture stays
            self._forget([next(picture for picture in self._started if picture in self._delivered)])
        self._fill()

    def _fill(self) -> None:
        while self._pool is not None and (free := self._capacity + len(self._delivered) - len(self._started)) > 0:
            least, most = (CHUNK, 2 * CHUNK) if self._in_processes else (1, min(CHUNK, free))
            pictures = self._stream.take(least, most)
            if not pictures:
                return
            self._started |= zip(pictures, self._submit(pictures), strict=True)

    def _open_pool(self) -> ThreadPoolExecutor | MappedPool:
        if not self._in_processes:
            return ThreadPoolExecutor(self._threads, "decoding")
        assert self._preprocess is not None, "only preprocessing runs in processes"
        return MappedPool(partial(_picture_worker, self._source, self._preprocess), self._threads)

    def _submit(self, pictures: list[Picture]) -> list[Future[Any]] | list[_ChunkItem]:
        if isinstance(self._pool, MappedPool):
            chunk = _Chunk(self._pool.call(pictures))
            return [_ChunkItem(chunk, place) for place in range(len(pictures))]
        assert self._pool is not None, "the pool is open"
        futures = [Future[Any]() for _ in pictures]
        self._pool.submit(_load_all, self._load, pictures, futures)
        return futures

    def _forget(self, pictures: list[Picture]) -> None:
        for picture in pictures:
            self._delivered.discard(picture)
            self._started.pop(picture).cancel()


def _load_all(load: Callable[[Picture], Any], pictures: list[Picture], futures: list[Future[Any]]) -> None:
    """Load pictures one after another, except those whose future was cancelled."""
    for picture, future in zip(pictures, futures, strict=True):
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(load(picture))
        except BaseException as problem:
            future.set_exception(problem)


def _picture_worker(source: Pictures, preprocess: Callable[[Pixels], Any]) -> Callable[[list[Picture]], list[Any]]:
    """A function that preprocesses pictures in order, with an exception in the place of each that fails."""

    def process(picture: Picture) -> Any:
        try:
            return preprocess(source.pixels(picture))
        except Exception as problem:
            return problem

    return lambda pictures: [process(picture) for picture in pictures]
