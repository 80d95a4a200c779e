"""`counterpoint verify`: check whether a suite or a lab still is what it was."""

import sys
from pathlib import Path

import click

import counterpoint as cp
from counterpoint.cli.options import json_option
from counterpoint.cli.printing import print_result


@click.command("verify")
@click.argument("folder", type=click.Path(path_type=Path), default="lab")
@json_option
def command(folder: Path, as_json: bool) -> None:
    """Check whether FOLDER, a lab or a suite, still is what it was. Nothing is changed.

    Every suite must have the rows, ids and fingerprint of its manifest, and no group twice in a test; every part of
    answers must be whole and in the folder of its model. The exit code is 1 if anything does not hold.
    """
    verification = cp.verify_folder(folder)
    print_result(verification, as_json=as_json)
    sys.exit(0 if verification.holds else 1)
