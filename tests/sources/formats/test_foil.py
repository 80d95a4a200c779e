"""FOIL it! is read from its own files: captions and foils, each with the other."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.foil import foil
from counterpoint.sources.reading.records import Skips

TRUE = {"id": 59, "image_id": 42, "caption": "A giant bowl of food. ", "foil": False} | dict.fromkeys(
    ("foil_word", "target_word"), "ORIG"
)
FALSE = TRUE | {
    "caption": "A giant bottle of food. ",
    "foil": True,
    "foil_word": "bottle",
    "target_word": "bowl",
    "foil_id": 1283539,
}
IMAGE = {
    "id": 42,
    "file_name": "COCO_val2014_000000000042.jpg",
    "height": 480,
    "width": 640,
    "coco_url": "",
    "license": 1,
}
PICTURE = Picture("coco:val2014/COCO_val2014_000000000042.jpg")


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., tuple[list[Caption], Skips]]:
    def captions_of(*annotations: Any, split: str = "test", **rest: Any) -> tuple[list[Caption], Skips]:
        content = {"info": {}, "images": [IMAGE], "annotations": annotations, "licenses": []} | rest
        (tmp_path / f"foilv1.0_{split}_2017.json").write_text(json.dumps(content))
        source = Source(foil, tmp_path, split)
        return list(source.captions()), source.skips

    return captions_of


@pytest.mark.parametrize("order", [(TRUE, FALSE), (FALSE, TRUE)])
def test_a_caption_carries_its_foil_whichever_comes_first(
    read: Callable[..., tuple[list[Caption], Skips]], order: tuple[Any, ...]
) -> None:
    found, skips = read(*order)
    assert found == [
        Caption("1283539", PICTURE, "A giant bowl of food.", "A giant bottle of food.", "bowl", "bottle"),
    ]
    assert not skips.total


def test_a_caption_with_several_foils_is_there_once_for_each_and_one_without_is_there_too(
    read: Callable[..., tuple[list[Caption], Skips]],
) -> None:
    other = FALSE | {"foil_id": 7, "foil_word": "cup", "caption": "A giant cup of food."}
    bare = TRUE | {"id": 60, "caption": "Food."}
    found, _ = read(TRUE, FALSE, bare, other)
    assert [(one.id, one.foil_word) for one in found] == [("1283539", "bottle"), ("7", "cup"), ("caption-60", "")]
    assert found[2].text == "Food."


def test_the_same_id_in_another_picture_is_another_caption(read: Callable[..., tuple[list[Caption], Skips]]) -> None:
    found, skips = read(TRUE | {"image_id": 43}, FALSE)
    assert [one.foil for one in found] == [""]
    assert skips.lines()[0].startswith("1 skipped: a foil without its caption (foilv1.0_test_2017.json, annotation 1)")


def test_pictures_are_those_listed_or_else_those_of_the_split(
    read: Callable[..., tuple[list[Caption], Skips]],
) -> None:
    listed, _ = read(TRUE, images=[IMAGE | {"file_name": "elsewhere/a.jpg"}])
    assert listed[0].picture == Picture("coco:elsewhere/a.jpg")
    late, _ = read(TRUE, FALSE, images=[])
    assert late[0].picture == PICTURE
    train, _ = read(TRUE, split="train", images=[])
    assert train[0].picture == Picture("coco:train2014/COCO_train2014_000000000042.jpg")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"foil": "yes"}, "annotation 1: foil is 'yes', not true or false"),
        ({"caption": " "}, "annotation 1: caption is ' ', not a word"),
        ({"foil_word": None}, "annotation 1: foil_word is None, not a text"),
        ({"image_id": "here"}, "annotation 1: image_id is 'here', not a number"),
        ({"id": []}, "annotation 1: id is [], not a text"),
    ],
)
def test_an_annotation_that_cannot_be_read_is_left_out(
    read: Callable[..., tuple[list[Caption], Skips]], changes: dict[str, Any], said: str
) -> None:
    found, skips = read(TRUE, FALSE | changes)
    assert [one.id for one in found] == ["caption-59"]
    assert said in skips.lines()[0]


def test_without_a_flag_the_word_tells_which_is_the_foil(read: Callable[..., tuple[list[Caption], Skips]]) -> None:
    bare = [{key: value for key, value in one.items() if key != "foil"} for one in (TRUE, FALSE)]
    found, _ = read(*bare)
    assert [one.foil for one in found] == ["A giant bottle of food."]
