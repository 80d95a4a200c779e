"""Sharded Parquet files, named as Hugging Face names them, and folders that appear atomically."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from shutil import rmtree

import pyarrow as pa
import pyarrow.parquet as pq

from counterpoint.core.errors import StoreError

SHARD = 450 * 2**20
"""The bytes of a file after which the next begins."""
_DICTIONARY = 64 * 2**20  # a picture that several rows show is stored once in each run of rows


@dataclass(frozen=True, slots=True)
class Shards:
    """The names of the written files, their bytes, and the bytes of the rows in memory."""

    names: tuple[str, ...]
    bytes: int
    memory: int


def write_shards(tables: Iterable[pa.Table], folder: Path, *, split: str = "test", most: int = SHARD) -> Shards:
    """Write tables below each other to `test-00000-of-00002.parquet` and so on; a run of rows is never torn apart."""
    folder.mkdir(parents=True, exist_ok=True)
    drafts: list[Path] = []
    memory, coming = 0, iter(tables)
    table = next(coming, None)
    while table is not None:
        drafts.append(folder / f"{split}-{len(drafts):05}.draft")
        with drafts[-1].open("wb") as file, _writer(file, table.schema) as writer:
            while table is not None and file.tell() < most:
                writer.write_table(table)
                memory += table.nbytes
                table = next(coming, None)
    names = [f"{split}-{number:05}-of-{len(drafts):05}.parquet" for number in range(len(drafts))]
    size = sum(draft.stat().st_size for draft in drafts)
    for draft, name in zip(drafts, names, strict=True):
        draft.rename(folder / name)
    return Shards(tuple(names), size, memory)


def _writer(file: object, schema: pa.Schema) -> pq.ParquetWriter:
    summarized = [
        field.name for field in schema if not pa.types.is_nested(field.type)
    ]  # no minimum and maximum of pictures
    how = {"compression": "zstd", "dictionary_pagesize_limit": _DICTIONARY, "write_statistics": summarized}
    return pq.ParquetWriter(file, schema, **how)


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """A draft folder that is renamed when all is written, and removed after an error."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StoreError(f"{folder} exists already", hint="name a new folder, or an empty one")
    draft = folder.with_name(f".{folder.name}.{token_hex(4)}.draft")
    try:
        draft.mkdir(parents=True)
        yield draft
        draft.rename(folder)
    except OSError as problem:
        fact = f"{folder} cannot be written: {problem.strerror or problem}"
        raise StoreError(fact, hint="check the place, its rights, and the room on the disk") from problem
    finally:
        rmtree(draft, ignore_errors=True)
