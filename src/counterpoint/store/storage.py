"""Storage backends: one protocol for bytes by name, in a folder of this machine or in a bucket of an object store."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from counterpoint.core.errors import StoreError

SCHEMES = ("s3", "gs", "az")
"""How the address of a bucket begins: `s3://` is tested, the others are not."""
_SCHEME = re.compile(r"([a-z][a-z0-9+]+):/", re.IGNORECASE)


class FileMissing(StoreError):  # noqa: N818 - it reads as the sentence it is
    """There is no file of this name; a reader that listed it before a merge lists again."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a listing."""

    name: str
    size: int  # in bytes
    stamp: str  # changes whenever the file is put again


class Storage(Protocol):
    """Bytes by name. A name is a relative path with slashes; names that begin with a dot are drafts and leases.

    A storage can be pickled: what travels is its address. Its errors are StoreError, for a missing file FileMissing.
    """

    @property
    def address(self) -> str:
        """Where it is: the path of a folder, or an address such as `s3://bucket/lab`."""

    @property
    def part_seconds(self) -> float:
        """The seconds between two parts of a log, by what a put costs."""

    def put(self, name: str, content: bytes) -> None:
        """Write a file: a reader, or a power failure, finds all of it or nothing."""

    def get(self, name: str) -> bytes:
        """The bytes of a file."""

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file for partial reads; of a large one only what is read is fetched."""

    def list_files(self, prefix: str = "") -> list[StoredFile]:
        """The files whose names have this prefix, sorted by name, without drafts and leases."""

    def names(self, prefix: str = "") -> list[str]:
        """The names of these."""

    def find(self, name: str) -> StoredFile | None:
        """The file of this name, as a listing has it; None if there is none."""

    def has(self, name: str) -> bool:
        """Whether there is a file of this name."""

    def is_empty(self) -> bool:
        """Whether there is nothing at all."""

    def delete(self, name: str) -> None:
        """Remove a file; a missing one is no error."""

    def sweep(self, folder: str, seconds: float = 0.0) -> None:
        """Remove the drafts that killed writers left in a folder: under its lease all, else those of `seconds` ago."""

    def lease(self, folder: str, waiting: Callable[[str], None] = lambda holder: None) -> AbstractContextManager[None]:
        """Hold the lease of a folder, which saves double work; nothing is wrong without it.

        It ends with its holder. `waiting` is called once with the holder, if another one has it.
        """

    def describe(self, name: str = "") -> str:
        """A file, or the whole storage, as messages name it; without credentials."""


def is_address(place: Path | str) -> bool:
    """Whether this is an address such as `s3://bucket/lab`, and no path.

    >>> is_address("s3://bucket/lab"), is_address("labs/s3")
    (True, False)
    """
    return _SCHEME.match(str(place)) is not None


def join_address(place: Path | str, name: str) -> Path | str:
    """A file or folder below a folder or an address; an absolute path or an address stays as it is.

    >>> join_address("s3://bucket/lab", "pictures/coco"), join_address("s3://bucket/lab", "gs://other/coco")
    ('s3://bucket/lab/pictures/coco', 'gs://other/coco')
    """
    if is_address(name) or not is_address(place):
        return name if is_address(name) else Path(place) / name
    return Path(name) if Path(name).is_absolute() else f"{str(place).rstrip('/')}/{name}"


def require_path(place: Path | str) -> Path:
    """The path of what is written on this machine alone; StoreError for an address."""
    if is_address(place):
        fact = f"{place} is an address of an object store, and this is written to a path of this machine"
        raise StoreError(fact, hint="write it to a folder, and copy that to the bucket")
    return Path(place)


def open_storage(place: Path | str) -> Storage:
    """The storage at a path or an address; a bucket is probed, so that a missing one is told from a missing file."""
    if not is_address(place):
        from counterpoint.store.folder import StorageFolder  # which implements this protocol

        return StorageFolder(Path(place))
    from counterpoint.store.bucket import StorageBucket  # an extra

    bucket = StorageBucket(str(place))
    bucket.probe()
    return bucket
