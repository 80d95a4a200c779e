"""What relations promise: they follow from boxes and ground lines, both ways, and never contradict each other."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
from stages import train

from counterpoint.core.pictures import Box
from counterpoint.core.scenes import Link, Scene
from counterpoint.world.drawing import draw_appearance
from counterpoint.world.scene_building import PlacedMember
from counterpoint.world.sketch import Anchor
from counterpoint.world.spatial_relations import PlacedBox, find_spatial_relations

OPPOSITES = {"to the left of": "to the right of", "above": "below", "in front of": "behind"}


@st.composite
def stands(draw: st.DrawFn) -> list[PlacedBox]:
    """Some things on stage, anywhere."""
    found = []
    for number in range(draw(st.integers(2, 5))):
        x, y = draw(st.integers(0, 300)), draw(st.integers(0, 220))
        box = Box(x, y, draw(st.integers(4, 120)), draw(st.integers(4, 120)))
        hung = draw(st.booleans())
        grounded = not hung and draw(st.booleans())
        found.append(PlacedBox(str(number), box, draw(st.integers(0, 3)), 3 * box.bottom, grounded, hung))
    return found


def links(scene: Scene, name: str) -> Iterator[tuple[Box, Box]]:
    """The boxes of each pair that a relation joins."""
    for link in scene.relations:
        one, other = scene[link.subject].box, scene[link.object].box
        if link.name == name and one and other:
            yield one, other


def _top(support: PlacedMember) -> Anchor:
    return support.at.anchor(draw_appearance(support.member.look).anchors["top"])


@given(stands())
def test_every_spatial_relation_has_its_converse_and_no_contradiction(here: list[PlacedBox]) -> None:
    said = {(link.subject, link.name, link.object) for link in find_spatial_relations(here, [])}
    for one, name, other in said:
        assert one != other
        if name == "near":
            assert (other, "near", one) in said
        for forth, back in OPPOSITES.items():
            if name == forth:
                assert (other, back, one) in said
                assert (one, back, other) not in said
                assert (other, forth, one) not in said


@given(stands())
def test_left_and_right_agree_with_the_middles_of_boxes(here: list[PlacedBox]) -> None:
    boxes = {one.id: one.box for one in here}
    for link in find_spatial_relations(here, []):
        if link.name == "to the left of":
            assert boxes[link.subject].middle[0] < boxes[link.object].middle[0]
        if link.name == "above":
            assert boxes[link.subject].middle[1] < boxes[link.object].middle[1]


@given(stands())
def test_what_touches_is_at_most_beside_each_other(here: list[PlacedBox]) -> None:
    known = [Link(here[0].id, "holding", here[1].id)]
    pair = {here[0].id, here[1].id}
    names = {link.name for link in find_spatial_relations(here, known) if {link.subject, link.object} == pair}
    assert names <= {"to the left of", "to the right of"}


def test_things_that_stand_one_behind_the_other_are_not_above_each_other() -> None:
    far, near = PlacedBox("1", Box(100, 60, 40, 60), 0, 360, True), PlacedBox("2", Box(100, 130, 40, 60), 1, 570, True)
    assert {link.name for link in find_spatial_relations([far, near], [])} == {"in front of", "behind"}


def test_what_is_carried_is_not_above_what_lies_farther_in_front() -> None:
    suitcase, bottle = (
        PlacedBox("1", Box(100, 60, 40, 30), 0, 360, False),
        PlacedBox("2", Box(110, 130, 10, 30), 1, 480, True),
    )
    assert list(find_spatial_relations([suitcase, bottle], [])) == []


def test_a_bird_is_above_a_bench() -> None:
    bird, bench = (
        PlacedBox("1", Box(100, 10, 20, 10), 0, 60, False, hung=True),
        PlacedBox("2", Box(80, 130, 60, 40), 1, 510, True),
    )
    assert list(find_spatial_relations([bird, bench], [])) == [Link("1", "above", "2"), Link("2", "below", "1")]


def test_in_staged_scenes_no_pair_is_said_to_be_on_both_sides() -> None:
    for staged in train()[:300]:
        said = [(link.subject, link.name, link.object) for link in staged.plan.relations]
        assert len(said) == len(set(said))
        for one, name, other in said:
            assert (one, OPPOSITES.get(name, ""), other) not in said


def test_what_is_in_front_stands_nearer() -> None:
    for staged in train()[:300]:
        for one, other in links(staged.plan, "in front of"):
            assert one.bottom > other.bottom - 8  # an overturned or leaping thing may reach past its ground line


def test_what_is_on_something_stands_on_its_top() -> None:
    for staged in train():
        for number, one in enumerate(staged.placed):
            if one.member.spot != "on":
                continue
            assert one.parent is not None
            support = staged.placed[one.parent]
            top = _top(support)
            assert one.at.y == top.y, number
            middle = (one.extent[0] + one.extent[2]) // 2
            assert top.left <= middle <= top.right
            assert one.extent[0] >= top.left - 6
            assert one.extent[2] <= top.right + 6


def test_what_is_under_something_stands_on_the_ground_below_it() -> None:
    for staged in train():
        for one in staged.placed:
            if one.member.spot == "under":
                assert one.parent is not None
                support = staged.placed[one.parent]
                assert one.at.y == support.at.y
                assert support.extent[0] <= (one.extent[0] + one.extent[2]) // 2 <= support.extent[2]
                assert one.extent[1] > support.extent[1]


def test_what_is_held_touches_who_holds_it() -> None:
    for staged in train():
        for name in ("holding", "carrying", "eating", "drinking from", "reading", "throwing", "riding", "sitting on"):
            for one, other in links(staged.plan, name):
                assert one.overlap(other) > 0, (staged.plan.id, name)
