"""What is hidden in a picture is asked about by no suite, and nothing is denied because of it."""

from dataclasses import replace

import pytest
from judging import CARETS, suite_named
from scenery import scene

from counterpoint.core.pictures import Box
from counterpoint.core.scenes import Scene
from counterpoint.scenes.views import SceneView
from counterpoint.suites.suite import generate_groups


def _shown(number: int, *, hidden: bool) -> Scene:
    """A dog among other things."""
    made = scene(number, ("dog", "black", "sitting"), ("clock", "red"), ("lamp", "blue", "large"))
    boxes = (Box(40 * n, 20, 36, 60) for n in range(len(made.objects)))
    objects = [replace(one, box=box) for one, box in zip(made.objects, boxes, strict=True)]
    objects[0] = replace(objects[0], is_hidden=hidden)
    return replace(made, objects=tuple(objects))


def _texts(name: str, *, hidden: bool) -> list[str]:
    others = [scene(50 + n, ("lamp", "red"), ("clock", "white"), ("umbrella",), ("apple",)) for n in range(6)]
    items = [_shown(n, hidden=hidden) for n in range(6)]
    groups = [group for _, group in generate_groups(suite_named(name), [*items, *others])]
    pictures = {one.picture.address for one in items}
    queries = [query for group in groups for query in group.queries]
    return [query.text for query in queries if query.picture and query.picture.address in pictures]


@pytest.mark.parametrize("name", [name for name in CARETS if name != "antonym"])
def test_no_question_names_a_hidden_thing(name: str) -> None:
    assert any("dog" in text for text in _texts(name, hidden=False))
    assert not [text for text in _texts(name, hidden=True) if "dog" in text or "animal" in text]


def test_a_hidden_thing_is_neither_present_nor_absent() -> None:
    view = SceneView(_shown(0, hidden=True))
    assert "dog" not in view.visible_names
    assert view.absence_doubt("dog")
    assert view.absence_doubt("animal")
    assert view.values(view.scene["1"]) == view.sure_actions(view.scene["1"]) == ()
