"""Answers at rest: each once, a settled one stands whatever clocks say, and nothing that is there is asked again."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabled import answers, calm

from counterpoint.core.costs import Usage
from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation, State
from counterpoint.core.pictures import Picture
from counterpoint.store.answers import DIGESTED, AnswerLog, AnswerRows, StoredAnswer, read_answers, slug, verify
from counterpoint.store.fingerprints import RowDigest
from counterpoint.store.folder import StorageFolder
from counterpoint.store.groups import groups_table, unique_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.parts import PartPolicy, new_run_name, parts_by_run, read_parts
from counterpoint.store.suites import Manifest
from counterpoint.store.tables import ANSWERS, read_parquet, to_parquet

MODEL = "a model: with / signs"
ROWS = st.tuples(st.integers(0, 4), st.integers(0, 1), answers(), st.sampled_from(["", "d1", "d2"]), st.just(0.5))
PLANNED = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.sampled_from(["", "d1", "d2"])), max_size=12)


def said(query: int, text: str = "yes", *, trial: int = 0, digest: str = "") -> StoredAnswer:
    return query, trial, Answer.of(text), digest, 0.5


def plan_of(rows: Iterable[tuple[int, int, str]]) -> pa.Table:
    listed = list(rows)
    columns = [[row[place] for row in listed] for place in range(3)]
    kinds = [pa.uint64(), pa.uint16(), pa.string()]
    made = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    return pa.table(made, names=["query", "trial", "digest"])


def standing(runs: list[list[StoredAnswer]]) -> dict[tuple[int, int], StoredAnswer]:
    """Which answer stands where no picture is known, by a plain loop."""
    found: dict[tuple[int, int], StoredAnswer] = {}
    for row in (row for run in runs for row in run):
        before = found.get(row[:2])
        if before is None or row[2].state is not State.FAILED or before[2].state is State.FAILED:
            found[row[:2]] = row
    return found


@calm
@given(st.lists(st.lists(ROWS, max_size=6), max_size=3), PLANNED, st.booleans(), st.booleans())
def test_what_stands_and_what_is_missing_is_what_a_plain_loop_finds(
    runs: list[list[StoredAnswer]], planned: list[tuple[int, int, str]], encoded: bool, small: bool
) -> None:
    with TemporaryDirectory() as folder:
        storage = StorageFolder(Path(folder))
        for number, rows in enumerate(runs):
            with AnswerLog(storage, MODEL, run=f"run{number}") as log:
                for row in rows:
                    log.add([row])
                    if small:
                        log.flush()
        expected = standing(runs)
        found = read_answers(storage, MODEL)
        keys = zip(found["query"].to_pylist(), found["trial"].to_pylist(), strict=True)
        stands = dict(
            zip(keys, zip(*(found[name].to_pylist() for name in ("digest", "value")), strict=True), strict=True)
        )
        assert stands == {key: (row[3], row[2].value) for key, row in expected.items()}
        plan = plan_of(planned)
        if encoded:
            plan = plan.set_column(2, "digest", plan["digest"].dictionary_encode())
        with AnswerLog(storage, MODEL) as log:
            missing = log.missing(plan.append_column("row", pa.array(range(len(planned)))))
        settled = {(*row[:2], row[3]) for run in runs for row in run if row[2].state is not State.FAILED}
        assert missing["row"].to_pylist() == [place for place, row in enumerate(planned) if row not in settled]


@calm
@given(st.lists(ROWS, max_size=5))
def test_an_answer_is_kept_with_all_it_holds(rows: list[StoredAnswer]) -> None:
    gathered = AnswerRows(MODEL)
    gathered.extend(iter(rows))
    assert len(gathered) == len(rows)
    table = gathered.drain()
    assert len(gathered) == 0
    assert table.schema.equals(ANSWERS, check_metadata=True)
    for row, (query, trial, answer, digest, seconds) in zip(table.to_pylist(), rows, strict=True):
        assert (row["query"], row["trial"], row["digest"], row["seconds"]) == (query, trial, digest, seconds)
        assert (row["value"], row["rule"], row["state"]) == (answer.value, answer.rule, answer.state)
        assert (row["score"], row["reason"], row["model"]) == (answer.score, answer.reason, MODEL)
        assert row["raw"].startswith("half ") if "\ud800" in answer.raw else row["raw"] == answer.raw
        assert [(one["value"], one["probability"]) for one in row["top"]] == list(answer.top)
        stated = answer.usage or Usage()
        tokens = (stated.tokens_in, stated.tokens_out) if answer.usage else (None, None)
        assert (row["tokens_in"], row["tokens_out"]) == tokens


def test_parts_from_before_tokens_and_prompts_were_kept_are_read_and_merged_with_nulls(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    rows = AnswerRows(MODEL)
    rows.extend([said(1)])
    former = rows.drain().drop_columns(["tokens_in", "tokens_out", "prompt", "offered"])
    storage.put(f"answers/{slug(MODEL)}/before-00000000.parquet", to_parquet(former))
    with AnswerLog(storage, MODEL, run="now") as log:
        answer = replace(Answer.of("no"), usage=Usage(70, 4), prompt="Is it?", offered=("no", "y\ud800"))
        log.add([(2, 0, answer, "", 0.5)])
    columns = ["query", "tokens_in", "tokens_out", "prompt", "offered"]
    assert read_answers(storage, MODEL, columns).to_pylist() == [
        dict(zip(columns, (1, None, None, None, None), strict=True)),
        dict(zip(columns, (2, 70, 4, "Is it?", ["no", "y" + 3 * "\ufffd"]), strict=True)),
    ]
    assert all(check.holds for check in verify(storage))


def test_a_part_is_put_every_second_or_when_it_is_full(tmp_path: Path) -> None:
    storage, now = StorageFolder(tmp_path), [0.0]
    log = AnswerLog(storage, MODEL, run="run", clock=lambda: now[0], policy=PartPolicy(part_rows=5))
    log.add([said(1), said(2)])
    assert storage.names() == []
    now[0] = 0.9
    log.add([said(3)])
    assert storage.names() == []
    now[0] = 1.0
    log.add([said(4)])
    assert len(storage.names()) == 1
    log.add(said(query) for query in range(5, 10))
    assert len(storage.names()) == 2
    log.close()
    assert len(storage.names()) == 1
    assert read_answers(storage, MODEL, ["query"])["query"].to_pylist() == list(range(1, 10))


def test_parts_are_merged_on_the_way_so_that_a_kill_never_leaves_many(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    log = AnswerLog(storage, MODEL, run="run", policy=PartPolicy(merge_parts=3))
    for query in range(30):
        log.add([said(query)])
        log.flush()
        assert len(storage.names()) <= 2 * 4
        assert read_answers(storage, MODEL)["query"].to_pylist() == list(range(query + 1))
    log.close()
    assert [name.rpartition("/")[2] for name in storage.names()] == ["run-00000000_00000029.parquet"]


def test_a_part_that_is_large_is_not_merged_again(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    with AnswerLog(storage, MODEL, run="run", policy=PartPolicy(full_rows=4)) as log:
        for start in range(0, 12, 2):
            log.add([said(start), said(start + 1)])
            log.flush()
    assert len(storage.names()) == 3
    assert read_answers(storage, MODEL)["query"].to_pylist() == list(range(12))


def test_parts_that_a_kill_kept_from_being_deleted_count_once_and_go(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    with AnswerLog(storage, MODEL, run="run") as log:
        log.add([said(1)])
        log.flush()
        (name,) = storage.names()
        content = storage.get(name)
        log.add([said(2)])
    storage.put(name, content)
    assert len(storage.names()) == 2
    assert read_parts(storage, f"answers/{slug(MODEL)}", "answers", ["query"])["query"].to_pylist() == [1, 2]
    AnswerLog(storage, MODEL).missing(plan_of([]))
    assert [one.rpartition("-")[2] for one in storage.names()] == ["00000000_00000001.parquet"]


def test_a_merge_while_somebody_reads_is_not_noticed(tmp_path: Path) -> None:
    looks: list[list[str]] = []

    class Merging(StorageFolder):
        """A folder whose parts are merged right after they were first listed."""

        def names(self, prefix: str = "") -> list[str]:
            names = super().names(prefix)
            if not looks:
                looks.append(names)
                log.merge()
            return names

    log = AnswerLog(StorageFolder(tmp_path), MODEL, run="run")
    for query in range(3):
        log.add([said(query)])
        log.flush()
    assert read_answers(Merging(tmp_path), MODEL)["query"].to_pylist() == [0, 1, 2]
    assert len(looks[0]) == 3


def test_a_failed_answer_is_asked_again_and_a_settled_one_stands(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    with AnswerLog(storage, MODEL, run="a") as log:
        log.add([(1, 0, Answer.failed("time-out"), "", 1.0), said(2)])
        assert log.missing(plan_of([(1, 0, ""), (2, 0, "")]))["query"].to_pylist() == [1]
    with AnswerLog(storage, MODEL, run="b") as log:
        log.add([said(1, "no"), (2, 0, Answer.failed("time-out"), "", 1.0)])
        assert log.missing(plan_of([(1, 0, ""), (2, 0, "")])).num_rows == 0
    assert read_answers(storage, MODEL)["value"].to_pylist() == ["yes", "no"]


def test_the_answer_about_the_picture_as_it_is_stands_whatever_the_clock_said(tmp_path: Path) -> None:
    lab, file = LabStore(tmp_path / "lab"), tmp_path / "1.png"
    query = Query(Picture("photos:1.png"), "What is it?")
    table = groups_table([("test", Group(Relation.SAME, (query,), (Gold.of("cat"),)))], "suite")
    lab.put_suite(Manifest.of(table, generator="", seed=0), table)
    lab.set_root("photos", tmp_path)
    for run, (look, asked) in enumerate([("old", 1), ("new", 1), ("old", 0), ("new", 0)]):
        file.write_text(look)
        plan = lab.with_digests(unique_queries(table), lab.pictures()).append_column(
            "trial", pa.array([0], pa.uint16())
        )
        with lab.answers(MODEL, run=f"run{9 - run}") as log:  # as if the clock went back between runs
            assert log.missing(plan).num_rows == asked
            if asked:
                log.add([said(query.id, f"a {look} cat", digest=plan["digest"][0].as_py())])
        assert lab.read_answers(MODEL, ["value"])["value"].to_pylist() == [f"a {look} cat"]


def test_a_log_without_answers_misses_everything_and_reads_as_an_empty_table(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    plan = plan_of([(1, 0, ""), (2, 0, "")])
    assert AnswerLog(storage, MODEL).missing(plan).equals(plan)
    assert read_answers(storage, MODEL).schema.equals(ANSWERS)


def test_closing_twice_or_without_a_look_does_no_harm(tmp_path: Path) -> None:
    log = AnswerLog(StorageFolder(tmp_path), MODEL)
    log.close()
    log.add([said(1)])
    log.close()
    log.close()
    assert read_answers(StorageFolder(tmp_path), MODEL).num_rows == 1


def test_a_foreign_file_among_the_parts_is_named_and_stays(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    with AnswerLog(storage, MODEL, run="run") as log:
        log.add([said(1)])
    storage.put(f"answers/{slug(MODEL)}/other.parquet", b"not a table")
    with pytest.raises(StoreError, match=r"other\.parquet cannot be read as Parquet"):
        read_answers(storage, MODEL)
    assert storage.get(f"answers/{slug(MODEL)}/other.parquet") == b"not a table"


def test_folders_of_models_are_told_apart_and_fit_every_file_system() -> None:
    names = ["", "a", "A", "a b", "a/b", "a:b", "é" * 500, "é" * 501, "..", "con"]
    assert len({slug(name).lower() for name in names}) == len(names)
    assert all(len(slug(name)) <= 60 and slug(name).isascii() and "/" not in slug(name) for name in names)


def test_names_of_runs_sort_by_time_and_never_repeat() -> None:
    names = [new_run_name() for _ in range(50)]
    assert len(set(names)) == 50
    assert [name[:22] for name in names] == sorted(name[:22] for name in names)


def test_ids_that_use_all_their_bits_survive(tmp_path: Path) -> None:
    ids = [0, 1, 2**63, 2**64 - 1]
    with AnswerLog(StorageFolder(tmp_path), MODEL) as log:
        log.add(said(query, trial=65535) for query in ids)
        assert log.missing(plan_of([(query, 65535, "") for query in ids])).num_rows == 0
    assert read_answers(StorageFolder(tmp_path), MODEL)["query"].to_numpy().dtype == np.uint64


def _digest(rows: Iterable[StoredAnswer], size: int = 99) -> dict[str, object]:
    whole, listed = RowDigest(DIGESTED), list(rows)
    for start in range(0, len(listed), size):
        part = AnswerRows(MODEL)
        part.extend(listed[start : start + size])
        whole.update(part.drain())
    return whole.to_dict()


@calm
@given(st.lists(ROWS, min_size=1, max_size=6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_the_digest_of_a_run_knows_its_rows_and_not_its_parts(rows: list[StoredAnswer], size: int, rng: Random) -> None:
    assert _digest(rows) == _digest(rows, size)
    with TemporaryDirectory() as folder:
        storage = StorageFolder(Path(folder))
        with AnswerLog(storage, MODEL, run="run", policy=PartPolicy(part_rows=1, merge_parts=2)) as log:
            for row in rows:
                log.add([row])
        (name,) = parts_by_run(storage, f"answers/{slug(MODEL)}")["run"]
        stored = RowDigest(DIGESTED)
        stored.update(read_parquet(storage, name, "answers"))
        assert stored.to_dict() == log.written.to_dict() == _digest(rows)
    changed = list(rows)
    place = rng.randrange(len(rows))
    query, trial, answer, digest, seconds = rows[place]
    changed[place] = (query, trial, replace(answer, raw=f"{answer.raw}."), digest, seconds)
    assert _digest(changed)["digest"] != _digest(rows)["digest"]
    assert _digest([*rows, rows[0]])["digest"] != _digest(rows)["digest"]
