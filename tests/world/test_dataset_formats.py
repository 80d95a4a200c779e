"""The texts of the world have the layout of the official files, key by key."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from samples import a_park, staged

from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Question, Step
from counterpoint.language.english import plural
from counterpoint.world.captions import captions
from counterpoint.world.dataset_formats import (
    coco_captions,
    gqa_scene_graphs,
    image_number,
    question_type,
    swig_frames,
    swig_space,
    visdial_file,
    vqa_annotations_file,
    vqa_questions_file,
)
from counterpoint.world.dialogues import dialogue
from counterpoint.world.frames import frames
from counterpoint.world.gqa_format import gqa_questions_file, semantic_text
from counterpoint.world.kinds import kinds
from counterpoint.world.questions import gqa_questions, vqa_questions


@pytest.fixture(scope="module")
def real_data() -> Path:
    beside = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("COUNTERPOINT_REAL_DATA", beside))
    if not folder.is_dir():
        pytest.skip("excerpts of the official files are not here; set COUNTERPOINT_REAL_DATA to their folder")
    return folder


@pytest.fixture
def park_questions() -> list[Question]:
    return [*gqa_questions(a_park(), seeded_rng(3), limit=40)]


def test_scene_graphs_have_the_keys_of_the_official_file(real_data: Path) -> None:
    real = json.loads((real_data / "gqa" / "sceneGraphs_18.json").read_text("utf-8"))
    ours = gqa_scene_graphs([a_park()])
    assert _keys(ours["park-1"]) >= {"width", "height", "objects"}
    assert _keys(ours["park-1"]) <= {key for graph in real.values() for key in graph}
    real_object = next(iter(next(iter(real.values()))["objects"].values()))
    ours_object = ours["park-1"]["objects"]["1"]
    assert _types(ours_object) == _types(real_object)
    assert _types(ours_object["relations"][0]) == _types(real_object["relations"][0])


def test_questions_have_the_keys_of_the_official_file(real_data: Path, park_questions: list[Question]) -> None:
    real = json.loads((real_data / "gqa" / "questions_33.json").read_text("utf-8"))
    example = next(iter(real.values()))
    kinds = {row["types"]["structural"] for row in real.values()} | {"logical"}
    for row in gqa_questions_file(park_questions).values():
        assert _types(row) == _types(example)
        for key in ("annotations", "types", "groups"):
            assert _keys(row[key]) == _keys(example[key])
        assert all(_types(step) == _types(example["semantic"][0]) for step in row["semantic"])
        assert row["types"]["structural"] in kinds


def test_a_program_is_written_as_gqa_writes_it(real_data: Path) -> None:
    real = json.loads((real_data / "gqa" / "questions_33.json").read_text("utf-8"))
    for row in real.values():
        steps = [Step(s["operation"], s["argument"], tuple(s["dependencies"])) for s in row["semantic"]]
        assert semantic_text(steps).replace(" ->", "->") == row["semanticStr"].replace(" ->", "->")


def test_spans_point_at_the_words_of_an_object(park_questions: list[Question]) -> None:
    scene = a_park()
    found = 0
    for question in park_questions:
        row = gqa_questions_file([question])[question.id]
        for text, spans in (
            (question.text, row["annotations"]["question"]),
            (question.full_answer, row["annotations"]["fullAnswer"]),
        ):
            for span, object_id in spans.items():
                start, _, end = span.partition(":")
                words = text.split()[int(start) : int(end or int(start) + 1)]
                said = " ".join(words).lower().strip(".,?")
                kind = kinds()[scene[object_id].name]
                assert any(word in said for name in (kind.name, kind.family) for word in (name, plural(name))), text
                found += 1
    assert found > 20


def test_crowd_questions_have_the_keys_of_the_official_files(real_data: Path) -> None:
    ours = [*vqa_questions(a_park(), seeded_rng(1))]
    for made, name, rows in (
        (vqa_questions_file(ours), "smallval_questions.json", "questions"),
        (vqa_annotations_file(ours), "smallval_annotations.json", "annotations"),
    ):
        real = json.loads((real_data / "vqa2" / name).read_text("utf-8"))
        assert _keys(made) == _keys(real)
        assert _keys(made[rows][0]) >= _keys(real[rows][0])
    asked, answered = vqa_questions_file(ours)["questions"], vqa_annotations_file(ours)["annotations"]
    assert [row["question_id"] for row in asked] == [row["question_id"] for row in answered]
    assert len({row["question_id"] for row in asked}) == len(asked)


def test_captions_have_the_keys_of_the_official_file(real_data: Path) -> None:
    real = json.loads((real_data / "coco" / "annotations" / "captions_val2017.json").read_text("utf-8"))
    park = a_park()
    made = coco_captions(captions(park, seeded_rng(1)), {park.picture.address: park.size})
    assert _keys(made) >= {"info", "licenses", "images", "annotations"}
    for key in ("images", "annotations", "licenses"):
        assert _types(made[key][0]) == _types(real[key][0])
    assert len(made["images"]) == 1
    assert len(made["annotations"]) == 5


def test_dialogues_have_the_keys_of_the_official_file(real_data: Path) -> None:
    real = json.loads((real_data / "visdial" / "visdial_1.0_val_97.json").read_text("utf-8"))
    made = visdial_file([dialogue(a_park(), seeded_rng(1)), dialogue(staged("test", 1), seeded_rng(1))], "val")
    assert _types(made) == _types(real)
    assert _types(made["data"]) == _types(real["data"])
    assert _types(made["data"]["dialogs"][0]) == _types(real["data"]["dialogs"][0])
    turn = made["data"]["dialogs"][0]["dialog"][0]
    assert _types(turn) == _types(real["data"]["dialogs"][0]["dialog"][0])
    assert turn["answer_options"][turn["gt_index"]] == turn["answer"]


def test_frames_have_boxes_by_corners_and_three_annotators() -> None:
    park = a_park()
    sizes = {park.picture.address: park.size}
    made = swig_frames(frames(park), sizes)
    assert list(made) == [f"riding_{image_number(park.picture)}.png", f"holding_{image_number(park.picture)}.png"]
    riding = made[f"riding_{image_number(park.picture)}.png"]
    assert riding["bb"] == {"agent": [20, 60, 60, 160], "vehicle": [10, 110, 80, 170], "place": [-1, -1, -1, -1]}
    assert len(riding["frames"]) == 3
    space = swig_space(frames(park))
    assert space["nouns"][riding["frames"][0]["vehicle"]]["gloss"] == ["bicycle"]
    assert space["verbs"]["riding"]["order"] == ["agent", "vehicle", "place"]


def test_every_layout_can_be_written_as_json(park_questions: list[Question]) -> None:
    park = a_park()
    for made in (
        gqa_scene_graphs([park]),
        gqa_questions_file(park_questions),
        visdial_file([dialogue(park, seeded_rng(1))]),
        swig_frames(frames(park), {park.picture.address: park.size}),
    ):
        assert json.loads(json.dumps(made)) == made


def test_a_question_is_grouped_by_its_first_words() -> None:
    assert question_type("How many people are there?") == "how many people are"
    assert question_type("Is there a dog?") == "is there a"


def _keys(row: Mapping[str, Any]) -> set[str]:
    return set(row)


def _types(row: Mapping[str, Any]) -> dict[str, type]:
    return {key: type(value) for key, value in row.items()}
