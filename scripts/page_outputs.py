"""Run the commands of pages and write what they print into the pages: `python -m scripts.page_outputs README.md`.

A shown line is replaced by the printed one that differs in figures and blanks alone. Where there is none, the command
is named with all that it prints, and its lines stay as they are: a row came or went, and a person decides.

With `--anew`, all that commands of `console` blocks print takes the place of what is shown, where anything is.

With `--tables`, the tables below a line `<!-- printed by the commands above -->` are written too. Such a table belongs
to the last block of shell commands before it, one of which prints it with `--markdown`; that may take minutes a page.
"""

import contextlib
import io
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from counterpoint.cli.main import commands
from scripts.page_blocks import VARIES, shown_commands

MARK = "<!-- printed by the commands above -->"
PART = re.compile(
    rf"^```(?P<language>python|text|console|sh)\n(?P<text>.*?)^```$|^{MARK}\n\n(?P<table>(?:^\|[^\n]*\n)+)",
    re.MULTILINE | re.DOTALL,
)
FIGURE = re.compile(r"\b[0-9a-f]{16}\b|-{3,}|\d[\d,.]*")
LOOP = re.compile(r"^for (\w+) in (.*?); do\s+(.*?);?\s*done$", re.MULTILINE | re.DOTALL)


class PageRun:
    """The run of a page from top to bottom, and what in it a person must decide."""

    def __init__(self, *, with_tables: bool, anew: bool = False) -> None:
        self.doubts: list[str] = []
        self._with_tables, self._anew = with_tables, anew
        self._space: dict[str, Any] = {"__name__": "__main__"}
        self._said = self._script = ""
        self._printed: dict[str, str] = {}

    def written(self, page: str) -> str:
        """The page with the outputs of its commands."""
        return PART.sub(self._part, page)

    def _part(self, part: re.Match[str]) -> str:
        language, text = part["language"], part["text"]
        if part["table"]:
            return f"{MARK}\n\n{self._table(part['table'])}" if self._with_tables else part[0]
        if language == "sh":
            self._script = text
        elif language == "text":
            return f"```text\n{self._said}```"
        elif language == "console":
            lines = [
                line for command, shown in shown_commands(text) for line in (command, *self._output(command, shown))
            ]
            return "\n".join(["```console", *lines, "```"])
        elif file := re.match(r"# (\w+\.py)\n", text):
            Path(file[1]).write_text(text, encoding="utf-8")
        else:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(text, "page", "exec"), self._space)
            self._said = out.getvalue()
        return part[0]

    def _output(self, command: str, shown: Sequence[str]) -> Sequence[str]:
        if not command.startswith("$ counterpoint "):
            return shown
        printed = _invoke(shlex.split(command)[2:]).splitlines()
        if self._anew:
            return [line.rstrip() for line in printed] if shown else shown
        try:
            return list(_refreshed(shown, iter(printed)))
        except LookupError as gone:
            self._doubt(command, str(gone), printed)
            return shown

    def _table(self, table: str) -> str:
        """The rows of a table as its commands print them, each found by its cells without figures."""
        if self._script not in self._printed:
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                self._printed[self._script] = "".join(map(_invoke, script_commands(self._script)))
        printed = table_lines(self._printed[self._script], table.splitlines()[0])
        names = len(re.findall(r" -+ \|", table.splitlines()[1]))  # the columns on the left name a row
        rows = {_label(line, names): line for line in reversed(printed)}
        missing = [line for line in table.splitlines() if _label(line, names) not in rows]
        for line in missing:
            self._doubt(self._script.splitlines()[-1], line, printed)
        return table if missing else "".join(rows[_label(line, names)] + "\n" for line in table.splitlines())

    def _doubt(self, command: str, line: str, printed: Sequence[str]) -> None:
        self.doubts.append("\n".join([command, f"  no line is like: {line}", *(f"  | {other}" for other in printed)]))


def script_commands(script: str) -> Iterator[list[str]]:
    """The arguments of every command of a shell block, with loops written out."""

    def unrolled(loop: re.Match[str]) -> str:
        return "\n".join(re.sub(rf"\${loop[1]}\b", value, loop[3]) for value in loop[2].split())

    for line in LOOP.sub(unrolled, script.replace("\\\n", " ")).replace(";", "\n").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            assert words[0] == "counterpoint", f"only commands of ours print figures: {line}"
            yield words[1:]


def table_lines(printed: str, head: str) -> list[str]:
    """The lines of the first Markdown table with this head; none where nothing printed has it."""
    lines = printed.splitlines()
    start = lines.index(head) if head in lines else len(lines)
    end = next((place for place, line in enumerate(lines) if place > start and not line.startswith("|")), len(lines))
    return lines[start:end]


def _label(line: str, names: int) -> str:
    """The cells that name a row."""
    return "|".join(line.strip("|").split("|")[:names])


def _invoke(words: Sequence[str]) -> str:
    done = CliRunner().invoke(commands, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout if "--markdown" in words else done.output


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


def main(arguments: Sequence[str]) -> None:
    """Bring pages up to date, each in an empty folder of its own."""
    for path in [Path(path).resolve() for path in arguments if not path.startswith("--")]:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            sys.path.insert(0, folder)
            run = PageRun(with_tables="--tables" in arguments, anew="--anew" in arguments)
            text = path.read_text(encoding="utf-8")
            page = run.written(text)
            path.write_text(page, encoding="utf-8")
            verdict = "changed" if page != text else "as it was"
            sys.stdout.write("\n".join([f"{path.name}: {verdict}", *run.doubts, ""]))
            sys.path.remove(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
