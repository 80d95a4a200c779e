"""Runs on a real Ray cluster, in a process of its own, so that nothing of it stays here."""

import os
import socket
import subprocess
import sys
from collections.abc import MutableMapping
from importlib.util import find_spec
from pathlib import Path

import pytest
from proving import prove

from counterpoint.core.errors import ModelError
from counterpoint.lab.running import RunRequest, run_model

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
PROJECT = Path(__file__).parents[2]


def judged(*words: str) -> list[str]:
    """The lines that the benchmark prints, one for each kill."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(PROJECT / "src"), str(PROJECT)])}
    command = [sys.executable, "-m", "benchmarks.ray_kills", *words]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if "Verdict" in line]
    assert lines, done.stderr
    return lines


@pytest.mark.parametrize("kind", ["worker", prove("suites")])
def test_a_worker_lost_on_a_cluster_changes_no_answer_and_actors_make_the_suites_of_one_process(kind: str) -> None:
    (line,) = judged(kind, "1")
    assert line.startswith("holds")


@pytest.mark.prove
def test_workers_nodes_and_drivers_lost_in_the_middle_of_a_shard_change_no_answer() -> None:
    lines = judged("worker", "node", "driver", "3")
    assert len(lines) == 9
    assert [line for line in lines if not line.startswith("holds")] == []


def test_a_model_on_a_server_makes_no_sense_on_ray(tmp_path: Path) -> None:
    from benchmarks.slow_model import a_lab

    with pytest.raises(ModelError, match="is on a server, which needs no workers"):
        run_model(a_lab(tmp_path / "lab", 5), RunRequest("openai/some", engine="ray", workers=2))


def test_an_address_at_which_nothing_listens_is_named_at_once(
    tmp_path: Path, environ: MutableMapping[str, str]
) -> None:
    from benchmarks.slow_model import a_lab

    with socket.socket() as taken:  # bound, and not listening
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        environ["RAY_ADDRESS"] = address
        with pytest.raises(ModelError, match=f"there is no Ray cluster at {address}: .*refused"):
            run_model(a_lab(tmp_path / "lab", 5), RunRequest("constant", engine="ray", workers=2))
