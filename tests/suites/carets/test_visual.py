"""The visual test: what a question is about is kept in every picture, and everything else about it stays the same."""

import pickle
from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import examples
from scenery import scene, sources, world

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Box, Size
from counterpoint.core.ports import Pixels
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.pictures.edits import Foreground, apply_edits
from counterpoint.store.groups import groups_table, read_queries
from counterpoint.suites.carets import negation, order, rephrase, visual
from counterpoint.suites.carets.question_kinds import KINDS
from counterpoint.suites.carets.templates import QuestionContent
from counterpoint.suites.carets.visual import MIN_SIDE, enlarge_box, foreground
from counterpoint.suites.suite import Tally, generate_groups
from counterpoint.world.source import World

MEANS = (121, 113, 104)
REASONS = {"how large a thing is cannot be seen by itself", "what it is about fills the picture"}
NAMES = ["blur-3", "blur-6", "blur-9", "mask", "crop"]
SUITE = visual.suite.configured({"means": MEANS})


@cache
def _groups(count: int = 24) -> tuple[Group, ...]:
    return tuple(group for _, group in generate_groups(SUITE, world(count)))


def _kept(group: Group) -> Foreground:
    picture = group.queries[4].picture
    assert picture
    return Foreground.read(picture.edits[0].arguments[3:])


def _asked(*things: SceneObject, gone: int = 0, said: tuple[str, ...] = ("cat",), where: str = "") -> QuestionContent:
    return QuestionContent(
        "object verification", said, Gold.of("yes"), "", things, where=where, tags=(("gone", str(gone)),)
    )


def _placed(*boxes: Box | None, size: Size = Size(320, 240)) -> Scene:  # noqa: B008 - a size is a value
    objects = tuple(SceneObject(str(number), "cat", (), box) for number, box in enumerate(boxes))
    return Scene("one", scene(1).picture, size, objects)


def test_a_group_is_one_question_about_the_whole_picture_and_five_edits_of_it() -> None:
    assert {group.kind for group in _groups()} == set(KINDS)
    for group in _groups():
        base, *variants = group.queries
        assert group.relation is Relation.SAME
        assert len(set(group.gold)) == 1
        assert {query.text for query in variants} == {base.text}
        assert base.picture
        assert not base.picture.edits
        assert [len(query.picture.edits) for query in variants if query.picture] == [1] * 5
        assert {query.picture.address for query in variants if query.picture} == {base.picture.address}
        assert len({query.id for query in group.queries}) == 6


def test_every_variant_is_tagged_with_its_edit_and_the_base_with_none() -> None:
    for group in _groups(20):
        base, *variants = (dict(tags) for tags in group.tags)
        assert "edit" not in base
        assert [tags["edit"] for tags in variants] == NAMES
        assert all({**base, "edit": tags["edit"]} == tags for tags in variants)


def test_originals_are_those_of_rephrase_order_and_negation_but_for_what_cannot_be_obscured() -> None:
    scenes, tally = world(30), Tally()
    own = {group.base.id for _, group in generate_groups(SUITE, scenes, 3, tally=tally)}
    lost = sum(count for (_, why), count in tally.dropped.items() if why in REASONS)
    assert 0 < lost < len(own) / 10
    for other in (rephrase.suite, order.suite, negation.suite):
        theirs = {group.base.id for _, group in generate_groups(other, scenes, 3)}
        assert len(theirs - own) <= lost
        assert len(theirs) > 100


def test_everything_that_is_named_and_there_lies_in_the_foreground() -> None:
    for group in _groups():
        boxes = _kept(group).boxes
        assert _kept(group).size == group.size
        for thing in group.objects:
            assert thing.box
            assert any(_holds(box, thing.box) for box in boxes), f"{thing} {boxes}"


def test_there_is_at_most_one_more_box_for_each_thing_that_is_not_there() -> None:
    more = Counter[tuple[str, int, int]]()
    for group in _groups():
        gone = int(dict(group.tags[0]).get("gone", "0"))
        own = {enlarge_box(thing.box, Size(320, 240)) for thing in group.objects if thing.box}
        others = len(set(_kept(group).boxes) - own)
        assert others <= gone
        more[group.kind, gone, others] += 1
    assert more["object verification", 1, 1] > 10
    assert more["conjunctive verification", 2, 2] > 10
    assert more["disjunctive verification", 1, 1] > 10
    assert sum(count for (_, gone, others), count in more.items() if others < gone) < len(_groups()) / 50


def test_no_box_is_smaller_than_what_people_need_or_reaches_out_of_the_picture() -> None:
    for group in _groups():
        for box in _kept(group).boxes:
            assert min(box.width, box.height) >= MIN_SIDE
            assert _holds(Box(0, 0, 320, 240), box)


