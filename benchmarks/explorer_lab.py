"""A large lab for the explorer: synthetic suites and answers, written straight into the tables of a lab."""

from pathlib import Path

import numpy as np
import pyarrow as pa
from PIL import Image

from benchmarks.score_speed import suite
from counterpoint.store.answers import slug
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.tables import ANSWERS, to_parquet
from counterpoint.store.versions import RunRecord

SUITES = ("first", "second", "third", "fourth")
VALUES = ("yes", "no", "red", "blue", "green", "wood", "metal", "two")
NOUNS = ("dog", "cat", "lamp", "table", "umbrella", "bicycle", "window", "bottle", "tree", "sign")
PLACES = ("on the left", "on the right", "behind the wall", "near the door", "under the roof", "in the picture")
PICTURES = 200
PART = 1_000_000


def made(folder: Path, models: int, rows: int, seed: int = 7) -> LabStore:
    """A lab of so many models on four suites of so many rows together."""
    rng, lab = np.random.default_rng(seed), LabStore(folder)
    drawn(folder / "pictures", rng)
    lab.put_run(RunRecord("0", "model-0", "model-0 1"))
    lab.set_root("bench", folder / "pictures")
    asked = []
    for name in SUITES:
        table = worded(suite(rows // len(SUITES), rng), name, rng)
        lab.put_suite(Manifest.of(table, generator="benchmarks", seed=seed), table)
        asked.append(table["query"].to_numpy())
    queries = np.concatenate(asked)
    for number in range(models):
        fingerprint = f"model-{number} 1"
        for part, start in enumerate(range(0, len(queries), PART)):
            answers = said(queries[start : start + PART], fingerprint, rng)
            lab.storage.put(f"answers/{slug(fingerprint)}/run-{part:08}.parquet", to_parquet(answers))
        details = {"counts": {"asked": len(queries)}, "seconds": len(queries) / 2000}
        lab.put_run(RunRecord(f"{number}", f"model-{number}", fingerprint, details))
    return lab


def drawn(folder: Path, rng: np.random.Generator) -> None:
    """Some pictures, of noise in large patches."""
    folder.mkdir(parents=True)
    for number in range(PICTURES):
        patches = Image.fromarray(rng.integers(0, 256, (6, 8, 3), np.uint8))
        patches.resize((640, 480)).save(folder / f"{number}.jpg", quality=85)


def worded(table: pa.Table, name: str, rng: np.random.Generator) -> pa.Table:
    """The table under a name, with texts, pictures and sizes."""
    rows = table.num_rows
    group = np.cumsum(table["role"].to_numpy() == 0) - 1
    many = int(group[-1]) + 1
    nouns, others = (np.array(NOUNS)[rng.integers(len(NOUNS), size=many)][group] for _ in range(2))
    places = np.array(PLACES)[rng.integers(len(PLACES), size=rows)]
    texts = [
        f"Is there a {a} or a {b} {c}, number {g}?" for a, b, c, g in zip(nouns, others, places, group, strict=True)
    ]
    pictures = [f"bench:{number}.jpg" for number in range(PICTURES)]
    columns = {
        "suite": [name] * rows,
        "text": texts,
        "proof": ["it is annotated"] * rows,
        "edits": ["[]"] * rows,
        "feature_edits": ["[]"] * rows,
        "picture": pa.array(pictures).take(pa.array(rng.integers(PICTURES, size=many)[group])),
        "width": pa.array(np.full(rows, 640, np.int32)),
        "height": pa.array(np.full(rows, 480, np.int32)),
    }
    for column, values in columns.items():
        place = table.column_names.index(column)
        table = table.set_column(
            place, table.schema.field(column), pa.array(values) if isinstance(values, list) else values
        )
    return table


def said(queries: np.ndarray, fingerprint: str, rng: np.random.Generator) -> pa.Table:
    """What a model says: a value in a sentence, with the three likeliest."""
    rows = len(queries)
    value = rng.integers(len(VALUES), size=rows)
    state = rng.choice(3, size=rows, p=(0.97, 0.02, 0.01))
    top = pa.StructArray.from_arrays(
        [
            pa.array(VALUES).take(pa.array(((value[:, None] + np.arange(3)) % len(VALUES)).ravel())),
            pa.array(np.tile(np.array([0.6, 0.25, 0.1], np.float32), rows)),
        ],
        ["value", "probability"],
    )
    words = pa.array(VALUES).take(pa.array(value))
    columns = {
        "query": queries,
        "model": pa.array([fingerprint] * rows),
        "trial": np.zeros(rows, np.uint16),
        "raw": pa.array([f"I think it is {VALUES[v]}, seen {n % 9973}." for n, v in enumerate(value)]),
        "value": words,
        "rule": pa.array(["words"] * rows),
        "state": pa.array(["ok", "unparsed", "refused"]).take(pa.array(state)),
        "score": pa.nulls(rows, pa.float64()),
        "top": pa.ListArray.from_arrays(pa.array(np.arange(rows + 1, dtype=np.int32) * 3), top),
        "reason": pa.array([""] * rows),
        "digest": pa.array([""] * rows),
        "seconds": np.full(rows, 0.01, np.float32),
    }
    unknown = {field.name: pa.nulls(rows, field.type) for field in ANSWERS if field.nullable}
    return pa.table({name: (unknown | columns)[name] for name in ANSWERS.names}).cast(ANSWERS)
