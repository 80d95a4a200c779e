"""Storage folder: files and JSON documents written whole or not at all, locks, and integrity checks."""

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

from counterpoint.core.errors import StoreError

_POLL = 0.05  # seconds between two attempts to take a lock


class FileMissing(StoreError):  # noqa: N818 - it reads as the sentence it is
    """There is no file of this name; a reader that listed it before a merge lists again."""


class StorageFolder:
    """Bytes by name. A name is a relative path with slashes; names that begin with a dot are drafts and locks.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     storage = StorageFolder(Path(folder))
    ...     storage.put("answers/a.txt", b"yes")
    ...     storage.names("answers/"), storage.get("answers/a.txt")
    (['answers/a.txt'], b'yes')
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)

    def path(self, name: str) -> Path:
        """The path of a name."""
        return self.folder / name

    def put(self, name: str, content: bytes) -> None:
        """Write a file atomically and durably: a reader, or a power failure, finds all of it or nothing."""
        path = self.path(name)
        draft = path.with_name(f".{path.name}.{token_hex(4)}.draft")
        with _translated_errors(path, "written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with draft.open("wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                draft.replace(path)
            except BaseException:
                draft.unlink(missing_ok=True)
                raise
            _sync(path.parent)

    def get(self, name: str) -> bytes:
        """The bytes of a file."""
        with _translated_errors(self.path(name), "read"):
            return self.path(name).read_bytes()

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """A file for partial reads."""
        with _translated_errors(self.path(name), "read"):
            file = self.path(name).open("rb")
        with file:
            yield file

    def names(self, prefix: str = "") -> list[str]:
        """The names with this prefix, sorted, without drafts."""
        folder, _, start = prefix.rpartition("/")
        with _translated_errors(self.path(folder), "listed"):
            names = list(_files(self.path(folder), f"{folder}/" if folder else ""))
        return sorted(name for name in names if name.startswith(prefix)) if start else sorted(names)

    def delete(self, name: str) -> None:
        """Remove a file; a missing one is no error."""
        with _translated_errors(self.path(name), "deleted"):
            self.path(name).unlink(missing_ok=True)

    def sweep(self, folder: str) -> None:
        """Remove the drafts that a killed writer left in a folder; only under the folder's lock."""
        with _translated_errors(self.path(folder), "cleared"):
            for draft in self.path(folder).glob(".*.draft"):
                draft.unlink(missing_ok=True)

    @contextmanager
    def lock(self, folder: str, waiting: Callable[[str], None] = lambda holder: None) -> Iterator[None]:
        """Hold the lock of a folder, which ends with the process at the latest.

        `waiting` is called once with the holder, if the lock is taken.
        """
        path = self.path(folder) / ".lock"
        with _translated_errors(path, "locked"):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a+b")
        with file:
            with _translated_errors(path, "locked"):
                _wait(file, waiting)
                file.truncate(0)
                file.write(f"process {os.getpid()} on {socket.gethostname()}".encode())
                file.flush()
            yield
            file.truncate(0)


def _files(folder: Path, prefix: str) -> Iterator[str]:
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir():
                yield from _files(Path(entry.path), f"{prefix}{entry.name}/")
            else:
                yield f"{prefix}{entry.name}"


def _wait(file: BinaryIO, waiting: Callable[[str], None]) -> None:
    reported = False
    while not _try_lock(file):
        if not reported:
            file.seek(0)
            waiting(file.read().decode("utf-8", "replace") or "another process")
            reported = True
        time.sleep(_POLL)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: BinaryIO) -> bool:
        file.seek(1 << 30)  # a byte beyond the text, which others may go on reading
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _sync(folder: Path) -> None:
        """Nothing: a rename is durable when it returns."""

else:
    import fcntl

    def _try_lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _sync(folder: Path) -> None:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _translated_errors(path: Path, action: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as problem:
        raise FileMissing(f"{path} does not exist", hint="check the path, or make it anew") from problem
    except OSError as problem:
        hint = "check the rights and the free space of its folder"
        raise StoreError(f"{path} cannot be {action}: {problem.strerror or problem}", hint=hint) from problem


def read_object(storage: StorageFolder, name: str) -> dict[str, Any]:
    """A JSON object in a file."""
    try:
        content = json.loads(storage.get(name))
    except ValueError as problem:
        fact = f"{storage.path(name)} cannot be read as JSON: {problem}"
        raise StoreError(fact, hint="restore the file from a copy, or make it anew") from problem
    if not isinstance(content, dict):
        raise StoreError(f"{storage.path(name)} holds no JSON object", hint="restore the file from a copy")
    return content


def put_object(storage: StorageFolder, name: str, content: Mapping[str, Any]) -> None:
    """Write a JSON object, indented, for people to read."""
    text = json.dumps(content, ensure_ascii=False, indent=2)
    storage.put(name, f"{text}\n".encode("utf-8", "backslashreplace"))


@dataclass(frozen=True, slots=True)
class IntegrityCheck:
    """One requirement of a suite or a lab, whether it holds, and what was found."""

    place: str
    name: str
    holds: bool
    found: str = ""
    hint: str = ""


def check_readable(place: str, reading: Callable[[], object]) -> IntegrityCheck:
    """Whether a file can be read."""
    try:
        reading()
    except StoreError as problem:
        return IntegrityCheck(place, "readable", False, str(problem), problem.hint)
    return IntegrityCheck(place, "readable", True)
