"""Edits of pixels: the same pixels in, the same pixels out, on every machine."""

from collections.abc import Callable, Iterable
from hashlib import blake2b
from io import BytesIO
from math import isqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from counterpoint.core.errors import PictureError, UnknownName
from counterpoint.core.pictures import Box, Edit, Size
from counterpoint.core.ports import Pixels
from counterpoint.pictures.edits import (
    EDITS,
    WIDENED,
    Foreground,
    apply_edits,
    blur_around,
    bounding_box,
    crop_around,
    mean_around,
    scale_boxes,
    soft_mask,
)
from counterpoint.pictures.folders import encode_png
from counterpoint.pictures.noise import STRENGTHS, noise_edit
from counterpoint.pictures.transforms import TRANSFORMS
from counterpoint.world.scene_building import build_scene

PIXELS: Pixels = (np.add.outer(np.arange(24) ** 2, np.arange(32) * 5)[:, :, None] * [1, 3, 7] % 256).astype(np.uint8)
CHAINS = [
    (Edit("blur", ("0",)),),
    (Edit("blur", ("1.5",)),),
    (Edit("blur", ("6",)),),
    (Edit("crop", (3, 4, 10, 12)),),
    (Edit("blur", ("2",)), Edit("crop", (3, 4, 10, 12))),
    (Edit("crop", (3, 4, 10, 12)), Edit("blur", ("2",))),
    (Edit("blur-around", ("3", 32, 24, 3, 4, 10, 12)),),
    (Edit("blur-around", ("6", 32, 24, 3, 4, 2, 2, 20, 10, 30, 30)),),
    (Edit("blur-around", ("9", 640, 480, 60, 80, 200, 240)),),
    (Edit("mean-around", (101, 102, 103, 32, 24, 3, 4, 2, 2, 20, 10, 30, 30)),),
    (Edit("mean-around", (0, 128, 255, 17, 13, 3, 4, 5, 6)),),
    (Edit("crop-around", (32, 24, 3, 4, 2, 2, 6, 10, 3, 1)),),
    (Edit("crop-around", (17, 13, 3, 4, 5, 6)),),
    *((noise_edit(name, severity, 7 * severity),) for name in STRENGTHS for severity in (1, 2, 3, 4, 5)),
    (Edit("gaussian", ("0.025",)), Edit("crop", (3, 4, 10, 12)), Edit("poisson", (17,), 1 << 40)),
    *((edit,) for edits in TRANSFORMS.values() for edit in edits if edit.name not in ("blur", "jpeg")),
    (Edit("rotate", (-20,)), Edit("flip"), Edit("trim", (7,))),
    (Edit("mean-color"),),
    (Edit("shuffle", (8,), 7),),
    (Edit("crop", (0, 0, 5, 3)), Edit("shuffle", (4,), 1 << 40)),
]


def test_every_edit_makes_the_pixels_it_always_made(golden: Callable[[str, Iterable[str]], None]) -> None:
    assert {edit.name for chain in CHAINS for edit in chain} == set(EDITS) - {"jpeg"}  # which may differ by a level
    lines = []
    for chain in CHAINS:
        shown = np.ascontiguousarray(apply_edits(chain, PIXELS))
        digest = blake2b(shown.tobytes(), digest_size=8).hexdigest()
        lines.append(f"{' | '.join(map(str, chain))}: {shown.shape[1]}x{shown.shape[0]} {digest}")
    golden("edits.txt", lines)


def test_an_edit_leaves_the_original_alone() -> None:
    before = PIXELS.copy()
    for chain in CHAINS:
        apply_edits(chain, PIXELS)
    assert np.array_equal(PIXELS, before)


@given(st.integers(-40, 40), st.integers(-40, 40), st.integers(-40, 60), st.integers(-40, 60))
def test_a_crop_keeps_the_pixels_whose_places_are_inside(x: int, y: int, width: int, height: int) -> None:
    rows = [row for row in range(24) if y <= row < y + height]
    columns = [column for column in range(32) if x <= column < x + width]
    edit = Edit("crop", (x, y, width, height))
    if rows and columns:
        assert np.array_equal(apply_edits([edit], PIXELS), PIXELS[np.ix_(rows, columns)])
    else:
        with pytest.raises(PictureError, match="leaves nothing of the picture"):
            apply_edits([edit], PIXELS)


