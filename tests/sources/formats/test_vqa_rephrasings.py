"""VQA-Rephrasings: rephrasings say of which question they are the same, and no id is that of two questions."""

from pathlib import Path
from typing import Any

import pytest
from vqa_files import answered, asked, put, read

from counterpoint.core.items import Question
from counterpoint.sources.formats.vqa import vqa_rephrasings
from counterpoint.sources.reading.records import Skips


def _reading(folder: Path, questions: Any, annotations: Any) -> tuple[list[Question], Skips]:
    put(folder / "v2_OpenEnded_mscoco_valrep2014_humans_og_questions.json", "questions", questions)
    put(folder / "v2_mscoco_valrep2014_humans_og_annotations.json", "annotations", annotations)
    return read(vqa_rephrasings, folder, "val")


def test_a_rephrasing_is_the_same_as_its_first_question(tmp_path: Path) -> None:
    questions = [asked(question="Which color has the dog?", question_id=2621480001, rephrasing_of=262148000), asked()]
    found, skips = _reading(tmp_path, questions, [answered(), answered(question_id=2621480001)])
    assert [(one.id, one.same_as) for one in found] == [("2621480001", "262148000"), ("262148000", "")]
    assert {one.picture.address for one in found} == {"coco:val2014/COCO_val2014_000000262148.jpg"}
    assert not skips.total


@pytest.mark.parametrize("turned", [False, True])
def test_an_id_that_two_questions_share_is_told_apart_by_the_picture(tmp_path: Path, turned: bool) -> None:
    first = asked(question_id=42000, image_id=42)
    again = asked(question_id=420001, image_id=42, rephrasing_of=42000)
    other = asked(question_id=420001, image_id=420, question="Is it raining?")
    yes = answered(question_id=420001, image_id=420, answers=[{"answer": "yes"}] * 10)
    red = answered(question_id=420001, image_id=42, answers=[{"answer": "red"}] * 10)
    rows = [first, again, other]
    said = [answered(question_id=42000, image_id=42), yes, red]
    found, skips = _reading(tmp_path, rows[::-1] if turned else rows, said)
    assert {one.id: (one.text, one.same_as, one.gold.best) for one in found} == {
        "42000": ("What color is the dog?", "", "white"),
        "420001-of-42000": ("What color is the dog?", "42000", "red"),
        "420001": ("Is it raining?", "", "yes"),
    }
    assert ("question_id", "420001") in next(one for one in found if one.same_as).tags
    assert not skips.total


def test_a_question_that_is_there_twice_is_taken_once(tmp_path: Path) -> None:
    found, skips = _reading(tmp_path, [asked(), asked()], [answered()])
    assert len(found) == 1
    assert skips.counts == {"a repeated id": 1}


def test_empty_rephrasings_as_the_release_has_them_are_left_out(tmp_path: Path) -> None:
    empty = [asked(question=text, question_id=n, rephrasing_of=262148000) for n, text in enumerate(["", "?"])]
    found, skips = _reading(tmp_path, [asked(), *empty], [answered(), *(answered(question_id=n) for n in range(2))])
    assert [one.id for one in found] == ["262148000"]
    assert skips.counts == {"a question without words": 2}
