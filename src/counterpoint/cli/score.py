"""`counterpoint score`: score the models of a lab, with intervals."""

from pathlib import Path
from typing import Any

import click

import counterpoint as cp
from counterpoint.cli.options import format_options, lab_argument, models_option, scoring_options, suites_option
from counterpoint.cli.printing import print_result


@click.command("score")
@lab_argument
@models_option
@suites_option
@scoring_options
@format_options
def command(lab: Path | str, form: str | None, **request: Any) -> None:
    """Score the models of LAB, with 95 % intervals over pictures: by default every metric that applies to a suite."""
    print_result(cp.Lab(lab).scores(**request), form)
