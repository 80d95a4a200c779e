"""`counterpoint words`: the words by which captions and foils differ."""

from pathlib import Path
from typing import Any

import click

from counterpoint import Lab
from counterpoint.cli.options import FOLDER, POSITIVE, format_options, lab_argument, suites_option
from counterpoint.cli.printing import echo, print_result


@click.command("words")
@lab_argument
@suites_option
@click.option("--out", type=FOLDER, help="Draw an SVG chart for each test into this folder.")
@click.option("--top", default=25, show_default=True, type=POSITIVE, help="Show this many words in a chart.")
@format_options
def command(lab: Path | str, suites: tuple[str, ...], form: str | None, **request: Any) -> None:
    """Show how many words captions and foils of LAB differ by, and how far apart the two sides are."""
    report = Lab(lab).words(*suites, **request)
    print_result(report, form)
    for path in report.charts:
        echo(f"drawn: {path}", err=True)
