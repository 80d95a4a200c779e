"""Real boxes and captions of COCO."""

import json
import re
from pathlib import Path

import pytest
from box_judge import boxes_of, is_easily_counted, judge
from proving import prove
from real_data import real

from counterpoint.lab.generation import GenerateRequest, generate
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.coco import coco
from counterpoint.store.lab import LabStore
from counterpoint.suites.scene_questions import make_questions

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "use-box-annotations.md"
MADE = re.findall(r"^\| `([\w-]+)` \| ([\d,]+) \| ([\d,]+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
"""The suites of the table in the docs, with groups and queries."""
SAMPLED = [row if row[0] in ("contrast",) else prove(*row) for row in MADE]
"""This one in `make test`, the others in `make prove`."""


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


@pytest.mark.prove
def test_a_loop_over_the_boxes_gives_every_answer_to_the_made_questions(folder: Path) -> None:
    file = json.loads((folder / "annotations" / "instances_51.json").read_text("utf-8"))
    scenes = list(Source(coco, folder, "val2017", limit=None).scenes())
    assert sum(bool(scene.captions) for scene in scenes) == 25
    questions, tally = make_questions(scenes, 0)
    assert len(questions) > 400
    for item in questions:
        boxes, size = boxes_of(file, int(item.scene.id)), item.scene.size
        assert judge(item.question.text, boxes, size.width) == item.question.gold.best, item.question.text
        if item.question.kind == "count":
            name = item.question.program[0].argument.rpartition(" (")[0]
            assert is_easily_counted(boxes, name, size.width, size.height), item.question.text
    assert tally.reasons["exist"]["candidate rejected: a caption names it, something of its kind, or a part of it"] > 9


@pytest.mark.parametrize(("suite", "groups", "queries"), SAMPLED)
def test_the_docs_say_how_much_the_excerpt_gives(
    suite: str, groups: str, queries: str, folder: Path, tmp_path: Path
) -> None:
    options = {"means": (120, 115, 105)} if suite == "visual" else {}
    request = GenerateRequest((suite,), source="coco", data=folder, split="val2017", options=options)
    manifest = generate(LabStore(tmp_path), request)[suite].manifest
    assert manifest is not None
    assert (f"{manifest.groups:,}", f"{manifest.rows:,}") == (groups, queries)
