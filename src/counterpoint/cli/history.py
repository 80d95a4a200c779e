"""`counterpoint history`: the scores of a model over its versions."""

from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import complete, format_options, lab_argument, suites_option
from counterpoint.cli.printing import print_result


@click.command("history")
@lab_argument
@click.argument("model", shell_complete=complete(of_lab="models"))
@suites_option
@click.option(
    "--metric", "metrics", multiple=True, shell_complete=complete("metrics"), help="Show this metric; repeatable."
)
@format_options
def command(lab: Path | str, model: str, suites: tuple[str, ...], metrics: tuple[str, ...], form: str | None) -> None:
    """Show the scores of MODEL in LAB over its versions, and at which of them a score changed."""
    print_result(cp.Lab(lab).history(model, suites=suites, metrics=metrics), form)
