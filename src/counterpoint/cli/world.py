"""`counterpoint world`: the built-in world as files, in the layouts of the data sets that everybody reads."""

from pathlib import Path

import click

from counterpoint.cli.progress import counted


@click.command("world")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option("--split", default="test", show_default=True, help="train, validation, test, or shifted.")
@click.option("--scenes", default=100, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--seed", default=0, show_default=True, help="Another seed is another world.")
def command(out: Path, split: str, scenes: int, seed: int) -> None:
    """Write pictures, scene graphs, questions, captions, dialogues and frames to the folder OUT.

    Pictures are PNG files in OUT/SPLIT; annotations are JSON in the official layouts of GQA, VQA v2, COCO, VisDial and
    SWiG. The same seed writes the same world on every machine.
    """
    from counterpoint.store.worlds import annotations, write_annotation
    from counterpoint.world.source import World

    world = World(split, scenes, seed=seed)
    folder = out / split
    folder.mkdir(parents=True, exist_ok=True)
    for index in counted(range(scenes), "drawing"):
        world[index].draw().save(folder / f"{index:06d}.png", compress_level=1)
    for name, content in counted(annotations(world), "writing", total=7):
        write_annotation(out / f"{split}_{name}.json", content)
    click.echo(f"{scenes} scenes of the {split} split are in {out}")
