"""The middle color of pictures: exact sums, whatever the order and the sizes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import PictureError
from counterpoint.core.ports import Pixels
from counterpoint.pixels.means import channel_means


@st.composite
def pictures(draw: st.DrawFn) -> Pixels:
    """Small pictures of any colors."""
    height, width, seed = draw(st.integers(1, 5)), draw(st.integers(1, 5)), draw(st.integers(0, 999))
    return np.random.Generator(np.random.PCG64(seed)).integers(0, 256, (height, width, 3), dtype=np.uint8)


@given(st.lists(pictures(), min_size=1, max_size=5))
def test_means_are_those_of_all_pixels_together_in_any_order(found: list[Pixels]) -> None:
    every = np.concatenate([one.reshape(-1, 3) for one in found]).astype(float)
    means = channel_means(found)
    assert np.abs(np.array(means) - every.mean(0)).max() <= 0.5
    assert channel_means(reversed(found)) == means


def test_the_means_of_nothing_are_refused() -> None:
    with pytest.raises(PictureError, match="no pictures"):
        channel_means([])
