"""Records of batches that servers work on: one file each, until the answers of a batch are stored."""

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from counterpoint.store.answers import slug
from counterpoint.store.documents import put_object, read_object
from counterpoint.store.storage import Storage

FOLDER = "batches"


class StoredBatches(MutableMapping[str, Mapping[str, Any]]):
    """The records of one model by name; reading and writing raise StoreError."""

    def __init__(self, storage: Storage, fingerprint: str) -> None:
        self._storage, self._folder = storage, f"{FOLDER}/{slug(fingerprint)}/"

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        return read_object(self._storage, self._file(name))

    def __setitem__(self, name: str, record: Mapping[str, Any]) -> None:
        put_object(self._storage, self._file(name), record)

    def __delitem__(self, name: str) -> None:
        self._storage.delete(self._file(name))

    def __iter__(self) -> Iterator[str]:
        files = (name.removeprefix(self._folder) for name in self._storage.names(self._folder))
        return (name.removesuffix(".json") for name in files if name.endswith(".json"))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _file(self, name: str) -> str:
        return f"{self._folder}{name}.json"
