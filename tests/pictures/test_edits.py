"""Edits of pixels: the same pixels in, the same pixels out, on every machine."""

from collections.abc import Callable, Iterable
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import PictureError, UnknownName
from counterpoint.core.pictures import Edit
from counterpoint.core.ports import Pixels
from counterpoint.pictures.edits import EDITS, apply_edits
from counterpoint.pictures.noise import STRENGTHS, noise_edit
from counterpoint.pictures.transforms import TRANSFORMS

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
