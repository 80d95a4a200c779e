"""`counterpoint label-errors`: golds that are likely wrong, since strong models agree on another answer."""

from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import complete, format_options, lab_argument, models_option
from counterpoint.cli.printing import print_result


@click.command("label-errors")
@lab_argument
@click.option("--suite", required=True, shell_complete=complete(of_lab="suites"), help="Look at this suite of the lab.")
@models_option
@format_options
def command(lab: Path | str, suite: str, models: tuple[str, ...], form: str | None) -> None:
    """List queries of a suite in LAB whose gold several strong models contradict alike, the likeliest errors first.

    Without --model, the better half of the models by accuracy is believed.
    """
    print_result(cp.Lab(lab).label_errors(suite, models=models), form)
