"""Values of rescoring: what another rule extracted from answers. They override the columns of answers.

The newest file of a model holds all of its values and is the only one that counts, so that values are replaced or
removed in one step. A value belongs to the raw text that it was extracted from: where a query has a new answer with
another text, the answer's own value counts.
"""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.ids import content_id
from counterpoint.store import answers
from counterpoint.store.answers import slug
from counterpoint.store.joins import Numbers, Rows, answer_keys
from counterpoint.store.parts import new_run_name
from counterpoint.store.storage import FileMissing, Storage
from counterpoint.store.tables import ANSWERS, VALUES, read_parquet, to_parquet

FOLDER = "values"
VALUE_COLUMNS = ("value", "rule", "state")
"""The columns of answers that values override."""


def read_answers(
    storage: Storage, fingerprint: str, columns: Sequence[str] | None = None, encoded: Sequence[str] = ()
) -> pa.Table:
    """The answers of a model, one per query and trial, with the latest values; see `answers.read_answers`."""
    wanted = list(columns or ANSWERS.names)
    values = read_values(storage, fingerprint) if set(wanted) & set(VALUE_COLUMNS) else VALUES.empty_table()
    if not values.num_rows:
        return answers.read_answers(storage, fingerprint, wanted, encoded)
    needed = dict.fromkeys([*wanted, "query", "trial", "raw", *VALUE_COLUMNS])
    return overlay_values(answers.read_answers(storage, fingerprint, list(needed)), values).select(wanted)


def read_values(storage: Storage, fingerprint: str) -> pa.Table:
    """The values of a model; most models have none."""
    folder = f"{FOLDER}/{slug(fingerprint)}"
    for _ in range(100):
        if not (names := _files(storage, folder)):
            break
        with suppress(FileMissing):  # replaced after they were listed
            return read_parquet(storage, names[-1], "values")
    return VALUES.empty_table()


def put_values(storage: Storage, fingerprint: str, taken: pa.Table, queries: pa.Array) -> None:
    """Replace the values of these queries by `taken`; values of other queries stay."""
    folder = f"{FOLDER}/{slug(fingerprint)}"
    with storage.lease(folder):
        storage.sweep(folder)
        before, names = read_values(storage, fingerprint), _files(storage, folder)
        kept = before.filter(pc.invert(pc.is_in(before["query"], value_set=queries)))
        whole = pa.concat_tables([kept, taken.select(VALUES.names).cast(VALUES)]).combine_chunks()
        if whole.num_rows:
            storage.put(f"{folder}/{new_run_name(before=map(_stem, names))}.parquet", to_parquet(whole))
        for name in names:  # the oldest first, so that a kill leaves the newest
            storage.delete(name)


def values_table(rows: pa.Table, value: pa.Array, rule: pa.Array, state: pa.Array) -> pa.Table:
    """The table of values extracted from answers (query, model, trial, raw)."""
    columns = {name: rows[name] for name in ("query", "model", "trial")}
    columns |= {"raw_id": pa.array(raw_ids(rows["raw"])), "value": value, "rule": rule, "state": state}
    return pa.table([columns[name] for name in VALUES.names], schema=VALUES)


def overlay_values(rows: pa.Table, values: pa.Table) -> pa.Table:
    """Answers with the values that were extracted from the same texts; the others keep their own."""
    place = _places(rows, values)
    rescored = pa.array(place >= 0)
    for name in VALUE_COLUMNS:
        extracted = values[name].take(pa.array(place[place >= 0])).combine_chunks()
        column = pc.replace_with_mask(rows[name], rescored, extracted)
        rows = rows.set_column(rows.column_names.index(name), rows.schema.field(name), column)
    return rows


def raw_ids(raw: pa.ChunkedArray) -> Numbers:
    """The content id of each text."""
    return np.concatenate([np.empty(0, np.uint64), *map(_text_ids, raw.chunks)])  # one array holds 2 GiB at most


def _text_ids(texts: pa.Array) -> Numbers:
    encoded = texts.dictionary_encode()
    words = np.fromiter(map(content_id, encoded.dictionary.to_pylist()), np.uint64, len(encoded.dictionary))
    numbers: Numbers = words[encoded.indices.to_numpy()]
    return numbers


def _stem(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".parquet")


def _files(storage: Storage, folder: str) -> list[str]:
    return [name for name in storage.names(f"{folder}/") if name.endswith(".parquet")]


def _places(rows: pa.Table, values: pa.Table) -> Rows:
    """For each answer the row of its value, -1 where it has none."""
    held = answer_keys(values)
    order = np.argsort(held, kind="stable")
    sought = answer_keys(rows)
    nearest = order[np.minimum(np.searchsorted(held, sought, sorter=order), len(held) - 1)]
    same = (held[nearest] == sought) & (values["raw_id"].to_numpy()[nearest] == raw_ids(rows["raw"]))
    return np.where(same, nearest, -1)
