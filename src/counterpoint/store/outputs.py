"""What is written for others to read: a file or a folder on this machine, or the same below an address of a bucket."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from counterpoint.core.errors import StoreError
from counterpoint.store.parts import READERS
from counterpoint.store.storage import Storage, is_address, open_storage


@contextmanager
def output_path(place: Path | str, *, overwrite: bool = False) -> Iterator[Path]:
    """A path to write to; what is written for an address is put there when it is whole."""
    if not is_address(place):
        yield Path(place)
        return
    parent, _, name = str(place).rstrip("/").rpartition("/")
    if parent.endswith("/"):
        raise StoreError(f"{place} is a bucket", hint="name a place in it, such as s3://bucket/place")
    storage = open_storage(parent)
    with TemporaryDirectory(prefix="counterpoint-") as draft:
        yield Path(draft) / name
        _put_files(storage, Path(draft), set() if overwrite else set(storage.names(f"{name}/")))


def output_address(place: Path | str, path: Path) -> Path | str:
    """Where a file ends up that was written to a path beside the one of `place`."""
    return f"{str(place).rpartition('/')[0]}/{path.name}" if is_address(place) else path


def _put_files(storage: Storage, draft: Path, taken: set[str]) -> None:
    """Put all files of a draft; those of inner folders first, so that the page that leads to them comes last."""
    names = sorted(path.relative_to(draft).as_posix() for path in draft.rglob("*") if path.is_file())
    if taken & set(names):
        fact = f"{storage.describe(min(taken & set(names)))} exists already"
        raise StoreError(fact, hint="name a new place; nothing is overwritten")
    for is_inner in (True, False):
        chosen = [name for name in names if (name.count("/") > 1) is is_inner]
        with ThreadPoolExecutor(READERS) as threads:
            list(threads.map(lambda name: storage.put(name, (draft / name).read_bytes()), chosen))
