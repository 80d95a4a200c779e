"""Visual7W: questions with four choices, of which the place does not give the right one away."""

import json
from pathlib import Path
from typing import Any

import pytest
from vqa_files import read

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Question
from counterpoint.sources.formats.visual7w import visual7w
from counterpoint.sources.reading.records import Skips

PAIR = {
    "image_id": 2323054,
    "question": "What type of flooring?",
    "multiple_choices": ["Tile.", "Carpet.", "Cement."],
    "qa_id": 871917,
    "answer": "Wood.",
    "type": "what",
}


def _image(*pairs: Any, **changes: Any) -> dict[str, Any]:
    return {"image_id": 2323054, "filename": "v7w_2323054.jpg", "split": "val", "qa_pairs": pairs} | changes


def _reading(folder: Path, *images: Any, name: str = "dataset_v7w_telling.json") -> tuple[list[Question], Skips]:
    (folder / name).write_text(json.dumps({"dataset": "visual7w-telling", "images": images}))
    return read(visual7w, folder, "val")


@pytest.mark.parametrize("name", ["dataset_v7w_telling.json", "dataset.json"])
def test_a_question_is_what_the_file_says(tmp_path: Path, name: str) -> None:
    (question,), skips = _reading(tmp_path, _image(PAIR), name=name)
    assert (question.id, question.text, question.kind) == ("871917", "What type of flooring?", "what")
    assert question.picture.address == "visual7w:v7w_2323054.jpg"
    assert question.gold.best == "Wood."
    assert set(question.choices) == {"Wood.", "Tile.", "Carpet.", "Cement."}
    assert question.scene == "2323054"
    assert not skips.total


def test_the_right_choice_is_as_often_at_each_place_and_stays_where_it_is(tmp_path: Path) -> None:
    images = [_image(*(PAIR | {"qa_id": 100 * image + n} for n in range(8))) for image in range(100)]
    first, _ = _reading(tmp_path, *images)
    again, _ = _reading(tmp_path, *images[::-1])
    assert {one.id: one.choices for one in first} == {one.id: one.choices for one in again}
    places = [one.choices.index("Wood.") for one in first]
    assert all(150 < places.count(place) < 250 for place in range(4))


def test_only_the_questions_of_the_split_are_read(tmp_path: Path) -> None:
    found, skips = _reading(tmp_path, _image(PAIR, split="train"), _image(PAIR | {"qa_id": 2}))
    assert [one.id for one in found] == ["2"]
    assert not skips.total


def test_a_choice_that_is_there_twice_is_offered_once_and_none_are_needed(tmp_path: Path) -> None:
    twice = PAIR | {"qa_id": 2, "multiple_choices": ["Tile.", "Tile.", "Wood."]}
    open_ended = {key: value for key, value in PAIR.items() if key != "multiple_choices"}
    (one, other), _ = _reading(tmp_path, _image(twice, open_ended))
    assert sorted(one.choices) == ["Tile.", "Wood."]
    assert other.choices == ()


def test_questions_that_ask_for_a_box_are_refused(tmp_path: Path) -> None:
    pointing = PAIR | {"type": "which", "question": "Which door is open?", "answer": 77, "multiple_choices": [1, 2, 3]}
    with pytest.raises(SourceError, match="has questions that are answered by pointing at a box") as raised:
        _reading(tmp_path, _image(pointing))
    assert "dataset_v7w_telling.json" in raised.value.hint


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (PAIR, "a repeated id (dataset_v7w_telling.json: 871917)"),
        (
            PAIR | {"qa_id": 2, "question": " "},
            "a question without words (dataset_v7w_telling.json, image 0, question 1",
        ),
        (PAIR | {"qa_id": None}, "qa_id is None, not a text"),
        (PAIR | {"qa_id": 2, "answer": ""}, "answer is '', not a word"),
        (PAIR | {"qa_id": 2, "multiple_choices": [1]}, "multiple_choices is [1], not a list of texts"),
        ("What?", "question 1 is 'What?', not an object"),
    ],
)
def test_a_question_that_cannot_be_asked_is_left_out(tmp_path: Path, pair: Any, said: str) -> None:
    found, skips = _reading(tmp_path, _image(PAIR, pair))
    assert [one.id for one in found] == ["871917"]
    assert said in skips.lines()[0]


@pytest.mark.parametrize(
    ("image", "said"),
    [
        (_image(PAIR, filename=None, image_id=None), "a question without a picture"),
        (_image(PAIR, filename="../dog.jpg"), "filename is '../dog.jpg', not the name of a picture"),
        (_image(PAIR, split=None), "image 0: split is None"),
        (_image(qa_pairs={}), "qa_pairs is {}, not a list"),
        (7, "image 0 is 7, not an object"),
    ],
)
def test_a_picture_that_cannot_be_read_is_left_out(tmp_path: Path, image: Any, said: str) -> None:
    found, skips = _reading(tmp_path, image, _image(PAIR | {"qa_id": 2}))
    assert [one.id for one in found] == ["2"]
    assert said in skips.lines()[0]
