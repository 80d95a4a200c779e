"""Values at rest: the last written stand over the answers they were taken from, and over no others."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabled import answers, calm, texts

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Answer, State
from counterpoint.core.ids import content_id
from counterpoint.store import answers as as_given
from counterpoint.store.answers import slug
from counterpoint.store.lab import LabStore
from counterpoint.store.tables import ANSWERS, VALUES, to_parquet
from counterpoint.store.values import put_values, raw_ids, read_answers, read_values, values_table
from counterpoint.store.versions import RunRecord

MODEL = "model"


def said(lab: LabStore, *rows: tuple[int, Answer], trial: int = 0, digest: str = "") -> None:
    with lab.answers(MODEL) as log:
        lab.put_run(RunRecord(log.run, MODEL, MODEL))
        log.add((query, trial, answer, digest, 0.0) for query, answer in rows)


def retaken(lab: LabStore, value: str, *queries: int, rule: str = "other") -> None:
    """Every answer to these queries has this value now."""
    found = as_given.read_answers(lab.storage, MODEL)
    found = found.filter(pa.array([query in queries for query in found["query"].to_pylist()], pa.bool_()))
    columns = ([text] * found.num_rows for text in (value, rule, "ok"))
    table = values_table(found, *(pa.array(column, pa.string()) for column in columns))
    put_values(lab.storage, MODEL, table, pa.array(queries, pa.uint64()))


def held(lab: LabStore) -> dict[int, str]:
    found = lab.read_answers(MODEL, ["query", "value"])
    return dict(zip(found["query"].to_pylist(), found["value"].to_pylist(), strict=True))


def test_values_stand_over_answers_and_answers_are_not_rewritten(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    said(lab, (1, Answer.of("Yes.")), (2, Answer.of("No.")))
    before = {path: path.read_bytes() for path in lab.folder.glob("answers/*/*.parquet")}
    retaken(lab, "yes", 1)
    assert held(lab) == {1: "yes", 2: "No."}
    assert lab.read_answers(MODEL).schema.equals(ANSWERS)
    assert lab.read_answers(MODEL, ["rule"])["rule"].to_pylist() == ["other", "exact"]
    assert lab.read_answers(MODEL, ["raw"])["raw"].to_pylist() == ["Yes.", "No."]
    assert {path: path.read_bytes() for path in lab.folder.glob("answers/*/*.parquet")} == before


def test_the_last_values_win_those_of_other_queries_stay_and_one_file_is_left(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    said(lab, *((query, Answer.of("raw")) for query in (1, 2, 3)))
    retaken(lab, "first", 1, 2)
    retaken(lab, "second", 2, 3)
    assert held(lab) == {1: "first", 2: "second", 3: "second"}
    assert len(list(lab.folder.glob("values/*/*.parquet"))) == 1


def test_values_can_be_taken_away_from_some_or_all_queries(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    said(lab, (1, Answer.of("a")), (2, Answer.of("b")))
    retaken(lab, "other", 1, 2)
    put_values(lab.storage, MODEL, VALUES.empty_table(), pa.array([1], pa.uint64()))
    assert held(lab) == {1: "a", 2: "other"}
    put_values(lab.storage, MODEL, VALUES.empty_table(), pa.array([2], pa.uint64()))
    assert held(lab) == {1: "a", 2: "b"}
    assert not list(lab.folder.glob("values/*/*.parquet"))


def test_a_value_of_an_older_text_does_not_stand_over_a_new_answer(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    said(lab, (1, Answer.of("Yes.")), (2, Answer.failed("time-out")), (3, Answer.of("No.")), digest="old")
    retaken(lab, "old value", 1, 3)
    said(
        lab,
        (1, Answer.of("No, not any more.", value="no")),
        (2, Answer.of("late")),
        (3, Answer.of("No.")),
        digest="new",
    )
    assert held(lab) == {1: "no", 2: "late", 3: "old value"}


def test_trials_have_values_of_their_own(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    said(lab, (1, Answer.of("same")))
    retaken(lab, "plain", 1)
    said(lab, (1, Answer.of("same")), trial=1)
    found = lab.read_answers(MODEL, ["trial", "value"]).to_pylist()
    assert found == [{"trial": 0, "value": "plain"}, {"trial": 1, "value": "same"}]


@calm
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), answers()), max_size=12), st.data())
def test_each_answer_has_the_value_that_a_plain_loop_finds(
    rows: list[tuple[int, int, Answer]], data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        lab = LabStore(folder)
        with lab.answers(MODEL) as log:
            log.add((query, trial, answer, "", 0.0) for query, trial, answer in rows)
        own = as_given.read_answers(lab.storage, MODEL).to_pylist()
        kept = [row for row in own if data.draw(st.booleans())]
        table = pa.Table.from_pylist(
            [
                {**row, "raw_id": content_id(row["raw"]) if data.draw(st.booleans()) else 0}
                | {"value": data.draw(texts), "rule": "r", "state": "unparsed"}
                for row in kept
            ],
            VALUES,
        )
        put_values(lab.storage, MODEL, table, pa.array([], pa.uint64()))
        by_key = {(row["query"], row["trial"], row["raw_id"]): row for row in table.to_pylist()}
        wanted = [
            row
            | {name: by_key.get((row["query"], row["trial"], content_id(row["raw"])), row)[name] for name in table_of}
            for row in own
            for table_of in [("value", "rule", "state")]
        ]
        assert lab.read_answers(MODEL).to_pylist() == wanted


def test_a_text_has_one_number_wherever_it_stands() -> None:
    column = pa.chunked_array([["a", "b"], ["a", ""]])
    assert raw_ids(column).tolist() == [content_id(text) for text in ("a", "b", "a", "")]
    assert raw_ids(pa.chunked_array([], pa.string())).dtype == np.uint64


def test_a_lab_without_values_reads_no_more_than_before(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    said(lab, (1, Answer.of("a")))
    assert read_values(lab.storage, MODEL).num_rows == 0
    assert read_answers(lab.storage, MODEL).equals(as_given.read_answers(lab.storage, MODEL))


def test_verify_covers_values(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    said(lab, (1, Answer.of("a")))
    retaken(lab, "b", 1)
    (name,) = (name for name in lab.storage.names("values/"))
    assert name in {check.place for check in lab.verify() if check.holds}
    whole = lab.storage.get(name)
    lab.storage.put(f"values/{slug('another')}/1.parquet", whole)
    (wrong,) = (check for check in lab.verify() if not check.holds)
    assert "holds values of the model 'model'" in wrong.found
    lab.storage.delete(f"values/{slug('another')}/1.parquet")
    odd = read_values(lab.storage, MODEL).to_pylist()[0] | {"state": str(State.FAILED)}
    lab.storage.put(name, to_parquet(pa.Table.from_pylist([odd], VALUES)))
    assert ["no value has the state 'failed'" in check.found for check in lab.verify() if not check.holds] == [True]
    lab.storage.put(name, whole[:-9])
    with pytest.raises(StoreError, match="cannot be read as Parquet"):
        lab.read_answers(MODEL)
