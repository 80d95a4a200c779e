"""Roles of columns: one table of names for sources and results, so that a name known to one is known to the other."""

import json
from pathlib import Path

import pytest

from counterpoint.core.errors import UnknownName
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.own_files import plain
from counterpoint.sources.reading.columns import (
    CAPTIONS,
    PREDICTIONS,
    QUESTIONS,
    ROLE_NAMES,
    ColumnFinder,
    ColumnLayout,
)
from counterpoint.sources.results.formats import read_predictions
from counterpoint.sources.results.predictions import Prediction


@pytest.mark.parametrize("name", [*ROLE_NAMES["picture"], "imageId", "Image-ID"])
def test_every_name_of_a_picture_is_known_to_sources_and_results(name: str) -> None:
    assert ColumnFinder(QUESTIONS).find(("question", "answer", name))["picture"] == name
    assert ColumnFinder(PREDICTIONS).find(("question_id", "prediction", name))["picture"] == name


@pytest.mark.parametrize("name", ["question", "sent", "prompt", "instruction", "text"])
def test_every_name_of_a_question_is_known_to_sources_and_results(name: str) -> None:
    assert ColumnFinder(QUESTIONS).find((name, "answer", "image"))["question"] == name
    assert ColumnFinder(PREDICTIONS).find(("image", "prediction", name))["text"] == name


@pytest.mark.parametrize("name", ["caption", "sentence", "sent", "description"])
def test_every_name_of_a_caption_is_known_to_sources_and_results(name: str) -> None:
    assert ColumnFinder(CAPTIONS).find((name, "foil", "image"))["caption"] == name
    assert ColumnFinder(PREDICTIONS).find(("image", "score", name))["text"] == name


@pytest.mark.parametrize("name", ["question_id", "questionId", "query_id", "qid", "sample_id", "id", "index", "uid"])
def test_every_name_of_an_id_is_known_to_sources_and_results(name: str) -> None:
    for layout in (QUESTIONS, CAPTIONS, PREDICTIONS):
        assert ColumnFinder(layout).find((name, "image"))["id"] == name


@pytest.mark.parametrize("name", ROLE_NAMES["prediction"])
def test_a_prediction_is_never_taken_for_the_right_answer_beside_one(name: str) -> None:
    assert ColumnFinder(PREDICTIONS).find(("question_id", "answer", name))["answer"] == name
    assert ColumnFinder(QUESTIONS).find(("question", "answer", name))["answer"] == "answer"


@pytest.mark.parametrize("name", ["prediction", "pred", "model_output", "predicted_answer"])
def test_a_file_of_predictions_without_right_answers_is_no_source(name: str) -> None:
    assert not ColumnFinder(QUESTIONS).is_complete(("question", "image", name))


def test_an_unknown_role_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="no role of a column is called 'pictur'"):
        ColumnFinder(PREDICTIONS, {"pictur": "x"})


@pytest.mark.parametrize("layout", [QUESTIONS, PREDICTIONS])
def test_the_columns_that_a_source_was_given_can_be_given_for_predictions_too(layout: ColumnLayout) -> None:
    finder = ColumnFinder(layout, {"question": "frage", "image": "bild", "answer": "antwort"})
    assert finder.is_complete(("frage", "bild", "antwort"))
    assert finder.value({"frage": "Was ist das?", "bild": "1.jpg", "antwort": "ja"}, "picture") == "1.jpg"


def test_one_file_is_read_as_questions_and_as_predictions(tmp_path: Path) -> None:
    path = tmp_path / "released.json"
    row = {"question_id": "7-0-3", "img_id": "7", "sent": "Is there a cup?", "label": {"yes": 1.0}, "pred": "no"}
    path.write_text(json.dumps([row]))
    (question,) = Source(plain, path, "test").questions()
    assert (question.id, question.picture.path, question.text, question.gold.best) == (
        "7-0-3",
        "7",
        "Is there a cup?",
        "yes",
    )
    (prediction,) = read_predictions(path)
    assert isinstance(prediction, Prediction)
    assert (prediction.id, prediction.picture, prediction.text, prediction.raw) == (
        "7-0-3",
        "7",
        "Is there a cup?",
        "no",
    )
