from itertools import product

import pytest

from counterpoint.world.kinds import Kind, kinds
from counterpoint.world.sketch import Appearance
from counterpoint.world.sketches.animals import SKETCHES

ANIMALS = [kind for kind in kinds().values() if kind.family == "animal"]
LOOKS = [
    Appearance(kind.name, states, pose, "", variant)
    for kind in ANIMALS
    for states, pose, variant in product(
        [(), *((s,) for pair in kind.states for s in pair)], ("", *kind.poses), range(3)
    )
]


def test_every_animal_has_a_sketch() -> None:
    assert set(SKETCHES) == {kind.name for kind in ANIMALS}


def test_an_animal_stands_on_the_ground_and_shows_its_own_colour() -> None:
    for look in LOOKS:
        sketch = SKETCHES[look.kind](look)
        _, top, _, bottom = sketch.extent()
        assert -60 <= top < 500, look
        assert 980 <= bottom <= 1020, look
        assert sum(shape.paint == "main" for shape in sketch.shapes) >= 2, look
        assert len(sketch.shapes) <= 60, look


@pytest.mark.parametrize("name", ["dog", "cat"])
@pytest.mark.parametrize("variant", range(3))
def test_a_sleeper_is_curled_up_whatever_its_pose(name: str, variant: int) -> None:
    asleep, awake = (SKETCHES[name](Appearance(name, (state,), "lying", "", variant)) for state in ("asleep", "awake"))
    assert asleep.shapes != awake.shapes
    assert asleep.shapes == SKETCHES[name](Appearance(name, ("asleep",), "", "", variant)).shapes


@pytest.mark.parametrize("pose", ["standing", "lying"])
def test_a_dirty_pig_has_mud_on_it(pose: str) -> None:
    clean, dirty = (SKETCHES["pig"](Appearance("pig", (state,), pose)) for state in ("clean", "dirty"))
    assert len(dirty.shapes) > len(clean.shapes)


@pytest.mark.parametrize("kind", ANIMALS, ids=lambda kind: kind.name)
def test_poses_differ_and_builds_differ(kind: Kind) -> None:
    drawn = {
        tuple(SKETCHES[kind.name](Appearance(kind.name, (), pose, "", v)).shapes)
        for pose in kind.poses
        for v in range(3)
    }
    assert len(drawn) == 3 * len(kind.poses)


def test_an_animal_can_be_fed_a_dog_leashed_and_a_horse_ridden() -> None:
    for look in LOOKS:
        anchors = set(SKETCHES[look.kind](look).anchors)
        extra = {"dog": {"collar"}, "horse": {"seat"}}.get(look.kind, set())
        assert anchors == {"mouth"} | extra, look
