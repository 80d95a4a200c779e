"""A lab keeps the batches that a server works on: a run that is killed is collected by the next one."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner, Result
from patience import SECONDS

import counterpoint as cp
from counterpoint.cli.main import commands
from counterpoint.testing import ChatServer
from counterpoint.testing.batch_protocol import BatchState

KEY = "sk-open-sesame-0123456789"
RUN = "from counterpoint.cli.main import commands; commands()"


class BatchServer:
    """A server whose batches have the status that is set, and which tells when one is first looked at."""

    def __init__(self) -> None:
        self.status, self.seen = "in_progress", Event()
        self.double = ChatServer(lambda asked: f"Yes, {KEY} fits.", key=KEY, batches=self._decide)

    def _decide(self, batch: BatchState) -> str:
        self.seen.set()
        return self.status

    def batches(self) -> list[dict[str, Any]]:
        """All batches, the latest first."""
        request = Request(f"{self.double.base_url}/batches?limit=100", headers={"Authorization": f"Bearer {KEY}"})
        with urlopen(request) as response:
            return list(json.load(response)["data"])


@pytest.fixture
def server() -> Iterator[BatchServer]:
    server = BatchServer()
    with server.double:
        yield server


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    made = CliRunner().invoke(commands, ["generate", str(folder), "--suite", "order", "--items", "6"])
    assert made.exit_code == 0, made.output
    return folder


def _words(lab: Path, server: BatchServer) -> list[str]:
    words = ["run", str(lab), "--model", "openai/double", "--base-url", server.double.base_url]
    return [*words, "--batch", "--model-args", "poll=0.01"]


def _run(lab: Path, server: BatchServer) -> Result:
    return CliRunner(env={"OPENAI_API_KEY": KEY}).invoke(commands, _words(lab, server))


def _kill_between_submission_and_collection(lab: Path, server: BatchServer) -> None:
    environment = {"OPENAI_API_KEY": KEY, "PYTHONPATH": ":".join(filter(None, sys.path))}
    line = [sys.executable, "-c", RUN, *_words(lab, server)]
    with subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        assert server.seen.wait(SECONDS)
        process.kill()


def _states(lab: Path) -> dict[str, int]:
    states = cp.Lab(lab).answers("openai/double").to_arrow()["state"].to_pylist()
    return {state: states.count(state) for state in set(states)}


def _contents(lab: Path) -> str:
    return "".join(path.read_bytes().decode("latin-1") for path in lab.rglob("*") if path.is_file())


def _check_that_a_damaged_record_ends_a_run(lab: Path, server: BatchServer, kept: Path) -> None:
    """A run without the record would submit everything again."""
    assert CliRunner().invoke(commands, ["verify", str(lab)]).exit_code == 0
    whole = kept.read_text()
    kept.write_text("{")
    assert CliRunner().invoke(commands, ["verify", str(lab)]).exit_code == 1
    assert f"{kept.name} cannot be read as JSON" in str(_run(lab, server).exception)
    kept.write_text(whole)


@pytest.mark.prove
def test_a_run_that_is_killed_after_it_submitted_is_collected_by_the_next_one(lab: Path, server: BatchServer) -> None:
    _kill_between_submission_and_collection(lab, server)
    (kept,) = (lab / "batches").rglob("*.json")
    (batch,) = server.batches()
    assert json.loads(kept.read_text())["batch"] == batch["id"]
    server.status = "completed"
    _check_that_a_damaged_record_ends_a_run(lab, server, kept)
    done = _run(lab, server)
    assert done.exit_code == 0, done.output
    assert len(server.batches()) == 1
    assert _states(lab) == {"ok": batch["request_counts"]["total"] + 1}
    assert not list((lab / "batches").rglob("*.json"))
    assert KEY not in _contents(lab) + done.output
    assert "0 answers" in _run(lab, server).output


def test_what_an_expired_batch_has_no_reply_to_is_submitted_by_the_next_run(lab: Path, server: BatchServer) -> None:
    server.status = "expired"
    first = _run(lab, server)
    states = _states(lab)
    total = server.batches()[0]["request_counts"]["total"]
    assert states == {"ok": 1 + total // 2, "failed": total - total // 2}
    assert "could not be executed in time" in first.output
    server.status = "completed"
    done = _run(lab, server)
    assert done.exit_code == 0, done.output
    late, _ = server.batches()
    assert late["request_counts"]["total"] + 1 == states["failed"]
    assert _states(lab) == {"ok": sum(states.values())}


def test_a_batch_that_fails_whole_stops_the_run_and_the_next_one_submits_anew(lab: Path, server: BatchServer) -> None:
    server.status = "failed"
    stopped = _run(lab, server)
    assert "the batch failed: the file is refused" in str(stopped.exception)
    assert not list((lab / "batches").rglob("*.json"))
    server.status = "completed"
    assert _run(lab, server).exit_code == 0
    assert set(_states(lab)) == {"ok"}
    assert len(server.batches()) == 2
