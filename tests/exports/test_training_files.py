import json
from pathlib import Path

import pytest

from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.exports.training_files import TRAINING_LAYOUTS, TrainingQuestions, image_numbers, write_training_files
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.gqa import gqa
from counterpoint.sources.formats.vqa import vqa2

QUESTIONS = (
    Question("a1", Picture("gqa:12.jpg"), "Is there a “cup”?", Gold.of("yes"), kind="object verification"),
    Question(
        "a2", Picture("gqa:12.jpg"), "Is it made of wood or metal?", Gold.of("wood", "wooden"), kind="attribute choice"
    ),
    Question("a3", Picture("gqa:7.jpg"), "Is there a cat and a dog?", Gold.of("no"), kind="conjunctive verification"),
)


def _content(folder: Path, form: str) -> dict[str, str]:
    names = write_training_files(
        TrainingQuestions(QUESTIONS, prompt=lambda one: f"{one.text}\nOne word."), form, folder
    )
    return {name: (folder / name).read_text("utf-8") for name in names}


def test_the_reader_of_gqa_finds_the_questions_again_as_they_were(tmp_path: Path) -> None:
    _content(tmp_path, "gqa")
    source = Source(gqa, tmp_path, "train")
    found = list(source.questions())
    assert not source.skips.total
    assert [(one.id, one.picture, one.text, one.gold.best) for one in found] == [
        (one.id, one.picture, one.text, one.gold.best) for one in QUESTIONS
    ]
    assert [one.kind for one in found] == ["verify obj", "choose attr", "logical obj"]


def test_the_list_of_lxmert_holds_every_right_answer(tmp_path: Path) -> None:
    rows = json.loads(_content(tmp_path, "gqa")["train.json"])
    assert rows[1] == {
        "img_id": "12",
        "label": {"wood": 1.0, "wooden": 1.0},
        "question_id": "a2",
        "sent": "Is it made of wood or metal?",
        "question_type": "attribute choice",
    }
    assert len(rows) == len(QUESTIONS)


def test_the_reader_of_vqa_finds_the_questions_again_with_ten_voices_each(tmp_path: Path) -> None:
    _content(tmp_path, "vqa")
    source = Source(vqa2, tmp_path, "train")
    found = list(source.questions())
    assert not source.skips.total
    assert [(one.text, one.votes) for one in found] == [(one.text, (one.gold.best,) * 10) for one in QUESTIONS]
    assert [one.id for one in found] == ["12000", "12001", "7000"]


def test_chats_show_the_picture_first_and_answer_in_one_word(tmp_path: Path) -> None:
    files = _content(tmp_path, "chat")
    talk = json.loads(files["conversations.json"])[0]
    assert talk["image"] == "12.jpg"
    assert talk["conversations"] == [
        {"from": "human", "value": "<image>\nIs there a “cup”?\nOne word."},
        {"from": "gpt", "value": "yes"},
    ]
    lines = [json.loads(line) for line in files["messages.jsonl"].splitlines()]
    user, model = lines[2]["messages"]
    assert [part["type"] for part in user["content"]] == ["image_url", "text"]
    assert user["content"][0]["image_url"]["url"] == "7.jpg"
    assert model == {"role": "assistant", "content": "no"}


@pytest.mark.parametrize("form", TRAINING_LAYOUTS)
def test_no_question_at_all_is_still_sound_json(form: str, tmp_path: Path) -> None:
    for name in write_training_files(TrainingQuestions(()), form, tmp_path):
        text = (tmp_path / name).read_text("utf-8")
        assert text == "" if name.endswith("jsonl") else json.loads(text) is not None


def test_pictures_whose_numbers_clash_are_counted_through() -> None:
    clash = [Picture("a:x/1.png"), Picture("a:y/1.png")]
    assert image_numbers(clash) == {"a:x/1.png": 1, "a:y/1.png": 2}
    assert image_numbers([Picture("a:cat.png"), Picture("a:dog.png")]) == {"a:cat.png": 1, "a:dog.png": 2}


@pytest.mark.parametrize(("count", "last"), [(1000, 1_999), (1001, 11_000)])
def test_questions_on_one_picture_have_numbers_of_their_own_however_many_they_are(
    count: int, last: int, tmp_path: Path
) -> None:
    many = [Question(str(n), Picture("a:1.jpg"), "Is it?", Gold.of("yes")) for n in range(count)]
    questions = [*many, Question("other", Picture("a:2.jpg"), "Is it?", Gold.of("no"))]
    name, _ = write_training_files(TrainingQuestions(questions), "vqa", tmp_path)
    numbers = [row["question_id"] for row in json.loads((tmp_path / name).read_text("utf-8"))["questions"]]
    assert len(set(numbers)) == len(numbers) == count + 1
    assert numbers[count - 1] == last
