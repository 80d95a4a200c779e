"""`counterpoint report`: write what a lab shows to one file that can be mailed."""

from pathlib import Path

import click

from counterpoint import Lab
from counterpoint.cli.options import PathOrAddress, json_option, lab_argument
from counterpoint.cli.printing import print_result, progress_shown


@click.command("report")
@lab_argument
@click.option(
    "--out",
    required=True,
    type=PathOrAddress(dir_okay=False, path_type=Path),
    help="Write the HTML to this file or address.",
)
@click.option("--markdown", is_flag=True, help="Also write the leaderboard in Markdown beside it.")
@click.option("--latex", is_flag=True, help="Also write the leaderboard in LaTeX beside it.")
@json_option
def command(lab: Path | str, out: Path | str, markdown: bool, latex: bool, as_json: bool) -> None:
    """Write the scores and failures of the models in LAB to one HTML file, which needs nothing else."""
    with progress_shown():
        written = Lab(lab).report(out, markdown=markdown, latex=latex)
    print_result(written, as_json=as_json)
