"""`counterpoint leaderboard`: rank the models of a lab by suite, or by means over data sets."""

from pathlib import Path
from typing import Any

import click

import counterpoint as cp
from counterpoint.cli.options import (
    complete,
    format_options,
    lab_argument,
    models_option,
    seed_option,
    suites_option,
    threshold_option,
)
from counterpoint.cli.printing import print_result


@click.command("leaderboard")
@lab_argument
@models_option
@suites_option
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    shell_complete=complete("metrics"),
    help="Show this metric; repeatable. By default those that lead on each suite.",
)
@click.option(
    "--layout",
    type=click.Choice(["suites", "datasets"]),
    default="suites",
    show_default=True,
    help="Show metrics suite by suite, or means over data sets.",
)
@click.option("--slice", "slices", multiple=True, help="Show this saved slice as well; repeatable.")
@click.option("--expand", metavar="MODEL", help="Show this model on each data set, with chance levels of bias.")
@threshold_option
@seed_option
@format_options
def command(lab: Path | str, expand: str | None, form: str | None, **request: Any) -> None:
    """Rank the models of LAB by the metrics that lead on its suites, best first, with their cost."""
    if expand:
        request |= {"layout": "datasets", "expand": [expand]}
    print_result(cp.Lab(lab).leaderboard(**request), form)