def test_models_are_shown_the_foreground_and_nothing_of_the_rest() -> None:
    drawn = World("test", 400)
    for group in _groups(2):
        whole, masked, cropped = (_pixels(drawn, group, place) for place in (0, 4, 5))
        held = np.zeros(whole.shape[:2], np.bool_)
        for box in _kept(group).boxes:
            held[box.y : box.bottom, box.x : box.right] = True
        assert np.array_equal(masked[held], whole[held])
        assert (masked[~held] == MEANS).all()
        assert cropped.size <= whole.size


def _pixels(drawn: World, group: Group, place: int) -> Pixels:
    picture = group.queries[place].picture
    assert picture
    return drawn.pixels(picture)


def _holds(outer: Box, inner: Box) -> bool:
    return outer.overlap(inner) == inner.area


@given(st.lists(st.builds(Box, *(st.integers(-20, 330),) * 2, *(st.integers(1, 340),) * 2), max_size=5), st.data())
def test_a_foreground_is_proved_or_refused_with_a_reason(boxes: list[Box], data: st.DataObject) -> None:
    gone, named = data.draw(st.integers(0, 2)), data.draw(st.integers(0, len(boxes)))
    one = _placed(*boxes)
    kept = foreground(one, _asked(*one.objects[:named], gone=gone), seeded_rng(data.draw(st.integers(0, 9))))
    if isinstance(kept, str):
        assert kept
        return
    whole = Box(0, 0, 320, 240)
    assert 1 <= len(kept.boxes) <= named + gone
    assert all(_holds(whole, box) and min(box.width, box.height) >= MIN_SIDE for box in kept.boxes)
    for box in boxes[:named]:
        assert max(other.overlap(box) for other in kept.boxes) == box.overlap(whole)


@pytest.mark.parametrize(
    ("one", "asked", "why"),
    [
        (_placed(Box(0, 0, 9, 9), size=Size(31, 200)), _asked(gone=1), "too small"),
        (_placed(None), _asked(SceneObject("0", "cat")), "has no box"),
        (_placed(Box(400, 0, 9, 9)), _asked(SceneObject("0", "cat", box=Box(400, 0, 9, 9))), "has no box"),
        (_placed(), _asked(), "nothing that has a place"),
        (_placed(sea := Box(0, 0, 320, 230)), _asked(SceneObject("0", "sea", box=sea)), "fills the picture"),
        (_placed(), _asked(gone=1, said=("large dog",)), "cannot be seen by itself"),
        (_placed(), _asked(gone=1, where="behind the tall tree"), "cannot be seen by itself"),
    ],
)
def test_a_picture_that_cannot_be_obscured_is_refused_with_a_reason(
    one: Scene, asked: QuestionContent, why: str
) -> None:
    kept = foreground(one, asked, seeded_rng(0))
    assert isinstance(kept, str)
    assert why in kept


def test_what_is_not_there_is_looked_for_in_the_box_of_something_else_that_is_large_enough() -> None:
    small, large, named = Box(0, 0, 20, 90), Box(100, 20, 60, 90), Box(10, 10, 50, 50)
    one = _placed(named, small, large)
    for seed in range(20):
        assert foreground(one, _asked(one.objects[0], gone=1), seeded_rng(seed)) == Foreground((named, large), one.size)
    drawn = {foreground(_placed(small), _asked(gone=2), seeded_rng(seed)) for seed in range(20)}
    assert len(drawn) == 20  # where nothing is large enough, any two rectangles


def test_without_channel_means_nothing_is_made_and_the_reason_says_what_to_do() -> None:
    tally = Tally()
    assert list(generate_groups(visual.suite, world(10), tally=tally)) == []
    assert sum(count for (_, why), count in tally.dropped.items() if why == visual.NO_MEANS) > 30
    assert "--means" in visual.NO_MEANS


@given(sources(), st.integers(0, 99))
@examples(25)
def test_random_scenes_make_groups_whose_edits_can_all_be_applied(scenes: list[Scene], seed: int) -> None:
    blank = np.zeros((120, 160, 3), np.uint8)  # half the size that the boxes refer to
    for _, group in list(generate_groups(SUITE, scenes, seed))[:4]:
        for query in group.variants:
            assert query.picture
            assert apply_edits(query.picture.edits, blank).size


def test_edits_come_back_from_the_table_as_they_were() -> None:
    groups = _groups(10)
    table = groups_table([("visual", group) for group in groups], "visual")
    assert read_queries(table) == [query for group in groups for query in group.queries]


def test_a_suite_that_was_told_its_means_travels_to_other_processes() -> None:
    again = pickle.loads(pickle.dumps(SUITE))
    assert [group.id for _, group in generate_groups(again, world(5))] == [
        group.id for _, group in generate_groups(SUITE, world(5))
    ]
