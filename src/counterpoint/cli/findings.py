"""`counterpoint findings`: what a model does not understand, in words."""

from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import format_options, lab_argument, lab_model_option, seed_option, suites_option
from counterpoint.cli.printing import print_result


@click.command("findings")
@lab_argument
@lab_model_option("--model", "Search the answers of this one; not needed where the lab has one model.")
@lab_model_option("--against", "Show what changed from this model or version.")
@suites_option
@click.option(
    "--confirm",
    type=click.Choice(["split"]),
    help="Find on one half of the pictures and confirm on the other.",
)
@seed_option
@format_options
def command(
    lab: Path | str, model: str, against: str, suites: tuple[str, ...], confirm: str | None, seed: int, form: str | None
) -> None:
    """Say in words which groups of LAB a model fails more often than others.

    Slices by test, kind, tags, words, gold, objects and edits, and up to three of these together, are searched; p
    values are corrected for all of them.
    """
    found = cp.Lab(lab).findings(model, against=against, suites=suites, confirm=confirm or "", seed=seed)
    print_result(found, form)
