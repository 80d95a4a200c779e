"""`counterpoint doctor`: tell what is installed, and what to install for what."""

import click

import counterpoint as cp
from counterpoint.cli.options import json_option
from counterpoint.cli.printing import print_result


@click.command("doctor")
@json_option
def command(as_json: bool) -> None:
    """Tell what is installed, which extras are there, what the machine can do, and what to install for what."""
    print_result(cp.diagnose(), as_json=as_json)
