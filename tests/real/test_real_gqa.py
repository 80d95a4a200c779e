"""Real scene graphs and questions of GQA."""

import json
from pathlib import Path

import pytest
from conftest import Golden
from real_data import real

from counterpoint.scenes.views import SceneView
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.gqa import gqa


@pytest.fixture
def folder() -> Path:
    return real("gqa")


def test_every_scene_object_and_relation_of_the_excerpt_is_read(folder: Path) -> None:
    source = Source(gqa, folder, "val")
    scenes = {scene.id: scene for scene in source.scenes()}
    raw = json.loads((folder / "sceneGraphs_18.json").read_text("utf-8"))
    assert not source.skips.total, source.skips.lines()
    assert list(scenes) == list(raw)
    assert sum(len(scene.objects) for scene in scenes.values()) == 298
    assert sum(len(scene.relations) for scene in scenes.values()) == 933
    for key, graph in raw.items():
        assert scenes[key].size.width == graph["width"]
        for one in scenes[key]:
            told = graph["objects"][one.id]
            assert (one.name, list(one.attributes)) == (told["name"], told["attributes"])
            assert one.box is not None
            assert one.box.x >= told["x"]
            assert one.box.right <= min(told["x"] + told["w"], graph["width"])


def test_every_question_of_the_excerpt_is_read_and_its_program_speaks_of_objects_in_its_scene(folder: Path) -> None:
    source = Source(gqa, folder, "val")
    scenes = {scene.id: scene for scene in source.scenes()}
    questions = list(source.questions())
    raw = json.loads((folder / "questions_33.json").read_text("utf-8"))
    assert not source.skips.total, source.skips.lines()
    assert [question.id for question in questions] == list(raw)
    assert any(question.id.startswith("0") for question in questions), "zeros are kept"
    for question in questions:
        tags = dict(question.tags)
        assert question.gold.best == raw[question.id]["answer"]
        assert ("global" in tags) == (raw[question.id]["groups"]["global"] is not None)
        named = [span.partition("=")[2] for span in tags.get("spans", "").split()]
        if question.scene in scenes:
            known = {one.id for one in scenes[question.scene]}
            assert set(named) <= known


def test_the_names_that_are_asked_for_as_present_are_those_that_were_read_and_found_right(
    folder: Path, golden: Golden
) -> None:
    """Read by one person against the annotations; 73 of 220 could be asked for where absence had to be provable."""
    views = [SceneView(scene) for scene in Source(gqa, folder, "val").scenes()]
    golden("gqa_names_asked.txt", [f"{view.scene.id}: {', '.join(view.visible_names)}" for view in views])
    assert sum(len(view.names) for view in views) == 220
    assert sum(len(view.visible_names) for view in views) >= 150
