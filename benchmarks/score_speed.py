"""How fast the answers in a lab are scored, and in how much memory: `python -m benchmarks.score_speed FOLDER`.

The lab is made in FOLDER by a process of its own, unless it is there; what is measured is from its files to the scores.
It is made a million rows at a time, so that a lab larger than memory can be. With `--compare` two models are compared
instead; `--whole` does so in memory, as one block.
"""

import argparse
import resource
import sys
from dataclasses import asdict, replace
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from counterpoint import Lab
from counterpoint.core.ids import content_id
from counterpoint.lab.comparison import compare_models
from counterpoint.metrics.metric import Statistic, mean_estimator
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.metrics.units import Singles
from counterpoint.store.answers import FOLDER, slug
from counterpoint.store.blocks import BLOCK_ROWS
from counterpoint.store.documents import put_object
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import MANIFEST, TABLE, Manifest
from counterpoint.store.tables import ANSWERS, GROUPS, parquet_options, to_parquet
from counterpoint.store.versions import RunRecord

TESTS = ("rephrase", "order", "ontology", "negation", "antonym", "visual")
KINDS = ("exist", "attribute", "choose", "compare")
PART = 1_000_000
CREDIT = Statistic("credit", Singles, lambda singles, rows: mean_estimator(np.nan_to_num(singles.correct[rows])))
WORDS = ("yes", "no", "red", "blue", "green", "wood", "metal", "two")


