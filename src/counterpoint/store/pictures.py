"""The pictures of a lab: resolution of addresses, and cached digests of files."""

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from hashlib import blake2b, file_digest
from pathlib import Path, PurePosixPath
from threading import local
from typing import Self

import pyarrow as pa

from counterpoint.core.errors import StoreError
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures, Pixels
from counterpoint.pictures.edits import apply_edits
from counterpoint.pictures.folders import PictureFolders, decode
from counterpoint.store.cache import FileCache, user_cache
from counterpoint.store.picture_digests import TABLE, read_digests
from counterpoint.store.storage import Storage, StoredFile, is_address, join_address, open_storage
from counterpoint.store.tables import PICTURES, to_parquet

_READERS = 32  # at once: reading waits for the disk or the network more than it computes


class PictureBucket:
    """The pictures of one namespace at an address; files are fetched when they are used, into the user's cache.

    The name of a cached file is a digest of its address and stamp, so that a picture which was replaced is fetched
    again by the next process. Everything in the cache can be deleted at any time.
    """

    def __init__(self, address: str) -> None:
        self._address, self._cache = address, FileCache(user_cache() / "pictures")
        self._found: dict[str, StoredFile | None] = {}

    @cached_property
    def _storage(self) -> Storage:
        return open_storage(self._address)  # at the first use, as this asks the server whether there is such a bucket

    def find(self, path: str) -> StoredFile | None:
        """The object of a picture, asked for once; None if it is missing."""
        if path not in self._found:
            self._found[path] = self._storage.find(path)
        return self._found[path]

    def file(self, path: str) -> Path | None:
        """The local copy of a picture, fetched if it is new; None if it is missing."""
        found = self.find(path)
        if found is None:
            return None
        key = hex_id(content_id([self._storage.describe(path), found.stamp]))
        return self._cache.path_of(f"{key[:2]}/{key}{PurePosixPath(path).suffix}", lambda: self._storage.get(path))


class LabPictures:
    """Pictures by namespace: files in the roots of a lab, and further sources such as the built-in world.

    A root is a folder or an address. Each thread caches the last picture that it decoded, for several edits in turn.
    """

    def __init__(self, roots: Mapping[str, Path | str], extra: Mapping[str, Pictures]) -> None:
        self._roots, self._extra = dict(roots), dict(extra)
        self._folders = PictureFolders({name: root for name, root in roots.items() if not is_address(root)})
        self._buckets = {name: PictureBucket(str(root)) for name, root in roots.items() if is_address(root)}
        self._last = local()

    def __reduce__(self) -> tuple[type[Self], tuple[Mapping[str, Path | str], Mapping[str, Pictures]]]:
        return type(self), (self._roots, self._extra)  # pickled without the cache

    def pixels(self, picture: Picture) -> Pixels:
        """The picture as shown."""
        return apply_edits(picture.edits, self._original(picture.address))

    def _original(self, address: str) -> Pixels:
        known = (address, self.look(address))
        if getattr(self._last, "known", None) != known:
            self._last.known = None
            self._last.pixels = self._decode(Picture(address))
            self._last.known = known
        kept: Pixels = self._last.pixels
        return kept

    def _decode(self, plain: Picture) -> Pixels:
        if plain.namespace in self._extra or plain.namespace not in self._buckets:
            return self._extra.get(plain.namespace, self._folders).pixels(plain)
        place = str(join_address(self._roots[plain.namespace], plain.path))
        return decode(self.file(plain.address) or Path(place), name=place)

    def file(self, address: str) -> Path | None:
        """The file behind an address, fetched if it is far; None if it is drawn, missing, or of no known root."""
        plain = Picture(address)
        if plain.namespace in self._extra:
            return None
        bucket = self._buckets.get(plain.namespace)
        return bucket.file(plain.path) if bucket else self._folders.file(address)

    def look(self, address: str) -> tuple[int, int] | None:
        """The size of a file and a number that changes with it; nothing is fetched. None where there is no file."""
        plain = Picture(address)
        if plain.namespace in self._extra or (bucket := self._buckets.get(plain.namespace)) is None:
            path = self.file(address)
            return _look(path) if path else None
        found = bucket.find(plain.path)
        return (found.size, content_id(found.stamp) >> 1) if found else None

    def find_files(self, addresses: Iterable[str]) -> dict[str, tuple[int, int]]:
        """How each of these pictures looks that is a file; those at addresses are asked for many at once."""
        asked = list(addresses)
        with ThreadPoolExecutor(_READERS if self._buckets else 1) as threads:
            looks = list(threads.map(self.look, asked) if self._buckets else map(self.look, asked))
        return {address: look for address, look in zip(asked, looks, strict=True) if look is not None}


def add_digests(queries: pa.Table, pictures: LabPictures, storage: Storage) -> pa.Table:
    """The queries with a column `digest` of the picture file, empty where there is none."""
    encoded = queries["picture"].combine_chunks().dictionary_encode()
    digests = pa.array(_digests(encoded.dictionary.to_pylist(), pictures, storage), pa.string())
    empty = len(digests)
    places = encoded.indices.fill_null(empty).cast(pa.int32())
    column = pa.DictionaryArray.from_arrays(places, pa.concat_arrays([digests, pa.array([""], pa.string())]))
    return queries.append_column("digest", column)


def _digests(addresses: list[str], pictures: LabPictures, storage: Storage) -> list[str]:
    """One per address; a file is read only if it is new or changed since `pictures.parquet` was written."""
    known, looks = _known(storage), pictures.find_files(addresses)
    new = [address for address in looks if known.get(address, ((), ""))[0] != looks[address]]
    with ThreadPoolExecutor(_READERS) as threads:
        digests = dict(zip(new, threads.map(lambda address: _digest(pictures.file(address)), new), strict=True))
    if digests:
        known |= {address: (looks[address], digest) for address, digest in digests.items()}
        _keep(storage, known)
    return [known[address][1] if address in looks else "" for address in addresses]


def _look(path: Path) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def _digest(path: Path | None) -> str:
    assert path, "a picture that was just found has a file"
    try:
        with path.open("rb") as file:
            return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
    except OSError as problem:
        fact = f"{path} cannot be read: {problem.strerror or problem}"
        raise StoreError(fact, hint="check the rights of the file") from problem


def _known(storage: Storage) -> dict[str, tuple[tuple[int, int], str]]:
    columns = read_digests(storage).to_pydict()
    looks = zip(columns["size"], columns["mtime"], strict=True)
    return dict(zip(columns["address"], zip(looks, columns["digest"], strict=True), strict=True))


def _keep(storage: Storage, known: Mapping[str, tuple[tuple[int, int], str]]) -> None:
    rows = [(address, size, mtime, digest) for address, ((size, mtime), digest) in sorted(known.items())]
    columns = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), PICTURES, strict=True)]
    storage.put(TABLE, to_parquet(pa.table(columns, schema=PICTURES)))
