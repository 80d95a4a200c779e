"""What is left when writers are killed, and what several writers at once make of one lab."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from patience import SECONDS
from proving import prove, scaled

from counterpoint.store.answers import read_answers, slug
from counterpoint.store.folder import StorageFolder
from counterpoint.store.tables import read_parquet

WRITER = """
import sys
from pathlib import Path
import numpy as np
import pyarrow as pa
from counterpoint.core.groups import Answer
from counterpoint.store import answers
from counterpoint.store.folder import StorageFolder
from counterpoint.store.parts import PartPolicy

folder, model, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
policy = PartPolicy(part_rows=40, merge_parts=4)  # many parts and many merges in a short life
ids = np.arange(count, dtype=np.uint64)
plan = pa.table({"query": ids, "trial": np.zeros(count, np.uint16), "digest": pa.array([""] * count)})
asked = 0
with answers.AnswerLog(StorageFolder(Path(folder)), model, policy=policy) as log:
    left = log.missing(plan)["query"].to_pylist()
    print("going", flush=True)
    for start in range(0, len(left), 10):
        log.add((query, 0, Answer.of(f"answer {query}"), "", 0.001) for query in left[start : start + 10])
        asked += len(left[start : start + 10])
print(asked, flush=True)
"""
COUNT = scaled(3000)


def writer(folder: Path, model: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, str(folder), model, str(COUNT)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finished(writers: Sequence["subprocess.Popen[str]"]) -> list[int]:
    """How many each of them asked."""
    said = [one.communicate(timeout=SECONDS)[0].split() for one in writers]
    assert [one.returncode for one in writers] == [0] * len(writers)
    return [int(words[-1]) for words in said]


def every_part_is_whole(folder: Path) -> None:
    storage = StorageFolder(folder)
    assert [name for name in storage.names("answers/") if read_parquet(storage, name, "answers").num_rows == 0] == []


def every_answer_is_there_once(folder: Path, model: str) -> None:
    storage = StorageFolder(folder)
    rows = sum(read_parquet(storage, name, "answers").num_rows for name in storage.names(f"answers/{slug(model)}/"))
    found = read_answers(storage, model)
    assert rows == found.num_rows == COUNT
    assert sorted(found["query"].to_pylist()) == list(range(COUNT))
    assert found["value"].to_pylist() == [f"answer {query}" for query in found["query"].to_pylist()]


@pytest.mark.parametrize(("seed", "kills"), [(0, 1), prove(0, 4), prove(1, 4)])
def test_a_writer_killed_at_any_moment_leaves_only_whole_parts(tmp_path: Path, seed: int, kills: int) -> None:
    luck, held = Random(seed), 0
    for _ in range(kills):
        with writer(tmp_path, "model") as process:
            assert process.stdout
            process.stdout.readline()
            time.sleep(luck.uniform(0, 0.25))
            process.kill()
        every_part_is_whole(tmp_path)
        before, held = held, read_answers(StorageFolder(tmp_path), "model").num_rows
        assert held >= before
    assert finished([writer(tmp_path, "model")]) == [COUNT - held]
    every_answer_is_there_once(tmp_path, "model")
    drafts = [path.name for path in (tmp_path / "answers" / slug("model")).glob(".*.draft")]
    assert drafts == []


@pytest.mark.prove
def test_two_models_at_once_do_not_wait_for_each_other(tmp_path: Path) -> None:
    assert finished([writer(tmp_path, name) for name in ("one", "other")]) == [COUNT, COUNT]
    for name in ("one", "other"):
        every_answer_is_there_once(tmp_path, name)


def test_of_two_runs_of_one_model_the_second_finds_nothing_to_do(tmp_path: Path) -> None:
    asked = finished([writer(tmp_path, "model") for _ in range(2)])
    assert sorted(asked) == [0, COUNT]
    every_answer_is_there_once(tmp_path, "model")


@pytest.mark.prove
def test_readers_see_whole_answers_while_others_write_and_merge(tmp_path: Path) -> None:
    process, seen = writer(tmp_path, "model"), [0]
    while process.poll() is None:
        found = read_answers(StorageFolder(tmp_path), "model", ["query", "trial", "state"])
        assert len(set(found["query"].to_pylist())) == found.num_rows >= seen[-1]
        seen.append(found.num_rows)
    finished([process])
    every_answer_is_there_once(tmp_path, "model")
