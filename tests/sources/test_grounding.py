"""Questions with their scenes, one at a time, as often as they are walked."""

import json
from pathlib import Path

import pytest

from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.gqa import gqa
from counterpoint.sources.grounding import NO_SCENE


def _question(number: int, image: str) -> dict[str, object]:
    return {"question": f"Is there a cup number {number}?", "answer": "yes", "imageId": image, "semantic": []}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cup = {"name": "cup", "x": 1, "y": 2, "w": 10, "h": 10, "attributes": [], "relations": []}
    graphs = {str(n): {"width": 100, "height": 80, "objects": {"1": cup}} for n in range(4)}
    asked = {f"{n:04}": _question(n, str(n % 5)) for n in range(40)}
    (tmp_path / "val_sceneGraphs.json").write_text(json.dumps(graphs))
    (tmp_path / "val_balanced_questions.json").write_text(json.dumps(asked))
    return tmp_path


def test_every_question_has_its_scene_and_those_without_one_are_counted(folder: Path) -> None:
    source = Source(gqa, folder, "val", limit=None)
    found = source.grounded()
    for _ in range(2):
        items = list(found)
        assert len(items) == 32
        assert all(item.scene.id == item.question.scene for item in items)
        assert [item.id for item in items] == [item.question.id for item in items]
        assert source.skips.counts[NO_SCENE] == 8, "counted anew in each pass"


@pytest.mark.parametrize("most", [1, 7, 40, 100])
def test_a_part_of_the_questions_is_the_sample_that_would_be_held(folder: Path, most: int) -> None:
    source = Source(gqa, folder, "val", limit=most, seed=3)
    held = {question.id for question in source.questions() if question.scene != "4"}
    assert {item.id for item in source.grounded()} == held


def test_the_scenes_are_read_whole_however_few_questions_are_asked_for(folder: Path) -> None:
    found = Source(gqa, folder, "val", limit=1).grounded()
    assert set(found.scenes) == {"0", "1", "2", "3"}
    [first, second] = [item.content_id for item in Source(gqa, folder, "val", limit=3, seed=1).grounded()][:2]
    assert first != second
