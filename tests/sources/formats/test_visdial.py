"""VisDial is read from its own files: dialogues whose texts stand in lists of their own."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from counterpoint.core.items import Dialogue, Turn
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.visdial import visdial
from counterpoint.sources.reading.records import Skips
from counterpoint.world.dataset_formats import image_number, visdial_file
from counterpoint.world.source import World

QUESTIONS, ANSWERS = ["is it red", "is it big"], ["yes", "no", "maybe"]
SAID = {"question": 0, "answer": 1, "answer_options": [2, 1, 0], "gt_index": 1}
TALK = {"image_id": 185565, "caption": "a cup on a table", "dialog": [SAID, SAID | {"question": 1, "answer": 0}]}

Read = Callable[..., tuple[list[Dialogue], Skips]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def dialogues_of(*dialogs: Any, split: str = "val", **rest: Any) -> tuple[list[Dialogue], Skips]:
        data = {"questions": QUESTIONS, "answers": ANSWERS, "dialogs": dialogs} | rest
        (tmp_path / f"visdial_1.0_{split}.json").write_text(
            json.dumps({"version": "1.0", "split": split, "data": data})
        )
        source = Source(visdial, tmp_path, split)
        return list(source.dialogues()), source.skips

    return dialogues_of


def test_a_dialogue_is_what_the_file_says(read: Read) -> None:
    (talk,), skips = read(TALK)
    options = ("maybe", "no", "yes")
    assert talk == Dialogue(
        "185565",
        Picture("visdial:VisualDialog_val2018/VisualDialog_val2018_000000185565.jpg"),
        "a cup on a table",
        (Turn("is it red", "no", options), Turn("is it big", "yes", options)),
    )
    assert not skips.total


def test_texts_may_stand_behind_the_dialogues_and_are_shared(tmp_path: Path) -> None:
    data = {
        "dialogs": [TALK, TALK | {"image_id": 1}],
        "answers": [f"answer {n}" for n in range(3)],
        "questions": QUESTIONS,
    }
    path = tmp_path / "visdial_1.0_val.json"
    path.write_text(json.dumps({"data": data, "version": "1.0", "split": "val"}))
    one, other = Source(visdial, path, "val").dialogues()
    assert one.turns == other.turns
    assert one.turns[0].options[0] is other.turns[1].options[0]


def test_the_last_turn_of_test_has_no_answer(read: Read) -> None:
    last = {"question": 1, "answer_options": [0, 1]}
    (talk,), skips = read(TALK | {"dialog": [SAID, last]}, split="test")
    assert talk.turns[1] == Turn("is it big", "", ("yes", "no"))
    assert talk.picture.path == "VisualDialog_test2018/VisualDialog_test2018_000000185565.jpg"
    assert not skips.total


def test_pictures_of_train_are_those_of_coco(read: Read, tmp_path: Path) -> None:
    (talk,), _ = read(TALK, split="train")
    assert talk.picture == Picture("coco:train2014/COCO_train2014_000000185565.jpg")
    name = "val2014/COCO_val2014_000000185565.jpg"
    (tmp_path / "images" / "val2014").mkdir(parents=True)
    (tmp_path / "images" / name).touch()
    (talk,), _ = read(TALK, split="train")
    assert talk.picture == Picture(f"coco:{name}")
    assert visdial.picture_root(tmp_path) == tmp_path / "images"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"question": 2}, "dialog 0: question is 2, not the position of a text among 2"),
        ({"question": -1}, "dialog 0: question is -1"),
        ({"question": None}, "dialog 0: question is None"),
        ({"answer": True}, "dialog 0: answer is True, not the position of a text among 3"),
        ({"answer": None}, "dialog 0: answer is None"),
        ({"answer_options": [0, 9]}, "answer_options is [0, 9]"),
        ({"answer_options": [2]}, "dialog 0: answer is 1, not one of the answer_options"),
        ({"answer_options": 7}, "answer_options is 7, not a list"),
    ],
)
def test_a_dialogue_with_a_turn_that_leads_nowhere_is_left_out(read: Read, changes: dict[str, Any], said: str) -> None:
    found, skips = read(TALK | {"dialog": [SAID | changes, SAID]}, TALK)
    assert len(found) == 1
    assert said in skips.lines()[0]


@pytest.mark.parametrize("talk", [7, {}, TALK | {"image_id": "x"}, TALK | {"image_id": -1}, TALK | {"dialog": None}])
def test_a_dialogue_that_cannot_be_read_is_left_out(read: Read, talk: Any) -> None:
    found, skips = read(talk, TALK)
    assert len(found) == 1
    assert "visdial_1.0_val.json, dialogue 0" in skips.lines()[0]


def test_a_text_that_is_none_spoils_only_the_dialogues_that_use_it(read: Read) -> None:
    found, skips = read(TALK, TALK | {"dialog": [SAID]}, questions=["is it red", None])
    assert [len(one.turns) for one in found] == [1]
    assert skips.total == 1


def test_the_world_comes_back_from_its_own_file(tmp_path: Path) -> None:
    made = list(World("test", scenes=3).dialogues())
    path = tmp_path / "visdial_1.0_val.json"
    path.write_text(json.dumps(visdial_file(made, "test")))
    found = list(Source(visdial, path, "val").dialogues())
    assert [one.id for one in found] == [str(image_number(one.picture)) for one in made]
    assert [replace(one, id="", picture=Picture("")) for one in found] == [
        replace(one, id="", picture=Picture("")) for one in made
    ]
