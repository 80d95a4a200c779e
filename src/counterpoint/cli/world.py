"""`counterpoint world`: the built-in world as files, in the formats of public data sets."""

from typing import Any

import click

from counterpoint import write_world
from counterpoint.cli.options import FOLDER, POSITIVE, seed_option
from counterpoint.cli.printing import echo, progress_shown


@click.command("world")
@click.option("--out", required=True, type=FOLDER, help="Write to this folder.")
@click.option("--split", default="test", show_default=True, help="Write this split: train, validation, test, shifted.")
@click.option("--items", default=100, show_default=True, type=POSITIVE, help="Write this many scenes.")
@seed_option
def command(split: str, items: int, **request: Any) -> None:
    """Write pictures, scene graphs, questions, captions, dialogues and frames of the built-in world.

    Pictures are PNG files in OUT/SPLIT; annotations are JSON in the layouts of GQA, VQA v2, COCO, VisDial and SWiG. One
    seed writes one world on every machine.
    """
    with progress_shown() as progress:
        folder = write_world(split=split, items=items, progress=progress, **request)
    written = "1 scene" if items == 1 else f"{items:,} scenes"
    echo(f"{written} of the {split} split {'is' if items == 1 else 'are'} in {folder}")
