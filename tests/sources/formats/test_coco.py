"""COCO is read from its own files: boxes with names, and captions."""

import json
from pathlib import Path
from typing import Any

import pytest

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import SceneObject
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.coco import coco
from counterpoint.world.dataset_formats import coco_captions, image_number
from counterpoint.world.source import World

IMAGE = {"id": 139, "file_name": "000000000139.jpg", "width": 640, "height": 426, "license": 2, "coco_url": ""}
OTHER = {"id": 285, "file_name": "000000000285.jpg", "width": 586, "height": 640}
CHAIR = {"id": 9, "image_id": 139, "category_id": 62, "bbox": [10.4, 20.5, 30.2, 40.0], "iscrowd": 0, "area": 1208.0}
CATEGORIES = [{"id": 62, "name": "chair", "supercategory": "furniture"}, {"id": 1, "name": "person"}]
SAID = {"id": 38, "image_id": 139, "caption": "A chair in a room. \n"}


def _source(folder: Path, part: str, **content: Any) -> Source:
    (folder / "annotations").mkdir(exist_ok=True)
    (folder / "annotations" / f"{part}_val2017.json").write_text(json.dumps(content))
    return Source(coco, folder, "val2017")


def _instances(folder: Path, *annotations: Any, **changes: Any) -> Source:
    content = {"info": {}, "images": [IMAGE, OTHER], "annotations": annotations, "categories": CATEGORIES}
    return _source(folder, "instances", **(content | changes))


def test_a_picture_has_its_boxes_even_if_categories_come_last(tmp_path: Path) -> None:
    source = _instances(tmp_path, CHAIR)
    scene, empty = source.scenes()
    assert (scene.id, scene.picture.address) == ("139", "coco:val2017/000000000139.jpg")
    assert scene.size == Size(640, 426)
    assert scene.objects == (SceneObject("9", "chair", (), Box(10, 20, 31, 40)),)
    assert empty.objects == ()
    assert not source.skips.total


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"file_name": "COCO_val2014_000000000042.jpg"}, "val2014/COCO_val2014_000000000042.jpg"),
        ({"coco_url": "http://images.cocodataset.org/train2017/000000000139.jpg"}, "train2017/000000000139.jpg"),
        ({"coco_url": "http://mscoco.org/images/139"}, "val2017/000000000139.jpg"),
        ({"file_name": "test/000007.png"}, "test/000007.png"),
    ],
)
def test_a_picture_lies_where_its_name_or_address_tells(tmp_path: Path, changes: dict[str, Any], path: str) -> None:
    (scene,) = _instances(tmp_path, images=[IMAGE | changes]).scenes()
    assert scene.picture.path == path


def test_a_crowd_is_an_object_and_a_sliver_has_a_pixel(tmp_path: Path) -> None:
    (scene, _) = _instances(tmp_path, CHAIR | {"iscrowd": 1}, CHAIR | {"id": 10, "bbox": [5.1, 5.1, 0.2, 9]}).scenes()
    assert [one.name for one in scene] == ["chair", "chair"]
    assert scene["10"].box == Box(5, 5, 1, 9)


@pytest.mark.parametrize(
    ("annotation", "said", "kept"),
    [
        (CHAIR | {"image_id": 7}, "an annotation of a picture that is not listed (instances_val2017.json, annot", 0),
        (CHAIR | {"category_id": 7}, "an annotation of a category that is not listed", 0),
        (CHAIR | {"bbox": [1, 2, 3]}, "annotations 9: bbox is [1, 2, 3], not a list of 4 numbers", 0),
        (CHAIR | {"bbox": [1, 2, 1e30, 4]}, "not a box in pixels", 0),
        (CHAIR | {"bbox": [900, 2, 3, 4]}, "a box outside its picture", 1),
        (CHAIR | {"bbox": [9, 2, 0, 4]}, "a box outside its picture", 1),
        ({"id": 3}, "annotations 3 has no image_id", 0),
        ("chair", "annotations 0 is 'chair', not an object", 0),
    ],
)
def test_an_annotation_that_is_damaged_is_counted(tmp_path: Path, annotation: Any, said: str, kept: int) -> None:
    source = _instances(tmp_path, annotation)
    scene, _ = source.scenes()
    assert len(scene.objects) == kept
    assert said in source.skips.lines()[0]


def test_a_picture_without_a_size_is_counted_with_what_is_in_it(tmp_path: Path) -> None:
    source = _instances(tmp_path, CHAIR, images=[IMAGE | {"width": None}, OTHER])
    assert [scene.id for scene in source.scenes()] == ["285"]
    assert source.skips.total == 2


def test_captions_are_read_with_their_pictures_whichever_comes_first(tmp_path: Path) -> None:
    expected = [Caption("38", Picture("coco:val2017/000000000139.jpg"), "A chair in a room.")]
    assert list(_source(tmp_path, "captions", images=[IMAGE], annotations=[SAID]).captions()) == expected
    assert list(_source(tmp_path, "captions", annotations=[SAID], images=[IMAGE]).captions()) == expected


@pytest.mark.parametrize(
    ("caption", "said"),
    [
        (SAID | {"caption": " "}, "annotations 38: caption is ' ', not a word"),
        (SAID | {"image_id": 7}, "annotation 38: image 7"),
        (SAID | {"image_id": None}, "image_id is None, not a number"),
        (7, "annotations 0 is 7, not an object"),
    ],
)
def test_a_caption_without_words_or_picture_is_counted(tmp_path: Path, caption: Any, said: str) -> None:
    source = _source(tmp_path, "captions", images=[IMAGE], annotations=[caption, SAID])
    assert [one.id for one in source.captions()] == ["38"]
    assert said in source.skips.lines()[0]


def test_captions_of_the_world_come_back(tmp_path: Path) -> None:
    world = World("test", scenes=3)
    made = list(world.captions())
    file = coco_captions(made, {scene.picture.address: scene.size for scene in world.scenes()})
    back = list(_source(tmp_path, "captions", **file).captions())
    assert [(one.text, one.picture.path) for one in back] == [(one.text, one.picture.path) for one in made]
    assert len({image_number(one.picture) for one in back}) == 3


def test_a_file_of_captions_is_no_file_of_boxes(tmp_path: Path) -> None:
    source = _source(tmp_path, "instances", images=[IMAGE], annotations=[SAID])
    with pytest.raises(SourceError, match=r"instances_val2017\.json has no 'categories'"):
        list(source.scenes())


def test_the_folder_of_pictures_holds_a_folder_for_each_split(tmp_path: Path) -> None:
    (tmp_path / "val2017").mkdir()
    assert coco.picture_root(tmp_path) == tmp_path
