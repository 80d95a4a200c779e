"""Boxes are made to fit their pictures."""

from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.pictures import Box, Size
from counterpoint.sources.reading.json_record import Record, box_of, clip_box
from counterpoint.sources.reading.skips import Skips

NUMBERS = st.integers(-40, 40)


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.builds(Size, st.integers(1, 30), st.integers(1, 30)))
def test_a_clipped_box_is_every_pixel_of_the_box_that_the_picture_has(
    x: int, y: int, width: int, height: int, size: Size
) -> None:
    found = clip_box(x, y, width, height, size)
    across = [one for one in range(x, x + width) if 0 <= one < size.width]
    down = [one for one in range(y, y + height) if 0 <= one < size.height]
    if not across or not down:
        assert found is None
    else:
        assert found == Box(across[0], down[0], len(across), len(down))


def test_a_box_outside_is_counted_with_its_place_and_what_helps() -> None:
    skips = Skips()
    record = Record({"x": 99, "y": 0, "w": 5, "h": 5}, "a.json, image 7")
    assert box_of(record, Size(50, 50), skips) is None
    assert skips.lines() == [
        "1 skipped: a box outside its picture (a.json, image 7: x=99, y=0, w=5, h=5): "
        "the object stays, without a box; are these the sizes of these pictures?"
    ]
