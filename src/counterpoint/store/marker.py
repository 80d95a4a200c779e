"""The file that makes a folder a lab: the version of the format, and the folders of pictures."""

from collections.abc import Mapping
from contextlib import suppress

from counterpoint.core.errors import StoreError
from counterpoint.store.documents import put_object, read_object
from counterpoint.store.storage import Storage

MARKER = "counterpoint-lab.json"
VERSION = 1


def read_roots(storage: Storage) -> dict[str, str]:
    """The folder of each namespace of pictures; StoreError where the file is not that of a lab of this version."""
    content = read_object(storage, MARKER)
    version, roots = content.get("version"), content.get("roots", {})
    if version != VERSION:
        fact = f"{storage.describe(MARKER)}: version {version!r} of a lab, not {VERSION}"
        raise StoreError(fact, hint="use the version of counterpoint that made it")
    if not isinstance(roots, dict) or not all(isinstance(root, str) for root in roots.values()):
        raise StoreError(
            f"{storage.describe(MARKER)}: roots is {roots!r}", hint='it looks like {"coco": "pictures/coco"}'
        )
    return roots


def was_lab(storage: Storage) -> bool:
    """Whether there are suites or runs, as in a lab that has lost its marker."""
    with suppress(StoreError):  # it is a file
        return any(storage.names(f"{folder}/") for folder in ("suites", "runs"))
    return False


def put_roots(storage: Storage, roots: Mapping[str, str]) -> None:
    """Write the file."""
    put_object(storage, MARKER, {"version": VERSION, "roots": dict(roots)})
