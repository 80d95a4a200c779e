"""TextVQA: questions about words in pictures, told beforehand to a model where a program has read them."""

import json
from pathlib import Path
from typing import Any

import pytest
from vqa_files import read

from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.sources.formats.textvqa import textvqa
from counterpoint.sources.reading.records import Skips

TEN = ["nokia"] * 8 + ["toshiba", "nokia "]
ASKED = {
    "question": "what is the brand of this camera?",
    "image_id": "003a8ae2ef43b901",
    "image_classes": ["Cassette deck", "Printer"],
    "flickr_original_url": "somewhere",
    "image_width": 1024,
    "image_height": 664,
    "answers": TEN,
    "question_tokens": ["what", "is", "the", "brand", "of", "this", "camera"],
    "question_id": 34602,
    "set_name": "val",
}
WORDS = {"image_id": "003a8ae2ef43b901", "ocr_tokens": ["NOKIA", "4G, fast"], "ocr_info": [{"word": "NOKIA"}]}


def _reading(
    folder: Path, *rows: Any, words: list[Any] | None = None, split: str = "val"
) -> tuple[list[Question], Skips]:
    around = {"dataset_type": split, "dataset_name": "textvqa", "dataset_version": "0.5.1"}
    (folder / f"TextVQA_0.5.1_{split}.json").write_text(json.dumps(around | {"data": rows}))
    if words is not None:
        (folder / f"TextVQA_Rosetta_OCR_v0.2_{split}.json").write_text(json.dumps({"data": words}))
    return read(textvqa, folder, split)


def test_a_question_is_what_the_files_say(tmp_path: Path) -> None:
    (question,), skips = _reading(tmp_path, ASKED, words=[WORDS])
    assert question == Question(
        "34602",
        Picture("textvqa:train_images/003a8ae2ef43b901.jpg"),
        "what is the brand of this camera?",
        rule_set("vqa").gold(TEN),
        scene="003a8ae2ef43b901",
        votes=tuple(TEN),
        context="Words read in the picture: NOKIA, 4G, fast.",
        tags=(("classes", "Cassette deck, Printer"),),
    )
    assert not skips.total


@pytest.mark.parametrize("words", [None, [], [WORDS | {"ocr_tokens": []}], [WORDS | {"image_id": "other"}]])
def test_without_words_nothing_is_told_beforehand(tmp_path: Path, words: list[Any] | None) -> None:
    (question,), skips = _reading(tmp_path, ASKED, words=words)
    assert question.context == ""
    assert not skips.total


def test_questions_of_the_test_have_no_right_answers_and_pictures_of_their_own(tmp_path: Path) -> None:
    bare = {key: value for key, value in ASKED.items() if key not in ("answers", "image_classes")}
    (question,), skips = _reading(tmp_path, bare, split="test")
    assert question.gold == Gold(())
    assert question.picture.address == "textvqa:test_images/003a8ae2ef43b901.jpg"
    assert question.tags == ()
    assert not skips.total


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"question_id": 34602}, "a repeated id (TextVQA_0.5.1_val.json: 34602)"),
        ({"question": ""}, "a question without words (TextVQA_0.5.1_val.json, question 1: 2)"),
        ({"image_id": ""}, "a question without a picture (TextVQA_0.5.1_val.json, question 1: 2)"),
        ({"image_id": "../secret"}, "image_id is '../secret', not the name of a picture"),
        ({"answers": []}, "answers is [], not a list of answers"),
        ({"answers": [None]}, "answers[0] is None, not a number or a text or an object"),
        ({"image_classes": "Printer"}, "image_classes is 'Printer', not a list"),
    ],
)
def test_a_question_that_cannot_be_asked_is_left_out(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    found, skips = _reading(tmp_path, ASKED, ASKED | {"question_id": 2} | changes)
    assert [one.id for one in found] == ["34602"]
    assert said in skips.lines()[0]


def test_words_that_cannot_be_read_are_left_out_and_the_question_stays(tmp_path: Path) -> None:
    (question,), skips = _reading(tmp_path, ASKED, words=[WORDS | {"ocr_tokens": [7]}, 7])
    assert question.context == ""
    assert "record 0: ocr_tokens[0] is 7, not a text" in skips.lines()[0]
