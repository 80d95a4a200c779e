"""Progress of long work: a bar in a terminal, a plain line now and then elsewhere, nothing on standard output."""

import sys
from collections.abc import Iterable, Iterator, Sized
from time import monotonic
from typing import TypeVar

import click

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