@pytest.mark.parametrize(
    "edit",
    [
        Edit("blur"),
        Edit("blur", ("much",)),
        Edit("blur", ("-1",)),
        Edit("blur", ("nan",)),
        Edit("blur", ("1", "2")),
        Edit("crop", (1, 2, 3)),
        Edit("crop", ("0.5", 1, 2, 3)),
        Edit("blur-around"),
        Edit("blur-around", ("3",)),
        Edit("blur-around", ("3", 32, 24)),
        Edit("blur-around", ("3", 32, 24, 1, 2, 3)),
        Edit("blur-around", ("inf", 32, 24, 1, 2, 3, 4)),
        Edit("blur-around", ("3", 0, 24, 1, 2, 3, 4)),
        Edit("blur-around", ("3", 32, 24, 32, 2, 3, 4)),
        Edit("mean-around", (1, 2)),
        Edit("mean-around", (1, 2, 256, 32, 24, 1, 2, 3, 4)),
        Edit("mean-around", (1, 2, 3, 32, 24, 1, 2, 0, 4)),
        Edit("crop-around", (32, 24, "left", 2, 3, 4)),
        Edit("gaussian"),
        Edit("gaussian", ("-0.1",)),
        Edit("gaussian", ("nan",)),
        Edit("gaussian", ("inf",)),
        Edit("gaussian", ("0.1", "0.2")),
        Edit("speckle", ("much",)),
        Edit("salt-and-pepper", ("1.1",)),
        Edit("poisson", (0,)),
        Edit("poisson", (5000,)),
        Edit("poisson", ("2.5",)),
        Edit("brightness", (-1,)),
        Edit("contrast", ("half",)),
        Edit("gray", (101,)),
        Edit("rotate", (46,)),
        Edit("rotate", ("0.5",)),
        Edit("flip", (1,)),
        Edit("jpeg", (0,)),
        Edit("jpeg", (96,)),
        Edit("trim", (50,)),
    ],
)
def test_arguments_that_make_no_sense_are_refused_with_the_edit_named(edit: Edit) -> None:
    with pytest.raises(PictureError) as caught:
        apply_edits([edit], PIXELS)
    assert str(caught.value).startswith(f"{edit} cannot be applied: ")


def test_an_unknown_edit_is_answered_with_known_ones() -> None:
    with pytest.raises(UnknownName) as caught:
        apply_edits([Edit("crp", ("1",))], PIXELS)
    assert caught.value.hint == "did you mean crop?"


WIDTH, HEIGHT = 96, 72
NOISE: Pixels = np.random.Generator(np.random.PCG64(7)).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
MEANS = (121, 113, 104)
DEVIATIONS = ("3", "6", "9")


@st.composite
def boxes(draw: st.DrawFn, size: Size) -> Box:
    """Boxes of which at least one pixel is in the picture; some reach beyond it, as annotators' boxes do."""
    x, y = draw(st.integers(-8, size.width - 1)), draw(st.integers(-8, size.height - 1))
    width, height = draw(st.integers(max(1, 1 - x), 2 * size.width)), draw(st.integers(max(1, 1 - y), 2 * size.height))
    return Box(x, y, width, height)


@st.composite
def foregrounds(draw: st.DrawFn) -> Foreground:
    """Up to four boxes in a picture of some size, as large as ours or not."""
    sides = st.integers(8, 200)
    size = draw(st.just(Size(WIDTH, HEIGHT)) | st.builds(Size, sides, sides))
    return Foreground(tuple(draw(st.lists(boxes(size), min_size=1, max_size=4))), size)


def _covered(kept: Iterable[Box]) -> NDArray[np.bool_]:
    """Every pixel that a box holds, one by one."""
    held = np.zeros((HEIGHT, WIDTH), np.bool_)
    for box in kept:
        held[max(box.y, 0) : max(box.bottom, 0), max(box.x, 0) : max(box.right, 0)] = True
    return held


