"""Printing of results, and of progress, warnings and notes to standard error."""

import json
import logging
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    from counterpoint import LabResult, ProgressEvent

Callback: TypeAlias = "Callable[[ProgressEvent], None]"
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tab and line feed
PERIOD = 10.0
"""Seconds between two lines of progress where standard error is not a terminal."""


def escape_controls(text: str) -> str:
    """A text in which control characters are written out, so that no name or reply in a lab steers a terminal.

    >>> escape_controls("a\\x1b[31mb\\n")
    'a\\\\u001b[31mb\\n'
    """
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def echo(text: str, *, err: bool = False) -> None:
    """Print a text without control characters."""
    click.echo(escape_controls(text), err=err)


def print_json(value: Any) -> None:
    """Print plain values as JSON, which has no NaN and no infinities: they become null."""
    plain = json.loads(json.dumps(value), parse_constant=lambda name: None)
    echo(json.dumps(plain, ensure_ascii=False, indent=2, allow_nan=False))


def print_result(result: "LabResult[Any]", form: str | None = None, *, as_json: bool = False) -> None:
    """Print a result as JSON, or its tables and notes as text, Markdown or LaTeX."""
    if as_json or form == "json":
        print_json(result.to_dict())
    else:
        echo(result.text(form or "plain", width=_terminal_width()))


def _terminal_width() -> int:
    """The columns of the terminal that results are printed in; 0 where they go to a file or a program."""
    return get_terminal_size().columns if sys.stdout.isatty() else 0


@contextmanager
def progress_shown(*, every: float = PERIOD, clock: Callable[[], float] = monotonic) -> Iterator[Callback]:
    """Show progress on standard error: bars in a terminal, else a line now and then; warnings are printed as lines."""
    with log_to_stderr():
        if not sys.stderr.isatty():
            yield _progress_lines(every, clock)
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        name, detail = (TextColumn(form, markup=False) for form in ("{task.description}", "{task.fields[detail]}"))
        with Progress(name, BarColumn(), detail, console=Console(stderr=True), transient=True) as bars:
            tasks: dict[str, Any] = {}
            began: dict[str, float] = {}

            def show(event: "ProgressEvent") -> None:
                start = began.setdefault(event.task, clock())
                if event.task not in tasks:
                    tasks[event.task] = bars.add_task(escape_controls(event.task), total=event.total, detail="")
                said = escape_controls(_detail(event, clock() - start))
                bars.update(tasks[event.task], total=event.total, completed=event.done, detail=said)

            yield show


_FIRST = 10  # items from which on a rate is told; the first ones take as long as all that is loaded for them


def _progress_lines(every: float, clock: Callable[[], float]) -> Callback:
    """Print a line every few seconds."""
    last = before = clock()
    began: dict[str, float] = {}

    def show(event: "ProgressEvent") -> None:
        nonlocal last, before
        start, now = began.setdefault(event.task, before), clock()  # a task begins where the one before it ends
        before = now
        if now - last >= every and now - start >= every / 10:  # of a task that has just begun no rate is known
            last = now
            echo(f"{event.task}: {_detail(event, now - start)}", err=True)

    return show


def _detail(event: "ProgressEvent", seconds: float) -> str:
    """What a task reports itself, or how much is done, the rate, and the time left where a total is known."""
    if event.detail:
        return event.detail
    total = event.total if event.total and event.done <= event.total else None  # a scene has several captions
    if event.done < _FIRST < (total or 0):
        return f"{event.done} of {total}"
    rate = event.done / max(seconds, 1e-9)
    left = f", {(total - event.done) / rate:.0f} s left" if total else ""
    return f"{event.done}{f' of {total}' if total else ''}, {rate:.0f}/s{left}"


class _EchoHandler(logging.Handler):
    """Prints log records as plain lines on standard error, warnings with the name of the program."""

    def emit(self, record: logging.LogRecord) -> None:
        prefix = "counterpoint: " if record.levelno >= logging.WARNING else ""
        echo(f"{prefix}{record.getMessage()}", err=True)


@contextmanager
def log_to_stderr() -> Iterator[None]:
    """Print what the application layer logs, from INFO on; within another such block nothing is added."""
    logger, handler = logging.getLogger("counterpoint"), _EchoHandler()
    if any(isinstance(installed, _EchoHandler) for installed in logger.handlers):
        yield
        return
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
