"""Type what a page says into a shell and a Python prompt, and stop at the first difference from what it shows."""

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from scripts.environments import Environment, StepError
from scripts.page_blocks import FENCE, missing_line, shown_commands

PROMPT = """
import contextlib, io, json, sys, traceback
space = {"__name__": "__main__"}
for line in sys.stdin:
    error = ""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            exec(compile(json.loads(line), "page", "exec"), space)
        except BaseException:
            error = traceback.format_exc()
    print(json.dumps([out.getvalue(), error]), flush=True)
"""
"""A Python prompt that takes a block as a line of JSON and replies with what it printed."""


class Typist:
    """Types the blocks of pages in one folder: `console` into bash, `python` into one prompt per page.

    A Python block whose first line is `# name.py` is a file to be written. A command may end with the exit code that
    what is shown below it names. Blocks of other languages are for reading.
    """

    def __init__(self, environment: Environment, folder: Path, *, skip: Sequence[str] = ()) -> None:
        self._environment, self._folder, self._skip = environment, folder, tuple(skip)
        self._prompt: subprocess.Popen[str] | None = None
        self._printed = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave_prompt()

    def follow(self, page: Path) -> int:
        """Type a page from top to bottom; how many commands and blocks it took.

        Raises StepError where a command fails, or prints other than what the page shows.
        """
        typed = sum(1 for text in self._type(page.read_text(encoding="utf-8")))
        self._leave_prompt()
        return typed

    def _type(self, page: str) -> Iterator[str]:
        for language, text in FENCE.findall(page):
            if language == "console" or text.startswith("$ "):
                for line, shown in shown_commands(text):
                    if not line.startswith(tuple(f"$ {start}" for start in self._skip)):
                        yield self._command(line.removeprefix("$ "), shown)
            elif language == "python" and (file := re.match(r"# (\w+\.py)\n", text)):
                (self._folder / file[1]).write_text(text, encoding="utf-8")
            elif language == "python":
                yield self._block(text)
            elif language == "text" and (missing := missing_line(text.splitlines(), self._printed.splitlines())):
                raise StepError(f"no line is: {missing}\nprinted:\n{self._printed}")

    def _command(self, line: str, shown: Sequence[str]) -> str:
        code = re.search(r"exit code (\d)$", "\n".join(shown))
        printed = self._environment.run(["bash", "-c", line], self._folder, codes=(int(code[1]) if code else 0,))
        missing = missing_line(shown, printed.splitlines())
        if missing is not None:
            raise StepError(f"{line}\ndoes not print: {missing}\nbut:\n{printed}")
        return line

    def _block(self, text: str) -> str:
        if self._prompt is None:
            words = [self._environment.python, "-c", PROMPT]
            self._prompt = subprocess.Popen(
                words,
                cwd=self._folder,
                env=self._environment.variables(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
            )
        assert self._prompt.stdin is not None
        assert self._prompt.stdout is not None
        self._prompt.stdin.write(json.dumps(text) + "\n")
        self._prompt.stdin.flush()
        self._printed, error = json.loads(self._prompt.stdout.readline())
        if error:
            raise StepError(f"{text}\n{error}")
        return text

    def _leave_prompt(self) -> None:
        if self._prompt is not None:
            self._prompt.communicate()
            self._prompt = None
