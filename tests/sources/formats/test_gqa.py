"""GQA is read from its own files: scene graphs, and questions with programs and groups."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Question, Step
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.gqa import gqa, gqa_ood, pieces, questions, scenes
from counterpoint.sources.reading.records import Skips
from counterpoint.world.dataset_formats import gqa_scene_graphs
from counterpoint.world.gqa_format import gqa_questions_file
from counterpoint.world.source import World

CUP = {"name": "cup", "x": 10, "y": 20, "w": 30, "h": 40, "attributes": ["red"]}
TABLE = {"name": "table", "x": 0, "y": 50, "w": 100, "h": 50, "relations": []}
ASKED = {
    "question": "What color is the cup?",
    "imageId": "2354",
    "answer": "red",
    "fullAnswer": "The cup is red.",
    "isBalanced": True,
    "groups": {"global": None, "local": "10q-cup_color"},
    "entailed": ["00000001"],
    "equivalent": ["00000002"],
    "types": {"structural": "query", "semantic": "attr", "detailed": "directOf"},
    "annotations": {"question": {"4": "1"}, "answer": {}, "fullAnswer": {"1": "1"}},
    "semantic": [
        {"operation": "select", "dependencies": [], "argument": "cup (1)"},
        {"operation": "query", "dependencies": [0], "argument": "color"},
    ],
    "semanticStr": "select: cup (1)->query: color [0]",
}


def _graph(**changes: Any) -> dict[str, Any]:
    return {"width": 100, "height": 100, "objects": {"1": CUP, "2": TABLE}} | changes


def _with(**changes: Any) -> dict[str, Any]:
    return _graph(objects={"1": CUP | changes, "2": TABLE})


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., tuple[list[Scene], Skips]]:
    def scenes_of(**graphs: Any) -> tuple[list[Scene], Skips]:
        (tmp_path / "val_sceneGraphs.json").write_text(json.dumps(graphs))
        source = Source(gqa, tmp_path, "val")
        return list(source.scenes()), source.skips

    return scenes_of


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., tuple[list[Question], Skips]]:
    def questions_of(**rows: Any) -> tuple[list[Question], Skips]:
        (tmp_path / "val_balanced_questions.json").write_text(json.dumps(rows))
        source = Source(gqa, tmp_path, "val")
        return list(source.questions()), source.skips

    return questions_of


def test_a_scene_is_what_the_file_says(read: Callable[..., tuple[list[Scene], Skips]]) -> None:
    relations = [{"object": "2", "name": "on"}]
    (scene,), skips = read(**{"2354": _with(relations=relations) | {"location": "kitchen", "weather": "sunny"}})
    cup = SceneObject("1", "cup", ("red",), Box(10, 20, 30, 40))
    table = SceneObject("2", "table", (), Box(0, 50, 100, 50))
    picture = Picture("gqa:2354.jpg")
    assert scene == Scene("2354", picture, Size(100, 100), (cup, table), (Link("1", "on", "2"),), "kitchen", "sunny")
    assert not skips.total


@pytest.mark.parametrize("relations", [[{"object": "2", "name": "on"}], {"77": {"object": "2", "name": "on"}}])
def test_relations_are_a_list_or_an_object_as_on_the_page_of_gqa(
    read: Callable[..., tuple[list[Scene], Skips]], relations: Any
) -> None:
    (scene,), skips = read(a=_with(relations=relations))
    assert scene.relations == (Link("1", "on", "2"),)
    assert not skips.total


def test_what_is_optional_may_be_missing_or_null(read: Callable[..., tuple[list[Scene], Skips]]) -> None:
    bare = {key: CUP[key] for key in ("name", "x", "y", "w", "h")}
    (scene, empty), skips = read(a=_graph(objects={"1": bare}, weather=None, location=None), b=_graph(objects={}))
    assert scene.objects[0].attributes == ()
    assert (scene.place, scene.weather, empty.objects) == ("", "", ())
    assert not skips.total


def test_weather_may_be_an_object_with_a_name(read: Callable[..., tuple[list[Scene], Skips]]) -> None:
    (scene,), _ = read(a=_graph(weather={"name": "cloudy", "type": "sky"}))
    assert scene.weather == "cloudy"


@pytest.mark.parametrize(
    ("relation", "told"),
    [
        ({"object": "9", "name": "on"}, "{'object': '9', 'name': 'on'}"),
        ({"object": "2"}, "{'object': '2'}"),
        ({"object": "2", "name": " "}, "{'object': '2', 'name': ' '}"),
        ({"object": ["2"], "name": "on"}, "{'object': ['2'], 'name': 'on'}"),
        ("on", "'on'"),
        (None, "None"),
    ],
)
def test_a_relation_that_leads_nowhere_is_counted_with_its_place(
    read: Callable[..., tuple[list[Scene], Skips]], relation: Any, told: str
) -> None:
    (scene,), skips = read(a=_with(relations=[relation, {"object": "2", "name": "on"}]))
    assert scene.relations == (Link("1", "on", "2"),)
    reason = "a relation without a name, or to an object that is not there"
    (line,) = skips.lines()
    assert line.startswith(f"1 skipped: {reason} (val_sceneGraphs.json, image a, object 1: {told}): the rest of")


def test_boxes_are_clipped_and_those_outside_are_none_and_counted(
    read: Callable[..., tuple[list[Scene], Skips]],
) -> None:
    found, skips = read(a=_with(x=-5, w=500), b=_with(x=100), c=_with(h=0), d=_with(x=10**30), e=_with(x=1.6))
    boxes = [scene.objects[0].box for scene in found]
    assert boxes == [Box(0, 20, 100, 40), None, None, None, Box(2, 20, 30, 40)]
    assert skips.counts == {"a box outside its picture": 3}
    assert "image b, object 1: x=100, y=20, w=30, h=40" in skips.lines()[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": None}, "object 1: name is None, not a text"),
        ({"name": " "}, "object 1: name is ' ', not a word"),
        ({"attributes": "red"}, "object 1: attributes is 'red', not a list"),
        ({"attributes": [1]}, "object 1: attributes is [1], not a list of texts"),
        ({"x": "left"}, "object 1: x is 'left', not a number"),
        ({"h": 1e999}, "object 1: h is inf, not a number"),
        ({"relations": 7}, "object 1: relations is 7, not a list"),
    ],
)
def test_an_object_that_cannot_be_read_is_left_out_and_the_rest_of_the_scene_stays(
    read: Callable[..., tuple[list[Scene], Skips]], changes: dict[str, Any], said: str
) -> None:
    (scene,), skips = read(a=_with(**changes))
    assert [one.name for one in scene.objects] == ["table"]
    assert said in skips.lines()[0]


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        ([], "image a is [], not an object"),
        (_graph(objects=None), "image a: objects is None, not an object"),
        (_graph(objects=[CUP]), "objects is [{"),
        (_graph(width=0), "image a: 0 by 100 is no size of a picture"),
        (_graph(height=10**9), "100 by 1000000000 is no size"),
        ({"width": 1, "height": 1}, "image a has no objects"),
        ({"objects": {}}, "image a has no width"),
        (_graph(weather=[1]), "weather is [1], not a text"),
    ],
)
def test_a_scene_that_cannot_be_read_is_left_out_and_the_next_is_read(
    read: Callable[..., tuple[list[Scene], Skips]], graph: Any, said: str
) -> None:
    found, skips = read(a=graph, b=_graph())
    assert [scene.id for scene in found] == ["b"]
    assert said in skips.lines()[0]


def test_the_world_comes_back_from_its_own_files(tmp_path: Path) -> None:
    world = World("test", scenes=3)
    made, asked = list(world.scenes()), list(world.questions())
    (tmp_path / "train_sceneGraphs.json").write_text(json.dumps(gqa_scene_graphs(made)))
    (tmp_path / "train_balanced_questions.json").write_text(json.dumps(gqa_questions_file(asked)))
    source = Source(gqa, tmp_path, "train", limit=None)
    for ours, back in zip(made, source.scenes(), strict=True):
        objects = tuple(replace(own, is_hidden=False) for own in ours.objects)  # GQA's layout does not say it
        assert (back.id, back.objects, back.place, back.weather) == (ours.id, objects, ours.place, ours.weather)
        assert set(back.relations) == set(ours.relations)
    back_asked = [replace(question, kind="", tags=(), picture=Picture("")) for question in source.questions()]
    assert back_asked == [replace(one, kind="", proof="", picture=Picture("")) for one in asked]
    assert not source.skips.total


def test_a_question_is_what_the_file_says(asked: Callable[..., tuple[list[Question], Skips]]) -> None:
    (question,), skips = asked(**{"00905754": ASKED})
    assert (question.id, question.picture.address, question.scene) == ("00905754", "gqa:2354.jpg", "2354")
    assert (question.text, question.gold.best, question.kind) == ("What color is the cup?", "red", "query attr")
    assert question.program == (Step("select", "cup (1)"), Step("query", "color", (0,)))
    assert question.full_answer == "The cup is red."
    assert dict(question.tags) == {
        "detailed": "directOf",
        "local": "10q-cup_color",
        "balanced": "yes",
        "entailed": "00000001",
        "equivalent": "00000002",
        "spans": "4=1",
    }
    assert not skips.total


def test_a_question_needs_no_more_than_picture_words_and_answer(
    asked: Callable[..., tuple[list[Question], Skips]],
) -> None:
    (question,), _ = asked(a={"question": "Is it?", "imageId": 7, "answer": "yes"})
    assert (question.picture.address, question.kind, question.program, question.tags) == ("gqa:7.jpg", "", (), ())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"imageId": None}, "question a: imageId is None, not a text"),
        ({"imageId": ""}, "question a: imageId is '', not a word"),
        ({"question": ""}, "question a: question is '', not a word"),
        ({"answer": None}, "question a has no answer"),
        ({"types": []}, "types is [], not an object"),
        ({"entailed": [1]}, "entailed[0] is 1, not a text"),
        ({"semantic": [{"operation": "query", "dependencies": [0]}]}, "question a: step 0 depends on [0]"),
        ({"semantic": [{"operation": "query", "dependencies": [-1]}]}, "question a: step 0 depends on [-1]"),
        ({"semantic": [7]}, "question a: semantic[0] is 7, not an object"),
        ({"semantic": {}}, "semantic is {}, not a list"),
        ({"semantic": [{"argument": "cup"}]}, "question a, semantic[0] has no operation"),
        ({"groups": {"local": 7}}, "question a: a value of groups is not a text"),
    ],
)
def test_a_question_that_cannot_be_read_is_left_out(
    asked: Callable[..., tuple[list[Question], Skips]], changes: dict[str, Any], said: str
) -> None:
    found, skips = asked(a=ASKED | changes, b=ASKED)
    assert [question.id for question in found] == ["b"]
    assert said in skips.lines()[0]


def test_the_ten_files_of_all_training_questions_are_read_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "train_all_questions"
    folder.mkdir()
    for number in (10, 2, 0):
        (folder / f"train_all_questions_{number}.json").write_text(json.dumps({f"q{number}": ASKED}))
    assert [q.id for q in Source(gqa, tmp_path, "train_all").questions()] == ["q0", "q2", "q10"]
    assert [q.id for q in Source(gqa, folder, "train_all").questions()] == ["q0", "q2", "q10"]
    assert [path.name for path in pieces(folder / "train_all_questions_2.json")][1] == "train_all_questions_2.json"


def test_an_empty_folder_of_questions_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no JSON files"):
        list(questions(tmp_path, Skips()))


def test_splits_without_answers_and_splits_without_scenes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="the answers to challenge of GQA are not published"):
        Source(gqa, tmp_path, "challenge").questions()
    with pytest.raises(SourceError, match="testdev of GQA has no scenes"):
        Source(gqa, tmp_path, "testdev").scenes()


def test_all_questions_and_balanced_ones_are_never_mixed_up(tmp_path: Path) -> None:
    (tmp_path / "val_all_questions.json").write_text(json.dumps({"all": ASKED}))
    with pytest.raises(SourceError, match=r"has no val_balanced_questions\.json"):
        Source(gqa, tmp_path, "val").questions()
    assert [question.id for question in Source(gqa, tmp_path, "val_all").questions()] == ["all"]


def test_the_head_and_the_tail_of_gqa_ood_are_splits_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for part in ("all", "head", "tail"):
        (tmp_path / "data" / f"ood_testdev_{part}.json").write_text(json.dumps({part: ASKED}))
    assert gqa_ood.splits == ("testdev_all", "testdev_head", "testdev_tail", "val_all", "val_head", "val_tail")
    for part in ("all", "head", "tail"):
        (question,) = Source(gqa_ood, tmp_path, f"testdev_{part}").questions()
        assert (question.id, question.picture.namespace) == (part, "gqa")
    (tmp_path / "val_tail.json").write_text(json.dumps({"7": ASKED}))
    assert [one.id for one in Source(gqa_ood, tmp_path, "val_tail").questions()] == ["7"]


def test_a_list_or_lines_where_gqa_has_an_object_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "val_sceneGraphs.json"
    path.write_text("[]")
    with pytest.raises(SourceError, match=r"val_sceneGraphs\.json is a list, not an object"):
        list(scenes(path, Skips()))
    path.write_text('{"a": {}}\n{"b": {}}\n')
    with pytest.raises(SourceError, match="goes on after its end"):
        list(scenes(path, Skips()))
