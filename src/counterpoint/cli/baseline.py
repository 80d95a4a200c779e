"""`counterpoint baseline`: mark the version of a model with which later ones are compared."""

from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import complete, lab_argument
from counterpoint.cli.printing import echo


@click.command("baseline")
@lab_argument
@click.argument("model", shell_complete=complete(of_lab="models"))
def command(lab: Path | str, model: str) -> None:
    """Mark MODEL, such as vlm@v3, as the baseline of its name in LAB; vlm@baseline means it from then on."""
    version = cp.Lab(lab).set_baseline(model)
    echo(f"{version.name}@{version.version} is the baseline of {version.name}")
