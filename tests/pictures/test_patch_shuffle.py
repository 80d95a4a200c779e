"""Pictures without their content: patches in another order, and mean colors."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.pictures import Edit
from counterpoint.pictures.edits import apply_edits
from counterpoint.pictures.patch_shuffle import shuffle_edit

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
