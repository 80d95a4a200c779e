"""The command that serves: it says where it listens, listens to nobody else, and ends when it is told."""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner
from labs import small_lab

from counterpoint.cli.serve import command
from counterpoint.core.errors import CounterpointError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_lab(tmp_path / "lab", models=1).folder


@pytest.fixture
def line(folder: Path) -> Iterator[str]:
    """What the command prints when it is ready."""
    program = "from counterpoint.cli.serve import command; command()"
    words = [sys.executable, "-c", program, str(folder), "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline()
        process.terminate()


def test_the_command_says_where_the_lab_is_and_shows_it_there(line: str) -> None:
    found = re.search(r"http://127\.0\.0\.1:\d+/overview", line)
    assert found, line
    with urlopen(found[0]) as answer:
        assert answer.status == 200
        assert "careful" in answer.read().decode()


def test_a_port_that_is_taken_is_said_with_help(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(CounterpointError, match="cannot be used") as problem:
            CliRunner().invoke(command, [str(folder), "--port", str(taken.getsockname()[1])], catch_exceptions=False)
        assert "--port" in problem.value.hint


def test_a_folder_that_is_no_lab_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a lab")
    with pytest.raises(CounterpointError, match="no lab"):
        CliRunner().invoke(command, [str(tmp_path)], catch_exceptions=False)
