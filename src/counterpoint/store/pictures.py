"""The pictures of a lab: resolution of addresses, and cached digests of files."""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b, file_digest
from pathlib import Path
from threading import local
from typing import Self

import pyarrow as pa

from counterpoint.core.errors import StoreError
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures, Pixels
from counterpoint.pictures.edits import apply_edits
from counterpoint.pictures.folders import PictureFolders
from counterpoint.store.folder import StorageFolder
from counterpoint.store.tables import PICTURES, read_parquet, to_parquet

TABLE = "pictures.parquet"


class LabPictures:
    """Pictures by namespace: files in the roots of a lab, and further sources such as the built-in world.

    Each thread caches the last picture that it decoded, for several edits of it in turn.
    """

    def __init__(self, roots: Mapping[str, Path], extra: Mapping[str, Pictures]) -> None:
        self._roots, self._folders, self._extra = dict(roots), PictureFolders(roots), dict(extra)
        self._last = local()

    def __reduce__(self) -> tuple[type[Self], tuple[Mapping[str, Path], Mapping[str, Pictures]]]:
        return type(self), (self._roots, self._extra)  # pickled without the cache

    def pixels(self, picture: Picture) -> Pixels:
        """The picture as shown."""
        return apply_edits(picture.edits, self._original(picture.address))

    def _original(self, address: str) -> Pixels:
        file = self.file(address)
        known = (address, _look(file) if file else None)
        if getattr(self._last, "known", None) != known:
            plain = Picture(address)
            self._last.known = None
            self._last.pixels = self._extra.get(plain.namespace, self._folders).pixels(plain)
            self._last.known = known
        kept: Pixels = self._last.pixels
        return kept

    def file(self, address: str) -> Path | None:
        """The file behind an address; None if it is drawn, missing, or of no known root."""
        return None if Picture(address).namespace in self._extra else self._folders.file(address)


def add_digests(queries: pa.Table, pictures: LabPictures, storage: StorageFolder) -> pa.Table:
    """The queries with a column `digest` of the picture file, empty where there is none."""
    encoded = queries["picture"].combine_chunks().dictionary_encode()
    digests = pa.array(_digests(encoded.dictionary.to_pylist(), pictures, storage), pa.string())
    empty = len(digests)
    places = encoded.indices.fill_null(empty).cast(pa.int32())
    column = pa.DictionaryArray.from_arrays(places, pa.concat_arrays([digests, pa.array([""], pa.string())]))
    return queries.append_column("digest", column)


def _digests(addresses: list[str], pictures: LabPictures, storage: StorageFolder) -> list[str]:
    """One per address; a file is read only if it is new or changed since `pictures.parquet` was written."""
    known = _known(storage)
    files = {address: path for address in addresses if (path := pictures.file(address)) is not None}
    looks = {address: _look(path) for address, path in files.items()}
    new = [address for address in files if known.get(address, ((), ""))[0] != looks[address]]
    with ThreadPoolExecutor(4) as threads:
        digests = dict(zip(new, threads.map(_digest, (files[address] for address in new)), strict=True))
    if digests:
        known |= {address: (looks[address], digest) for address, digest in digests.items()}
        _keep(storage, known)
    return [known[address][1] if address in files else "" for address in addresses]


def _look(path: Path) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
    except OSError as problem:
        fact = f"{path} cannot be read: {problem.strerror or problem}"
        raise StoreError(fact, hint="check the rights of the file") from problem


def _known(storage: StorageFolder) -> dict[str, tuple[tuple[int, int], str]]:
    if not storage.path(TABLE).exists():
        return {}
    columns = read_parquet(storage, TABLE, "pictures").to_pydict()
    looks = zip(columns["size"], columns["mtime"], strict=True)
    return dict(zip(columns["address"], zip(looks, columns["digest"], strict=True), strict=True))


def _keep(storage: StorageFolder, known: Mapping[str, tuple[tuple[int, int], str]]) -> None:
    rows = [(address, size, mtime, digest) for address, ((size, mtime), digest) in sorted(known.items())]
    columns = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), PICTURES, strict=True)]
    storage.put(TABLE, to_parquet(pa.table(columns, schema=PICTURES)))