def suite(rows: int, rng: np.random.Generator, pictures: int | None = None) -> pa.Table:
    """A suite of so many rows: groups of two to six queries, twenty rows or so to a picture, one or three golds."""
    pictures = pictures or max(rows // 20, 1)
    sizes = rng.integers(2, 7, rows // 3)
    sizes = sizes[: np.searchsorted(np.cumsum(sizes), rows)]
    starts, rows = np.cumsum(sizes) - sizes, int(sizes.sum())
    group = np.repeat(np.arange(len(sizes)), sizes)
    role = np.arange(rows) - starts[group]
    test = rng.integers(len(TESTS), size=len(sizes))[group]
    picture = rng.integers(pictures, size=len(sizes))
    shown, place = np.unique(picture, return_inverse=True)
    directional = np.isin(test, (3, 4))
    lengths = np.where(rng.random(rows) < 0.1, 3, 1)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    credit = pa.array(np.where(rng.random(int(offsets[-1])) < 0.9, 1.0, 1 / 3))
    gold = pa.StructArray.from_arrays(
        [_words(WORDS, rng.integers(len(WORDS), size=int(offsets[-1]))), credit], ["answer", "credit"]
    )
    empty = pa.array([""]).take(pa.array(np.zeros(rows, np.int8)))
    none_edited = pa.array(["[]"]).take(pa.array(np.zeros(rows, np.int8)))
    none = pa.array(np.zeros(rows + 1, np.int32))
    numbers = pa.array(rng.integers(0, 2**64, len(sizes), np.uint64)[group])
    columns = {
        "suite": pa.array(["carets"]).take(pa.array(np.zeros(rows, np.int8))),
        "test": _words(TESTS, test),
        "group_id": numbers,
        "role": pa.array(role.astype(np.uint16)),
        "relation": _words(("same", "differs"), directional.astype(np.int8)),
        "kind": _words(KINDS, rng.integers(len(KINDS), size=len(sizes))[group]),
        "picture": _words([f"world:test/{number:06}.png" for number in shown.tolist()], place[group]),
        **dict.fromkeys(("edits", "feature_edits"), none_edited),
        **dict.fromkeys(("context", "text", "proof"), empty),
        "mode": pa.array(["answer"]).take(pa.array(np.zeros(rows, np.int8))),
        "choices": pa.ListArray.from_arrays(none, pa.array([], pa.string())),
        "gold": pa.ListArray.from_arrays(pa.array(offsets), gold),
        "objects": pa.ListArray.from_arrays(none, pa.array([], GROUPS.field("objects").type.value_type)),
        "width": pa.nulls(rows, pa.int32()),
        "height": pa.nulls(rows, pa.int32()),
        "tags": pa.MapArray.from_arrays(
            pa.array(np.arange(rows + 1, dtype=np.int32)),
            _words(("edit", "atom"), rng.integers(2, size=rows)),
            _words(WORDS, rng.integers(len(WORDS), size=rows)),
        ),
        "query": pa.array(rng.integers(0, 2**64, rows, np.uint64)),
    }
    return pa.table({name: columns[name] for name in GROUPS.names}, GROUPS)


def said(queries: np.ndarray, rng: np.random.Generator) -> pa.Table:
    """An answer to every query; a few are out of form, refused or failed."""
    rows = len(queries)
    value = _words(WORDS, np.minimum(rng.geometric(0.5, rows), len(WORDS)) - 1)
    state = rng.choice(4, rows, p=(0.96, 0.02, 0.01, 0.01))
    empty = pa.array([""]).take(pa.array(np.zeros(rows, np.int8)))
    columns = {
        "query": pa.array(queries),
        "model": empty,
        "trial": pa.array(np.zeros(rows, np.uint16)),
        "raw": value,
        "value": value,
        "rule": empty,
        "state": _words(("ok", "unparsed", "refused", "failed"), state),
        "score": pa.nulls(rows, pa.float64()),
        "top": pa.ListArray.from_arrays(
            pa.array(np.zeros(rows + 1, np.int32)), pa.array([], ANSWERS.field("top").type.value_type)
        ),
        "reason": empty,
        "digest": empty,
        "seconds": pa.array(np.zeros(rows, np.float32)),
        **{name: pa.nulls(rows, ANSWERS.field(name).type) for name in ("tokens_in", "tokens_out", "prompt", "offered")},
    }
    return pa.table({name: columns[name] for name in ANSWERS.names}, ANSWERS)


def _words(words: object, codes: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> pa.Array:
    return pa.array(words).take(pa.array(codes))


def make(folder: Path, rows: int, models: tuple[str, ...] = ("model",)) -> None:
    """A lab with a suite of so many rows and the answers of models in another order, in parts as runs leave them."""
    rng, store = np.random.default_rng(7), LabStore(folder)
    portions = (suite(min(PART, rows - start), rng, max(rows // 20, 1)) for start in range(0, rows, PART))
    first = next(portions)
    manifest = Manifest.of(first, generator="benchmarks", seed=7)
    store.put_suite(manifest, first)  # replaced by a file of all portions
    path, queries, groups = folder / "suites" / manifest.suite / TABLE, [], 0
    schema = pq.read_schema(path)
    with pq.ParquetWriter(path, schema, **parquet_options(schema)) as writer:
        for portion in chain([first], portions):
            writer.write_table(portion.replace_schema_metadata(schema.metadata))
            queries.append(portion["query"].to_numpy())
            groups += int((portion["role"].to_numpy() == 0).sum())
    order = rng.permutation(np.concatenate(queries))
    put_object(
        store.storage,
        f"suites/{manifest.suite}/{MANIFEST}",
        asdict(replace(manifest, rows=len(order), groups=groups)),
    )
    for model in models:
        for number, start in enumerate(range(0, len(order), PART)):
            content = to_parquet(said(order[start : start + PART], rng))
            store.storage.put(f"{FOLDER}/{slug(model)}/run-{number:08}.parquet", content)
        store.put_run(RunRecord(f"run-of-{model}", model, model))


def main() -> None:
    """Score a lab, and print time and memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the lab is, or is made")
    parser.add_argument("--rows", type=int, default=1_000_000, help="answers of a lab that is made")
    parser.add_argument("--by", default="test", help="columns to slice by, with commas between them")
    parser.add_argument("--gather", action="store_true", help="score a statistic of all answers, which is no sum")
    parser.add_argument("--compare", action="store_true", help="compare two models")
    parser.add_argument("--whole", action="store_true", help="compare them in memory, as one block")
    chosen = parser.parse_args()
    if not chosen.folder.exists():
        models = ("model", "other")[: 1 + chosen.compare]
        child = get_context("spawn").Process(target=make, args=(chosen.folder, chosen.rows, models))
        child.start()
        child.join()
    before, began, worked = _peak(), perf_counter(), process_time()
    if chosen.compare:
        rows, request = sys.maxsize if chosen.whole else BLOCK_ROWS, ScoreRequest(tuple(chosen.by.split(",")))
        compared = compare_models(LabStore(chosen.folder), "model", "other", request, (), block_rows=rows)
        print(f"{len(compared.rows)} differences, {content_id(repr(compared.rows)):016x}", end=": ")
        print(f"{process_time() - worked:.1f} s of processors, at most {_peak():.1f} GB ({before:.1f} before)")
        return
    metrics = ("accuracy", CREDIT) if chosen.gather else ()
    scores = Lab(chosen.folder).scores(by=chosen.by.split(","), metrics=metrics)
    took, worked = perf_counter() - began, process_time() - worked
    answers = sum({row["test"]: row["answers"] for row in scores.rows}.values())
    print(f"{answers:,} answers, {len(scores.rows)} scores: {took:.1f} s", end=", ")
    print(f"{worked:.1f} s of processors, at most {_peak():.1f} GB ({before:.1f} before)")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


if __name__ == "__main__":
    main()
