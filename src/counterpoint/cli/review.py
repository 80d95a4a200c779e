"""`counterpoint review`: let a person read a sample of groups, and count what was accepted."""

from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import FILE, POSITIVE, complete, format_options, lab_argument, seed_option
from counterpoint.cli.printing import print_result


@click.command("review")
@lab_argument
@click.option("--sheet", required=True, type=FILE, help="The sheet: a CSV file that a person marks.")
@click.option(
    "--suite", "suites", multiple=True, shell_complete=complete(of_lab="suites"), help="Write groups of this suite."
)
@click.option("--sample", default=60, show_default=True, type=POSITIVE, help="Write this many groups of each suite.")
@seed_option
@click.option("--no-proof", is_flag=True, help="Leave out why each gold is right.")
@format_options
def command(
    lab: Path, sheet: Path, suites: tuple[str, ...], sample: int, seed: int, no_proof: bool, form: str | None
) -> None:
    """Write a random sample of groups of LAB to a sheet, or count the marks of a sheet.

    With --suite the sheet is written, with its pictures in a folder beside it; the reader fills in the column mark.
    Without --suite the marks are counted by test, with one-sided bounds on the share that was accepted.
    """
    opened = cp.Lab(lab)
    if suites:
        print_result(opened.write_sheet(sheet, suites, sample=sample, seed=seed, proofs=not no_proof), form)
    else:
        print_result(opened.count_marks(sheet), form)
