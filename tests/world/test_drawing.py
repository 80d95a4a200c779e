"""Every look of every kind: what its sketch promises to the painter."""

from collections.abc import Iterator
from itertools import product

import pytest

from counterpoint.core.errors import UnknownName
from counterpoint.core.ids import seeded_rng
from counterpoint.world.actions import ACTIONS
from counterpoint.world.drawing import draw_appearance, sketches
from counterpoint.world.kinds import kind, kinds
from counterpoint.world.scene_sampling import sample_member
from counterpoint.world.sketch import Appearance, Sketch, convex

DRAWN = [name for name, one in kinds().items() if one.spot != "worn"]
PEOPLE = [name for name in DRAWN if kind(name).family == "person"]


def looks(name: str) -> Iterator[Appearance]:
    """Every way in which a thing of a kind can look, or for a person a hundred of them."""
    this = kind(name)
    if name in PEOPLE:
        rng = seeded_rng("wardrobe", name)
        poses = [*this.poses, *(action.pose for action in ACTIONS if name in action.agents)]
        yield from (sample_member(rng, name, pose=pose).look for pose in poses for _ in range(5))
        return
    for states, pose, material, variant in product(
        product(*this.states), this.poses or ("",), this.materials or ("",), range(3)
    ):
        yield Appearance(name, states, pose, material, variant)


def test_every_kind_that_is_not_worn_has_a_sketch() -> None:
    assert set(sketches()) == set(DRAWN)


def test_every_shape_is_convex_and_has_whole_numbers() -> None:
    for name in DRAWN:
        for look in looks(name):
            for shape in draw_appearance(look).sketch.shapes:
                assert all(type(v) is int for point in shape.points for v in point), look
                assert len(shape.points) == 2 if shape.oval else convex(shape.points), (look, shape)


def test_a_thing_stands_on_its_ground_line_unless_it_leaps_or_hangs() -> None:
    for name in DRAWN:
        for look in looks(name):
            bottom = draw_appearance(look).extent[3]
            leaping = look.pose in ("jumping", "running", "flying", "kicking") or kind(name).spot in ("wall", "sky")
            assert bottom <= 1060, look
            assert bottom >= (700 if leaping else 960), look


def test_each_member_of_a_pair_of_states_is_drawn_in_its_own_way() -> None:
    for name in DRAWN:
        for number, pair in enumerate(kind(name).states):
            base = [states[0] for states in kind(name).states]
            shown = [
                draw_appearance(Appearance(name, (*base[:number], one, *base[number + 1 :]))).sketch.shapes
                for one in pair
            ]
            assert shown[0] != shown[1], f"{pair[0]} and {pair[1]} {name}"


@pytest.mark.parametrize("name", PEOPLE)
def test_all_that_a_person_wears_is_a_part_with_an_extent_of_its_own(name: str) -> None:
    for look in looks(name):
        worn = {one.removeprefix("striped ") for one in look.wearing}
        assert set(draw_appearance(look).parts) == worn, look


def test_extents_of_parts_are_those_of_their_shapes() -> None:
    s = Sketch()
    s.rect(0, 0, 10, 1000)
    with s.part("hat"):
        s.oval(-5, -20, 15, 3, "hat")
    assert s.extents() == {"": (0, 0, 10, 1000), "hat": (-5, -20, 15, 3)}
    assert s.extent("hat") == s.extents()["hat"]
    assert s.extent() == (-5, -20, 15, 1000)


def test_an_unknown_kind_is_told_with_what_is_near_it() -> None:
    with pytest.raises(UnknownName):
        draw_appearance(Appearance("unicorn"))
