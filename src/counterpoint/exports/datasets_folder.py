"""A suite as a folder that Hugging Face `datasets` loads and pushes to the hub: a card and sharded Parquet files."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from counterpoint.exports.rows import PictureExporter, flat_tables
from counterpoint.exports.suite_card import CARD, DATA, Shards, SuiteFacts, suite_card
from counterpoint.store.folder import atomic_folder
from counterpoint.store.pictures import LabPictures
from counterpoint.store.suites import StoredSuite

SHARD = 450 * 2**20
"""The bytes of a file after which the next begins."""
NO_FACTS = SuiteFacts()
_DICTIONARY = 64 * 2**20  # a picture that several rows show is stored once in each run of rows


def write_shards(tables: Iterable[pa.Table], folder: Path, *, most: int = SHARD) -> Shards:
    """Write tables below each other to `test-00000-of-00002.parquet` and so on; a run of rows is never torn apart."""
    folder.mkdir(parents=True, exist_ok=True)
    drafts: list[Path] = []
    memory, coming = 0, iter(tables)
    table = next(coming, None)
    while table is not None:
        drafts.append(folder / f"test-{len(drafts):05}.draft")
        summarized = [field.name for field in table.schema if not pa.types.is_nested(field.type)]  # not the pictures
        how = {"compression": "zstd", "dictionary_pagesize_limit": _DICTIONARY, "write_statistics": summarized}
        with drafts[-1].open("wb") as file, pq.ParquetWriter(file, table.schema, **how) as writer:
            while table is not None and file.tell() < most:
                writer.write_table(table)
                memory += table.nbytes
                table = next(coming, None)
    names = [f"test-{number:05}-of-{len(drafts):05}.parquet" for number in range(len(drafts))]
    size = sum(draft.stat().st_size for draft in drafts)
    for draft, name in zip(drafts, names, strict=True):
        draft.rename(folder / name)
    return Shards(tuple(names), size, memory)


@dataclass(frozen=True, slots=True)
class ExportedSuite:
    """What was written: the suite, the folder, counts and files."""

    suite: str
    folder: str
    rows: int
    groups: int
    pictures: int  # different ones, with their edits
    bytes: int
    files: tuple[str, ...]  # within the folder


def export_datasets(
    suite: StoredSuite, folder: Path, pictures: LabPictures | None, facts: SuiteFacts = NO_FACTS
) -> ExportedSuite:
    """Write a suite as a datasets folder, atomically; without `pictures`, with their addresses alone."""
    manifest, out = suite.manifest, None if pictures is None else PictureExporter(pictures)
    with atomic_folder(folder) as draft:
        shards = write_shards(flat_tables(suite, out), draft / DATA)
        (draft / CARD).write_text(suite_card(suite, shards, facts, pictures=out is not None), encoding="utf-8")
    files = (CARD, *(f"{DATA}/{name}" for name in shards.names))
    seen = 0 if out is None else len(out.seen)
    return ExportedSuite(manifest.suite, str(folder), manifest.rows, manifest.groups, seen, shards.bytes, files)
