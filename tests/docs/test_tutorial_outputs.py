"""The tutorial about a model of one's own shows what its commands print."""

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from counterpoint.cli.main import commands

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "your-own-model.md"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TRAINED = re.compile(r"^(?:fusion|question-only) ")  # weights are floats, and another machine may round otherwise


def _plain(line: str) -> str:
    """A line without what may differ: seconds, and the numbers of trained models."""
    line = re.sub(r" in \d+ s$", "", line)
    return re.sub(r"[\d.()–\s]+", " ", line) if TRAINED.match(line) else re.sub(r"\s+", " ", line)


def test_the_commands_of_the_tutorial_print_what_it_shows(workdir: Path) -> None:
    blocks = FENCE.findall(PAGE.read_text(encoding="utf-8"))
    (code,) = (block for language, block in blocks if language == "python")
    assert len(code.splitlines()) == 20, "a model in twenty lines"
    (workdir / "mymodel.py").write_text(code, encoding="utf-8")
    said: set[str] = set()
    for line in (line for language, block in blocks if language == "console" for line in block.splitlines()):
        if line.startswith("$ counterpoint "):
            done = CliRunner().invoke(commands, shlex.split(line)[2:], catch_exceptions=False)
            said = set(map(_plain, done.stdout.splitlines()))
        else:
            assert _plain(line) in said, line
