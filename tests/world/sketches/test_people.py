from itertools import product

import pytest
from proving import prove

from counterpoint.world.kinds import kinds
from counterpoint.world.sketch import GROUND, Appearance, Sketch
from counterpoint.world.sketches.bodies import POSES
from counterpoint.world.sketches.people import SKETCHES

PEOPLE = [name for name, kind in kinds().items() if kind.family == "person"]
OUTFITS = (
    ("shirt", "pants", "shoes"),
    ("striped shirt", "shorts", "hat"),
    ("shirt", "jacket", "skirt", "scarf", "glasses"),
    ("jacket", "pants", "shoes"),
    ("striped dress", "hat", "glasses", "shoes"),
    ("dress", "jacket", "scarf"),
    ("shorts",),
    (),
)


def drawn(kind: str, pose: str = "", variant: int = 0, wearing: tuple[str, ...] = OUTFITS[0]) -> Sketch:
    return SKETCHES[kind](Appearance(kind, pose=pose, variant=variant, wearing=wearing))


def test_every_kind_of_person_has_a_sketch_and_every_pose_of_it_is_known() -> None:
    assert sorted(SKETCHES) == sorted(PEOPLE)
    assert {pose for name in PEOPLE for pose in kinds()[name].poses} <= set(POSES)


@pytest.mark.parametrize(
    ("kind", "pose"), [own if place % 3 == 0 else prove(*own) for place, own in enumerate(product(PEOPLE, POSES))]
)
def test_a_person_can_wear_anything_in_any_pose(kind: str, pose: str) -> None:
    for variant, wearing in product(range(3), OUTFITS):
        sketch = drawn(kind, pose, variant, wearing)
        assert sorted(sketch.parts) == sorted(name.removeprefix("striped ") for name in wearing)
        assert len(sketch.shapes) <= 62
        assert {"hand", "hip", "mouth", "foot"} <= sketch.anchors.keys()


def test_a_person_stands_on_the_ground_unless_leaping() -> None:
    for kind, pose in product(PEOPLE, POSES):
        bottom = drawn(kind, pose).extent()[3]
        assert abs(GROUND - POSES[pose].lift - bottom) <= 12, (kind, pose)


@pytest.mark.parametrize("kind", PEOPLE)
def test_no_two_poses_and_no_two_variants_look_alike(kind: str) -> None:
    looks = {tuple(drawn(kind, pose).shapes) for pose in POSES} | {tuple(drawn(kind, "", v).shapes) for v in (1, 2)}
    assert len(looks) == len(POSES) + 2


@pytest.mark.parametrize("kind", PEOPLE)
def test_a_person_is_as_high_as_the_kind_and_a_garment_lies_within(kind: str) -> None:
    sketch = drawn(kind, wearing=("shirt", "jacket", "skirt", "scarf", "glasses", "shoes"))
    left, top, right, bottom = sketch.extent()
    assert -90 <= top <= 40
    for part in sketch.parts:
        x0, y0, x1, y1 = sketch.extent(part)
        assert left <= x0 < x1 <= right
        assert top <= y0 < y1 <= bottom


@pytest.mark.parametrize("garment", ["shirt", "dress"])
def test_stripes_are_seen(garment: str) -> None:
    plain, striped = drawn("woman", wearing=(garment,)), drawn("woman", wearing=(f"striped {garment}",))
    assert len(striped.shapes) > len(plain.shapes)


@pytest.mark.parametrize("kind", PEOPLE)
def test_hands_are_where_the_action_is(kind: str) -> None:
    hand = {pose: drawn(kind, pose).anchors["hand"] for pose in POSES}
    right = {pose: drawn(kind, pose).anchors["hip"].right + 60 for pose in POSES}
    for pose in ("holding", "carrying", "pushing", "feeding", "reading", "flying", "leading", "watering", "riding"):
        assert hand[pose].left > right[pose]
    for pose in ("eating", "drinking"):
        mouth = drawn(kind, pose).anchors["mouth"]
        assert abs(hand[pose].left - mouth.left) < 150
        assert abs(hand[pose].y - mouth.y) < 150
    assert hand["flying"].y < hand["holding"].y < hand["leading"].y
