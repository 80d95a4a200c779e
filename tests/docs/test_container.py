"""The container and compose files: their steps are run or parsed alone, since there is no engine here."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import click
import pytest
from export_labs import read_yaml

import counterpoint as cp
from counterpoint.cli.main import commands

PROJECT = Path(__file__).parents[2]
TEXT = re.sub(r"\\\n", " ", (PROJECT / "Containerfile").read_text(encoding="utf-8"))
LINES = [line.split(maxsplit=1) for line in TEXT.splitlines() if line and not line.startswith("#")]


def _values(instruction: str) -> list[str]:
    return [value for name, value in LINES if name == instruction]


def test_the_image_is_slim_and_its_programs_are_not_root() -> None:
    assert all("-slim-" in image for image in _values("FROM"))
    last_stage = [name for name, _ in LINES][::-1]
    assert last_stage.index("USER") < last_stage.index("FROM")
    assert _values("USER") == ["counterpoint"]
    assert "uid 10001" in _values("RUN")[-1]
    allowed = (PROJECT / ".dockerignore").read_text(encoding="utf-8").split()
    assert allowed[0] == "**"
    assert all((PROJECT / line[1:]).exists() for line in allowed if line.startswith("!"))


def _parse(words: list[str]) -> click.Command:
    command = commands.get_command(click.Context(commands), words[0])
    assert command is not None
    command.make_parser(click.Context(command)).parse_args(words[1:])
    return command


def test_the_words_of_the_image_are_a_command_with_its_options() -> None:
    (entry,), (words,) = map(json.loads, _values("ENTRYPOINT")), map(json.loads, _values("CMD"))
    assert entry == ["counterpoint"]
    command = _parse(words)
    assert _values("EXPOSE") == [str(next(option.default for option in command.params if option.name == "port"))]


def test_the_compose_file_joins_the_pages_to_their_store() -> None:
    whole = read_yaml((PROJECT / "compose.yaml").read_text("utf-8"))
    pages, store = whole["services"]["pages"], whole["services"]["store"]
    _parse(pages["command"])
    lab = urlsplit(pages["command"][1])
    assert (lab.scheme, f"-bucket={lab.netloc}" in store["command"]) == ("s3", True)
    assert (PROJECT / pages["build"]["dockerfile"]).exists()
    extras = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert pages["build"]["args"]["EXTRAS"].strip("[]") in extras
    own, its = pages["environment"], store["environment"]
    assert urlsplit(own["AWS_ENDPOINT_URL"]).hostname == "store"
    assert own | its == own  # the same key and secret
    assert not {name: value for name, value in own.items() if re.search("SECRET|TOKEN", name) and value[:2] != "${"}
    assert "ports" not in store
    assert [port.rpartition(":")[2] for port in pages["ports"]] == _values("EXPOSE")
    assert [volume.partition(":")[0] for volume in store["volumes"]] == list(whole["volumes"])


def _health(port: int) -> int:
    words = json.loads(_values("HEALTHCHECK")[0].partition("CMD ")[2])
    return subprocess.run(
        [sys.executable, *words[1:-1], words[-1].replace("8400", str(port))], capture_output=True
    ).returncode


def test_a_dead_server_is_not_healthy() -> None:
    with socket.socket() as taken:  # bound and not listening: nobody else gets it, and it answers nothing
        taken.bind(("127.0.0.1", 0))
        assert _health(taken.getsockname()[1]) != 0


@pytest.mark.prove
def test_the_steps_build_a_server_that_is_healthy(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for line in (PROJECT / ".dockerignore").read_text(encoding="utf-8").split():
        if line.startswith("!"):
            path = PROJECT / line[1:]
            copy = shutil.copytree if path.is_dir() else shutil.copy
            source.mkdir(exist_ok=True)
            copy(path, source / path.name)
    build = [line for line in _values("RUN") if "useradd" not in line]
    tools = tmp_path / "tools"
    subprocess.run([sys.executable, "-m", "venv", str(tools)], check=True)
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    variables |= {"PATH": f"{tools / 'bin'}{os.pathsep}{os.environ['PATH']}", "EXTRAS": ""}
    for step in build:
        script = re.sub(r"(?<![\w.])/(source|wheels|opt)\b", rf"{tmp_path}/\1", step)
        subprocess.run(["bash", "-e", "-c", script], check=True, env=variables, cwd=tmp_path)
    lab = cp.Lab(tmp_path / "lab")
    lab.generate("order", items=4, limit=4)
    lab.run("constant")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = tmp_path / "opt" / "counterpoint" / "bin" / "counterpoint"
    (words,) = map(json.loads, _values("CMD"))
    secret = variables | {"COUNTERPOINT_TOKEN": "a token of many letters"}
    server = subprocess.Popen([program, *words, "--port", str(port)], cwd=tmp_path, env=secret)
    try:
        while _health(port):
            assert server.poll() is None
            time.sleep(0.2)
    finally:
        server.terminate()
        server.wait()
