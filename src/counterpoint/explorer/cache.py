"""What is costly to make and easy to make again, kept in the user's cache folder; safe to delete at any time."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile


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
