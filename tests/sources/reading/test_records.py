"""What was left out is counted by reason, and the first places are listed."""

from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import SourceError
from counterpoint.core.pictures import Box, Size
from counterpoint.sources.reading.records import LISTED, Record, Skips, box_of, clip_box


def test_reasons_are_counted_and_the_commonest_comes_first() -> None:
    skips = Skips()
    skips.skip("b", "here")
    for number in range(4000):
        skips.skip("a", f"row {number}")
    assert skips.total == 4001
    assert skips.lines() == ["4,000 skipped: a (row 0; row 1; row 2; …)", "1 skipped: b (here)"]
    assert len(skips.places["a"]) == LISTED


def test_a_record_that_cannot_be_read_is_a_skip_that_says_what_is_wrong() -> None:
    skips = Skips()
    skips.problem(SourceError("a.json, image 7 has no width", hint="width should be a number"))
    assert skips.lines() == [
        "1 skipped: does not match the layout (a.json, image 7 has no width: width should be a number): "
        "the rest is read; if they are many, is it another release?"
    ]


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
