"""COCO is read from its own files: boxes with names, and captions."""

import json
from pathlib import Path
from typing import Any

import pytest

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import SceneObject
from counterpoint.lab.source_items import open_source
from counterpoint.pictures.folders import PictureFolders
from counterpoint.sources.dataset import OWN, Source
from counterpoint.sources.file_checks import available_kinds, most_complete_split
from counterpoint.sources.formats.coco import coco, part_of
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
        ({"file_name": "test\\000007.png"}, "test/000007.png"),
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
        (CHAIR | {"bbox": [1, 2, 3]}, "annotations 9: bbox is [1, 2, 3], not a list of 4 numbers", 1),
        (CHAIR | {"bbox": [1, 2, 1e30, 4]}, "not a box in pixels", 1),
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


def _own(folder: Path) -> Path:
    """Files of one's own in COCO's layout, under names of one's own, beside a folder of pictures."""
    cup = {"id": 1, "file_name": "cup.png", "width": 40, "height": 30}
    boxes = {"images": [cup], "annotations": [CHAIR | {"image_id": 1, "bbox": [1, 2, 3, 4]}], "categories": CATEGORIES}
    said = {"images": [cup], "annotations": [SAID | {"image_id": 1}]}
    (folder / "photos").mkdir()
    (folder / "photos" / "cup.png").touch()
    (folder / "boxes_of_mine.json").write_text(json.dumps(boxes))
    (folder / "texts.json").write_text(json.dumps(said))
    (folder / "settings.json").write_text("[1, 2]")
    (folder / "broken.json").write_text('{"images": [')
    return folder


def test_files_of_any_name_are_told_apart_by_their_content(tmp_path: Path) -> None:
    folder = _own(tmp_path)
    assert [part_of(path) for path in sorted(folder.glob("*.json"))] == ["instances", "", "", "captions"]
    assert most_complete_split(coco, folder) == OWN
    source = Source(coco, folder, OWN)
    assert [(scene.picture.address, len(scene.objects)) for scene in source.scenes()] == [("coco:cup.png", 1)]
    assert [caption.picture.address for caption in source.captions()] == ["coco:cup.png"]
    assert coco.picture_root(folder, ["cup.png"]) == folder / "photos"


def test_one_file_of_ones_own_needs_no_split(tmp_path: Path) -> None:
    path = _own(tmp_path) / "boxes_of_mine.json"
    source = open_source("coco", data=path)
    assert [scene.picture.address for scene in source.scenes()] == ["coco:cup.png"]
    assert coco.picture_root(path, ["cup.png"]) == tmp_path / "photos"
    assert available_kinds(coco, path, OWN) == ("scenes",)
    with pytest.raises(SourceError, match=r"boxes_of_mine\.json has no captions in the layout of COCO"):
        list(source.captions())


def test_captions_beside_boxes_of_ones_own_are_found_by_name(tmp_path: Path) -> None:
    folder = _own(tmp_path)
    for old, new in (("boxes_of_mine.json", "instances_mine.json"), ("texts.json", "captions_mine.json")):
        (folder / old).rename(folder / new)
    assert len(list(open_source("coco", data=folder / "instances_mine.json").captions())) == 1


def test_official_names_are_no_files_of_ones_own(tmp_path: Path) -> None:
    folder = _own(tmp_path)
    for name in ("texts.json", "broken.json"):
        (folder / name).unlink()
    (folder / "boxes_of_mine.json").rename(folder / "instances_val2017.json")
    assert most_complete_split(coco, folder) == "val2017"
    assert [scene.picture.path for scene in open_source("coco", data=folder).scenes()] == ["val2017/cup.png"]


def test_the_list_of_categories_is_exhaustive_unless_marked(tmp_path: Path) -> None:
    categories = [*CATEGORIES, {"id": 7, "name": "Hard_Hat"}, {"id": 8, "name": "no_hat"}]
    (scene, _) = _instances(tmp_path, CHAIR, categories=categories).scenes()
    assert scene.categories == frozenset({"chair", "person", "hard hat", "no_hat"})
    categories[1] = categories[1] | {"exhaustive": False}
    (scene, _) = _instances(tmp_path, CHAIR, categories=categories).scenes()
    assert scene.categories == frozenset({"chair", "hard hat", "no_hat"})


