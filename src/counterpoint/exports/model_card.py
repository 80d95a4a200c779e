"""The evaluation of a model as a card in Hugging Face's layout: a `model-index` for the hub, and tables for readers."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from counterpoint.exports.suite_card import CARD
from counterpoint.store.outputs import write_whole
from counterpoint.store.suites import Manifest

_TASKS = {True: ("image-text-matching", "Image-text matching"), False: ("visual-question-answering", "VQA")}


def model_index(name: str, rows: Iterable[Mapping[str, Any]], manifests: Mapping[str, Manifest]) -> list[Any]:
    """The scores of a model in the fields of a `model-index`: one result for each suite, test and kind of metric."""
    results: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        manifest = manifests[row["suite"]]
        task, title = _TASKS[row["metric"] in ("acc_r", "auroc")]
        dataset = {"type": row["suite"], "name": f"Counterpoint suite {row['suite']}, test {row['test']}"}
        dataset |= {"split": "test", "revision": manifest.fingerprint}
        empty = {"task": {"type": task, "name": title}, "dataset": dataset, "metrics": []}
        result = results.setdefault((row["suite"], row["test"]), empty)
        args = {key: row[key] for key in ("low", "high", "n", "unit")}
        result["metrics"].append({"type": row["metric"], "value": row["value"], "args": args})
    return [{"name": name, "results": list(results.values())}]


def write_model_card(
    folder: Path,
    name: str,
    fingerprint: str,
    rows: Sequence[Mapping[str, Any]],
    manifests: Mapping[str, Manifest],
    table: str,
) -> tuple[str, ...]:
    """Write the card of a model's evaluation to a folder; returns the names of the files."""
    index = json.dumps(model_index(name, rows, manifests), ensure_ascii=False)
    suites = "\n".join(_suite(manifests[suite]) for suite in dict.fromkeys(row["suite"] for row in rows))
    text = _CARD.format(index=index, name=name, fingerprint=fingerprint, table=table, suites=suites)
    write_whole(folder / CARD, text)
    return (CARD,)


def _suite(manifest: Manifest) -> str:
    source = manifest.parameters.get("source", "own groups")
    made = f"{manifest.groups:,} groups from `{source}`, seed {manifest.seed}"
    return f"| `{manifest.suite}` | {made} | `{manifest.generator}` | `{manifest.fingerprint}` |"


_CARD = """---
tags:
- counterpoint
- vision-language
model-index: {index}
---

# {name}: evaluation by Counterpoint

Each suite asks in groups: a base and its variants, whose answers by a model that understands must satisfy a relation.
The scores count groups or pairs, not single questions alone. Intervals are of 95 % over pictures.

## Results

{table}

## What was asked

| suite | groups | generator | fingerprint |
| --- | --- | --- | --- |
{suites}

The model that was asked has the fingerprint `{fingerprint}`, which changes with weights, prompt and decoding.

## How to read it

A score says something only beside its chance level and beside a model that sees no picture. Two models differ where the
interval of their difference, by `counterpoint compare`, leaves zero out; two intervals that overlap do not tell.
"""
