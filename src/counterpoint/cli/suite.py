"""`counterpoint suite`: a new version of a suite, with what people refused or corrected."""

from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import FILE, complete, format_options, lab_argument
from counterpoint.cli.printing import print_result


@click.command("suite")
@lab_argument
@click.argument("suite", shell_complete=complete(of_lab="suites"))
@click.option("--valid", "how", flag_value="valid", help="Keep the groups that people voted to be valid.")
@click.option("--correct", "how", flag_value="correct", help="Change or remove the golds that audits call wrong.")
@click.option("--apply", "applied", type=FILE, help="Apply the errata of this file, of another copy.")
@click.option("--name", default="", help="Store the new version under this name; else SUITE-valid or SUITE-corrected.")
@click.option("--replace", is_flag=True, help="Replace a suite of this name.")
@click.option("--errata", type=FILE, help="Write what was removed and changed, and why, to this file.")
@format_options
def command(
    lab: Path | str,
    suite: str,
    how: str | None,
    applied: Path | None,
    name: str,
    replace: bool,
    errata: Path | None,
    form: str | None,
) -> None:
    """Store a corrected version of SUITE in LAB beside it, and show the scores of both.

    No model is asked again: both versions share their queries.
    """
    if not how and not applied:
        raise click.UsageError("say what becomes of the suite: --valid, --correct or --apply FILE")
    corrected = cp.Lab(lab).correct(suite, how or "correct", errata=applied, name=name, replace=replace)
    if errata:
        corrected.write_errata(errata)
    print_result(corrected, form)
