"""Texts of more than 2 GiB, which one array of strings cannot hold."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.engine.plan import order_by_picture, plan_queries, unanswered_rows
from counterpoint.store.answers import AnswerRows, missing_answers, read_answers, slug
from counterpoint.store.fingerprints import fingerprint
from counterpoint.store.folder import StorageFolder
from counterpoint.store.groups import groups_table, unique_queries
from counterpoint.store.tables import ANSWERS, to_parquet
from counterpoint.store.values import overlay_values, raw_ids, values_table

MODEL, PART, PARTS = "wordy", 100_000, 12
LONG = "word " * 400


@pytest.mark.prove
def test_answers_of_more_than_two_gibibytes_with_a_repeat_are_read_planned_and_rescored(tmp_path: Path) -> None:
    storage, rows = StorageFolder(tmp_path), AnswerRows(MODEL)
    rows.extend((query, 0, Answer(LONG, "yes", "yes-no"), "", 0.5) for query in range(PART))
    part = rows.drain()
    for number in range(PARTS):
        ids = pa.array(np.arange(PART, dtype=np.uint64) + np.uint64(max(number * PART - 1, 0)))  # one id twice
        table = part.set_column(0, ANSWERS.field("query"), ids)
        storage.put(f"answers/{slug(MODEL)}/run-{number:08}.parquet", to_parquet(table))
    answers = read_answers(storage, MODEL)
    assert answers.num_rows == len(set(answers["query"].to_pylist())) == PARTS * PART - 1
    assert answers["raw"].nbytes > 2 << 30
    plan = pa.table({"query": answers["query"], "trial": answers["trial"], "digest": answers["digest"]})
    assert missing_answers(storage, MODEL, plan).num_rows == 0
    known = answers.slice(0, 3)
    columns = (pa.array([text] * 3) for text in ("no", "yes-no@9", "ok"))
    rescored = overlay_values(answers, values_table(known, *columns))
    assert pc.sum(pc.equal(rescored["value"], "no")).as_py() == 3
    assert len(np.unique(raw_ids(answers["raw"]))) == 1


@pytest.mark.prove
def test_questions_of_more_than_two_gibibytes_are_planned_and_hashed() -> None:
    groups = [
        Group(Relation.SAME, (Query(Picture(f"p:{number % 7}.png"), f"{LONG} {number}?"),), (Gold.of("yes"),))
        for number in range(1000)
    ]
    table = groups_table([("test", group) for group in groups], "long")
    whole = pa.concat_tables([table] * 1150)
    assert whole["text"].nbytes > 2 << 30
    assert unique_queries(whole).equals(unique_queries(table))
    plan = plan_queries(whole, [0])
    missing = unanswered_rows(plan, lambda keys: keys)
    assert missing.num_rows == 1000
    ordered = order_by_picture(plan)
    assert ordered["picture"].to_pylist() == sorted(plan["picture"].to_pylist())
    assert len(fingerprint(whole, "groups")) == 32
