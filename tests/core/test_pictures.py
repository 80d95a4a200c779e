"""Boxes count pixels, and a picture's id covers its address and every edit."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from strategies import boxes, edits, pictures

from counterpoint.core.pictures import Box, Edit, Picture, Size


def _pixels(box: Box) -> set[tuple[int, int]]:
    return {(x, y) for x in range(box.x, box.right) for y in range(box.y, box.bottom)}


@given(boxes())
def test_the_area_is_the_number_of_pixels(box: Box) -> None:
    assert box.area == len(_pixels(box))


@given(boxes(), boxes())
def test_the_overlap_is_the_number_of_shared_pixels_whichever_box_asks(one: Box, other: Box) -> None:
    assert one.overlap(other) == len(_pixels(one) & _pixels(other)) == other.overlap(one)
    assert one.overlap(one) == one.area


@given(boxes())
def test_the_middle_is_the_mean_of_the_corners(box: Box) -> None:
    assert box.middle == ((box.x + box.right) / 2, (box.y + box.bottom) / 2)


@given(boxes(), st.integers(1, 9), st.integers(1, 9))
def test_a_box_enlarged_by_whole_numbers_comes_back_by_the_same(box: Box, across: int, down: int) -> None:
    before, after = Size(24, 24), Size(24 * across, 24 * down)
    enlarged = box.scaled(before, after)
    assert enlarged.area == box.area * across * down
    assert enlarged.scaled(after, before) == box


@given(boxes(), st.integers(1, 60), st.integers(1, 60))
def test_a_scaled_box_stays_on_the_picture(box: Box, width: int, height: int) -> None:
    scaled = box.scaled(Size(24, 24), Size(width, height))
    assert 0 <= scaled.x <= scaled.right <= width
    assert 0 <= scaled.y <= scaled.bottom <= height


@given(pictures(), pictures())
def test_two_pictures_share_an_id_only_if_they_are_equal(one: Picture, other: Picture) -> None:
    assert (one.id == other.id) == (one == other)


@given(pictures(), edits())
def test_every_part_of_an_edit_changes_the_id(picture: Picture, edit: Edit) -> None:
    changed = (
        replace(edit, name=edit.name + "!"),
        replace(edit, arguments=(*edit.arguments, "1")),
        replace(edit, seed=edit.seed + 1),
    )
    ids = {picture.id, picture.edited(edit).id, *(picture.edited(other).id for other in changed)}
    assert len(ids) == 5


@given(pictures(), edits(), edits())
def test_edits_are_kept_in_the_order_in_which_they_are_made(picture: Picture, one: Edit, other: Edit) -> None:
    assert picture.edited(one).edited(other) == picture.edited(one, other)
    assert (picture.edited(one, other).id == picture.edited(other, one).id) == (one == other)


def test_an_address_is_a_namespace_and_a_path() -> None:
    picture = Picture("coco:val2014/a:b.jpg")
    assert (picture.namespace, picture.path) == ("coco", "val2014/a:b.jpg")
