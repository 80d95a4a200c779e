"""Run the commands of pages and write what they print into the pages: `python scripts/page_outputs.py README.md`.

A shown line is replaced by the printed one that differs in figures and blanks alone. Where there is none, the command
is named with all that it prints, and its lines stay as they are: a row came or went, and a person decides.
"""

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from counterpoint.cli.main import commands

BLOCK = re.compile(r"^```(python|text|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VARIES = re.compile(r"…|\d{4}-\d{2}-\d{2}|\bin \d+ s\b|127\.0\.0\.1")
FIGURE = re.compile(r"\b[0-9a-f]{16}\b|-{3,}|\d[\d,.]*")


def with_outputs(page: str) -> tuple[str, list[str]]:
    """A page with the outputs of its commands, and a line for everything that a person must decide."""
    space: dict[str, Any] = {"__name__": "__main__"}
    said, doubts = "", list[str]()

    def written(block: re.Match[str]) -> str:
        nonlocal said
        language, text = block[1], block[2]
        if language == "python" and (file := re.match(r"# (\w+\.py)\n", text)):
            Path(file[1]).write_text(text, encoding="utf-8")
        elif language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(text, "page", "exec"), space)
            said = out.getvalue()
        elif language == "text":
            return f"```text\n{said}```"
        else:
            lines = [line for line, shown in _commands(text) for line in (line, *_output(line, shown, doubts))]
            return "\n".join(["```console", *lines, "```"])
        return block[0]

    return BLOCK.sub(written, page), doubts


def _commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Every command of a block, with the lines that it prints."""
    lines = text.splitlines()
    starts = [place for place, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[start], lines[start + 1 : end]


def _output(line: str, shown: Sequence[str], doubts: list[str]) -> Sequence[str]:
    if not line.startswith("$ counterpoint "):
        return shown
    done = CliRunner().invoke(commands, shlex.split(line)[2:], catch_exceptions=False)
    printed = done.output.splitlines()
    try:
        return list(_refreshed(shown, iter(printed)))
    except LookupError as gone:
        doubts.append("\n".join([line, f"  no line is like: {gone}", *(f"  | {other}" for other in printed)]))
        return shown


def _refreshed(shown: Sequence[str], printed: Iterator[str]) -> Iterator[str]:
    """The shown lines with the figures of the printed ones, which come in the same order."""
    for line in shown:
        if not line or VARIES.search(line):
            yield line
        else:
            found = next((other for other in printed if _shape(other) == _shape(line)), None)
            if found is None:
                raise LookupError(line)
            yield found.rstrip()


def _shape(line: str) -> str:
    return re.sub(r"\s+", " ", FIGURE.sub("#", line)).strip()


def main(paths: Sequence[str]) -> None:
    """Bring pages up to date, each in an empty folder of its own."""
    for path in [Path(path).resolve() for path in paths]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            sys.path.insert(0, folder)
            text = path.read_text(encoding="utf-8")
            page, doubts = with_outputs(text)
            path.write_text(page, encoding="utf-8")
            verdict = "changed" if page != text else "as it was"
            sys.stdout.write("\n".join([f"{path.name}: {verdict}", *doubts, ""]))
            os.chdir(path.parent)
            sys.path.remove(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
