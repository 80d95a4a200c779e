"""Runs into a lab on disk: again, and side by side; `benchmarks.attacks.kills` has those that are killed."""

import sys
from pathlib import Path

import pyarrow.compute as pc
import pytest

from counterpoint.lab.running import RunRequest, run_model

PROJECT = Path(__file__).parents[2]
sys.path.append(str(PROJECT))  # where the benchmarks are, which hold the full figures of all this

from benchmarks.slow_model import a_lab, rows, said, started  # noqa: E402

SIZE = 1000


@pytest.mark.prove
def test_two_processes_running_one_model_and_one_running_another_give_every_answer_once(tmp_path: Path) -> None:
    whole = a_lab(tmp_path / "whole", SIZE)
    assert started(whole).wait() == 0
    lab = a_lab(tmp_path / "lab", SIZE)
    processes = [started(lab), started(lab), started(lab, "other")]
    assert [process.wait() for process in processes] == [0, 0, 0]
    for model in ("slow", "other"):
        assert said(lab, model).equals(said(whole, "slow"))
        assert rows(lab, model) == SIZE
    assert all(check.holds for check in lab.verify())


def test_a_second_run_asks_nothing_and_a_third_asks_only_the_suite_that_is_new(tmp_path: Path) -> None:
    lab, settings = a_lab(tmp_path / "lab", 300), RunRequest("benchmarks.slow_model:slow", batch_size=32)
    first, second = (run_model(lab, settings).outcome for _ in range(2))
    assert (first.asked, second.asked, second.cached) == (300, 0, 300)
    a_lab(tmp_path / "lab", 300, name="more", first=200)
    third = run_model(lab, settings).outcome
    assert (third.asked, third.cached) == (200, 300)
    assert pc.count_distinct(said(lab, "slow")["query"]).as_py() == rows(lab, "slow") == 500
    runs = lab.runs()
    assert [info.details["counts"]["asked"] for info in runs] == [300, 200], "a run that asks nothing leaves no record"
    assert {info.details["state"] for info in runs} == {"done"}
    assert set(runs[1].details["suites"]) == {"some", "more"}
    assert runs[0].details["disagreement"] == 0.0
    assert runs[0].details["settings"]["batch_size"] == 32
    assert {"counterpoint", "python", "pyarrow"} <= set(runs[0].details["versions"])
    assert runs[0].details["hardware"]["cores"]
