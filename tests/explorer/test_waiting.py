"""A server answers at once: while tables are built it says how far they are, then shows the suites that are ready."""

from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from clients import local_client
from labs import small_lab
from starlette.testclient import TestClient

from counterpoint.explorer.app import create_app
from counterpoint.lab.reader import LabReader
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.files import BuildCallback, BuildStep


@pytest.fixture
def lab(tmp_path: Path) -> LabStore:
    return small_lab(tmp_path / "lab")


def _client(lab: LabStore, progress: BuildCallback = lambda step: None) -> tuple[TestClient, LabReader]:
    """A server over a lab as if it were large, but for the process that would build its tables."""
    cache = lab.folder.parent / "cache"
    app = create_app(lab, cache=cache)
    app.state.reader = LabReader(lab, cache, progress, small=0, background=True)
    app.state.reader._worker = ()
    return local_client(app), app.state.reader


def _overview_after(client: TestClient, reader: LabReader) -> Any:
    """The first page once the thread that builds the tables has ended."""
    assert client.get("/overview").status_code == 503
    assert reader._thread is not None
    reader._thread.join()
    return client.get("/overview")


def test_a_lab_whose_tables_are_not_there_says_so_and_asks_again(lab: LabStore) -> None:
    leave = Event()

    def hold(step: object) -> None:
        leave.wait()

    client, reader = _client(lab, hold)
    page = client.get("/overview")
    assert page.status_code == 503
    assert page.headers["retry-after"] == "2"
    assert 'http-equiv="refresh"' in page.text
    assert client.get("/suites/plain.json").json()["problem"].startswith("the tables of lab are being made")
    leave.set()
    reader.wait()
    assert client.get("/overview").status_code == 200
    page = client.get("/nowhere")
    assert page.status_code == 404
    assert "3 models · 201 answers" in page.text, "a page that does not exist knows the lab"


@pytest.mark.prove
def test_pages_say_that_more_suites_will_come(lab: LabStore) -> None:
    said: list[str] = []
    client, reader = _client(lab, lambda step: said.append(client.get("/overview").text))
    assert client.get("/overview").status_code == 503
    reader.wait()
    told = "suites are shown while the tables of the others are being made"
    assert f"1 of 2 {told}" in said[-1] or "are shown while" not in said[-1], (
        "the second may be there before it is told"
    )
    assert "are shown while" not in client.get("/overview").text


@pytest.mark.prove
def test_nothing_more_is_announced_once_all_suites_are_shown(lab: LabStore) -> None:
    client, reader = _client(lab)
    _overview_after(client, reader)
    leave = Event()
    reader._step, reader._thread = BuildStep("indexing groups", 2, 2), Thread(target=leave.wait)
    reader._thread.start()
    page = client.get("/overview").text
    leave.set()
    assert "are shown while" not in page


@pytest.mark.prove
def test_a_part_is_not_shown_as_the_whole_where_the_other_tables_cannot_be_made(lab: LabStore) -> None:
    def break_down(step: BuildStep) -> None:
        if step.about.startswith("indexing"):
            raise RuntimeError("no more of this")

    client, reader = _client(lab, break_down)
    page = _overview_after(client, reader)
    assert page.status_code == 200
    assert "Not everything is shown" in page.text
    assert "RuntimeError: no more of this" in page.text
    reader._progress = lambda step: None
    reader.wait()
    client.get("/overview")
    reader.wait()
    assert "Not everything is shown" not in client.get("/overview").text
    assert reader.failure == ""


def test_a_lab_of_which_nothing_can_be_shown_says_why(lab: LabStore) -> None:
    def break_down(step: BuildStep) -> None:
        raise RuntimeError("no more of this")

    page = _overview_after(*_client(lab, break_down))
    assert page.status_code == 500
    assert "no more of this" in page.text


def test_suites_that_are_ready_are_shown_before_anything_is_made(lab: LabStore) -> None:
    begun, leave = Event(), Event()

    def hold(step: object) -> None:
        begun.set()
        leave.wait()

    LabReader(lab, lab.folder.parent / "cache").update(["odd"])
    client, reader = _client(lab, hold)
    client.get("/overview")
    begun.wait()  # the thread has shown what is ready before its first step
    page = client.get("/overview")
    assert "1 of 2 suites are shown" in page.text
    leave.set()
    reader.wait()
