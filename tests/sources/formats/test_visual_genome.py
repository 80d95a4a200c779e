"""Visual Genome is read from one file or from three, with aliases, sizes and folders of pictures."""

import json
from pathlib import Path
from typing import Any

import pytest

from counterpoint.core.errors import SourceError
from counterpoint.core.pictures import Box, Size
from counterpoint.core.scenes import Link, Scene
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.visual_genome import visual_genome
from counterpoint.sources.reading.records import Skips

MAN = {"object_id": 1, "x": 10, "y": 20, "w": 30, "h": 60, "names": ["Man "], "synsets": ["man.n.01"]}
DESK = {"object_id": 2, "x": 0, "y": 50, "w": 100, "h": 40, "names": ["desk"], "synsets": ["desk.n.01"]}
BESIDE = {"relationship_id": 5, "predicate": "NEXT TO", "subject_id": 1, "object_id": 2, "synsets": ["next.r.01"]}
GRAPH = {"image_id": 2354, "objects": [MAN | {"attributes": ["Tall", "tall "]}, DESK], "relationships": [BESIDE]}
IMAGES = [
    {
        "image_id": 2354,
        "width": 100,
        "height": 90,
        "url": "https://cs.example/VG_100K_2/2354.jpg",
        "coco_id": None,
    },
    {"image_id": 7, "width": 80, "height": 60, "url": "https://cs.example/VG_100K/7.jpg"},
]


def _read(folder: Path, **files: Any) -> tuple[list[Scene], Skips]:
    for name, content in files.items():
        path = folder / (f"{name}.txt" if isinstance(content, str) else f"{name}.json")
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    source = Source(visual_genome, folder, "all")
    return list(source.scenes()), source.skips


def test_a_scene_is_what_the_file_says(tmp_path: Path) -> None:
    (scene,), skips = _read(tmp_path, scene_graphs=[GRAPH], image_data=IMAGES)
    assert (scene.id, scene.picture.address, scene.size) == ("2354", "vg:VG_100K_2/2354.jpg", Size(100, 90))
    assert [(one.id, one.name, one.attributes, one.box) for one in scene] == [
        ("1", "man", ("tall",), Box(10, 20, 30, 60)),
        ("2", "desk", (), Box(0, 50, 100, 40)),
    ]
    assert scene.relations == (Link("1", "next to", "2"),)
    assert not skips.total


def test_an_alias_gives_way_to_the_first_name_of_its_line(tmp_path: Path) -> None:
    (scene,), _ = _read(
        tmp_path,
        scene_graphs=[GRAPH],
        object_alias="table,desk,tables\nperson,man\n",
        relationship_alias="beside,next to,near\n",
    )
    assert [one.name for one in scene] == ["person", "table"]
    assert scene.relations == (Link("1", "beside", "2"),)


def _three(*order: int) -> dict[str, list[dict[str, Any]]]:
    said = {"object_id": 1, "names": ["man"], "attributes": ["tall"], "synsets": []}
    link = {
        "predicate": "on",
        "subject": {"object_id": 1, "name": "man"},
        "object": {"object_id": 2, "names": ["desk"]},
    }
    return {
        "objects": [{"image_id": key, "objects": [MAN, DESK]} for key in sorted(order)],
        "attributes": [{"image_id": key, "attributes": [said]} for key in order],
        "relationships": [{"image_id": key, "relationships": [link | {"relationship_id": key}]} for key in order],
    }


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_three_files_are_joined_by_picture_in_whatever_order(tmp_path: Path, order: tuple[int, ...]) -> None:
    found, skips = _read(tmp_path, **_three(*order))
    assert [scene.id for scene in found] == ["1", "2", "3"]
    for scene in found:
        assert [one.attributes for one in scene] == [("tall",), ()]
        assert scene.relations == (Link("1", "on", "2"),)
    assert not skips.total


def test_a_picture_that_only_some_of_the_files_have_is_read_without_the_rest(tmp_path: Path) -> None:
    files = _three(1, 2, 3)
    files["attributes"].pop(0)
    files["relationships"].pop()
    found, _ = _read(tmp_path, **files)
    assert [(len(scene.relations), scene["1"].attributes) for scene in found] == [
        (1, ()),
        (1, ("tall",)),
        (0, ("tall",)),
    ]


