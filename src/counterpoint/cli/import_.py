"""`counterpoint import`: add predictions made elsewhere as answers of a model in a lab."""

from pathlib import Path
from typing import Any

import click

import counterpoint as cp
from counterpoint.cli.options import FILE, json_option, lab_argument, parse_columns, suites_option
from counterpoint.cli.printing import print_result, progress_shown


@click.command("import")
@lab_argument
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--name", required=True, help="Call the model this in the lab.")
@click.option("--version", default="", metavar="TAG", help="Tag this version of the model; else the date.")
@suites_option
@click.option("--format", default="", help="Read the files in this format; else it is detected from their content.")
@click.option("--columns", default="", callback=parse_columns, help="Name the columns by role: id=…,answer=…,picture=…")
@click.option(
    "--questions", type=FILE, help="Take pictures and texts by id from this file of what the model was asked."
)
@click.option("--rule", default="auto", show_default=True, help="Extract values from replies by this rule.")
@click.option("--scores", type=click.Choice(["probability", "similarity"]), help="Say what the scores are.")
@click.option("--by-text", is_flag=True, help="Match by text alone what has no known id and no picture.")
@click.option("--strict", is_flag=True, help="Add nothing unless every prediction and every query is matched.")
@click.option("--out", type=FILE, help="Write what was not matched to this CSV or JSONL file.")
@json_option
def command(
    lab: Path, files: tuple[Path, ...], scores: str | None, out: Path | None, as_json: bool, **request: Any
) -> None:
    """Add predictions that another tool wrote to FILES as answers of a model; score and compare know it by name.

    The exit code is 1 where nothing was added because nothing matched, or not everything and --strict was given.
    """
    with progress_shown() as progress:
        report = cp.Lab(lab, progress=progress).import_predictions(*files, scores=scores or "", **request)
    print_result(report, as_json=as_json)
    if out:
        report.write_notes(out)
    if not as_json and out:
        click.echo(f"  all of these are listed in {out}")
    elif not as_json and report.records():
        click.echo("  --out FILE writes all of these to a file")
    if report.counts is None:
        raise SystemExit(1)
