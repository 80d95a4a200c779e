"""The middle color of pictures: exact sums, whatever the order and the sizes."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from counterpoint.core.errors import PictureError
from counterpoint.core.ports import Pixels
from counterpoint.pictures.channel_means import channel_means, folder_means


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


def test_the_means_of_a_folder_are_those_of_its_pictures_wherever_they_lie_in_it(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "notes.txt").write_text("no picture")
    for name, color in (("a.png", (10, 20, 30)), ("deep/b.PNG", (20, 40, 61))):
        Image.fromarray(np.full((4, 4, 3), color, np.uint8)).save(tmp_path / name)
    assert folder_means(tmp_path) == (15, 30, 46)
    assert folder_means(tmp_path, limit=1) in {(10, 20, 30), (20, 40, 61)}
    assert folder_means(tmp_path, limit=1) == folder_means(tmp_path, limit=1)


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="has no pictures"):
        folder_means(tmp_path)