def test_objects_alone_are_enough(tmp_path: Path) -> None:
    (scene,), _ = _read(tmp_path, objects=[{"id": 7, "objects": [MAN | {"id": 9}]}], image_data=IMAGES)
    assert (scene.picture.address, scene.size) == ("vg:VG_100K/7.jpg", Size(80, 60))


def test_without_sizes_a_picture_reaches_as_far_as_its_boxes(tmp_path: Path) -> None:
    (scene,), _ = _read(tmp_path, scene_graphs=[GRAPH])
    assert (scene.size, scene.picture.address) == (Size(100, 90), "vg:VG_100K/2354.jpg")


def test_an_object_without_names_has_the_word_that_it_means(tmp_path: Path) -> None:
    lamp = MAN | {"names": [], "synsets": [{"synset_name": "street_lamp.n.01", "entity_name": "lamp"}, 7]}
    objects = [lamp, DESK | {"names": None, "name": "Old desk"}]
    relation = BESIDE | {"predicate": "", "synsets": ["along.r.01"]}
    (scene,), _ = _read(tmp_path, scene_graphs=[GRAPH | {"objects": objects, "relationships": [relation]}])
    assert [one.name for one in scene] == ["street lamp", "old desk"]
    assert scene.relations == (Link("1", "along", "2"),)


def test_a_relation_of_an_object_that_was_merged_is_one_of_what_it_became(tmp_path: Path) -> None:
    objects = [MAN, DESK | {"merged_object_ids": [77]}]
    twice = [BESIDE | {"object_id": 77}, BESIDE]
    (scene,), skips = _read(tmp_path, scene_graphs=[GRAPH | {"objects": objects, "relationships": twice}])
    assert scene.relations == (Link("1", "next to", "2"),)
    assert not skips.total


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        ({"objects": [DESK, MAN | {"names": [""], "synsets": []}]}, "object 1 has no name"),
        ({"objects": [DESK, MAN | {"names": [1]}]}, "names is [1], not a list of texts"),
        ({"objects": [DESK, MAN | {"w": None}]}, "w is None, not a number"),
        ({"objects": [DESK, {"x": 1}]}, "object 1 has no id"),
        ({"objects": [DESK, MAN | {"x": 500}]}, "a box outside its picture"),
        (
            {"relationships": [BESIDE | {"object_id": 9}]},
            "a relation without a name, or to an object that is not there",
        ),
        ({"relationships": [BESIDE | {"predicate": "", "synsets": []}]}, "a relation without a name"),
        ({"relationships": [7]}, "relation is 7, not an object"),
        ({"relationships": [BESIDE | {"subject_id": [1]}]}, "subject_id is [1], not a text"),
    ],
)
def test_what_is_damaged_is_left_out_and_the_scene_stays(tmp_path: Path, graph: dict[str, Any], said: str) -> None:
    (scene,), skips = _read(tmp_path, scene_graphs=[GRAPH | graph], image_data=IMAGES)
    assert scene.named("desk")
    assert any(said in line for line in skips.lines())
    assert "scene_graphs.json, image 2354" in skips.lines()[0]


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        (7, "record 0 is 7, not an object"),
        ({"objects": []}, "record 0 has no id"),
        (GRAPH | {"objects": {}}, "objects is {}, not a list"),
        (GRAPH | {"relationships": 7}, "relationships is 7, not a list"),
    ],
)
def test_a_scene_that_cannot_be_read_is_left_out(tmp_path: Path, graph: Any, said: str) -> None:
    found, skips = _read(tmp_path, scene_graphs=[graph, GRAPH])
    assert [scene.id for scene in found] == ["2354"]
    assert said in skips.lines()[0]


def test_a_size_that_cannot_be_is_counted_and_not_believed(tmp_path: Path) -> None:
    (scene,), skips = _read(tmp_path, scene_graphs=[GRAPH], image_data=[IMAGES[0] | {"width": -1}, 7])
    assert scene.size == Size(100, 90)
    assert skips.total == 2


def test_a_folder_without_its_files_and_names_that_are_no_text_are_errors(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"neither scene_graphs\.json nor objects\.json"):
        _read(tmp_path)
    (tmp_path / "object_alias.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(SourceError, match=r"object_alias\.txt is no list of names"):
        _read(tmp_path, scene_graphs=[GRAPH])


def test_the_folder_of_pictures_holds_both_of_theirs(tmp_path: Path) -> None:
    (tmp_path / "VG_100K_2").mkdir()
    assert visual_genome.picture_root(tmp_path) == tmp_path
