"""VQA v2 is read from its own files: questions, joined with the ten answers that people gave."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from vqa_files import TEN, answered, asked, put, read

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.vqa import vqa2
from counterpoint.sources.reading.records import Skips

QUESTIONS, ANNOTATIONS = "v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json"

Reading = Callable[..., tuple[list[Question], Skips]]


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    def both(questions: Any, annotations: Any, split: str = "val") -> tuple[list[Question], Skips]:
        put(tmp_path / QUESTIONS, "questions", questions)
        put(tmp_path / ANNOTATIONS, "annotations", annotations)
        return read(vqa2, tmp_path, split)

    return both


def test_a_question_is_what_the_files_say(reading: Reading) -> None:
    (question,), skips = reading([asked()], [answered()])
    assert question == Question(
        "262148000",
        Picture("coco:val2014/COCO_val2014_000000262148.jpg"),
        "What color is the dog?",
        rule_set("vqa").gold(TEN),
        kind="what color is the",
        scene="262148",
        votes=tuple(TEN),
        tags=(("answer_type", "other"),),
    )
    assert question.gold.credit("white") == pytest.approx(1.0)
    assert question.gold.credit("red") == pytest.approx(0.6)
    assert not skips.total


def test_questions_and_annotations_are_joined_by_id_whatever_their_order(reading: Reading) -> None:
    questions = [asked(question_id=n, question=f"Is it {n}?") for n in range(50)]
    annotations = [answered(question_id=n, answers=[{"answer": str(n)}] * 10) for n in range(50)]
    Random(1).shuffle(annotations)
    found, skips = reading(questions, annotations)
    assert [(one.id, one.gold.best) for one in found] == [(str(n), str(n)) for n in range(50)]
    assert not skips.total


def test_the_pictures_of_a_split_are_those_of_coco(tmp_path: Path) -> None:
    for name, key, row in (("questions", "questions", asked()), ("annotations", "annotations", answered())):
        put(tmp_path / f"train_{name}.json", key, [row])
    (question,), _ = read(vqa2, tmp_path, "train")
    assert question.picture.address == "coco:train2014/COCO_train2014_000000262148.jpg"


@pytest.mark.parametrize(("split", "name"), [("test", "test2015"), ("test-dev", "test-dev2015")])
def test_questions_of_a_test_have_no_right_answers(tmp_path: Path, split: str, name: str) -> None:
    put(tmp_path / f"v2_OpenEnded_mscoco_{name}_questions.json", "questions", [asked()])
    (question,), skips = read(vqa2, tmp_path, split)
    assert question.picture.address == "coco:test2015/COCO_test2015_000000262148.jpg"
    assert (question.gold, question.votes) == (Gold(()), ())
    assert not skips.total


def test_excerpts_are_found_by_their_loose_names_and_may_lack_the_chosen_answer(tmp_path: Path) -> None:
    bare = {key: value for key, value in answered().items() if key != "multiple_choice_answer"}
    put(tmp_path / "smallval_questions.json", "questions", [asked()])
    put(tmp_path / "smallval_annotations.json", "annotations", [bare])
    found, skips = read(vqa2, tmp_path, "val")
    assert len(found) == 1
    assert not skips.total


def test_where_only_the_chosen_answer_is_given_it_is_right(reading: Reading) -> None:
    (question,), _ = reading([asked()], [answered(answers=None)])
    assert (question.gold, question.votes) == (Gold.of("white"), ())


def test_ids_keep_their_zeros_and_numbers_become_digits(reading: Reading) -> None:
    questions = [asked(question_id="007", image_id="000000000042"), asked(question_id=7, image_id=42)]
    (one, other), _ = reading(questions, [answered(question_id=7), answered(question_id="007")])
    assert (one.id, other.id) == ("007", "7")
    assert one.picture == other.picture == Picture("coco:val2014/COCO_val2014_000000000042.jpg")
    assert one.scene == other.scene == "42"


def test_numbers_among_the_answers_are_taken_as_their_digits(reading: Reading) -> None:
    (question,), _ = reading([asked()], [answered(answers=[{"answer": 2}, {"answer": "two"}])])
    assert question.votes == ("2", "two")


@pytest.mark.parametrize(
    ("questions", "annotations", "line"),
    [
        (
            [asked(), asked(question_id=1)],
            [answered()],
            f"a question without an annotation ({QUESTIONS}, question 1: 1)",
        ),
        ([asked()], [answered(), answered(question_id=1)], f"an annotation without a question ({ANNOTATIONS}: 1)"),
        ([asked(), asked()], [answered()], f"a repeated id ({QUESTIONS}, question 1: 262148000)"),
        ([asked()], [answered()] * 2, f"a repeated id ({ANNOTATIONS}, annotation 1: 262148000)"),
        (
            [asked(), asked(question_id=1, question=" ?")],
            [answered(), answered(question_id=1)],
            f"a question without words ({QUESTIONS}, question 1: 1)",
        ),
        (
            [asked(), asked(question_id=1, image_id=None)],
            [answered(), answered(question_id=1)],
            f"a question without a picture ({QUESTIONS}, question 1: 1)",
        ),
    ],
)
def test_what_does_not_fit_together_is_left_out_with_its_place_and_what_helps(
    reading: Reading, questions: Any, annotations: Any, line: str
) -> None:
    found, skips = reading(questions, annotations)
    assert [one.id for one in found] == ["262148000"]
    (told,) = skips.lines()
    assert told.startswith(f"1 skipped: {line}: ")


@pytest.mark.parametrize(
    ("question", "annotation", "said"),
    [
        (7, {}, "question 1 is 7, not an object"),
        ({"question_id": None}, {}, "question 1: question_id is None, not a text"),
        ({"question_id": True}, {}, "question 1: question_id is True, not a text"),
        ({"question": ["Is it?"]}, {}, "question 1: question is ['Is it?'], not a text"),
        ({"image_id": "dog.jpg"}, {}, "question 1: image_id is 'dog.jpg', not the number of a picture"),
        ({"image_id": -4}, {}, "question 1: image_id is -4, not the number of a picture"),
        ({"image_id": 10**13}, {}, "not the number of a picture"),
        ({}, {"answers": "white"}, "annotation 1: answers is 'white', not a list"),
        ({}, {"answers": [{"said": "white"}]}, "annotation 1, answers[0] has no answer"),
        ({}, {"answers": [{"answer": None}]}, "annotation 1: answers[0].answer is None, not a text"),
        ({}, {"answers": [], "multiple_choice_answer": None}, "annotation 1: multiple_choice_answer is None"),
        ({}, {"question_type": {}}, "annotation 1: question_type is {}, not a text"),
    ],
)
def test_a_record_that_cannot_be_read_is_left_out(reading: Reading, question: Any, annotation: Any, said: str) -> None:
    other = question if question == 7 else asked(question_id=1) | question
    found, skips = reading([asked(), other], [answered(), answered(question_id=1) | annotation])
    assert [one.id for one in found] == ["262148000"]
    assert any(said in line for line in skips.lines())


def test_a_file_that_is_cut_is_refused_with_the_last_record_that_was_whole(reading: Reading, tmp_path: Path) -> None:
    reading([asked(question_id=n) for n in range(9)], [answered(question_id=n) for n in range(9)])
    path = tmp_path / QUESTIONS
    text = path.read_text()
    path.write_text(text[: text.index('"question_id": 5')])
    with pytest.raises(
        SourceError, match=r"questions\.json ends in the middle of a record after record 4 of questions"
    ):
        read(vqa2, tmp_path, "val")


def test_lines_of_json_and_other_layouts_are_refused(reading: Reading, tmp_path: Path) -> None:
    reading([asked()], [answered()])
    (tmp_path / QUESTIONS).write_text("\n".join(json.dumps(asked(question_id=n)) for n in range(3)))
    with pytest.raises(SourceError, match="goes on after its end") as raised:
        read(vqa2, tmp_path, "val")
    assert "a record a line" in raised.value.hint
    (tmp_path / QUESTIONS).write_text(json.dumps({"data": [asked()]}))
    with pytest.raises(SourceError, match="has no 'questions'"):
        read(vqa2, tmp_path, "val")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    put(tmp_path / QUESTIONS, "questions", [asked()])
    with pytest.raises(SourceError, match=f"has no {ANNOTATIONS}, the annotations of VQA v2"):
        read(vqa2, tmp_path, "val")


def test_a_sample_is_part_of_a_larger_one(reading: Reading, tmp_path: Path) -> None:
    rows = range(100)
    reading([asked(question_id=n) for n in rows], [answered(question_id=n) for n in rows])
    few, more = ({question.id for question in Source(vqa2, tmp_path, "val", n).questions()} for n in (10, 30))
    assert len(few) == 10
    assert few < more


def test_pictures_are_found_where_people_put_them(tmp_path: Path) -> None:
    assert vqa2.picture_root(tmp_path) is None
    (tmp_path / "images" / "val2014").mkdir(parents=True)
    assert vqa2.picture_root(tmp_path) == tmp_path / "images"
