"""Fruit, vegetables, food, containers and toys: all are drawn, and what differs in words differs in shape."""

from itertools import product

import pytest

from counterpoint.world.kinds import Kind, kinds
from counterpoint.world.sketch import Appearance, Sketch
from counterpoint.world.sketches import containers, food, produce, toys

SKETCHES = {**produce.SKETCHES, **food.SKETCHES, **containers.SKETCHES, **toys.SKETCHES}
FAMILIES = ("fruit", "vegetable", "food", "container", "toy")
SMALL = [kind for kind in kinds().values() if kind.family in FAMILIES]


def draw(kind: Kind, *states: str, material: str = "", variant: int = 0) -> Sketch:
    return SKETCHES[kind.name](Appearance(kind.name, states, material=material, variant=variant))


def test_every_kind_has_a_sketch() -> None:
    assert sorted(SKETCHES) == sorted(kind.name for kind in SMALL)


@pytest.mark.parametrize("kind", SMALL, ids=lambda kind: kind.name)
def test_every_look_stands_on_the_ground_and_shows_its_colour(kind: Kind) -> None:
    for states, material, variant in product(product(*kind.states), ("", *kind.materials), range(3)):
        s = draw(kind, *states, material=material, variant=variant)
        _, top, _, bottom = s.extent()
        assert abs(bottom - 1000) <= 30
        assert -320 <= top <= 80 or {"overturned", "broken"} & set(states)
        assert any(str(shape.paint).startswith("main") for shape in s.shapes)
        assert "grip" in s.anchors


@pytest.mark.parametrize("kind", [kind for kind in SMALL if kind.states], ids=lambda kind: kind.name)
def test_opposite_states_look_different(kind: Kind) -> None:
    for one, other in kind.states:
        assert draw(kind, one).shapes != draw(kind, other).shapes


@pytest.mark.parametrize("kind", [kind for kind in SMALL if kind.materials], ids=lambda kind: kind.name)
def test_materials_look_different(kind: Kind) -> None:
    drawn = [tuple(draw(kind, material=material).shapes) for material in kind.materials]
    assert len(set(drawn)) == len(kind.materials)


def test_food_can_lie_on_a_plate_in_one_piece_only() -> None:
    plate = kinds()["plate"]
    assert "top" in draw(plate, "intact").anchors
    assert "top" not in draw(plate, "broken").anchors
