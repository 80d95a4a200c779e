"""The card of an exported suite in Hugging Face's layout: front matter for the hub, then what a reader has to know."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.quantities import counted
from counterpoint.exports.rows import COLUMNS, column_names
from counterpoint.store.suites import Manifest, StoredSuite

DATA, CARD = "data", "README.md"
WORLD_LICENSE = "apache-2.0"
"""The license of suites of the built-in world, whose pictures and questions the package makes."""
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True, slots=True)
class SuiteFacts:
    """What a card says beyond the suite itself: its claim, license, and how well text alone does, in sentences."""

    claim: str = ""
    license: str = ""
    text_only: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Shards:
    """The names of the written files, their bytes, and the bytes of the rows in memory."""

    names: tuple[str, ...]
    bytes: int
    memory: int


def suite_license(manifest: Manifest) -> str:
    """The license that is known without being told: that of the built-in world."""
    return WORLD_LICENSE if str(manifest.parameters.get("source", "")).partition("-")[0] == "world" else ""


def suite_card(suite: StoredSuite, shards: Shards, facts: SuiteFacts, *, pictures: bool) -> str:
    """The card of a suite."""
    manifest, names = suite.manifest, column_names(pictures=pictures)
    is_scored = "score" in pc.unique(suite.table["mode"]).to_pylist()
    return _CARD.format(
        front="\n".join(_front(manifest, shards, names, facts.license, pictures=pictures)),
        suite=manifest.suite,
        claim=f"It tests one claim: {facts.claim}. " if facts.claim else "",
        size=f"{counted(manifest.groups, 'group')} of {counted(manifest.rows, 'query')}",
        tests="\n".join(_tests(suite.table)),
        source="\n".join(_source(manifest, facts.license)) + ("" if pictures else _WITHOUT_PICTURES),
        made="\n".join(_made(manifest)),
        validity="\n".join(_validity(manifest, facts.text_only)),
        scored=_SCORED if is_scored else "",
        columns="\n".join(f"| `{name}` | {COLUMNS[name][1]} |" for name in names),
    )


def _front(manifest: Manifest, shards: Shards, names: list[str], license_id: str, *, pictures: bool) -> Iterator[str]:
    """The front matter in YAML, of which JSON strings are a part."""
    yield f"pretty_name: {json.dumps(f'Counterpoint suite {manifest.suite}', ensure_ascii=False)}"
    if license_id:
        yield f"license: {json.dumps(license_id)}"
    yield "task_categories:\n- visual-question-answering"
    yield "language:\n- en"
    yield "tags:\n- counterpoint\n- consistency\n- robustness" + "\n- image" * pictures
    yield f"size_categories:\n- {next((name for most, name in _SIZES if manifest.rows < most), '1M<n<10M')}"
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


def _tests(table: pa.Table) -> Iterator[str]:
    """A row for each test and relation, with its groups."""
    bases = table.filter(pc.equal(table["role"], 0)).group_by(["test", "relation"]).aggregate([("role", "count")])
    for row in sorted(bases.to_pylist(), key=lambda row: (row["test"], row["relation"])):
        yield f"| `{row['test']}` | `{row['relation']}` | {row['role_count']:,} |"


def _source(manifest: Manifest, license_id: str) -> Iterator[str]:
    known = manifest.parameters
    if source := known.get("source"):
        split = f", split `{known['split']}`" if known.get("split") else ""
        yield f"- Annotations: `{source}`{split}, fingerprint `{manifest.source or 'unknown'}`."
    else:
        yield "- Annotations: groups that were written by hand or by another program."
    yield (
        f"- License: `{license_id}`."
        if license_id
        else "- License: not stated. Before you publish this folder, add the `license` under which the pictures and "
        "their annotations may be passed on."
    )


def _made(manifest: Manifest) -> Iterator[str]:
    made_with = f"seed {manifest.seed}, Counterpoint {manifest.made_with}"
    yield f"- Generator: `{manifest.generator}`, version {manifest.version}, {made_with}."
    plain = {key: value for key, value in manifest.parameters.items() if isinstance(value, str | int | float)}
    if plain:
        yield "- Parameters: " + ", ".join(f"`{key}={value}`" for key, value in plain.items()) + "."
    yield f"- Answers are compared by the rule set `{manifest.rules}`."
    yield f"- Fingerprint of the rows: `{manifest.fingerprint}`; `counterpoint verify` recomputes it."


def _validity(manifest: Manifest, text_only: Sequence[str]) -> Iterator[str]:
    """Rejected candidates by reason, and the text-only probe against chance."""
    dropped = manifest.parameters.get("dropped", {})
    for kind, reasons in dropped.items() if isinstance(dropped, dict) else ():
        listed = "; ".join(f"{reason}: {count:,}" for reason, count in reasons.items())
        yield f"- Rejected candidates of `{kind}`: {listed}."
    yield from (f"- Text alone: {sentence}." for sentence in text_only)
    if not text_only:
        yield "- Text alone: not measured; `counterpoint check` trains a text-only model and compares it with chance."
    yield "- Gold follows from the annotations by rule, and the column `proof` has the reason for each."


_CARD = """---
{front}
---

# Counterpoint suite {suite}

Questions in groups: a base and its variants, whose answers by a model that understands must satisfy the relation of the
group. {size}.

## What is tested

{claim}A model passes a group if its answers satisfy the relation: `same` and `differs`
hold between the answers, `ranks` puts the caption above the foil, `gold` asks each for its own gold, `swap`
exchanges a part of the input.

| test | relation | groups |
| --- | --- | --- |
{tests}

## Source and license

{source}

## How it was made

{made}

## Validity, chance and text-only baselines

{validity}

## Load it

```python
from datasets import load_dataset

rows = load_dataset("path/to/this/folder", split="test")
```

## Bring answers back

Ask your model each row, and write one line per row to a file:

```json
{{"query_id": "fed63e96f1c1f408", "answer": "yes"}}
```
{scored}
Then `counterpoint import` matches the file to the suite, and `counterpoint score` says how right and how consistent the
model is, with intervals.

## Columns

| column | what it holds |
| --- | --- |
{columns}
"""
_WITHOUT_PICTURES = "\n- The pictures are not in this folder: the column `picture` has their addresses."
_SCORED = """
Rows with the mode `score` hold a sentence, not a question. They want a number that is higher the better the sentence
fits the picture, as `{"query_id": "…", "score": 0.73}`.
"""
