"""A suite as a task of lmms-eval: a YAML file, a Python file beside it, and the rows in a folder of the same name."""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Mode
from counterpoint.core.ids import hex_id
from counterpoint.exports import lmms_functions
from counterpoint.exports.datasets_folder import ExportedSuite, write_shards
from counterpoint.exports.rows import PictureExporter, flat_tables
from counterpoint.exports.suite_card import Shards
from counterpoint.store.folder import atomic_folder
from counterpoint.store.pictures import LabPictures
from counterpoint.store.suites import Manifest, StoredSuite

METRICS = ("answer_accuracy", "all_right", "self_consistency")
"""The metrics that lmms-eval aggregates itself."""
_FUNCTIONS = ("doc_to_visual", "doc_to_text", "doc_to_target", "process_results")


def task_name(suite: str) -> str:
    """The name of a suite as a task.

    >>> task_name("order-2.1")
    'counterpoint_order_2_1'
    """
    return f"counterpoint_{re.sub(r'[^A-Za-z0-9]', '_', suite)}"


def export_task(suite: StoredSuite, folder: Path, pictures: LabPictures) -> ExportedSuite:
    """Write a task into a folder that may hold others; the YAML file comes last, so that no task is incomplete."""
    manifest, name = suite.manifest, task_name(suite.manifest.suite)
    refuse_unspoken(suite.table, manifest.suite, "lmms-eval")
    texts = {f"{name}.py": task_functions(), f"{name}.yaml": ""}
    for file in texts:
        if (folder / file).exists():
            raise StoreError(f"{folder / file} exists already", hint="name another folder, or delete the old task")
    out = PictureExporter(pictures)
    with atomic_folder(folder / name) as draft:
        shards = write_shards(flat_tables(suite, out), draft)
    texts[f"{name}.yaml"] = "".join(f"{line}\n" for line in task_lines(manifest, shards))
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    names = (*texts, *(f"{name}/{shard}" for shard in shards.names))
    return ExportedSuite(
        manifest.suite, str(folder), manifest.rows, manifest.groups, len(out.seen), shards.bytes, tuple(sorted(names))
    )


def task_functions() -> str:
    """The Python file of a task: a module of this package without imports from it."""
    return files("counterpoint.exports").joinpath("lmms_functions.py").read_text(encoding="utf-8")


def task_lines(manifest: Manifest, shards: Shards) -> Iterator[str]:
    """The lines of the YAML file of a task."""
    name = task_name(manifest.suite)
    yield f"# The suite {manifest.suite} of Counterpoint, seed {manifest.seed}, fingerprint {manifest.fingerprint}"
    yield f"task: {name}"
    yield "dataset_path: parquet\ndataset_kwargs:\n  data_files:\n    test:"
    yield from (f"      - {name}/{shard}" for shard in shards.names)
    yield "test_split: test\noutput_type: generate_until"
    yield from (f"{function}: !function {name}.{function}" for function in _FUNCTIONS)
    yield "generation_kwargs:\n  max_new_tokens: 64\n  temperature: 0\n  do_sample: false"
    yield "metric_list:"
    for metric in METRICS:
        yield f"  - metric: {metric}\n    aggregation: !function {name}.{metric}\n    higher_is_better: true"
    yield 'lmms_eval_specific_kwargs:\n  default:\n    pre_prompt: ""'
    yield f"    post_prompt: {json.dumps(lmms_functions.ANSWER_PROMPT)}"
    yield f"    choice_prompt: {json.dumps(lmms_functions.CHOICE_PROMPT)}"
    yield f"metadata:\n  version: {json.dumps(manifest.version)}"


def refuse_unspoken(table: pa.Table, suite: str, tool: str) -> None:
    """Raise for a suite whose rows cannot all be answered in words, which is no task of a tool."""
    asks = {
        "the score of a sentence": pc.equal(table["mode"], Mode.SCORE.value),
        "changes to a model's own features": pc.not_equal(table["feature_edits"], "[]"),
    }
    for what, wanting in asks.items():
        count = pc.sum(wanting).as_py()
        if count:
            group = hex_id(table["group_id"][pc.index(wanting, True).as_py()].as_py())
            fact = f"{suite}: {count:,} of {table.num_rows:,} rows ask for {what}, the first in group {group}"
            hint = f"a task of {tool} only takes answers in words; export it --layout datasets"
            raise StoreError(fact, hint=hint)
