"""Annotations at an address: fetched into the user's cache, and read from there."""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

from counterpoint.core.errors import SourceError
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.quantities import counted
from counterpoint.lab.progress import logger
from counterpoint.pictures.folders import PICTURE_ENDINGS
from counterpoint.sources.file_checks import refuse_pipe
from counterpoint.store.cache import FileCache, user_cache
from counterpoint.store.storage import Storage, StoredFile, is_address, open_storage

_READERS = 8  # at once


def fetch_data(place: Path | str, others: Collection[str] = ()) -> Path:
    """The folder or file of a data set on this machine; what is at an address is fetched, without its pictures.

    Files with the names of `others`, such as those of another split, are left there. The folder in the cache is named
    by a digest of the names and stamps of all files, so that what has changed is fetched again. Everything in it can be
    deleted at any time.
    """
    if not is_address(place):
        return refuse_pipe(Path(place))
    address = str(place).rstrip("/")
    storage, files, is_file = _list_annotations(address, others)
    key = hex_id(content_id([storage.describe(), *([file.name, file.stamp] for file in files)]))
    cache = FileCache(user_cache() / "data")
    new = [file for file in files if not (cache.folder / key / file.name).exists()]
    if new:
        size = f"{sum(file.size for file in new) / 2**20:,.1f} MB"
        logger.info(f"fetching {counted(len(new), 'file')}, {size}, from {storage.describe()}")
    with ThreadPoolExecutor(_READERS) as threads:
        fetched = threads.map(lambda file: cache.path_of(f"{key}/{file.name}", lambda: storage.get(file.name)), files)
        paths = list(fetched)
    return paths[0] if is_file else cache.folder / key


def _list_annotations(address: str, others: Collection[str]) -> tuple[Storage, list[StoredFile], bool]:
    """The files below an address that are no pictures, or the one file that it names, with the storage that has them.

    The last value says whether the address names a file.
    """
    storage = open_storage(address)
    files = [file for file in storage.list_files() if _is_annotation(file.name, others)]
    if files:
        return storage, files, False
    parent, _, name = address.rpartition("/")
    if not parent.endswith("/"):  # the bucket itself is in no folder
        around = open_storage(parent)
        if (file := around.find(name)) is not None:
            return around, [file], True
    raise SourceError(f"there are no annotations at {address}", hint="is it the address of their folder or file?")


def _is_annotation(name: str, others: Collection[str]) -> bool:
    path = PurePosixPath(name)
    return path.suffix.lower() not in PICTURE_ENDINGS and path.name not in others
