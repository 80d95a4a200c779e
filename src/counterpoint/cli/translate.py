"""`counterpoint translate`: back-translations of questions, as a file for a suite."""

from typing import Any

import click

from counterpoint import translate
from counterpoint.cli.options import FILE, json_option, seed_option, source_options
from counterpoint.cli.printing import print_result, progress_shown


@click.command("translate")
@click.option("--out", required=True, type=FILE, help="Write to this file.")
@click.option("--there", required=True, help="Translate from English by this model: hf/NAME, or apertium/eng-spa.")
@click.option("--back", required=True, help="Translate back by this model: hf/NAME, or apertium/spa-eng.")
@source_options("world-vqa")
@seed_option
@json_option
def command(as_json: bool, **request: Any) -> None:
    """Translate questions to another language and back, and write them with the columns id and text.

    What comes back unchanged is rejected and counted. `counterpoint generate --texts FILE` makes a suite of the rest.
    """
    with progress_shown() as progress:
        texts = translate(progress=progress, **request)
    print_result(texts, as_json=as_json)
