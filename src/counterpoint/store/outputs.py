"""What is written for others to read: a file or a folder on this machine, or the same below an address of a bucket."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

from counterpoint.core.errors import StoreError, write_error, writing
from counterpoint.store.parts import READERS
from counterpoint.store.storage import Storage, is_address, open_storage


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file beside a lab whole or not at all: where the disk is full, the file that was there stays.

    What is no file, such as /dev/stdout, is written to.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        place = path.resolve()
        if place.exists() and not place.is_file():
            place.write_bytes(data)
            return
    draft = place.with_name(f".{place.name}.{token_hex(4)}.draft")
    try:
        draft.write_bytes(data)
        draft.replace(place)
    except OSError as problem:
        raise write_error(path, OSError(problem.errno, problem.strerror)) from problem
    finally:
        draft.unlink(missing_ok=True)


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
    taken = [] if overwrite else sorted(storage.names(f"{name}/"))
    if taken:
        raise StoreError(
            f"{storage.describe(taken[0])} exists already", hint="name a new place; nothing is overwritten"
        )
    with TemporaryDirectory(prefix="counterpoint-") as draft:
        yield Path(draft) / name
        _put_files(storage, Path(draft))


def output_address(place: Path | str, path: Path) -> Path | str:
    """Where a file ends up that was written to a path beside the one of `place`."""
    return f"{str(place).rpartition('/')[0]}/{path.name}" if is_address(place) else path


def _put_files(storage: Storage, draft: Path) -> None:
    """Put all files of a draft; those of inner folders first, so that the page that leads to them comes last."""
    names = sorted(path.relative_to(draft).as_posix() for path in draft.rglob("*") if path.is_file())
    for is_inner in (True, False):
        chosen = [name for name in names if (name.count("/") > 1) is is_inner]
        with ThreadPoolExecutor(READERS) as threads:
            list(threads.map(lambda name: storage.put(name, (draft / name).read_bytes()), chosen))
