"""Storage in a folder: files that are written whole or not at all, and a lease that ends with its process."""

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape as glob_escape
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from typing import BinaryIO

import pyarrow as pa

from counterpoint.core.errors import StoreError
from counterpoint.store.storage import FileMissing, StoredFile, require_path

DRAFT_SECONDS = 3600.0
"""After so many seconds a draft is that of a killed writer; a file is written within moments."""
_LOCK = ".lock"
_POLL = 0.05  # seconds between two attempts to take a lock


class StorageFolder:
    """Bytes by name. A name is a relative path with slashes; names that begin with a dot are drafts and locks.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     storage = StorageFolder(Path(folder))
    ...     storage.put("answers/a.txt", b"yes")
    ...     storage.names("answers/"), storage.get("answers/a.txt")
    (['answers/a.txt'], b'yes')
    """

    part_seconds = 1.0

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)

    @property
    def address(self) -> str:
        """The path of the folder."""
        return str(self.folder)

    def describe(self, name: str = "") -> str:
        """The path of a name, as text."""
        return str(self.path(name))

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
    def open(self, name: str) -> Iterator[pa.NativeFile]:
        """A file for partial reads, of Arrow's own kind, which its threads may hold."""
        with _translated_errors(self.path(name), "read"):
            file = pa.OSFile(str(self.path(name)))
        with file:
            yield file

    def list_files(self, prefix: str = "") -> list[StoredFile]:
        """The files with this prefix, sorted by name, without drafts; the stamp is the time of the last change."""
        found = map(self.find, self.names(prefix))
        return [file for file in found if file is not None]  # a run may merge its parts meanwhile

    def names(self, prefix: str = "") -> list[str]:
        """The names with this prefix, sorted, without drafts."""
        folder, _, start = prefix.rpartition("/")
        with _translated_errors(self.path(folder), "listed"):
            names = list(_files(self.path(folder), f"{folder}/" if folder else ""))
        return sorted(name for name in names if name.startswith(prefix)) if start else sorted(names)

    def find(self, name: str) -> StoredFile | None:
        """The file of this name, as a listing has it; None if there is none."""
        try:
            status = self.path(name).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return StoredFile(name, status.st_size, str(status.st_mtime_ns))

    def has(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return self.path(name).is_file()

    def is_empty(self) -> bool:
        """Whether the folder is empty or absent; a file in its place is neither."""
        return not self.folder.exists() or (self.folder.is_dir() and not any(self.folder.iterdir()))

    def delete(self, name: str) -> None:
        """Remove a file; a missing one is no error."""
        with _translated_errors(self.path(name), "deleted"):
            self.path(name).unlink(missing_ok=True)

    def sweep(self, folder: str, seconds: float = 0.0) -> None:
        """Remove the drafts that killed writers left in a folder: under its lock all, else those of `seconds` ago."""
        with _translated_errors(self.path(folder), "cleared"):
            for draft in self.path(folder).glob(".*.draft"):
                with suppress(FileNotFoundError, IsADirectoryError, PermissionError):
                    if not seconds or time.time() - draft.stat().st_mtime > seconds:
                        draft.unlink()

    @contextmanager
    def lease(self, folder: str, waiting: Callable[[str], None] = lambda holder: None) -> Iterator[None]:
        """Hold the lease of a folder, a lock that ends with the process at the latest.

        `waiting` is called once with the holder, if another process has it.
        """
        path = self.path(folder) / _LOCK
        with _translated_errors(path, "locked"):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a+b", buffering=0)  # so that closing it writes nothing, which may fail again
        with file:
            with _translated_errors(path, "locked"):
                _wait(file, waiting)
                file.truncate(0)
                file.write(f"process {os.getpid()} on {socket.gethostname()}".encode())
                file.flush()
            yield
            file.truncate(0)


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """A draft folder beside `folder`, which becomes it, whole, when all is written, and is removed after an error.

    `folder` is absent or empty. Drafts that killed processes left beside it are removed first.
    """
    require_path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StoreError(f"{folder} exists already", hint="name a new folder, or an empty one")
    whole = folder.absolute()
    draft = whole.with_name(f".{whole.name}.{token_hex(4)}.draft")
    try:
        for left in whole.parent.glob(f".{glob_escape(whole.name)}.*.draft"):
            _remove_unless_locked(left)
        draft.mkdir(parents=True)
        with StorageFolder(draft).lease(""):
            yield draft
        (draft / _LOCK).unlink()
        if whole.is_dir():
            whole.rmdir()
        draft.rename(whole)
    except OSError as problem:
        hint = "nothing of it is left; check the place, its rights, and the room on the disk"
        raise StoreError(f"{folder} cannot be written: {problem.strerror or problem}", hint=hint) from problem
    finally:
        rmtree(draft, ignore_errors=True)


def _remove_unless_locked(draft: Path) -> None:
    """Remove the draft of a killed process; one that is alive holds its lock."""
    with suppress(OSError), (draft / _LOCK).open("a+b") as file:
        if _try_lock(file):
            rmtree(draft, ignore_errors=True)


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
        if action in ("written", "locked"):
            hint = f"{hint}; what was stored before is whole"
        raise StoreError(f"{path} cannot be {action}: {problem.strerror or problem}", hint=hint) from problem
