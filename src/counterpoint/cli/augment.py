"""`counterpoint augment`: training questions in the layouts that training code reads."""

from pathlib import Path
from typing import Any

import click

from counterpoint import Lab, augment, list_catalog
from counterpoint.cli.options import FOLDER, LAB, POSITIVE, complete, json_option, seed_option, source_options
from counterpoint.cli.printing import print_result, progress_shown

_LAYOUTS = [entry["name"] for entry in list_catalog("layouts") if entry["for"] == "augment"]


@click.command("augment")
@click.argument("lab", required=False, type=LAB)
@click.option(
    "--suite", "suites", multiple=True, shell_complete=complete("suites"), help="Ask as this suite; repeatable."
)
@source_options(split="train")
@seed_option
@click.option("--limit", type=POSITIVE, help="Write at most this many questions; all by default.")
@click.option("--exclude", multiple=True, type=LAB, help="Use no picture of this lab either; repeatable.")
@click.option("--out", required=True, type=FOLDER, help="Write to this folder.")
@click.option("--layout", required=True, type=click.Choice(_LAYOUTS), help="Write this layout.")
@click.option("--prompt", default="", help="Put this text around a question of a chat, which stands for {text}.")
@click.option("--no-pictures", is_flag=True, help="Do not draw the pictures of the world.")
@json_option
def command(lab: Path | str | None, no_pictures: bool, as_json: bool, **request: Any) -> None:
    """Write training questions as the suites of LAB ask them, in its proportions, or as the named suites do.

    A picture that a suite of LAB or of an excluded lab uses is an error. The manifest beside the files records how the
    questions were made.
    """
    with progress_shown() as progress:
        request |= {"pictures": not no_pictures}
        if lab is None:
            written = augment(progress=progress, **request)
        else:
            written = Lab(lab, progress=progress).augment(**request)
    print_result(written, as_json=as_json)
