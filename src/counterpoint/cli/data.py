"""`counterpoint data`: the files that a data set expects, whether they are there, and what is in them."""

from pathlib import Path
from typing import Any

import click

from counterpoint import describe_data
from counterpoint.cli.options import DATA, FILE, POSITIVE, complete, parse_columns, seed_option
from counterpoint.cli.printing import echo, print_result, progress_shown

_SPACES = "NAME=FOLDER or NAME:SPLIT=FOLDER, model:NAME, hf/NAME, or a file with one answer a line"


@click.command("data")
@click.argument("name", shell_complete=complete("sources"))
@click.option("--data", type=DATA, help="Check and describe the files in this folder, or at this address.")
@click.option(
    "--columns", default="", callback=parse_columns, help="Name columns of a file by role, or a file of such lines."
)
@click.option("--split", default="", help="Describe this split; by default the first that is complete.")
@click.option("--kind", "kinds", multiple=True, help="Describe these items: scenes, questions, …; repeatable.")
@click.option("--items", type=POSITIVE, help="Read at most this many of each kind, drawn by the seed; all by default.")
@seed_option
@click.option("--rules", default="", help="Compare answers by this rule set; by default that of the data set.")
@click.option("--against", multiple=True, metavar="SPACE", help=f"Compare answers with those of {_SPACES}.")
@click.option("--top", default=10, show_default=True, type=POSITIVE, help="Show this many of the most frequent words.")
@click.option("--out", type=FILE, help="Also write an HTML file with charts.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown tables.")
def command(name: str, out: Path | None, form: str | None, **request: Any) -> None:
    """Show the files that the data set NAME expects; with --data, check them and describe what is in them.

    Exits with 1 if a needed file is missing or cannot be read to its end, after printing what is known.
    """
    with progress_shown() as progress:
        described = describe_data(name, progress=progress, **request)
    print_result(described, form)
    if out is not None:
        described.write_html(out)
        echo(f"{out} is written", err=True)
    described.require_complete()
