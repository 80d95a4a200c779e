from itertools import product

import pytest

from counterpoint.world.kinds import kinds
from counterpoint.world.sketch import Appearance
from counterpoint.world.sketches.plants import SKETCHES

PLANTS = [kind for kind in kinds().values() if kind.family == "plant"]
LOOKS = [
    Appearance(kind.name, states, variant=variant)
    for kind in PLANTS
    for states, variant in product([(), *((s,) for pair in kind.states for s in pair)], range(3))
]


def test_every_plant_has_a_sketch() -> None:
    assert set(SKETCHES) == {kind.name for kind in PLANTS}


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_a_plant_stands_on_the_ground_and_shows_its_own_colour(look: Appearance) -> None:
    sketch = SKETCHES[look.kind](look)
    _, top, _, bottom = sketch.extent()
    assert -40 <= top < 350
    assert 990 <= bottom <= 1040
    assert any(shape.paint == "main" for shape in sketch.shapes)
    assert len(sketch.shapes) <= 60


@pytest.mark.parametrize(
    ("name", "pair", "variant"),
    [(kind.name, pair, variant) for kind in PLANTS for pair in kind.states for variant in range(3)],
)
def test_opposite_states_look_different_and_the_first_is_usual(name: str, pair: tuple[str, str], variant: int) -> None:
    usual, first, second = (
        SKETCHES[name](Appearance(name, states, variant=variant)) for states in ((), pair[:1], pair[1:])
    )
    assert usual.shapes == first.shapes
    assert first.shapes != second.shapes


@pytest.mark.parametrize("name", ["flower", "cactus", "potted plant"])
def test_what_fits_in_a_hand_can_be_gripped(name: str) -> None:
    assert "grip" in SKETCHES[name](Appearance(name)).anchors
