"""Furniture, appliances and things: all are drawn, in every state, and offer the places that scenes use."""

from collections.abc import Callable, Iterator
from itertools import product

import pytest

from counterpoint.world.kinds import kinds
from counterpoint.world.sketch import Appearance, Sketch
from counterpoint.world.sketches import appliances, furniture, things

MODULES = {"furniture": furniture.SKETCHES, "appliance": appliances.SKETCHES, "thing": things.SKETCHES}
DRAWN = {name: draw for sketches in MODULES.values() for name, draw in sketches.items()}
SHADES = {"", "dark", "deep", "light", "pale", "line"}


def looks(name: str) -> Iterator[Appearance]:
    kind = kinds()[name]
    for states in product(*kind.states):
        for material, variant in product(kind.materials or ("",), range(3)):
            yield Appearance(name, states, "", material, variant)


@pytest.mark.parametrize("family", MODULES)
def test_every_kind_of_the_family_is_drawn_and_no_other(family: str) -> None:
    assert set(MODULES[family]) == {kind.name for kind in kinds().values() if kind.family == family}


@pytest.mark.parametrize(("name", "draw"), DRAWN.items())
def test_every_look_stands_on_the_ground_and_shows_its_own_colour(
    name: str, draw: Callable[[Appearance], Sketch]
) -> None:
    for look in [Appearance(name), *looks(name)]:
        sketch = draw(look)
        _, top, _, bottom = sketch.extent()
        assert top >= -30
        assert 970 <= bottom <= 1030
        paints = [shape.paint for shape in sketch.shapes if isinstance(shape.paint, str)]
        assert "main" in paints
        assert {paint.partition(".")[2] for paint in paints} <= SHADES
        assert len(sketch.shapes) <= 70


@pytest.mark.parametrize(("name", "draw"), DRAWN.items())
def test_opposite_states_and_different_materials_look_different(
    name: str, draw: Callable[[Appearance], Sketch]
) -> None:
    for one, other in kinds()[name].states:
        assert draw(Appearance(name, (one,))).shapes != draw(Appearance(name, (other,))).shapes
    materials = kinds()[name].materials
    assert len({tuple(draw(Appearance(name, material=made)).shapes) for made in materials}) == len(materials)


@pytest.mark.parametrize(
    ("name", "states", "anchors"),
    [
        ("chair", (), {"seat", "top", "under"}),
        ("chair", ("overturned",), set()),
        ("stool", (), {"seat", "top", "under"}),
        ("stool", ("overturned",), set()),
        ("table", (), {"top", "under"}),
        ("bench", (), {"seat", "top", "under"}),
        ("couch", (), {"seat", "top"}),
        ("bed", (), {"seat", "top"}),
        ("bookshelf", (), {"top"}),
        ("cabinet", ("open",), {"top"}),
        ("refrigerator", (), {"top"}),
        ("oven", (), {"top"}),
        ("microwave", (), {"top"}),
        ("box", ("closed",), {"top", "grip"}),
        ("box", ("open",), {"grip"}),
        ("umbrella", ("open",), {"grip", "under"}),
        ("umbrella", ("closed",), {"grip"}),
        ("suitcase", (), {"grip"}),
        ("book", ("open",), {"grip"}),
    ],
)
def test_a_thing_offers_its_places(name: str, states: tuple[str, ...], anchors: set[str]) -> None:
    assert set(DRAWN[name](Appearance(name, states)).anchors) == anchors
