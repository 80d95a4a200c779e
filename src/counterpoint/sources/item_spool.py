"""A list of items that is kept on disk where it is long, and can be walked in parts by several processes."""

import os
import pickle
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from tempfile import TemporaryFile
from typing import IO, Any, Generic, TypeVar
from weakref import finalize

import pyarrow as pa

T = TypeVar("T")
HELD = 20_000
"""So many items are held in memory, and more where they are light; a longer list is kept on disk."""
LIGHT = 1_600
"""Bytes of a pickled item below which more are held; scenes have more, questions and ready groups fewer."""
_PORTION = 256  # items that are read from the disk at once


class ItemSpool(Generic[T]):
    """Items in their order, in memory up to a number of them, else in a temporary file without a name.

    Of items with fewer than `light` bytes as many are held as have as many bytes together. A forked process reads the
    same file. Pickled, the list takes its content along. With a `digest`, `ids` has that of every item, so that nobody
    reads the file for them.
    """

    def __init__(
        self,
        held: int = HELD,
        portion: int = _PORTION,
        light: int = LIGHT,
        digest: Callable[[T], int] | None = None,
    ) -> None:
        self._held, self._portion, self._light, self._digest = held, portion, light, digest
        self.ids = array("Q")
        self._most = max(held, portion)  # items that are not in the file
        self._file: IO[bytes] | None = None
        self._ends = [0]  # of the portions in the file
        self._sizes = list[int]()  # of each, before it was compressed
        self._last = list[T]()  # the items that are not in the file

    @classmethod
    def of(cls, items: Iterable[T], held: int = HELD, portion: int = _PORTION, light: int = LIGHT) -> "ItemSpool[T]":
        """A list of these items."""
        return cls(held, portion, light).extend(items)

    def copy(self, items: Iterable[T]) -> "ItemSpool[T]":
        """A list of other items that is kept as this one is."""
        return ItemSpool(self._held, self._portion, self._light, self._digest).extend(items)

    def extend(self, items: Iterable[T]) -> "ItemSpool[T]":
        """Add items at the end; returns the list itself."""
        for item in items:
            self.append(item)
        return self

    def append(self, item: T) -> None:
        """Add an item at the end."""
        if self._digest:
            self.ids.append(self._digest(item))
        self._last.append(item)
        if len(self._last) > self._most:
            self._make_room()

    def _make_room(self) -> None:
        """Hold more items where the first ones are light, else write all whole portions to the file."""
        if self._file is None:
            size = len(pickle.dumps(self._last[: self._portion], pickle.HIGHEST_PROTOCOL)) / self._portion
            self._most = max(self._most, int(self._held * self._light / size))
        if self._file is not None or len(self._last) > self._most:
            self._write()
            self._most = self._portion - 1

    @property
    def is_held(self) -> bool:
        """Whether all items are in memory."""
        return self._file is None

    def __len__(self) -> int:
        return len(self._sizes) * self._portion + len(self._last)

    def __iter__(self) -> Iterator[T]:
        return self.part(0, len(self))

    def part(self, first: int, last: int) -> Iterator[T]:
        """The items from one place to before another."""
        return self.pick(range(first, last)) if self._file else iter(self._last[first:last])

    def pick(self, places: Iterable[int]) -> Iterator[T]:
        """The items in these places, which are in order; of the file no other portions are read."""
        for number, own in groupby(places, key=lambda place: min(place // self._portion, len(self._sizes))):
            items = self._read(number)
            yield from (items[place - number * self._portion] for place in own)

    def _write(self) -> None:
        """Write all whole portions to the file."""
        self._file = self._file or self._open()
        while len(self._last) >= self._portion:
            content = pickle.dumps(self._last[: self._portion], pickle.HIGHEST_PROTOCOL)
            del self._last[: self._portion]
            self._file.seek(self._ends[-1])
            self._ends.append(self._ends[-1] + self._file.write(pa.compress(content, "zstd", asbytes=True)))
            self._sizes.append(len(content))
        self._file.flush()

    def _open(self) -> IO[bytes]:
        file = TemporaryFile()  # noqa: SIM115 - it is open as long as there is the spool
        finalize(self, file.close)
        return file

    def _read(self, number: int) -> Sequence[T]:
        if number == len(self._sizes):
            return self._last
        packed = self._bytes(self._ends[number], self._ends[number + 1])
        items: list[T] = pickle.loads(pa.decompress(packed, self._sizes[number], "zstd", asbytes=True))
        return items

    def _bytes(self, start: int, end: int) -> bytes:
        """A part of the file; processes that were forked share its position, so it is not used where that can be."""
        if self._file is None:
            return b""
        if hasattr(os, "pread"):
            return os.pread(self._file.fileno(), end - start, start)
        self._file.seek(start)
        return self._file.read(end - start)

    def __getstate__(self) -> tuple[object, ...]:
        content = None if self._file is None else self._bytes(0, self._ends[-1])
        kept = self._held, self._portion, self._light, self._digest, self.ids
        return kept, content, self._ends, self._sizes, self._last

    def __setstate__(self, state: tuple[tuple[Any, ...], bytes | None, list[int], list[int], list[T]]) -> None:
        kept, content, self._ends, self._sizes, self._last = state
        self._held, self._portion, self._light, self._digest, self.ids = kept
        self._file, self._most = None, max(self._held, self._portion)
        if content is not None:
            self._most = self._portion - 1
            self._file = self._open()
            self._file.write(content)
            self._file.flush()
