"""Real boxes and captions of COCO."""

import json
from pathlib import Path

import pytest
from real_data import real

from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.coco import coco


@pytest.fixture
def folder() -> Path:
    return real("coco")


def test_every_box_of_the_excerpt_is_read(folder: Path) -> None:
    source = Source(coco, folder / "annotations" / "instances_51.json", "train2017")
    scenes = {scene.id: scene for scene in source.scenes()}
    raw = json.loads((folder / "annotations" / "instances_51.json").read_text("utf-8"))
    assert not source.skips.total, source.skips.lines()
    assert len(scenes) == len(raw["images"]) == 51
    assert sum(len(scene.objects) for scene in scenes.values()) == len(raw["annotations"]) == 546
    names = {row["id"]: row["name"] for row in raw["categories"]}
    for row in raw["annotations"]:
        scene = scenes[str(row["image_id"])]
        one = scene[str(row["id"])]
        assert one.name == names[row["category_id"]]
        assert one.box is not None
        x, y, width, height = row["bbox"]
        edges = (x, y, min(x + width, scene.size.width), min(y + height, scene.size.height))
        found = (one.box.x, one.box.y, one.box.right, one.box.bottom)
        assert all(abs(a - b) <= 1 for a, b in zip(found, edges, strict=True))


def test_every_caption_of_the_validation_split_is_read(folder: Path) -> None:
    source = Source(coco, folder, "val2017", limit=None)
    captions = list(source.captions())
    assert not source.skips.total, source.skips.lines()
    assert len(captions) == len({caption.id for caption in captions}) == 25_014
    assert len({caption.picture for caption in captions}) == 5_000
    assert all(caption.picture.path.startswith("val2017/") for caption in captions)
    assert all(caption.text == caption.text.strip() for caption in captions)


def test_a_sample_of_captions_grows_by_adding(folder: Path) -> None:
    small, large = ({caption.id for caption in Source(coco, folder, "val2017", most).captions()} for most in (100, 200))
    assert small < large
