"""Scenes of the world: the same everywhere, split without overlap, and nothing in them hidden or cut off."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from proving import prove, scaled
from stages import train

from counterpoint.core.errors import UnknownName
from counterpoint.core.ids import hex_id
from counterpoint.world.painting import FINE
from counterpoint.world.scene_building import SPLITS, build_scene, scene_signature
from counterpoint.world.scene_sampling import INDOORS, PLACES

HIDDEN = 30  # per cent of a thing that others may cover, boxes against boxes
LEAST = 14  # pixels that everything is wide or high

PROGRAM = (
    "import sys; sys.path[:0] = sys.argv[1:3]; from test_scene_building import lines; "
    "print(*lines(sys.argv[3:]), sep='\\n')"
)


def lines(splits: Iterable[str] = SPLITS) -> Iterable[str]:
    """What is to stay as it is, of some scenes of each split and of every place: their ids and their pixels."""
    for split in splits:
        shown = {place: index for index in range(39, -1, -1) for place in (build_scene(split, index).plan.place,)}
        for index in sorted(shown.values())[:6] if split != "train" else sorted(shown.values()):
            staged = build_scene(split, index)
            pixels = blake2b(np.asarray(staged.draw()).tobytes(), digest_size=8).hexdigest()
            yield f"{staged.scene.id} {staged.scene.place}: scene {hex_id(staged.scene.content_id)} pixels {pixels}"


def test_the_same_seed_gives_the_same_pixels_as_ever(golden: Callable[[str, Iterable[str]], None]) -> None:
    found = list(lines())
    assert {line.split(" ", 1)[1].split(":")[0] for line in found} == set(PLACES)
    golden("world_pixels.txt", found)


@pytest.mark.parametrize("splits", [["test"], prove([*SPLITS])])
def test_another_process_with_another_hash_seed_makes_the_same_pixels(splits: list[str]) -> None:
    made = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, list(Path(__file__).parents)[:2]), *splits],
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.splitlines() == list(lines(splits))


@pytest.mark.parametrize("split", SPLITS)
def test_a_scene_can_be_staged_again(split: str) -> None:
    for index in (0, 7, 123456):
        assert build_scene(split, index).scene == build_scene.__wrapped__(split, index).scene
        assert build_scene(split, index).scene.content_id != build_scene(split, index + 1).scene.content_id


def test_another_seed_is_another_world() -> None:
    assert all(build_scene("test", n, 1).scene.content_id != build_scene("test", n).scene.content_id for n in range(5))


def test_an_unknown_split_is_told() -> None:
    with pytest.raises(UnknownName):
        build_scene("dev", 0)


def test_tenths_of_all_casts_belong_to_one_split_each() -> None:
    assert sorted(tenth for tenths in SPLITS.values() for tenth in tenths) == list(range(10))


@pytest.mark.parametrize("split", SPLITS)
def test_every_scene_belongs_to_its_split_by_what_it_shows(split: str) -> None:
    for index in range(scaled(150)):
        staged = build_scene(split, index)
        assert scene_signature(staged.plan.place, list(staged.placed)) % 10 in SPLITS[split]


def test_everything_lies_inside_the_picture_and_is_large_enough_to_see() -> None:
    for staged in train():
        size = staged.plan.size
        for one in staged.placed:
            left, top, right, bottom = one.extent
            assert max(right - left, bottom - top) >= LEAST * FINE
        for thing in staged.plan:
            box = thing.box
            assert box, thing
            assert 0 <= box.x < box.right <= size.width, (staged.plan.id, thing)
            assert 0 <= box.y < box.bottom <= size.height, (staged.plan.id, thing)


def test_nothing_is_hidden_by_others_by_more_than_a_little() -> None:
    for staged in train():
        for one in staged.placed:
            x0, y0, x1, y1 = one.extent
            hidden = 0
            for other in staged.placed:
                if other.root != one.root and (other.depth, other.root) > (one.depth, one.root):
                    left, top, right, bottom = other.extent
                    hidden += max(min(x1, right) - max(x0, left), 0) * max(min(y1, bottom) - max(y0, top), 0)
            assert 100 * hidden <= HIDDEN * (x1 - x0) * (y1 - y0), staged.plan.id


def test_taking_a_thing_away_changes_no_pixel_outside_its_box() -> None:
    seen = 0
    for staged in train():
        last = staged.placed[-1]
        if last.parent is None or staged.plan.place not in INDOORS or last.member.look.wearing:
            continue
        seen += 1
        before, after = np.asarray(staged.draw()), np.asarray(replace(staged, placed=staged.placed[:-1]).draw())
        changed = np.any(before != after, axis=2)
        box = staged.plan[max(staged.plan.objects, key=lambda thing: int(thing.id)).id].box
        assert box
        assert changed.any(), staged.plan.id
        changed[box.y : box.bottom, box.x : box.right] = False
        assert not changed.any(), staged.plan.id
        if seen == scaled(60):
            return
    raise AssertionError("there are too few such scenes")


def test_ids_and_addresses_say_split_and_number() -> None:
    scene = build_scene("validation", 42).scene
    assert scene.id == "validation-000042"
    assert scene.picture.address == "world:validation/000042.png"


def test_a_scene_has_at_least_three_things_and_on_average_more_than_eight() -> None:
    counts = [len(staged.plan.objects) for staged in train()]
    assert min(counts) >= 3
    assert sum(counts) >= 8 * len(counts)
