"""The page on sources shows one that is short, and what its command says."""

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from counterpoint.cli.main import commands

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-source.md"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_a_source_takes_at_most_thirty_lines_and_its_suite_is_the_one_that_is_shown(workdir: Path) -> None:
    blocks = FENCE.findall(PAGE.read_text(encoding="utf-8"))
    code, data = (text for language, text in blocks if language == "python")
    assert len(code.splitlines()) <= 30
    (workdir / "labels.py").write_text(code, encoding="utf-8")
    exec(data, {})
    (line,) = (text for language, text in blocks if language == "console")
    done = CliRunner().invoke(commands, shlex.split(line)[2:], catch_exceptions=False)
    shown = next(text for language, text in blocks if not language).splitlines()
    for start in (one.removesuffix("…") for one in shown):
        assert any(said.startswith(start) for said in (*done.stdout.splitlines(), *done.stderr.splitlines())), start
