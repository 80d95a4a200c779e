"""`counterpoint import`: add predictions made elsewhere as answers of a model in a lab."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

import counterpoint as cp
from counterpoint.cli.options import EXISTING, FILE, json_option, lab_argument, parse_columns, suites_option
from counterpoint.cli.printing import echo, print_json, print_result, progress_shown


@click.command("import")
@lab_argument
@click.argument("files", nargs=-1, required=True, type=EXISTING)
@click.option(
    "--name",
    "names",
    required=True,
    multiple=True,
    help="Call the model this in the lab; repeated, each NAME or NAME=COLUMN is a column, and all are compared.",
)
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
    lab: Path | str,
    files: tuple[Path, ...],
    names: tuple[str, ...],
    scores: str | None,
    out: Path | None,
    as_json: bool,
    **request: Any,
) -> None:
    """Add predictions that another tool wrote to FILES as answers of a model; score and compare know it by name.

    A folder stands for the files in it. The exit code is 1 where nothing was added because nothing matched, or not
    everything and --strict was given.
    """
    columns = {name: column or name for name, _, column in (given.partition("=") for given in names)}
    if len(columns) < len(names):
        raise click.UsageError("a --name is given twice")
    request["scores"] = scores or ""
    with progress_shown() as progress:
        opened = cp.Lab(lab, progress=progress)
        if len(names) == 1 and "=" not in names[0]:
            reports = {names[0]: opened.import_predictions(*files, name=names[0], **request)}
        else:
            reports = dict(zip(columns, opened.import_columns(*files, names=columns, **request), strict=True))
    comparisons = _compare(opened, [*reports], request["suites"]) if _all_added(reports.values()) else []
    if as_json and len(names) > 1:
        imports = [report.to_dict() for report in reports.values()]
        print_json({"imports": imports, "comparisons": [comparison.to_dict() for comparison in comparisons]})
    else:
        for result in (*reports.values(), *comparisons):
            print_result(result, as_json=as_json)
    for name, report in reports.items():
        if out:
            report.write_notes(out if len(names) == 1 else out.with_stem(f"{out.stem}-{name}"))
    if not as_json and out:
        echo(f"  all of these are listed in {out}")
    elif not as_json and any(report.has_records for report in reports.values()):
        echo("  --out FILE writes all of these to a file")
    if not _all_added(reports.values()):
        raise SystemExit(1)


def _all_added(reports: Iterable[Any]) -> bool:
    return all(report.counts is not None for report in reports)


def _compare(lab: cp.Lab, models: list[str], suites: tuple[str, ...]) -> "list[cp.Comparison]":
    """The first model compared with each other one."""
    return [lab.compare(models[0], other, suites=suites) for other in models[1:]]
