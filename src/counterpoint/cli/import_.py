"""`counterpoint import`: add predictions made elsewhere as answers of a model in a lab."""

from pathlib import Path

import click

from counterpoint.cli.options import FILE, json_option, lab_argument, parse_columns, suites_option
from counterpoint.cli.printing import print_result, progress_shown
from counterpoint.lab.importing import ImportRequest, import_predictions
from counterpoint.store.lab import LabStore


@click.command("import")
@lab_argument
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--name", required=True, help="What the model is called in the lab.")
@click.option("--version", default="", metavar="TAG", help="Tag of this version of the model; else the date.")
@suites_option
@click.option("--format", "format_", default="", help="Format of the files; else it is detected from their content.")
@click.option("--columns", default="", callback=parse_columns, help="Which column holds what: id=…,answer=…,picture=…")
@click.option("--rule", default="auto", show_default=True, help="Extract values from replies by this rule.")
@click.option("--scores", type=click.Choice(["probability", "similarity"]), help="The scale of the scores.")
@click.option("--by-text", is_flag=True, help="Match by text alone what has no known id and no picture.")
@click.option("--strict", is_flag=True, help="Add nothing unless every prediction and every query is matched.")
@click.option("--out", type=FILE, help="Write what was not matched to this CSV or JSONL file.")
@json_option
def command(
    lab: Path,
    files: tuple[Path, ...],
    name: str,
    version: str,
    suites: tuple[str, ...],
    format_: str,
    columns: dict[str, str],
    rule: str,
    scores: str | None,
    by_text: bool,
    strict: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Add predictions that another tool wrote to FILES as answers of a model; score and compare know it by name.

    The exit code is 1 where nothing was added because nothing matched, or not everything and --strict was given.
    """
    request = ImportRequest(files, name, version, suites, format_, columns, rule, by_text, strict, scores or "")
    with progress_shown() as progress:
        report = import_predictions(LabStore(lab).opened(), request, progress)
    print_result(report, as_json=as_json)
    if out:
        report.write_notes(out)
    if not as_json and out:
        click.echo(f"  all of these are listed in {out}")
    elif not as_json and any(True for _ in report.match_notes()):
        click.echo("  --out FILE writes all of these to a file")
    if report.counts is None:
        raise SystemExit(1)
