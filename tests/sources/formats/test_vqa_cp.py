"""VQA-CP is read from bare lists, whose pictures are of two splits of COCO."""

import json
from pathlib import Path
from typing import Any

import pytest
from vqa_files import answered, asked, put, read

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Question
from counterpoint.sources.formats.vqa import vqa_cp
from counterpoint.sources.reading.records import Skips


def _reading(folder: Path, questions: Any, annotations: Any, *, bare: bool = True) -> tuple[list[Question], Skips]:
    put(folder / "vqacp_v2_test_questions.json", "questions", questions, bare=bare)
    put(folder / "vqacp_v2_test_annotations.json", "annotations", annotations, bare=bare)
    return read(vqa_cp, folder, "test")


@pytest.mark.parametrize("bare", [True, False])
def test_each_question_names_the_split_of_its_picture(tmp_path: Path, bare: bool) -> None:
    questions = [asked(question_id=n, coco_split=split) for n, split in enumerate(["train2014", "val2014"])]
    annotations = [answered(question_id=n, coco_split=split) for n, split in enumerate(["train2014", "val2014"])]
    found, skips = _reading(tmp_path, questions, annotations[::-1], bare=bare)
    assert [one.picture.address for one in found] == [
        "coco:train2014/COCO_train2014_000000262148.jpg",
        "coco:val2014/COCO_val2014_000000262148.jpg",
    ]
    assert not skips.total


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "question 0: coco_split is None, not train2014"),
        ({"coco_split": "val2017"}, "question 0: coco_split is 'val2017', not train2014 or val2014"),
        ({"coco_split": "../.."}, "question 0: coco_split is '../..', not train2014"),
    ],
)
def test_a_question_whose_picture_is_of_no_known_split_is_left_out(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    found, skips = _reading(tmp_path, [asked(**changes)], [answered()])
    assert not found
    assert said in skips.lines()[0]


def test_lines_of_json_are_refused(tmp_path: Path) -> None:
    _reading(tmp_path, [], [])
    (tmp_path / "vqacp_v2_test_questions.json").write_text("\n".join(json.dumps(asked()) for _ in range(2)))
    with pytest.raises(SourceError, match="goes on after its end"):
        read(vqa_cp, tmp_path, "test")
