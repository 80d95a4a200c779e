"""The page of runs: what was asked, how far a run is, its workers, and that it follows a run."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from clients import local_client
from starlette.testclient import TestClient

from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.explorer.app import create_app
from counterpoint.explorer.pages.runs import PAGE
from counterpoint.lab.running import RunRequest, run_model
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> LabStore:
    """A lab with a run that is done."""
    groups = [Group(Relation.SAME, (Query(Picture(f"x:{n}.png"), "Is it red?"),), (Gold.of("yes"),)) for n in range(3)]
    table = groups_table([("plain", group) for group in groups], "plain")
    lab = LabStore(tmp_path_factory.mktemp("runs") / "lab")
    lab.put_suite(Manifest.of(table, generator="tests", seed=0), table)
    run_model(lab, RunRequest("question-only", version="one"))
    return lab


@pytest.fixture(scope="module")
def client(lab: LabStore, tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return local_client(create_app(lab, cache=tmp_path_factory.mktemp("cache")))


def running(asked: int, *, updated: str) -> RunRecord:
    workers = [
        {"name": "cuda:0", "state": "up", "answered": asked, "seconds": 2.0},
        {"name": "cuda:1", "state": "benched", "answered": 0, "seconds": 0.0, "losses": 3, "reason": "<it> died"},
    ]
    counts = {"asked": asked, "failed": 0, "cached": 5}
    details = {"state": "running", "counts": counts, "total": 400, "updated": updated, "workers": workers}
    return RunRecord("20991231T235959.000000-0badcafe", "large", "large 1", details, "v2")


def test_a_run_that_is_done_is_listed_with_its_counts(client: TestClient) -> None:
    [run] = client.get("/runs.json").json()["runs"]
    assert (run["model"], run["state"], run["asked"], run["failed"]) == ("question-only@one", "done", 3, 0)
    assert run["suites"] == ["plain"]
    assert run["address"] == "/models/question-only"
    page = client.get("/runs").text
    assert 'href="/models/question-only"' in page
    assert 'http-equiv="refresh"' not in page


def test_a_run_is_followed_and_a_silent_one_was_most_likely_killed(lab: LabStore, client: TestClient) -> None:
    now = datetime.now(UTC)
    for asked in (100, 200):
        lab.put_run(running(asked, updated=now.isoformat()))
        answer = client.get("/runs")
        assert f'<progress value="{asked}" max="400"' in answer.text
        assert 'http-equiv="refresh"' in answer.text
    assert "cuda:0: 200 answers, 100.0 a second" in answer.text
    assert "cuda:1: 0 answers, benched, lost 3 times: &lt;it&gt; died" in answer.text
    again = client.get("/runs", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304
    lab.put_run(running(200, updated=now.replace(year=2020).isoformat()))
    later = client.get("/runs")
    assert "most likely killed" in later.text
    assert 'http-equiv="refresh"' not in later.text
    (lab.folder / "runs" / "20991231T235959.000000-0badcafe.json").unlink()


def test_a_run_that_goes_on_records_how_far_it_is(lab: LabStore, tmp_path: Path) -> None:
    ticks, seen = iter(range(0, 10**6, 3)), list[RunRecord]()

    class Watched(LabStore):
        def put_run(self, info: RunRecord) -> None:
            seen.append(info)
            super().put_run(info)

    fresh = Watched(tmp_path / "lab")
    suite = lab.suite("plain")
    fresh.put_suite(replace(suite.manifest), suite.table)
    run_model(fresh, RunRequest("question-only", batch_size=1), clock=lambda: float(next(ticks)))
    states = [(record.details["state"], record.details["counts"]["asked"]) for record in seen]
    assert states[-1] == ("done", 3)
    assert {asked for state, asked in states if state == "running"} >= {1, 2}
    assert all(record.details["total"] == 3 for record in seen[:-1])
    assert "total" not in seen[-1].details
    run_model(fresh, RunRequest("question-only", version="two"))
    assert [record.details["state"] for record in fresh.runs()] == ["done", "done"], "also of a run that asks nothing"


def test_older_runs_are_on_further_pages(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    for number in range(PAGE + 1):
        lab.put_run(RunRecord(f"20260101T1200{number:02}", f"model-{number}", f"model-{number} 1", {"state": "done"}))
    client = local_client(create_app(lab, cache=tmp_path / "cache"))
    first, second = client.get("/runs.json").json(), client.get("/runs.json?page=2").json()
    assert (first["first"], first["last"], first["after"]) == (1, PAGE, "/runs?page=2")
    assert [run["model"] for run in second["runs"]] == ["model-0"]
    assert second["before"] == "/runs?page=1"