def test_a_picture_marks_its_categories_as_in_lvis(tmp_path: Path) -> None:
    categories = [*CATEGORIES, {"id": 7, "name": "cup"}, {"id": 8, "name": "fork"}]
    marked = [IMAGE | {"neg_category_ids": [7], "not_exhaustive_category_ids": []}, OTHER]
    chair, person = CHAIR, CHAIR | {"id": 10, "category_id": 1}
    scene, other = _instances(tmp_path, chair, person, images=marked, categories=categories).scenes()
    assert scene.categories == frozenset({"chair", "person", "cup"})
    assert other.categories == frozenset({"chair", "person", "cup", "fork"})
    marked = [IMAGE | {"not_exhaustive_category_ids": [1]}, OTHER]
    scene, _ = _instances(tmp_path, chair, person, images=marked, categories=categories).scenes()
    assert scene.categories == frozenset({"chair", "cup", "fork"})
    source = _instances(tmp_path, chair, images=[IMAGE | {"neg_category_ids": ["cup"]}, OTHER], categories=categories)
    assert [scene.id for scene in source.scenes()] == ["285"]
    assert "neg_category_ids is ['cup'], not a list of ids" in " ".join(source.skips.lines())


def test_parts_are_annotated_where_the_categories_are_ones_own(tmp_path: Path) -> None:
    own, _ = _instances(tmp_path, CHAIR).scenes()
    official, _ = _instances(tmp_path, CHAIR, categories=[*CATEGORIES, {"id": 90, "name": "toothbrush"}]).scenes()
    assert (own.annotates_parts, official.annotates_parts) == (True, False)


def test_boxes_that_are_clearly_apart_are_relations_of_place(tmp_path: Path) -> None:
    person, tiny, crowd = (CHAIR | {"category_id": 1, "id": number} for number in (10, 11, 12))
    person |= {"bbox": [300, 200, 60, 90]}
    tiny, crowd = tiny | {"bbox": [500, 20, 9, 9]}, crowd | {"bbox": [400, 20, 90, 90], "iscrowd": 1}
    (scene, _) = _instances(tmp_path, CHAIR, person).scenes()
    assert {(link.subject, link.name, link.object) for link in scene.relations} == {
        ("9", "to the left of", "10"),
        ("9", "higher in the picture than", "10"),
        ("10", "to the right of", "9"),
        ("10", "lower in the picture than", "9"),
    }
    (scene, _) = _instances(tmp_path, CHAIR, person, tiny, crowd).scenes()
    assert {(link.subject, link.object) for link in scene.relations} == {("10", "9")}
    assert [thing.is_crowd for thing in scene] == [False, False, False, True]


def test_an_object_without_an_id_or_with_that_of_another_is_kept(tmp_path: Path) -> None:
    no_id = {key: value for key, value in CHAIR.items() if key != "id"} | {"bbox": [90, 90, 50, 50]}
    source = _instances(tmp_path, CHAIR, CHAIR, CHAIR | {"bbox": [200, 20, 50, 50]}, no_id)
    scene, _ = source.scenes()
    assert [thing.id for thing in scene] == ["9", "9-2", "3"]
    assert not source.skips.total


def test_a_scene_has_the_captions_of_its_picture(tmp_path: Path) -> None:
    _source(tmp_path, "captions", images=[IMAGE, OTHER], annotations=[SAID, SAID | {"id": 39, "caption": "A seat."}])
    plain, told = (list(_instances(folder, CHAIR).scenes()) for folder in (_folder(tmp_path / "plain"), tmp_path))
    assert [scene.captions for scene in told] == [("A chair in a room.", "A seat."), ()]
    assert [scene.captions for scene in plain] == [(), ()]
    assert told[0].content_id != plain[0].content_id
    assert told[1].content_id == plain[1].content_id


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


@pytest.mark.parametrize("place", ["images", "images/val2017", "val2017", "photos", "."])
def test_pictures_are_found_in_the_usual_places_whatever_their_split(tmp_path: Path, place: str) -> None:
    (tmp_path / "annotations").mkdir()
    file = tmp_path / "annotations" / "captions_val2017.json"
    file.write_text("{}")
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    (tmp_path / place / "000000000007.jpg").touch()
    paths = ["val2017/000000000001.jpg", "val2017/000000000007.jpg"]  # an excerpt may lack the first
    for folder in (tmp_path, file, file.parent):
        root = coco.picture_root(folder, paths)
        assert root is not None
        assert PictureFolders({"coco": root}).file(f"coco:{paths[1]}") is not None
