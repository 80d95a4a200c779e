"""`counterpoint export-site`: write the pages of a lab as files that open without a server."""

from pathlib import Path

import click

from counterpoint import Lab
from counterpoint.cli.options import OUTPUT, json_option, lab_argument, models_option, suites_option
from counterpoint.cli.printing import echo, print_json, progress_shown


@click.command("export-site")
@lab_argument
@click.option("--out", required=True, type=OUTPUT, help="Write to this folder or address.")
@suites_option
@models_option
@click.option(
    "--limit", default=100, show_default=True, type=click.IntRange(0), help="Write pages of this many groups a suite."
)
@json_option
def command(
    lab: Path | str, out: Path | str, suites: tuple[str, ...], models: tuple[str, ...], limit: int, as_json: bool
) -> None:
    """Write the pages of LAB to a folder, to be mailed, hosted, or opened from the disk.

    Scores are those of all groups; the first groups of each suite have a page of their own, with their pictures.
    """
    from counterpoint import export_site

    with progress_shown() as progress:
        written = export_site(Lab(lab, progress=progress), out, suites=suites, models=models, limit=limit)
    if as_json:
        print_json(written.to_dict() | {"out": str(out)})
    else:
        size = f"{written.bytes / 1e6:,.1f} MB"
        echo(f"{written.pages:,} pages and {written.pictures:,} pictures, {size}: open {out}/index.html")
