"""Vehicles, buildings and structures can be drawn in every look, and what is said of them can be seen."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product

import pytest

from counterpoint.world.kinds import Kind, kinds
from counterpoint.world.sketch import Appearance, Sketch
from counterpoint.world.sketches import buildings, structures, vehicles
from counterpoint.world.sketches.outlines import ring, rounded

FAMILIES: Mapping[str, Mapping[str, Callable[[Appearance], Sketch]]] = {
    "vehicle": vehicles.SKETCHES,
    "building": buildings.SKETCHES,
    "structure": structures.SKETCHES,
}
DRAWN = {**vehicles.SKETCHES, **buildings.SKETCHES, **structures.SKETCHES}
ANCHORS = dict.fromkeys(("bicycle", "motorcycle", "tractor", "skateboard"), "seat") | {"wheelbarrow": "handle"}


def looks(kind: Kind) -> Iterator[Appearance]:
    for variant, material in product(range(3), ("", *kind.materials)):
        for chosen in product(*(("", *pair) for pair in kind.states)):
            yield Appearance(kind.name, tuple(state for state in chosen if state), material=material, variant=variant)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_kind_of_the_family_is_drawn_and_no_other(family: str) -> None:
    assert set(FAMILIES[family]) == {kind.name for kind in kinds().values() if kind.family == family}


@pytest.mark.parametrize("name", DRAWN)
def test_every_look_fills_its_height_and_stands_on_the_ground(name: str) -> None:
    for look in looks(kinds()[name]):
        _, top, _, bottom = DRAWN[name](look).extent()
        assert -180 <= top <= 200, look
        assert 990 <= bottom <= 1060, look


@pytest.mark.parametrize("name", DRAWN)
def test_opposite_states_and_different_materials_look_different(name: str) -> None:
    kind, draw = kinds()[name], DRAWN[name]
    for variant in range(3):
        for one, other in kind.states:
            assert (
                draw(Appearance(name, (one,), variant=variant)).shapes
                != draw(Appearance(name, (other,), variant=variant)).shapes
            )
        made = [draw(Appearance(name, material=material, variant=variant)).shapes for material in kind.materials]
        assert all(one != other for k, one in enumerate(made) for other in made[:k])


@pytest.mark.parametrize("name", DRAWN)
def test_its_own_colour_is_on_it_whatever_the_look(name: str) -> None:
    for look in looks(kinds()[name]):
        assert sum(str(shape.paint).startswith("main") for shape in DRAWN[name](look).shapes) >= 2, look


@pytest.mark.parametrize(("name", "anchor"), ANCHORS.items())
def test_what_is_ridden_or_pushed_says_where(name: str, anchor: str) -> None:
    for variant in range(3):
        sketch = DRAWN[name](Appearance(name, variant=variant))
        left, _, right, _ = sketch.extent()
        assert left <= sketch.anchors[anchor].left <= sketch.anchors[anchor].right <= right


def test_a_rounded_rectangle_and_a_ring_keep_within_their_bounds() -> None:
    box, circle = Sketch(), Sketch()
    rounded(box, 10, 20, 300, 400, 50)
    ring(circle, 500, 500, 200, 30)
    assert box.extent() == (10, 20, 300, 400)
    assert circle.extent() == (300, 300, 700, 700)
