"""`counterpoint export-site`: the pages of a lab as files, which open without a server."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from counterpoint.explorer.site.export import SiteProgress


@click.command("export-site")
@click.argument("lab", type=click.Path(file_okay=False, path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only this suite; may be given again.")
@click.option("--model", "models", multiple=True, metavar="NAME", help="Only this model; may be given again.")
@click.option(
    "--limit", default=100, show_default=True, type=click.IntRange(0), help="Groups of each suite with a page."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: how much was written.")
def command(lab: Path, out: Path, suites: tuple[str, ...], models: tuple[str, ...], limit: int, as_json: bool) -> None:
    """Write the pages of LAB to the folder OUT, to be mailed, hosted, or opened from the disk.

    Scores are those of all groups; the first groups of each suite have a page of their own, with their pictures.
    """
    from counterpoint.cli.serve import drawn
    from counterpoint.explorer.site.export import SiteSelection, export_site
    from counterpoint.store.lab import LabStore

    opened = LabStore(lab).opened()
    written = export_site(
        opened,
        out,
        SiteSelection(suites, models, limit),
        extra=drawn(opened),
        report=_Telling().tell,
        progress=lambda line: click.echo(f"{line} …", err=True),
    )
    if as_json:
        found = {"pages": written.pages, "pictures": written.pictures, "bytes": written.bytes, "out": str(out)}
        click.echo(json.dumps(found))
        return
    size = f"{written.bytes / 1e6:,.1f} MB"
    click.echo(f"{written.pages:,} pages and {written.pictures:,} pictures, {size}: open {out / 'index.html'}")


class _Telling:
    """A line every few seconds."""

    def __init__(self, every: float = 2.0) -> None:
        self._every, self._last = every, time.monotonic()

    def tell(self, written: "SiteProgress") -> None:
        if time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            click.echo(f"{written.pages:,} pages written, {written.waiting:,} known that wait", err=True)
