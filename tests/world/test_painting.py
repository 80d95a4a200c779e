"""Boxes are exact: what a box says is what changes in the picture when the thing is painted."""

import pytest
from PIL import Image, ImageChops, ImageDraw
from proving import sample

from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Box
from counterpoint.world.drawing import draw_appearance
from counterpoint.world.kinds import COLORS, kinds
from counterpoint.world.painting import Placement, box_of, paint, shaded
from counterpoint.world.scene_sampling import sample_colors, sample_member
from counterpoint.world.sketch import Appearance, Extent, Rgb, Sketch

DRAWN = [name for name, one in kinds().items() if one.spot != "worn"]
NOWHERE: Rgb = (1, 2, 3)
SIDE = 900


def painted(sketch: Sketch, paints: dict[str, Rgb], at: Placement) -> Box:
    """The box around all pixels of the picture that a sketch changes."""
    canvas = Image.new("RGB", (SIDE, SIDE), NOWHERE)
    paint(ImageDraw.Draw(canvas), sketch, paints, at)
    changed = ImageChops.difference(canvas, Image.new("RGB", (SIDE, SIDE), NOWHERE)).getbbox()
    assert changed, "nothing was painted"
    left, top, right, bottom = changed
    return box_of((left, top, right - 1, bottom - 1))


def amid(extent: Extent, height: int, mirrored: bool) -> Placement:
    """A placement in the middle of the canvas."""
    middle = (extent[0] + extent[2]) * height // 2000
    return Placement(SIDE // 2 + (middle if mirrored else -middle), SIDE * 2 // 3, height, mirrored)


def paints(look: Appearance) -> dict[str, Rgb]:
    """Any colours for all the roles of a look."""
    named = sample_colors(seeded_rng("paints", look.kind), look)
    return {"skin": (200, 150, 120), "hair": (60, 40, 30)} | {role: COLORS[name] for role, name in named.items()}


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("name", sample(DRAWN, 17))
def test_the_box_of_a_thing_is_where_it_is_painted(name: str, mirrored: bool) -> None:
    rng = seeded_rng("boxes", name)
    for _ in range(4):
        look = sample_member(rng, name).look
        shape = draw_appearance(look)
        at = amid(shape.extent, rng.randint(90, 200), mirrored)
        assert painted(shape.sketch, paints(look), at) == box_of(at.extent(shape.extent)), look


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("name", ["man", "woman", "boy", "girl"])
def test_the_box_of_a_garment_is_where_it_is_painted(name: str, mirrored: bool) -> None:
    rng = seeded_rng("garments", name)
    for _ in range(6):
        look = sample_member(rng, name).look
        shape = draw_appearance(look)
        at = Placement(SIDE // 2, SIDE * 2 // 3, rng.randint(150, 400), mirrored)
        for part, extent in shape.parts.items():
            alone = Sketch(shapes=[one for one in shape.sketch.shapes if one.part == part])
            assert painted(alone, paints(look), at) == box_of(at.extent(extent)), (look, part)


def test_a_mirrored_point_is_as_far_to_the_other_side() -> None:
    assert Placement(500, 600, 100).point(50, 0) == (505, 500)
    assert Placement(500, 600, 100, mirrored=True).point(50, 0) == (495, 500)


def test_a_box_holds_every_pixel_that_a_canvas_rectangle_touches() -> None:
    assert box_of((3, 4, 8, 9)) == Box(1, 1, 2, 3)


@pytest.mark.parametrize("shade", ["dim", "dark", "deep", "light", "pale", "line"])
def test_a_shade_differs_from_every_colour_it_is_a_shade_of(shade: str) -> None:
    for color in COLORS.values():
        assert shaded(f"main.{shade}", {"main": color}) != color
