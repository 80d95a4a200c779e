"""A sample is the same on every machine, and part of every larger one."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import NO_SCENE, Source
from counterpoint.sources.formats.gqa import gqa
from counterpoint.sources.sampling import sample_items

IDS = st.lists(st.text(max_size=3), unique=True, max_size=30)


def _items(ids: list[str]) -> list[Caption]:
    return [Caption(one, Picture("some:1.png"), one) for one in ids]


def _taken(ids: list[str], most: int | None, seed: int) -> list[str]:
    return [item.id for item in sample_items(_items(ids), most, seed)]


@given(IDS, st.integers(0, 30), st.integers(0, 3))
def test_a_sample_has_so_many_in_the_order_in_which_they_came(ids: list[str], most: int, seed: int) -> None:
    taken = _taken(ids, most, seed)
    assert len(taken) == min(most, len(ids))
    assert taken == [one for one in ids if one in taken]


@given(IDS, st.integers(0, 30), st.integers(0, 30), st.integers(0, 3))
def test_a_sample_is_part_of_every_larger_one(ids: list[str], one: int, other: int, seed: int) -> None:
    small, large = sorted((one, other))
    assert set(_taken(ids, small, seed)) <= set(_taken(ids, large, seed))


@given(IDS.flatmap(lambda ids: st.tuples(st.just(ids), st.permutations(ids))), st.integers(0, 30))
def test_the_order_of_the_items_does_not_change_what_is_taken(orders: tuple[list[str], list[str]], most: int) -> None:
    assert set(_taken(orders[0], most, 0)) == set(_taken(orders[1], most, 0))


@given(IDS)
def test_without_a_limit_everything_is_taken(ids: list[str]) -> None:
    assert _taken(ids, None, 0) == ids


def test_another_seed_takes_others_and_the_same_seed_these() -> None:
    ids = [str(number) for number in range(20)]
    assert _taken(ids, 4, 0) == ["0", "5", "11", "17"]
    assert _taken(ids, 4, 1) != _taken(ids, 4, 0)


@given(st.lists(st.text(max_size=1), max_size=20), st.one_of(st.none(), st.integers(0, 6)))
def test_of_items_that_share_an_id_the_first_is_taken_and_the_others_are_told(ids: list[str], most: int | None) -> None:
    items = [Caption(one, Picture("some:1.png"), str(place)) for place, one in enumerate(ids)]
    again: list[Caption] = []
    taken = list(sample_items(items, most, 0, again.append))
    assert taken == list(sample_items([items[ids.index(item_id)] for item_id in dict.fromkeys(ids)], most, 0))
    known = {one.id for one in taken}
    assert [one for one in again if one.id in known] == [
        item for item in items if item.id in known and item not in taken
    ]


def _question(number: int, image: str) -> dict[str, object]:
    return {"question": f"Is there a cup number {number}?", "answer": "yes", "imageId": image, "semantic": []}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cup = {"name": "cup", "x": 1, "y": 2, "w": 10, "h": 10, "attributes": [], "relations": []}
    graphs = {str(n): {"width": 100, "height": 80, "objects": {"1": cup}} for n in range(4)}
    asked = {f"{n:04}": _question(n, str(n % 5)) for n in range(40)}
    (tmp_path / "val_sceneGraphs.json").write_text(json.dumps(graphs))
    (tmp_path / "val_balanced_questions.json").write_text(json.dumps(asked))
    return tmp_path


def test_every_question_has_its_scene_and_those_without_one_are_counted(folder: Path) -> None:
    source = Source(gqa, folder, "val", limit=None)
    found = source.grounded()
    for _ in range(2):
        items = list(found)
        assert len(items) == 32
        assert all(item.scene.id == item.question.scene for item in items)
        assert [item.id for item in items] == [item.question.id for item in items]
        assert source.skips.counts[NO_SCENE] == 8, "counted anew in each pass"


@pytest.mark.parametrize("most", [1, 7, 40, 100])
def test_a_part_of_the_questions_is_the_sample_that_would_be_held(folder: Path, most: int) -> None:
    source = Source(gqa, folder, "val", limit=most, seed=3)
    held = {question.id for question in source.questions() if question.scene != "4"}
    assert {item.id for item in source.grounded()} == held


def test_the_scenes_are_read_whole_however_few_questions_are_asked_for(folder: Path) -> None:
    found = Source(gqa, folder, "val", limit=1).grounded()
    assert set(found.scenes) == {"0", "1", "2", "3"}
    [first, second] = [item.content_id for item in Source(gqa, folder, "val", limit=3, seed=1).grounded()][:2]
    assert first != second
