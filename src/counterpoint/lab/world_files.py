"""The built-in world as files, in the formats of public data sets."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from counterpoint.lab.progress import ProgressCallback, ignore_progress, track
from counterpoint.store.worlds import NAMES, WorldFolder
from counterpoint.world import dataset_formats as layouts
from counterpoint.world.gqa_format import gqa_questions_file
from counterpoint.world.source import World


@dataclass(frozen=True, slots=True)
class WorldRequest:
    """Which part of the world is written, and where."""

    out: Path
    split: str = "test"
    items: int = 100  # scenes
    seed: int = 0


def write_world_files(request: WorldRequest, progress: ProgressCallback = ignore_progress) -> Path:
    """Write pictures, scene graphs, questions, captions, dialogues and frames; one seed writes one world."""
    world = World(request.split, request.items, seed=request.seed)
    folder = WorldFolder(request.out, request.split)
    for index in track(range(request.items), "drawing", progress):
        save = partial(world[index].draw().save, format="PNG", compress_level=1)
        folder.put_picture(f"{index:06d}.png", save)
    for kind, content in track(_annotations(world), "writing", progress, total=len(NAMES)):
        folder.put_annotations(kind, content)
    return request.out


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
