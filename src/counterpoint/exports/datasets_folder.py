"""A suite as a folder that Hugging Face `datasets` loads and pushes to the hub: a card and sharded Parquet files."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from counterpoint.core.errors import StoreError
from counterpoint.core.quantities import counted
from counterpoint.exports.rows import COLUMNS, PictureExporter, column_names, flat_tables
from counterpoint.store.pictures import LabPictures
from counterpoint.store.suites import Manifest, StoredSuite

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
        summarized = [field.name for field in table.schema if not pa.types.is_nested(field.type)]  # not the pictures
        how = {"compression": "zstd", "dictionary_pagesize_limit": _DICTIONARY, "write_statistics": summarized}
        with drafts[-1].open("wb") as file, pq.ParquetWriter(file, table.schema, **how) as writer:
            while table is not None and file.tell() < most:
                writer.write_table(table)
                memory += table.nbytes
                table = next(coming, None)
    names = [f"{split}-{number:05}-of-{len(drafts):05}.parquet" for number in range(len(drafts))]
    size = sum(draft.stat().st_size for draft in drafts)
    for draft, name in zip(drafts, names, strict=True):
        draft.rename(folder / name)
    return Shards(tuple(names), size, memory)


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


DATA, CARD = "data", "README.md"


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


def export_datasets(suite: StoredSuite, folder: Path, pictures: LabPictures | None) -> ExportedSuite:
    """Write a suite as a datasets folder, atomically; without `pictures`, with their addresses alone."""
    manifest, out = suite.manifest, None if pictures is None else PictureExporter(pictures)
    with atomic_folder(folder) as draft:
        shards = write_shards(flat_tables(suite, out), draft / DATA)
        modes = pc.unique(suite.table["mode"]).to_pylist()
        (draft / CARD).write_text(dataset_card(manifest, shards, modes, pictures=out is not None), encoding="utf-8")
    files = (CARD, *(f"{DATA}/{name}" for name in shards.names))
    seen = 0 if out is None else len(out.seen)
    return ExportedSuite(manifest.suite, str(folder), manifest.rows, manifest.groups, seen, shards.bytes, files)


def dataset_card(manifest: Manifest, shards: Shards, modes: list[str], *, pictures: bool) -> str:
    """The data set card: YAML front matter for the hub, then a description of the columns."""
    names = column_names(pictures=pictures)
    column_rows = "\n".join(f"| `{name}` | {COLUMNS[name][1]} |" for name in names)
    scored = _SCORED if "score" in modes else ""
    blind = "" if pictures else _BLIND
    facts = f"{counted(manifest.groups, 'group')} of {counted(manifest.rows, 'query')}, seed {manifest.seed}"
    return _CARD.format(
        front="\n".join(_front(manifest, shards, names, pictures=pictures)),
        suite=manifest.suite,
        facts=f"{facts}, made by `{manifest.generator}`, fingerprint `{manifest.fingerprint}`",
        extra=blind + scored,
        columns=column_rows,
    )


def _front(manifest: Manifest, shards: Shards, names: list[str], *, pictures: bool) -> Iterator[str]:
    """The front matter in YAML, of which JSON strings are a part."""
    yield f"pretty_name: {json.dumps(f'Counterpoint suite {manifest.suite}', ensure_ascii=False)}"
    yield "task_categories:\n- visual-question-answering"
    yield "language:\n- en"
    yield "tags:\n- counterpoint\n- consistency\n- robustness" + "\n- image" * pictures
    yield f"configs:\n- config_name: default\n  data_files:\n  - split: test\n    path: {DATA}/test-*"
    yield "dataset_info:\n  features:"
    for name in names:
        yield f"  - name: {name}"
        yield from (f"    {line}" for line in _typed(COLUMNS[name][0]))
    yield f"  splits:\n  - name: test\n    num_bytes: {shards.memory}\n    num_examples: {manifest.rows}"
    yield f"  download_size: {shards.bytes}\n  dataset_size: {shards.memory}"


def _typed(feature: Any) -> list[str]:
    """The type of a column in the terms of a card."""
    if isinstance(feature, list):
        inner = [f"- name: {name}\n      dtype: {kind['dtype']}" for name, kind in feature[0].items()]
        return ["list:", *inner]
    if feature["_type"] == "Sequence":
        return [f"sequence: {feature['feature']['dtype']}"]
    return ["dtype: image" if feature["_type"] == "Image" else f"dtype: {feature['dtype']}"]


_CARD = """---
{front}
---

# Counterpoint suite {suite}

Questions in groups: a base and its variants, whose answers by a model that understands must satisfy the relation of the
group. {facts}.

Before you publish this folder, add the `license` under which the pictures and their annotations may be passed on.

```python
from datasets import load_dataset

rows = load_dataset("path/to/this/folder", split="test")
```
{extra}
## Bring answers back

Ask your model each row, and write one line per row to a file:

```json
{{"query_id": "fed63e96f1c1f408", "answer": "yes"}}
```

Then `counterpoint import` matches the file to the suite, and `counterpoint score` says how right and how consistent the
model is, with intervals.

## Columns

| column | what it holds |
| --- | --- |
{columns}
"""
_BLIND = """
The pictures are not in this folder: the column `picture` has their addresses.
"""
_SCORED = """
Rows with the mode `score` hold a sentence, not a question. They want a number that is higher the better the sentence
fits the picture, as `{"query_id": "…", "score": 0.73}`.
"""
