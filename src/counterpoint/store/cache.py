"""What is costly to make and easy to make again: in the user's cache folder, safe to delete at any time; in memory."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


def user_cache() -> Path:
    """The folder that this user's cache is in: `$XDG_CACHE_HOME/counterpoint`, or `~/.cache/counterpoint`."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "counterpoint"


class Cache:
    """Bytes by name; a file appears whole or not at all, and a folder that cannot be written only makes things slow."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def kept(self, name: str, make: Callable[[], bytes]) -> bytes:
        """The bytes of this name, made at the first use."""
        path = self.folder / name
        with suppress(OSError):
            return path.read_bytes()
        content = make()
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=path.parent, prefix=".draft-", delete=False) as draft:
                draft.write(content)
            Path(draft.name).replace(path)
        return content


class Recent(Generic[K, V]):
    """Things in memory by their key: those that were asked for last, as many as there is room for."""

    def __init__(self, size: Callable[[V], int], room: int) -> None:
        self._size, self._room, self._taken = size, room, 0
        self._held, self._lock = dict[K, V](), Lock()

    def get(self, key: K) -> V | None:
        """What has this key, if it is still there."""
        with self._lock:
            found = self._held.pop(key, None)
            if found is not None:
                self._held[key] = found
            return found

    def made(self, key: K, make: Callable[[], V]) -> V:
        """What has this key, made if it is not there, or not any more."""
        found = self.get(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found

    def put(self, key: K, value: V) -> None:
        """Keep something, and let go of what was not asked for in the longest time."""
        with self._lock:
            before = self._held.pop(key, None)
            self._taken += self._size(value) - (self._size(before) if before is not None else 0)
            self._held[key] = value
            while self._taken > self._room:
                self._taken -= self._size(self._held.pop(next(iter(self._held))))
