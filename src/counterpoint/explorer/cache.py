"""What is costly to make and easy to make again, kept in the user's cache folder; safe to delete at any time."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock


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


class Recent:
    """Pages in memory by their tag: those that were asked for last, as many as there is room for."""

    def __init__(self, room: int = 32_000_000) -> None:
        self._room, self._held, self._lock = room, dict[str, bytes](), Lock()
        self._taken = 0

    def get(self, tag: str) -> bytes | None:
        """The page of this tag, if it is still there."""
        with self._lock:
            content = self._held.pop(tag, None)
            if content is not None:
                self._held[tag] = content
            return content

    def put(self, tag: str, content: bytes) -> None:
        """Keep a page, and let go of those that were not asked for in the longest time."""
        with self._lock:
            self._taken += len(content) - len(self._held.pop(tag, b""))
            self._held[tag] = content
            while self._taken > self._room:
                self._taken -= len(self._held.pop(next(iter(self._held))))
