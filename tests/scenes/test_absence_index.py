"""The index of scenes counts exactly the absences that are proved scene by scene."""

from dataclasses import replace
from typing import Any

import pytest

from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.scenes.absence import absence_doubt, lone_names
from counterpoint.scenes.absence_index import AbsenceIndex
from counterpoint.scenes.ambiguity import NameIndex, may_raise_doubt
from counterpoint.scenes.views import SceneView
from counterpoint.world.source import World

ASKED = ("cat", "dog", "animal", "tail", "tire", "vehicle", "fence", "sofa", "paper", "glasses", "device", "blorkum")


def _scenes() -> list[Scene]:
    drawn = list(World("train", 40).scenes())
    partly = [replace(scene, is_complete=False, id=f"{scene.id}-partly") for scene in drawn]
    indoors = [replace(scene, place="indoors", id=f"{scene.id}-indoors") for scene in partly]
    return [
        *drawn,
        *partly,
        *indoors,
        *(_scene(*row) for row in (("tail",), ("tail", "horse"), ("car", "blorkum"), ())),
        _beside("man", "coat", apart=10),
        _beside("man", "coat", apart=100),
    ]


def _scene(*names: str) -> Scene:
    things = tuple(SceneObject(str(place), name) for place, name in enumerate(names))
    return Scene("-".join(names), Picture("world:7.png"), Size(320, 240), things)


def _beside(*names: str, apart: int) -> Scene:
    """Objects whose boxes are so far apart, each 40 wide."""
    made = _scene(*names)
    boxes = (Box(apart * place, 20, 40, 60) for place in range(len(names)))
    return replace(made, objects=tuple(replace(one, box=box) for one, box in zip(made.objects, boxes, strict=True)))


def test_a_coat_away_from_every_person_leaves_open_who_wears_it() -> None:
    worn, lone = _beside("man", "coat", apart=10), _beside("man", "coat", apart=100)
    assert not SceneView(worn).absence_doubt("woman")
    assert SceneView(lone).absence_doubt("woman")
    assert not SceneView(lone).absence_doubt("cat")
    assert not SceneView(replace(lone, is_complete=True)).absence_doubt("woman")


@pytest.mark.parametrize(
    "changes",
    [{}, {"captions": ("a dog near a fence",)}, {"categories": frozenset({"cat", "dog", "sofa"})}],
    ids=["plain", "captioned", "listed"],
)
def test_absences_are_those_proved_scene_by_scene(changes: dict[str, Any]) -> None:
    scenes = [replace(scene, **changes) if place % 2 else scene for place, scene in enumerate(_scenes())]
    index = AbsenceIndex(scenes)
    names = sorted({name for scene in scenes for name in scene.names} | set(ASKED))
    counted = {name: index.absences(name) for name in names}
    proved = {name: sum(not absence_doubt(one, name, one.names, lone_names(one)) for one in scenes) for name in names}
    assert counted == proved
    assert 0 < counted["cat"] < len(scenes)
    assert counted["blorkum"] < counted["cat"]


def test_names_are_found_by_their_marks_as_by_comparing_pairs() -> None:
    names = sorted({name for scene in _scenes() for name in scene.names} | {*ASKED, "blorkum"})
    index = NameIndex(names)
    for name in names:
        for since in (0, 10, len(names) - 3):
            found = {other for other in names[since:] if may_raise_doubt(other, name)}
            assert set(index.may_raise_doubt(name, since)) == found


def test_no_scene_has_no_absence() -> None:
    assert AbsenceIndex([]).absences("cat") == 0
