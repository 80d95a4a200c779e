"""Progress of long work: a bar in a terminal, a plain line now and then elsewhere, nothing on standard output."""

import sys
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

import click

from counterpoint.engine.progress import Progress
from counterpoint.engine.progress import ProgressCallback as Watch
from counterpoint.lab.progress import ProgressCallback, ProgressEvent

EVERY = 10
"""Seconds between two plain lines."""

T = TypeVar("T")


def counted(items: Iterable[T], doing: str, *, total: int | None = None) -> Iterator[T]:
    """The same items; done, total, rate and time left are shown on standard error while they pass."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import track

        yield from track(items, doing, total=total, console=Console(stderr=True), transient=True)
        return
    began = said = monotonic()
    for done, item in enumerate(items, 1):
        yield item
        now = monotonic()
        if now - said >= EVERY:
            said = now
            rate = done / (now - began)
            most = total if total and done <= total else None  # a scene has several captions
            left = f", {(most - done) / rate:.0f} s left" if most else ""
            click.echo(f"{doing}: {done}{f' of {most}' if most else ''}, {rate:.0f}/s{left}", err=True)


@contextmanager
def watched(doing: str) -> Iterator[Watch]:
    """Somebody to tell how far a run has come: done, total, rate, cached, failed, time left."""
    if not sys.stderr.isatty():
        yield _lines(doing)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[said]}"))
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(doing, total=None, said="")
        yield lambda now: bars.update(task, total=now.total, completed=now.done, said=str(now))


@contextmanager
def show_run() -> Iterator[ProgressCallback]:
    """A callback that shows how far a run is, on standard error."""
    if not sys.stderr.isatty():
        last = monotonic()

        def line(event: ProgressEvent) -> None:
            nonlocal last
            if monotonic() - last >= EVERY:
                last = monotonic()
                click.echo(f"{event.task}: {event.detail}", err=True)

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[said]}"))
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None, said="")
        yield lambda event: bars.update(
            task, description=event.task, total=event.total, completed=event.done, said=event.detail
        )


def _lines(doing: str) -> Watch:
    said = monotonic()

    def tell(now: Progress) -> None:
        nonlocal said
        if monotonic() - said >= EVERY:
            said = monotonic()
            click.echo(f"{doing}: {now}", err=True)

    return tell
