"""Two caches: an LRU cache of values in memory, and files in the user's cache folder that are safe to delete."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

ITEM_BYTES = 200
"""Bytes assumed for each item of a container whose size is not known."""


def user_cache() -> Path:
    """Return the cache folder of this user: `$XDG_CACHE_HOME/counterpoint`, or `~/.cache/counterpoint`."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else user_home() / ".cache") / "counterpoint"


def user_home() -> Path:
    """Return the home of this user; of one that has none, such as a bare number in a container, the root."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def estimated_bytes(value: Any) -> int:
    """Estimate the memory of a value: exact for bytes, tables and arrays, by the number of items for containers.

    >>> estimated_bytes(b"abc"), estimated_bytes([1, 2])
    (3, 400)
    """
    if isinstance(value, bytes):
        return len(value)
    nbytes = getattr(value, "nbytes", None)
    if nbytes is not None:
        return int(nbytes)
    return ITEM_BYTES * max(len(value), 1) if hasattr(value, "__len__") else ITEM_BYTES


class FileCache:
    """Bytes by file name; a file appears whole or not at all, and an unwritable folder only costs time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get_or_make(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Return the bytes of a file; it is made and written at the first use."""
        with suppress(OSError):
            return (self.folder / name).read_bytes()
        content = make()
        with suppress(OSError):
            self._write(self.folder / name, content)
        return content

    def path_of(self, name: str, make: Callable[[], bytes]) -> Path:
        """Return the path of a file, which is made and written at the first use; OSError if it cannot be."""
        path = self.folder / name
        if not path.exists():
            self._write(path, make())
        return path

    def _write(self, path: Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".draft-{token_hex(8)}")
        try:
            draft.write_bytes(content)
            draft.replace(path)
        finally:  # a full disk leaves no draft behind
            draft.unlink(missing_ok=True)


class LRUCache(Generic[K, V]):
    """Values by key, for many threads; the least recently used are evicted once all exceed `capacity` bytes."""

    def __init__(self, capacity: int, size: Callable[[V], int] = estimated_bytes) -> None:
        self._size, self._capacity, self._used = size, capacity, 0
        self._values, self._making, self._lock = dict[K, V](), dict[K, Lock](), Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key, or None if it is absent or was evicted."""
        with self._lock:
            value = self._values.pop(key, None)
            if value is not None:
                self._values[key] = value
            return value

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key; a missing one is made once, while other threads that ask for it wait."""
        value = self.get(key)
        if value is not None:
            return value
        with self._lock:
            making = self._making.setdefault(key, Lock())
        with making:
            value = self.get(key)
            if value is None:
                try:
                    value = make()
                    self.put(key, value)
                finally:
                    with self._lock:
                        self._making.pop(key, None)
        return value

    def put(self, key: K, value: V) -> None:
        """Keep a value and evict the least recently used ones beyond the capacity."""
        with self._lock:
            previous = self._values.pop(key, None)
            self._used += self._size(value) - (self._size(previous) if previous is not None else 0)
            self._values[key] = value
            while self._used > self._capacity and len(self._values) > 1:
                self._used -= self._size(self._values.pop(next(iter(self._values))))
