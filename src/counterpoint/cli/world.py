"""`counterpoint world`: the built-in world as files, in the layouts of the data sets that everybody reads."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

from counterpoint.cli.progress import counted
from counterpoint.store.worlds import NAMES, WorldFolder
from counterpoint.world import dataset_formats as layouts
from counterpoint.world import gqa_format as gqa_layout
from counterpoint.world.source import World


@click.command("world")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option("--split", default="test", show_default=True, help="train, validation, test, or shifted.")
@click.option("--items", "scenes", default=100, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--seed", default=0, show_default=True, help="Another seed is another world.")
def command(out: Path, split: str, scenes: int, seed: int) -> None:
    """Write pictures, scene graphs, questions, captions, dialogues and frames to the folder OUT.

    Pictures are PNG files in OUT/SPLIT; annotations are JSON in the official layouts of GQA, VQA v2, COCO, VisDial and
    SWiG. The same seed writes the same world on every machine.
    """
    world = World(split, scenes, seed=seed)
    folder = WorldFolder(out, split)
    for index in counted(range(scenes), "drawing"):
        save = partial(world[index].draw().save, format="PNG", compress_level=1)
        folder.put_picture(f"{index:06d}.png", save)
    for kind, content in counted(_annotations(world), "writing", total=len(NAMES)):
        folder.put_annotations(kind, content)
    click.echo(f"{scenes} scenes of the {split} split are in {out}")


def _annotations(world: World) -> Iterator[tuple[str, Any]]:
    yield "scene graphs", layouts.gqa_scene_graphs(world.scenes())
    yield "questions", gqa_layout.gqa_questions_file(world.questions())
    crowd = list(world.crowd_questions())
    yield "crowd questions", layouts.vqa_questions_file(crowd, world.split)
    yield "crowd answers", layouts.vqa_annotations_file(crowd, world.split)
    sizes = {scene.picture.address: scene.size for scene in world.scenes()}
    yield "captions", layouts.coco_captions(list(world.captions()), sizes)
    yield "dialogues", layouts.visdial_file(list(world.dialogues()), world.split)
    frames = list(world.frames())
    yield "frames", layouts.swig_frames(frames, sizes)
    yield "frame space", layouts.swig_space(frames)