def _far(kept: Iterable[Box]) -> NDArray[np.bool_]:
    """Every pixel that is farther from all boxes than the softest edge reaches."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    far = np.ones((HEIGHT, WIDTH), np.bool_)
    for box in kept:
        reach = 2 * max(isqrt(box.width**2 + box.height**2) // WIDENED, 3)
        near_x = (columns >= box.x - reach) & (columns < box.right + reach)
        near_y = (rows >= box.y - reach) & (rows < box.bottom + reach)
        far &= ~(near_x & near_y)
    return far


@given(foregrounds(), st.sampled_from(DEVIATIONS))
def test_a_blur_leaves_every_pixel_of_the_foreground_and_none_of_what_is_far_from_it(
    kept: Foreground, deviation: str
) -> None:
    shown = apply_edits([blur_around(kept, deviation)], NOISE)
    inside = kept.inside(Size(WIDTH, HEIGHT))
    far = _far(inside)
    plain = Edit("blur", (repr(float(deviation) * WIDTH / kept.size.width),))
    assert np.array_equal(shown[_covered(inside)], NOISE[_covered(inside)])
    assert np.array_equal(shown[far], apply_edits([plain], NOISE)[far])


@given(foregrounds())
def test_a_mask_of_means_shows_the_foreground_and_one_color(kept: Foreground) -> None:
    shown = apply_edits([mean_around(kept, MEANS)], NOISE)
    held = _covered(kept.inside(Size(WIDTH, HEIGHT)))
    assert np.array_equal(shown[held], NOISE[held])
    assert (shown[~held] == MEANS).all()


@given(foregrounds())
def test_a_crop_is_the_smallest_rectangle_that_holds_every_pixel_of_the_foreground(kept: Foreground) -> None:
    held = _covered(kept.inside(Size(WIDTH, HEIGHT)))
    rows, columns = np.flatnonzero(held.any(1)), np.flatnonzero(held.any(0))
    smallest = NOISE[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    assert np.array_equal(apply_edits([crop_around(kept)], NOISE), smallest)


@given(foregrounds(), st.sampled_from(DEVIATIONS))
def test_only_a_crop_changes_the_size_and_every_edit_does_the_same_twice(kept: Foreground, deviation: str) -> None:
    for edit in (blur_around(kept, deviation), mean_around(kept, MEANS), crop_around(kept)):
        once, again = apply_edits([edit], NOISE), apply_edits([edit], NOISE.copy())
        assert np.array_equal(once, again)
        assert once.dtype == np.uint8
        assert edit.name == "crop-around" or once.shape == NOISE.shape


@given(foregrounds(), st.integers(1, 300), st.integers(1, 300))
def test_boxes_in_a_picture_of_another_size_hold_the_same_part_and_less_than_a_pixel_more(
    kept: Foreground, width: int, height: int
) -> None:
    for box in kept.boxes:
        (found,) = scale_boxes([box], kept.size, Size(width, height))
        sides = ((box.x, box.right, kept.size.width, width), (box.y, box.bottom, kept.size.height, height))
        ends = ((found.x, found.right), (found.y, found.bottom))
        for (start, stop, before, after), (first, last) in zip(sides, ends, strict=True):
            low, high = max(start * after / before, 0), min(stop * after / before, after)
            assert low - 1 < first <= low
            assert high <= last < high + 1
            assert 0 <= first < last <= after


@given(foregrounds())
def test_a_foreground_survives_being_written_as_arguments(kept: Foreground) -> None:
    assert Foreground.read(kept.arguments) == kept
    assert Foreground.read([str(argument) for argument in kept.arguments]) == kept
    assert len(crop_around(kept).arguments) == 6


def test_a_resized_picture_is_obscured_in_the_same_places_as_the_large_one() -> None:
    large = np.asarray(build_scene("test", 3).draw())
    small = np.asarray(Image.fromarray(large).resize((160, 120), Image.Resampling.BOX))
    kept = Foreground((Box(60, 70, 80, 90), Box(220, 30, 40, 20)), Size(320, 240))
    for edit in (mean_around(kept, MEANS), blur_around(kept, "6")):
        reduced = Image.fromarray(apply_edits([edit], large)).resize((160, 120), Image.Resampling.BOX)
        difference = np.abs(np.asarray(reduced).astype(int) - apply_edits([edit], small))
        assert difference.mean() < 0.5
    assert apply_edits([crop_around(kept)], small).shape == (65, 100, 3)


@given(st.lists(boxes(Size(WIDTH, HEIGHT)), min_size=1, max_size=3))
def test_the_soft_edge_falls_from_full_to_nothing_and_never_rises_away_from_one_box(found: list[Box]) -> None:
    size = Size(WIDTH, HEIGHT)
    inside = scale_boxes(found, size, size)
    mask = soft_mask(inside, size)
    assert (mask[_covered(inside)] == 255).all()
    assert (mask[_far(inside)] == 0).all()
    assert np.array_equal(mask, np.maximum.reduce([soft_mask([box], size) for box in inside]))
    row = soft_mask(inside[:1], size)[inside[0].y].astype(int)
    assert (np.diff(row[inside[0].right - 1 :]) <= 0).all()
    assert (np.diff(row[: inside[0].x + 1]) >= 0).all()


def test_half_of_the_mask_is_gone_a_tenth_of_the_diagonal_away_from_a_box() -> None:
    row = soft_mask([Box(100, 100, 80, 60)], Size(320, 260))[130].astype(int)
    assert row[179] == 255
    assert abs(row[189] + row[190] - 255) <= 1
    assert row[200] == 0


def test_the_sharp_and_the_blurred_are_mixed_to_the_nearest_whole_number() -> None:
    kept = Foreground((Box(30, 20, 30, 30),), Size(WIDTH, HEIGHT))
    mask = soft_mask(kept.boxes, kept.size)[:, :, None].astype(int)
    behind = apply_edits([Edit("blur", ("6",))], NOISE)
    expected = (2 * (mask * NOISE + (255 - mask) * behind) + 255) // 510
    assert np.array_equal(apply_edits([blur_around(kept, "6")], NOISE), expected)


def test_a_small_box_beside_a_large_one_is_as_sharp_as_alone() -> None:
    small, large = Box(2, 2, 4, 4), Box(30, 4, 60, 60)
    assert (soft_mask([small, large], Size(WIDTH, HEIGHT))[2:6, 2:6] == 255).all()


def _true_gaussian(pixels: Pixels, deviation: int) -> NDArray[np.float64]:
    """A blur by the Gaussian itself, one axis after the other; beyond the border goes on what is at it."""
    reach, blurred = 8 * deviation, pixels.astype(np.float64)
    kernel = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * deviation**2))
    for axis in (0, 1):
        sides = [(reach, reach) if axis == one else (0, 0) for one in range(3)]
        padded = np.pad(blurred, sides, mode="edge")
        blurred = np.apply_along_axis(np.convolve, axis, padded, kernel / kernel.sum(), mode="valid")
    return blurred


@pytest.mark.parametrize("deviation", [3, 6, 9])
def test_the_blur_is_as_near_to_a_true_gaussian_as_the_documentation_says(deviation: int) -> None:
    scene = np.asarray(build_scene("test", 3).draw())
    difference = np.abs(apply_edits([Edit("blur", (str(deviation),))], scene) - _true_gaussian(scene, deviation))
    border = 3 * deviation
    assert difference.mean() < 0.7
    assert difference[border:-border, border:-border].max() < 7


def test_every_edit_of_a_scene_makes_the_pixels_it_always_made(golden: Callable[[str, Iterable[str]], None]) -> None:
    lines = []
    for index in (0, 3, 7):
        staged = build_scene("test", index)
        found = sorted((one.box for one in staged.scene if one.box), key=lambda box: (-box.area, box.x, box.y))[1:3]
        kept = Foreground(tuple(found), staged.scene.size)
        decoded = np.asarray(Image.open(BytesIO(encode_png(np.asarray(staged.draw())))))
        for edit in (*(blur_around(kept, one) for one in DEVIATIONS), mean_around(kept, MEANS), crop_around(kept)):
            shown = np.ascontiguousarray(apply_edits([edit], decoded))
            digest = blake2b(shown.tobytes(), digest_size=8).hexdigest()
            lines.append(f"{staged.scene.id} {edit}: {shown.shape[1]}x{shown.shape[0]} {digest}")
    golden("edits_around.txt", lines)


def test_the_smallest_rectangle_around_one_box_is_the_box() -> None:
    assert bounding_box([Box(3, 4, 5, 6)]) == Box(3, 4, 5, 6)
