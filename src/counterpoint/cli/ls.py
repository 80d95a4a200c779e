"""`counterpoint ls`: list what a lab holds."""

from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import json_option, lab_argument
from counterpoint.cli.printing import print_result


@click.command("ls")
@lab_argument
@json_option
def command(lab: Path | str, as_json: bool) -> None:
    """List the suites in LAB, and the versions of its models with the number of their answers."""
    print_result(cp.Lab(lab).contents(), as_json=as_json)
