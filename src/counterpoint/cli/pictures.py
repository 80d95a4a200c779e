"""`counterpoint pictures`: the folders of a lab's pictures, and whether they are there."""

from pathlib import Path

import click

from counterpoint import Lab
from counterpoint.cli.options import json_option, lab_argument, picture_roots
from counterpoint.cli.printing import print_result


@click.command("pictures")
@lab_argument
@click.argument("folders", nargs=-1, metavar="[NAMESPACE=FOLDER|ADDRESS]...", callback=picture_roots)
@json_option
def command(lab: Path | str, folders: dict[str, Path | str], as_json: bool) -> None:
    """Set the folders or addresses of LAB's pictures by namespace, and show how many of them are found."""
    print_result(Lab(lab).pictures(folders), as_json=as_json)
