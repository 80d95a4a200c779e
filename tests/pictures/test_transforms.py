"""Changes of whole pictures: exact where they are whole numbers, and within two levels where they are JPEG."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from proving import examples

from counterpoint.core.pictures import Box, Edit, Size
from counterpoint.core.ports import Pixels
from counterpoint.pictures.edits import apply_edits, visible_window
from counterpoint.pictures.transforms import TRANSFORMS, shuffle_edit
from counterpoint.world.scene_building import build_scene

SCENE: Pixels = np.asarray(build_scene("test", 7).draw())
JPEG = Path(__file__).parents[1] / "goldens" / "edits_jpeg.txt"


@pytest.mark.parametrize("name", sorted(set(TRANSFORMS) - {"flip", "rotation", "crop"}))
def test_each_severity_is_further_from_the_picture_than_the_one_before(name: str) -> None:
    far = [np.abs(apply_edits([edit], SCENE).astype(int) - SCENE).mean() for edit in TRANSFORMS[name]]
    assert far[0] > 0
    assert far == sorted(far)


def test_there_are_five_severities_of_every_change_but_a_mirror() -> None:
    assert {name: len(edits) for name, edits in TRANSFORMS.items() if len(edits) != 5} == {"flip": 1}


@pytest.mark.parametrize("edit", [Edit("brightness", (100,)), Edit("contrast", (100,)), Edit("gray", (0,))])
def test_a_change_by_nothing_changes_nothing(edit: Edit) -> None:
    assert np.array_equal(apply_edits([edit], SCENE), SCENE)
    assert np.array_equal(apply_edits([Edit("rotate", (0,)), Edit("trim", (0,))], SCENE), SCENE)


def test_what_is_flipped_twice_is_as_it_was_and_what_is_gray_stays_so() -> None:
    assert np.array_equal(apply_edits([Edit("flip")] * 2, SCENE), SCENE)
    assert np.array_equal(apply_edits([Edit("flip")], SCENE), np.fliplr(SCENE))
    once = apply_edits([Edit("gray", (100,))], SCENE)
    assert np.array_equal(apply_edits([Edit("gray", (100,))], once), once)
    assert np.ptp(once, axis=2).max() == 0
    assert np.abs(once[:, :, 0].astype(int) - np.asarray(Image.fromarray(SCENE).convert("L"))).max() <= 1


@given(st.integers(0, 255), st.integers(0, 1000))
def test_light_and_contrast_are_rounded_and_cut(value: int, percent: int) -> None:
    one = np.full((1, 1, 3), value, np.uint8)
    assert apply_edits([Edit("brightness", (percent,))], one)[0, 0, 0] == min((value * percent + 50) // 100, 255)
    wanted = 128 + (value - 128) * percent / 100
    assert abs(int(apply_edits([Edit("contrast", (percent,))], one)[0, 0, 0]) - min(max(wanted, 0), 255)) <= 0.5


@given(st.integers(-45, 45), st.integers(1, 30), st.integers(1, 30))
@examples(60)
def test_a_turned_picture_loses_nothing_but_at_the_edge_of_a_pixel(degrees: int, width: int, height: int) -> None:
    turned = apply_edits([Edit("rotate", (degrees,))], np.full((height, width, 3), 200, np.uint8))
    assert turned.max() <= 200
    assert turned.sum() / 600 == pytest.approx(width * height, abs=1 + 0.15 * (width + height))


def test_a_picture_is_turned_as_pillow_turns_it() -> None:
    smooth = apply_edits(
        [Edit("blur", ("4",))], SCENE
    )  # so that half a pixel, by which they may be apart, shows little
    for degrees in (-20, -3, 10, 45):
        ours = apply_edits([Edit("rotate", (degrees,))], smooth)
        theirs = Image.fromarray(smooth).rotate(degrees, Image.Resampling.BILINEAR, expand=True)
        assert abs(ours.shape[0] - theirs.height) <= 1
        assert abs(ours.shape[1] - theirs.width) <= 1
        middle = Box(ours.shape[1] // 2 - 60, ours.shape[0] // 2 - 60, 120, 120)
        around = np.asarray(theirs)[middle.y : middle.bottom, middle.x : middle.right]
        own = ours[middle.y : middle.bottom, middle.x : middle.right]
        assert np.abs(own.astype(int) - around).mean() < 2


def test_a_trimmed_picture_is_the_window_that_boxes_are_drawn_in() -> None:
    edit = Edit("trim", (10,))
    seen = visible_window([edit], Size(320, 240))
    assert seen == Box(32, 24, 256, 192)
    assert np.array_equal(apply_edits([edit], SCENE), SCENE[seen.y : seen.bottom, seen.x : seen.right])


def test_jpeg_is_within_two_levels_of_what_it_always_was(pytestconfig: pytest.Config) -> None:
    made = {edit: apply_edits([edit], SCENE)[20::40, 10::40].reshape(-1) for edit in TRANSFORMS["jpeg"]}
    if pytestconfig.getoption("--update-goldens"):
        JPEG.write_text("".join(f"{edit}: {' '.join(map(str, values))}\n" for edit, values in made.items()))
    kept = dict(line.split(": ") for line in JPEG.read_text().splitlines())
    assert list(kept) == [str(edit) for edit in made]
    for edit, values in made.items():
        assert np.abs(values.astype(int) - np.array(kept[str(edit)].split(), int)).max() <= 2


SIDES = st.integers(1, 40)


@given(SIDES, SIDES, st.integers(1, 9), st.integers(0, 2**32))
def test_shuffling_moves_every_patch_whole_and_loses_no_pixel(width: int, height: int, patches: int, seed: int) -> None:
    pixels = np.arange(height * width * 3, dtype=np.uint32).astype(np.uint8).reshape(height, width, 3)
    numbers = np.arange(height * width).reshape(height, width)
    shown = apply_edits([shuffle_edit(patches, seed=seed)], pixels)
    assert np.array_equal(np.sort(shown.ravel()), np.sort(pixels.ravel()))
    rows, columns = min(patches, height), min(patches, width)
    tall, wide = height // rows, width // columns
    places = np.repeat(numbers[:, :, None], 3, axis=2) % 256
    moved = apply_edits([shuffle_edit(patches, seed=seed)], places.astype(np.uint8))
    if rows * columns > 1 and height * width <= 256:
        corners = [(y * tall, x * wide) for y in range(rows) for x in range(columns)]
        assert all(moved[corner][0] != numbers[corner] for corner in corners)


def test_shuffling_follows_from_the_seed_alone() -> None:
    pixels = np.arange(48 * 64 * 3, dtype=np.uint32).astype(np.uint8).reshape(48, 64, 3)
    once, again, other = (apply_edits([shuffle_edit(seed=seed)], pixels) for seed in (3, 3, 4))
    assert np.array_equal(once, again)
    assert not np.array_equal(once, other)


def test_a_mean_color_is_the_same_everywhere_and_keeps_the_size() -> None:
    pixels = np.zeros((2, 4, 3), np.uint8)
    pixels[0] = (10, 20, 31)
    assert apply_edits([Edit("mean-color")], pixels).tolist() == [[[5, 10, 16]] * 4] * 2
