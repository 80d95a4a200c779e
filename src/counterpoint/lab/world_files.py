"""The built-in world as files, in the formats of public data sets."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from counterpoint.lab.progress import ProgressCallback, ignore_progress, track
from counterpoint.store.worlds import NAMES, WorldFolder
from counterpoint.world import dataset_formats as layouts
from counterpoint.world.contact_sheets import contact_sheet
from counterpoint.world.gqa_format import gqa_questions_file
from counterpoint.world.source import World


def write_world(
    out: Path | str,
    *,
    split: str = "test",
    items: int = 100,
    seed: int = 0,
    progress: ProgressCallback = ignore_progress,
) -> Path:
    """Write `items` scenes of the built-in world as files in the formats of public data sets; returns the folder.

    There are pictures, scene graphs, questions, captions, dialogues and frames; one seed writes one world everywhere.
    """
    world, folder = World(split, items, seed=seed), WorldFolder(Path(out), split)
    for index in track(range(items), "drawing", progress):
        save = partial(world[index].draw().save, format="PNG", compress_level=1)
        folder.put_picture(f"{index:06d}.png", save)
    for kind, content in track(_annotations(world), "writing", progress, total=len(NAMES)):
        folder.put_annotations(kind, content)
    return Path(out)


def draw_contact_sheet(path: Path | str, *, scenes: int = 24, columns: int = 6) -> None:
    """Draw the first scenes of the built-in world's test split side by side into one picture."""
    world, path = World("test", scenes), Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    contact_sheet(((world[k].scene.place, world[k].draw()) for k in range(scenes)), columns=columns).save(path)


def _annotations(world: World) -> Iterator[tuple[str, Any]]:
    yield "scene graphs", layouts.gqa_scene_graphs(world.scenes())
    yield "questions", gqa_questions_file(world.questions())
    crowd = list(world.crowd_questions())
    yield "crowd questions", layouts.vqa_questions_file(crowd, world.split)
    yield "crowd answers", layouts.vqa_annotations_file(crowd, world.split)
    sizes = {scene.picture.address: scene.size for scene in world.scenes()}
    yield "captions", layouts.coco_captions(list(world.captions()), sizes)
    yield "dialogues", layouts.visdial_file(list(world.dialogues()), world.split)
    frames = list(world.frames())
    yield "frames", layouts.swig_frames(frames, sizes)
    yield "frame space", layouts.swig_space(frames)
