"""The examples that the help of each command ends with: there are two, and they run."""

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from PIL import Image
from proving import prove, sample

import counterpoint as cp
from counterpoint.cli import examples, ls
from counterpoint.cli.examples import EXAMPLES
from counterpoint.cli.main import COMMANDS, commands
from counterpoint.core.votes import Vote
from counterpoint.store.votes import append_votes

SUITES = ("negation", "rephrase", "existence", "contrast", "rad-counterfactuals", "question-bias")
MODELS = {"fusion": "constant", "question-only": "random", "cnn-lstm": "question-only"}
"""Quick models under the names of those in the examples."""
HEAVY = {"demo", "doctor", "export-site", "report"}  # doctor imports torch where it is installed
"""Commands that take seconds even on little, and are run by `make prove`."""
ELSEWHERE = {"translate"}
"""Commands that need a model or a program that is not installed: their words are parsed alone."""
FAILS = {"gate": 3, "eval": 3}
"""The exit code of commands that may say no."""
COLUMNS = {"question": "Q", "answer": "A", "image": "FILE"}
SIZE = re.compile(r"--items \d+")
EVALUATION = """
lab = "lab"
[[suites]]
suite = "negation"
items = 40
limit = 60
[[models]]
model = "constant"
[[gates]]
rules = ["accuracy >= 60 %"]
"""


def _leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for part, own in command.commands.items():
            yield from _leaves(own, f"{name} {part}")
    else:
        yield name, command


@pytest.fixture(scope="module")
def example_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lab called lab, with suites, models, votes, and the files that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    lab = cp.Lab(folder / "lab")
    lab.generate(SUITES[0], items=40, limit=60)
    lab.generate(*SUITES[1:], items=8, limit=6)
    for name, model in MODELS.items():
        lab.run(model, name=name)
    _vote(lab, "existence", "judge", "caption")
    _vote(lab, "negation", "audit", "right")
    (folder / "images").mkdir()
    for path in (folder / "bus.jpg", folder / "images" / "bus.jpg"):
        Image.new("RGB", (64, 48), "red").save(path)
    (folder / "questions.csv").write_text("Q,A,FILE\nWhat color is the bus?,red,bus.jpg\n", encoding="utf-8")
    lab.generate("plain", source="plain", data=folder / "questions.csv", columns=COLUMNS)
    (folder / "counterpoint.toml").write_text(EVALUATION, encoding="utf-8")
    rows = lab.groups("negation").to_arrow().to_pylist()
    lines = [json.dumps({"query": str(row["query"]), "answer": "yes"}) for row in rows]
    (folder / "answers.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def _vote(lab: cp.Lab, suite: str, task: str, choice: str) -> None:
    """Three people agree about every group."""
    groups = sorted({row["group_id"] for row in lab.groups(suite).to_arrow().to_pylist()})
    noon = datetime(2026, 11, 1, 12, tzinfo=UTC)
    votes = [
        Vote(f"{group:016x}{person:016x}", task, suite, group, None, f"voter {person}", choice, noon)
        for group in groups
        for person in range(3)
    ]
    append_votes(lab.store.storage, votes)


def test_every_command_has_two_examples_at_the_end_of_its_help() -> None:
    context = click.Context(commands, info_name="counterpoint")
    named = dict[str, click.Command]()
    for name in COMMANDS:
        command = commands.get_command(context, name)
        assert command is not None
        named |= dict(_leaves(command, name))
    assert set(named) == set(EXAMPLES)
    for name, command in named.items():
        lines = command.get_help(click.Context(command, info_name=name)).splitlines()
        assert lines[-3:] == ["  Examples:", *(f"    counterpoint {line}" for line in EXAMPLES[name])]
        for line in EXAMPLES[name]:
            words = shlex.split(line)
            assert words[: len(name.split())] == name.split()
            assert command.make_parser(click.Context(command)).parse_args(words[len(name.split()) :])


@pytest.mark.parametrize("epilog", [None, "An end of its own."])
def test_a_command_without_examples_keeps_its_help(epilog: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "EXAMPLES", {})
    monkeypatch.setattr(ls.command, "epilog", epilog)
    done = CliRunner().invoke(commands, ["ls", "--help"])
    assert done.exit_code == 0, done.exception
    assert "Examples:" not in done.output
    assert done.output.rstrip().endswith(epilog or "Show this message and exit.")


NAMES = [*sample(sorted(set(EXAMPLES) - ELSEWHERE - set(HEAVY)), 6), *map(prove, sorted(HEAVY))]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_command_run(
    name: str, example_folder: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(example_folder, workdir, dirs_exist_ok=True)
    if name == "init":
        Path("counterpoint.toml").unlink()
    monkeypatch.setattr(cp, "serve", lambda *_, **__: None)  # which would go on until it is stopped
    for line in EXAMPLES[name]:
        done = CliRunner().invoke(commands, shlex.split(SIZE.sub("--items 4", line)))
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code in (0, FAILS.get(name, 0)), f"{line}\n{done.output}"
