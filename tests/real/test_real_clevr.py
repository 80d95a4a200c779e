"""Real files of CLEVR's layout, and boxes held against what can be seen in the pictures."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from real_data import real

from counterpoint.core.pictures import Box
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.clevr import clevr

SPLITS = ("train", "val", "test")


@pytest.fixture
def folder() -> Path:
    return real("clevr")


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("part", ["1obj", "2obj"])
def test_every_scene_and_relation_is_read(folder: Path, part: str, split: str) -> None:
    source = Source(clevr, folder / part, split)
    raw = json.loads((folder / part / "scenes" / f"CLEVR_{split}_scenes.json").read_text("utf-8"))["scenes"]
    scenes = list(source.scenes())
    assert not source.skips.total, source.skips.lines()
    assert len(scenes) == len(raw) == 10
    for scene, row in zip(scenes, raw, strict=True):
        listed = sum(len(others) for lists in row["relationships"].values() for others in lists)
        assert len(scene.relations) == listed
        for link in scene.relations:
            one, other = (row["objects"][int(key)]["pixel_coords"] for key in (link.subject, link.object))
            if link.name == "to the left of":
                assert one[0] < other[0]
            if link.name == "behind":
                assert one[2] > other[2]


@pytest.mark.parametrize("split", SPLITS)
def test_every_question_is_read_and_its_program_ends_in_its_kind(folder: Path, split: str) -> None:
    source = Source(clevr, folder / "1obj", split)
    scenes = {scene.id: scene for scene in source.scenes()}
    questions = list(source.questions())
    assert not source.skips.total, source.skips.lines()
    assert len({question.id for question in questions}) == len(questions) > 0
    for question in questions:
        (only,) = scenes[question.scene].objects
        assert question.kind.startswith("query ")
        assert question.gold.best in only.attributes


def test_boxes_lie_where_the_objects_are_seen(folder: Path) -> None:
    root = folder / "1obj"
    shown = [
        (scene.objects[0], np.asarray(Image.open(root / "images" / scene.picture.path).convert("RGB"), dtype=int))
        for split in SPLITS
        for scene in Source(clevr, root, split).scenes()
    ]
    ground = np.median(np.stack([pixels for _, pixels in shown]), axis=0)
    shared, errors = [], []
    for one, pixels in shown:
        if "gray" not in one.attributes:  # a gray object cannot be told from its shadow by its color
            assert one.box is not None
            seen = _extent(pixels, ground)
            shared.append(_shared(one.box, seen))
            errors += [abs(a - b) for a, b in zip(_edges(one.box), _edges(seen), strict=True)]
    print(f"{len(shared)} boxes: share {np.mean(shared):.3f}, least {min(shared):.3f}, edges off {np.mean(errors):.2f}")  # noqa: T201
    assert np.mean(shared) > 0.93
    assert min(shared) > 0.85
    assert np.mean(errors) < 0.8


def _extent(pixels: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]", ground: object) -> Box:
    """Where the picture has another color than the ground, whatever its brightness."""
    tint = pixels - pixels.mean(2, keepdims=True)
    base = np.asarray(ground) - np.asarray(ground).mean(2, keepdims=True)
    other = np.abs(tint - base).sum(2) > 28
    rows, columns = np.nonzero(other.sum(1) > 3)[0], np.nonzero(other.sum(0) > 3)[0]
    x, y = int(columns.min()), int(rows.min())
    return Box(x, y, int(columns.max()) + 1 - x, int(rows.max()) + 1 - y)


def _shared(one: Box, other: Box) -> float:
    common = one.overlap(other)
    return common / (one.area + other.area - common)


def _edges(box: Box) -> tuple[int, int, int, int]:
    return box.x, box.y, box.right, box.bottom
