"""SWiG is read from files in its layout: verbs with roles, nouns by three people, and boxes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Frame, Role
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.swig import swig
from counterpoint.sources.reading.records import Skips
from counterpoint.world.dataset_formats import noun_id, swig_frames, swig_space
from counterpoint.world.source import World

MAN, ROAD, STREET = "n10287213", "n03519981", "n04096066"
SPACE = {
    "nouns": {
        MAN: {"gloss": ["man", "adult male"], "def": "an adult person who is male"},
        ROAD: {"gloss": ["highway", "main road"], "def": "a major road"},
        STREET: {"gloss": ["road", "route"], "def": "an open way"},
    },
    "verbs": {
        "hitchhiking": {
            "framenet": "Ride_vehicle",
            "abstract": "an AGENT hitchhikes at a PLACE",
            "def": "travel by getting free rides",
            "order": ["agent", "place"],
            "roles": {"place": {"framenet": "place", "def": ""}, "agent": {"framenet": "theme", "def": ""}},
        }
    },
}
SEEN = {
    "verb": "hitchhiking",
    "height": 683,
    "width": 512,
    "bb": {"place": [-1, -1, -1, -1], "agent": [195, 282, 380, 554]},
    "frames": [{"place": ROAD, "agent": MAN}, {"place": ROAD, "agent": MAN}, {"place": STREET, "agent": MAN}],
}

Read = Callable[..., tuple[list[Frame], Skips]]


def _nouns(*places: str) -> dict[str, Any]:
    return SEEN | {"frames": [{"place": place, "agent": MAN} for place in places]}


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def frames_of(space: Any = SPACE, **rows: Any) -> tuple[list[Frame], Skips]:
        folder = tmp_path / "SWiG_jsons"
        folder.mkdir(exist_ok=True)
        (folder / "dev.json").write_text(json.dumps({f"{key}.jpg": row for key, row in rows.items()}))
        (folder / "imsitu_space.json").write_text(json.dumps(space))
        source = Source(swig, tmp_path, "dev")
        return list(source.frames()), source.skips

    return frames_of


def test_a_frame_is_what_the_file_says_in_the_order_of_the_verb(read: Read) -> None:
    (frame,), skips = read(hitchhiking_238=SEEN)
    roles = (Role("agent", "man", Box(195, 282, 185, 272)), Role("place", "highway"))
    picture = Picture("swig:images_512/hitchhiking_238.jpg")
    assert frame == Frame("hitchhiking_238", picture, "hitchhiking", roles, Size(512, 683))
    assert not skips.total


@pytest.mark.parametrize(
    ("said", "noun"),
    [
        ((STREET, ROAD, ROAD), "highway"),
        ((STREET, ROAD, MAN), "road"),
        ((STREET, STREET, ""), "road"),
        (("", ROAD, ""), None),
        (("", ROAD, STREET), None),
        ((ROAD,), "highway"),
    ],
)
def test_a_noun_is_what_most_people_said_and_an_empty_role_is_left_out(
    read: Read, said: tuple[str, ...], noun: str | None
) -> None:
    (frame,), skips = read(a_1=_nouns(*said))
    place = frame.role("place")
    assert (place.noun if place else None) == noun
    assert not skips.total


def test_a_noun_without_a_meaning_is_counted(read: Read) -> None:
    (frame,), skips = read(a_1=_nouns("n99999999"))
    assert [role.name for role in frame.roles] == ["agent"]
    reason = "a noun that imsitu_space.json does not have"
    assert skips.lines()[0].startswith(f"1 skipped: {reason} (dev.json, picture a_1.jpg, place: 'n99999999')")


def test_boxes_are_clipped_and_those_outside_are_counted(read: Read) -> None:
    boxes = {"agent": [-10, 600.4, 100, 900], "place": [600, 0, 700, 10]}
    (frame,), skips = read(a_1=SEEN | {"bb": boxes})
    assert [role.box for role in frame.roles] == [Box(0, 600, 100, 83), None]
    assert skips.counts == {"a box outside its picture": 1}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([], "picture a_1.jpg is [], not an object"),
        (SEEN | {"verb": None}, "verb is None, not a text"),
        (SEEN | {"width": 0}, "0 by 683 is no size of a picture"),
        (SEEN | {"frames": []}, "picture a_1.jpg has no roles"),
        (SEEN | {"frames": [7]}, "frames 0 is 7, not an object"),
        (SEEN | {"frames": [{"place": 1.5}]}, "place is 1.5, not a text"),
        (SEEN | {"bb": [1]}, "bb is [1], not an object"),
        (SEEN | {"bb": {"agent": [1, 2, 3]}}, "agent is [1, 2, 3], not a list of 4 numbers"),
        (SEEN | {"bb": {"agent": [0, 0, 1e300, 1]}}, "not two corners in pixels"),
    ],
)
def test_a_frame_that_cannot_be_read_is_left_out(read: Read, row: Any, said: str) -> None:
    found, skips = read(a_1=row, b_1=SEEN)
    assert [frame.id for frame in found] == ["b_1"]
    assert said in skips.lines()[0]


def test_a_verb_without_an_order_has_its_roles_as_they_come(read: Read) -> None:
    (frame,), _ = read({"nouns": SPACE["nouns"], "verbs": {}}, a_1=SEEN)
    assert [role.name for role in frame.roles] == ["place", "agent"]


def test_without_the_meanings_of_nouns_the_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text("{}")
    with pytest.raises(SourceError, match=r"has no SWiG_jsons/imsitu_space\.json, the space of SWiG"):
        Source(swig, tmp_path, "dev").frames()


def test_the_root_of_pictures_is_the_folder_that_holds_them(tmp_path: Path) -> None:
    assert swig.picture_root(tmp_path) is None
    (tmp_path / "images_512").mkdir()
    assert swig.picture_root(tmp_path) == tmp_path / "."


def test_the_world_comes_back_from_its_own_files(read: Read) -> None:
    world = World("test", scenes=12)
    made = list(world.frames())
    sizes = {scene.picture.address: scene.size for scene in world.scenes()}
    rows = {key.removesuffix(".png"): row for key, row in swig_frames(made, sizes).items()}
    found, skips = read(swig_space(made), **rows)
    assert len(found) == len(rows) > 3
    assert not skips.total
    back = {
        (one.verb, tuple((role.name, noun_id(role.noun), role.box) for role in one.roles), one.size) for one in found
    }
    assert back <= {
        (one.verb, tuple((role.name, noun_id(role.noun), role.box) for role in one.roles), one.size) for one in made
    }
