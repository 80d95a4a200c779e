"""Printing of results, and of progress, warnings and notes to standard error."""

import json
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import click

from counterpoint.lab.progress import ProgressCallback, ProgressEvent
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable

PERIOD = 10.0
"""Seconds between two lines of progress where standard error is not a terminal."""


def print_json(value: Any) -> None:
    """Print plain values as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_tables(
    tables: Iterable[ResultTable | str], plain: Any = None, form: str | None = None, *, notes: Iterable[str] = ()
) -> None:
    """Print a result as JSON where plain values are given, else its tables in a format, and below them its notes."""
    if plain is not None:
        print_json(plain)
        return
    write = TABLE_FORMATS[form or "plain"]
    blocks = [block if isinstance(block, str) else write(block) for block in tables]
    if form in (None, "plain"):
        blocks.append("\n".join(filter(None, notes)))
    click.echo("\n\n".join(filter(None, blocks)))


@contextmanager
def progress_shown(*, every: float = PERIOD, clock: Callable[[], float] = monotonic) -> Iterator[ProgressCallback]:
    """Show progress on standard error: bars in a terminal, else a line now and then; warnings are printed as lines."""
    with _log_to_stderr():
        if not sys.stderr.isatty():
            yield _progress_lines(every, clock)
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[detail]}"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
            tasks: dict[str, Any] = {}

            def show(event: ProgressEvent) -> None:
                if event.task not in tasks:
                    tasks[event.task] = bars.add_task(event.task, total=event.total, detail="")
                bars.update(tasks[event.task], total=event.total, completed=event.done, detail=event.detail)

            yield show


def _progress_lines(every: float, clock: Callable[[], float]) -> ProgressCallback:
    """Print a line every few seconds, with rate and time left."""
    began: dict[str, float] = {}
    last = clock()

    def show(event: ProgressEvent) -> None:
        nonlocal last
        now = clock()
        start = began.setdefault(event.task, last)
        if now - last < every:
            return
        last = now
        total = event.total if event.total and event.done <= event.total else None  # a scene has several captions
        rate = event.done / max(now - start, 1e-9)
        left = f", {(total - event.done) / rate:.0f} s left" if total else ""
        detail = event.detail or f"{rate:.0f}/s{left}"
        click.echo(f"{event.task}: {event.done}{f' of {total}' if total else ''}, {detail}", err=True)

    return show


class _EchoHandler(logging.Handler):
    """Prints log records as plain lines on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(record.getMessage(), err=True)


@contextmanager
def _log_to_stderr() -> Iterator[None]:
    """Print what the application layer logs, from INFO on."""
    logger, handler = logging.getLogger("counterpoint"), _EchoHandler()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
