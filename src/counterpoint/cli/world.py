"""`counterpoint world`: the built-in world as files, in the formats of public data sets."""

from typing import Any

import click

from counterpoint.cli.options import FOLDER, POSITIVE, seed_option
from counterpoint.cli.printing import progress_shown
from counterpoint.lab.world_files import WorldRequest, write_world


@click.command("world")
@click.option("--out", required=True, type=FOLDER, help="Write to this folder.")
@click.option("--split", default="test", show_default=True, help="Write this split: train, validation, test, shifted.")
@click.option("--items", default=100, show_default=True, type=POSITIVE, help="Write this many scenes.")
@seed_option
def command(**request: Any) -> None:
    """Write pictures, scene graphs, questions, captions, dialogues and frames of the built-in world.

    Pictures are PNG files in OUT/SPLIT; annotations are JSON in the layouts of GQA, VQA v2, COCO, VisDial and SWiG. One
    seed writes one world on every machine.
    """
    wanted = WorldRequest(**request)
    with progress_shown() as progress:
        write_world(wanted, progress)
    click.echo(f"{wanted.items} scenes of the {wanted.split} split are in {wanted.out}")
