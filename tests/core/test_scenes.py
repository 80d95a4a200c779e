"""A scene finds its objects as a loop over everything would."""

import pickle
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from strategies import scenes

from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Link, Scene, SceneObject


@given(scenes())
def test_objects_are_found_by_id_and_by_name(scene: Scene) -> None:
    assert all(scene[one.id] is one for one in scene)
    assert scene.names == {one.name for one in scene.objects}
    for name in (*scene.names, "nothing"):
        assert scene.named(name) == tuple(one for one in scene.objects if one.name == name)


@given(scenes())
def test_objects_are_found_by_what_they_relate_to(scene: Scene) -> None:
    for name in {link.name for link in scene.relations} | {"nothing"}:
        for one in scene:
            naive = [link.subject for link in scene.relations if (link.name, link.object) == (name, one.id)]
            assert [found.id for found in scene.related(name, one.id)] == naive


@given(scenes())
def test_relations_are_listed_by_where_they_start(scene: Scene) -> None:
    for one in scene:
        assert scene.relations_of(one.id) == tuple(link for link in scene.relations if link.subject == one.id)
        for other in scene:
            between = tuple(link.name for link in scene.relations_of(one.id) if link.object == other.id)
            assert scene.relations_between(one.id, other.id) == between


@given(scenes(), st.booleans(), st.sampled_from([None, frozenset(["cup", "dog"])]))
def test_a_pickled_scene_is_the_same_in_every_field(
    scene: Scene, mark: bool, categories: frozenset[str] | None
) -> None:
    objects = tuple(replace(thing, is_crowd=mark, is_hidden=not mark) for thing in scene)
    scene = replace(scene, objects=objects, categories=categories, is_complete=mark, captions=("A cup.",))
    again = pickle.loads(pickle.dumps(scene))
    assert (repr(again), again) == (repr(scene), scene)


@given(scenes(), scenes())
def test_two_scenes_share_an_id_only_if_they_are_equal(one: Scene, other: Scene) -> None:
    assert (one.content_id == other.content_id) == (one == other)


def test_whatever_is_annotated_otherwise_changes_the_id() -> None:
    cup = SceneObject("1", "cup", ("red",), Box(1, 2, 3, 4))
    scene = Scene("7", Picture("a:7.png"), Size(9, 9), (cup,), (Link("1", "near", "1"),), "park", "sunny")
    others = [
        replace(scene, id="8"),
        replace(scene, picture=Picture("a:8.png")),
        replace(scene, size=Size(9, 8)),
        replace(scene, relations=()),
        replace(scene, relations=(Link("1", "on", "1"),)),
        replace(scene, place=""),
        replace(scene, weather="rainy"),
        *(
            replace(scene, objects=(changed,))
            for changed in (
                replace(cup, id="2"),
                replace(cup, name="mug"),
                replace(cup, attributes=("red", "full")),
                replace(cup, box=None),
                replace(cup, box=Box(1, 2, 3, 5)),
            )
        ),
    ]
    assert len({one.content_id for one in (scene, *others)}) == 1 + len(others)
