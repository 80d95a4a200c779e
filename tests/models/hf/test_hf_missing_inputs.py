"""Models of Hugging Face without a picture, or without a question: asked where they can be, else failed by name."""

from pathlib import Path

import pytest
import tiny_classifiers
from tiny_generative import speaker

from counterpoint import catalog
from counterpoint.core.groups import Query, State
from counterpoint.core.pictures import Picture
from counterpoint.models.hf.classifiers import AnswerClassifier


@pytest.mark.parametrize("kind", ["llava", "qwen2_vl"])
def test_a_model_that_speaks_answers_without_a_picture_and_without_a_question(kind: str, tmp_path: Path) -> None:
    queries = [Query(None, "What is it?"), Query(Picture("blocks:1"), ""), Query(Picture("blocks:1"), "What is it?")]
    found = dict(speaker(kind, tmp_path).answer(queries))
    assert [found[place].state is State.FAILED for place in range(3)] == [False] * 3


def test_a_classifier_answers_without_a_question_and_fails_without_a_picture(tmp_path: Path) -> None:
    tiny_classifiers.vilt(tmp_path / "vilt")
    model = catalog.model(f"hf/{tmp_path / 'vilt'}", tiny_classifiers.Shades(), {"device": "cpu"})
    assert isinstance(model, AnswerClassifier)
    found = dict(model.answer([Query(None, "Is it?"), Query(Picture("shades:1"), "")]))
    assert (found[0].state, found[0].reason) == (State.FAILED, "the query has no picture")
    assert found[1].state is State.OK
