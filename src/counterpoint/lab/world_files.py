"""The built-in world as files, in the formats of public data sets."""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from counterpoint.core.errors import writing
from counterpoint.lab.progress import ProgressCallback, ignore_progress, track
from counterpoint.store.outputs import write_whole
from counterpoint.world import dataset_formats as layouts
from counterpoint.world.contact_sheets import contact_sheet
from counterpoint.world.gqa_format import gqa_questions_file
from counterpoint.world.source import World

WORLD_FILES = {
    "scene graphs": "{split}_sceneGraphs.json",
    "questions": "{split}_questions.json",
    "crowd questions": "v2_OpenEnded_{split}_questions.json",
    "crowd answers": "v2_{split}_annotations.json",
    "captions": "captions_{split}.json",
    "dialogues": "visdial_1.0_{split}.json",
    "frames": "swig_{split}.json",
    "frame space": "imsitu_space_{split}.json",
}
"""The file of each kind of annotation: two of GQA, two of VQA, one of COCO, one of VisDial, two of SWiG."""


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
    world, folder = World(split, items, seed=seed), Path(out)
    for index in track(range(items), "drawing", progress):
        world[index].draw().save(picture := BytesIO(), format="PNG", compress_level=1)
        write_whole(folder / split / f"{index:06d}.png", picture.getvalue())
    contents = zip(WORLD_FILES.values(), _annotations(world), strict=True)
    for name, content in track(contents, "writing", progress, total=len(WORLD_FILES)):
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
        write_whole(folder / name.format(split=split), text)
    return folder


def draw_contact_sheet(path: Path | str, *, scenes: int = 24, columns: int = 6) -> None:
    """Draw the first scenes of the built-in world's test split side by side into one picture."""
    world, path = World("test", scenes), Path(path)
    sheet = contact_sheet(((world[k].scene.place, world[k].draw()) for k in range(scenes)), columns=columns)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        sheet.save(path)


def _annotations(world: World) -> Iterator[Any]:
    """The content of each file, in their order."""
    yield layouts.gqa_scene_graphs(world.scenes())
    yield gqa_questions_file(world.questions())
    crowd = list(world.crowd_questions())
    yield layouts.vqa_questions_file(crowd, world.split)
    yield layouts.vqa_annotations_file(crowd, world.split)
    sizes = {scene.picture.address: scene.size for scene in world.scenes()}
    yield layouts.coco_captions(list(world.captions()), sizes)
    yield layouts.visdial_file(list(world.dialogues()), world.split)
    frames = list(world.frames())
    yield layouts.swig_frames(frames, sizes)
    yield layouts.swig_space(frames)
