"""CLEVR is read from its own files: scenes with boxes that are worked out, and questions with programs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Question, Step
from counterpoint.core.pictures import Size
from counterpoint.core.scenes import Link, Scene
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.clevr import HALF, SHAPES, SIZE, box, clevr
from counterpoint.sources.reading.records import Skips

CUBE = {
    "shape": "cube",
    "size": "large",
    "color": "red",
    "material": "metal",
    "pixel_coords": [240, 160, 10.0],
    "3d_coords": [0.0, 0.0, 0.7],
    "rotation": 30.0,
}
BALL = CUBE | {
    "shape": "sphere",
    "size": "small",
    "color": "blue",
    "material": "rubber",
    "pixel_coords": [100, 90, 12.5],
}
SCENE = {
    "image_index": 7,
    "image_filename": "CLEVR_val_000007.png",
    "split": "val",
    "objects": [CUBE, BALL],
    "relationships": {"left": [[1], []], "right": [[], [0]], "behind": [[1], []], "front": [[], [0]]},
    "directions": {"right": [0.656, 0.754, 0.0], "left": [-0.656, -0.754, 0.0]},
}
ASKED = {
    "image_index": 7,
    "image_filename": "CLEVR_val_000007.png",
    "split": "val",
    "question": "What color is the cube?",
    "answer": "red",
    "question_index": 3,
    "question_family_index": 77,
    "program": [
        {"function": "scene", "inputs": [], "value_inputs": []},
        {"function": "filter_shape", "inputs": [0], "value_inputs": ["cube"]},
        {"function": "unique", "inputs": [1], "value_inputs": []},
        {"function": "query_color", "inputs": [2], "value_inputs": []},
    ],
}

Read = Callable[..., tuple[list[Any], Skips]]


@pytest.fixture
def scenes_of(tmp_path: Path) -> Callable[..., tuple[list[Scene], Skips]]:
    def read(*rows: Any) -> tuple[list[Scene], Skips]:
        (tmp_path / "scenes").mkdir(exist_ok=True)
        (tmp_path / "scenes" / "CLEVR_val_scenes.json").write_text(json.dumps({"info": {}, "scenes": rows}))
        source = Source(clevr, tmp_path, "val")
        return list(source.scenes()), source.skips

    return read


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., tuple[list[Question], Skips]]:
    def read(*rows: Any) -> tuple[list[Question], Skips]:
        (tmp_path / "CLEVR_val_questions.json").write_text(json.dumps({"info": {}, "questions": rows}))
        source = Source(clevr, tmp_path, "val")
        return list(source.questions()), source.skips

    return read


def test_a_scene_is_what_the_file_says(scenes_of: Read) -> None:
    (scene,), skips = scenes_of(SCENE)
    assert (scene.id, scene.picture.address) == ("CLEVR_val_000007", "clevr:val/CLEVR_val_000007.png")
    assert scene.size == SIZE
    assert [(one.id, one.name, one.attributes) for one in scene] == [
        ("0", "cube", ("large", "red", "metal")),
        ("1", "sphere", ("small", "blue", "rubber")),
    ]
    assert not skips.total


def test_what_is_listed_under_left_of_an_object_is_to_the_left_of_it(scenes_of: Read) -> None:
    (scene,), _ = scenes_of(SCENE)
    assert set(scene.relations) == {
        Link("1", "to the left of", "0"),
        Link("0", "to the right of", "1"),
        Link("1", "behind", "0"),
        Link("0", "in front of", "1"),
    }
    ball, cube = scene["1"].box, scene["0"].box
    assert ball.middle < cube.middle


def test_boxes_refer_to_the_size_of_the_pictures_that_are_there(tmp_path: Path, scenes_of: Read) -> None:
    (tmp_path / "images" / "val").mkdir(parents=True)
    (tmp_path / "images" / "val" / "CLEVR_val_000000.png").write_bytes(_png(320, 240))
    (scene,), _ = scenes_of(SCENE)
    assert scene.size == Size(320, 240)
    (tmp_path / "images" / "val" / "CLEVR_val_000000.png").write_bytes(b"no picture")
    (scene,), _ = scenes_of(SCENE)
    assert scene.size == SIZE


def test_a_ball_in_the_middle_is_as_wide_as_the_lens_makes_it() -> None:
    found = box("sphere", 0.7, 0.0, (240, 160, 10.0), (1.0, 0.0), SIZE)
    assert found is not None
    assert abs(found.width - 2 * 0.7 * 480 * 35 / 32 / 10) <= 1
    assert found.width == found.height
    assert found.middle == pytest.approx((240, 160), abs=1)


@given(st.sampled_from(SHAPES), st.sampled_from(sorted(HALF)), st.floats(0, 360), st.floats(5, 20))
def test_what_is_nearer_or_larger_is_larger_in_the_picture_and_the_middle_lies_within(
    shape: str, size: str, turn: float, depth: float
) -> None:
    def at(half: float, z: float) -> int:
        found = box(shape, half, turn, (240.0, 160.0, z), (0.656, 0.754), SIZE)
        assert found is not None
        assert found.x < 240 < found.right
        assert found.y < 160 < found.bottom
        return found.area

    assert at(HALF[size], depth) > at(HALF[size], depth * 1.5)
    assert at(HALF["large"], depth) > at(HALF["small"], depth)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"shape": None}, "object 0: shape is None, not a text"),
        ({"color": ""}, "color is '', not a word"),
        ({"pixel_coords": [1, 2]}, "pixel_coords is [1, 2], not a list of 3 numbers"),
        ({"pixel_coords": [1, 2, "deep"]}, "not a list of 3 numbers"),
        ({"pixel_coords": [1, 2, 0.1]}, "not a place before the camera"),
        ({"pixel_coords": [10**400, 2, 10]}, "not a list of 3 numbers"),
        ({"rotation": "turned"}, "rotation is 'turned', not a number"),
    ],
)
def test_an_object_that_cannot_be_read_is_left_out_with_its_relations(
    scenes_of: Read, changes: dict[str, Any], said: str
) -> None:
    (scene,), skips = scenes_of(SCENE | {"objects": [CUBE | changes, BALL]})
    assert [one.id for one in scene] == ["1"]
    assert scene.relations == ()
    assert skips.counts["a relation to an object that is not there"] == 4
    assert any(said in line for line in skips.lines())


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (7, "scene 0 is 7, not an object"),
        (SCENE | {"image_filename": None}, "image_filename is None"),
        (SCENE | {"objects": {}}, "objects is {}, not a list"),
        (SCENE | {"relationships": {"left": [1]}}, "not lists of objects by direction"),
        (SCENE | {"directions": {"right": "east"}}, "right is 'east', not a list of 3 numbers"),
    ],
)
def test_a_scene_that_cannot_be_read_is_left_out(scenes_of: Read, row: Any, said: str) -> None:
    found, skips = scenes_of(row, SCENE)
    assert len(found) == 1
    assert said in skips.lines()[0]


def test_an_object_outside_the_picture_has_no_box_and_is_counted(scenes_of: Read) -> None:
    (scene,), skips = scenes_of(SCENE | {"objects": [CUBE | {"pixel_coords": [900, 900, 10]}, BALL]})
    assert scene["0"].box is None
    assert skips.counts == {"a box outside its picture": 1}


def test_a_question_is_what_the_file_says(asked: Read) -> None:
    (question,), skips = asked(ASKED)
    assert (question.id, question.scene) == ("val-3", "CLEVR_val_000007")
    assert (question.text, question.gold.best, question.kind) == ("What color is the cube?", "red", "query color")
    assert question.program[1] == Step("filter shape", "cube", (0,))
    assert question.tags == (("family", "77"),)
    assert not skips.total


def test_copies_that_say_type_and_side_inputs_are_read_alike(asked: Read) -> None:
    program = [{"type": "scene", "inputs": []}, {"type": "filter_color", "inputs": [0], "side_inputs": ["red"]}]
    (question,), _ = asked(ASKED | {"program": program, "answer": True})
    assert question.program == (Step("scene"), Step("filter color", "red", (0,)))
    assert question.gold.best == "yes"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"answer": None}, "question 0 has no answer"),
        ({"question": None}, "question is None"),
        ({"image_filename": ""}, "image_filename is '', not a word"),
        ({"program": [{"function": "count", "inputs": [3]}]}, "inputs is [3], not a list of earlier steps"),
        ({"program": [{"inputs": []}]}, "program 0 has no type"),
    ],
)
def test_a_question_that_cannot_be_read_is_left_out(asked: Read, changes: dict[str, Any], said: str) -> None:
    found, skips = asked(ASKED | changes, ASKED)
    assert len(found) == 1
    assert said in skips.lines()[0]


def test_the_file_of_another_data_set_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "CLEVR_val_scenes.json"
    path.write_text(json.dumps({"questions": []}))
    with pytest.raises(SourceError, match="has no 'scenes'"):
        list(Source(clevr, path, "val").scenes())


def _png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + width.to_bytes(4) + height.to_bytes(4)
