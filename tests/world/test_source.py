"""The world as a source: what it gives is that of its scenes, and its pictures are drawn when they are asked for."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from proving import scaled

from counterpoint.core.errors import PictureError, UnknownName
from counterpoint.core.pictures import Edit, Picture
from counterpoint.pictures.folders import channel_means, encode_png
from counterpoint.world.scene_building import build_scene
from counterpoint.world.source import World


def test_a_world_has_as_many_scenes_as_asked_for() -> None:
    world = World("test", scenes=5)
    assert len(world) == 5
    assert [scene.id for scene in world.scenes()] == [f"test-{index:06d}" for index in range(5)]
    assert repr(world) == "World('test', scenes=5, seed=0)"


def test_an_unknown_split_is_said_at_once() -> None:
    with pytest.raises(UnknownName):
        World("dev")


def test_the_pixels_of_an_address_are_those_of_its_scene() -> None:
    world = World("test", scenes=3)
    for index in range(3):
        assert (world.pixels(world[index].scene.picture) == np.asarray(build_scene("test", index).draw())).all()


def test_pictures_of_other_splits_can_be_asked_for_too() -> None:
    assert World("test").pixels(Picture("world:shifted/000003.png")).shape == (240, 320, 3)


def test_edits_are_applied_to_what_is_drawn() -> None:
    whole = World().pixels(Picture("world:test/000001.png"))
    part = World().pixels(Picture("world:test/000001.png", (Edit("crop", (10, 20, 30, 40)),)))
    assert (part == whole[20:60, 10:40]).all()


@pytest.mark.parametrize("address", ["coco:7.jpg", "world:dev/000001.png", "world:test/first.png", "world:test"])
def test_an_address_that_is_no_picture_of_the_world_is_told(address: str) -> None:
    with pytest.raises(PictureError):
        World().pixels(Picture(address))


def test_all_that_is_said_about_scenes_can_be_had_twice() -> None:
    one, other = World("validation", scenes=6), World("validation", scenes=6)
    assert list(one.questions()) == list(other.questions())
    assert list(one.crowd_questions()) == list(other.crowd_questions())
    assert list(one.captions()) == list(other.captions())
    assert list(one.dialogues()) == list(other.dialogues())
    assert list(one.frames()) == list(other.frames())


def test_another_seed_gives_other_scenes() -> None:
    assert list(World(scenes=3, seed=1).scenes()) != list(World(scenes=3).scenes())


def test_a_written_picture_reads_back_pixel_by_pixel() -> None:
    pixels = World().pixels(Picture("world:test/000002.png"))
    assert (np.asarray(Image.open(BytesIO(encode_png(pixels)))) == pixels).all()


def test_its_channel_means_are_those_of_its_training_pictures() -> None:
    train = World("train", scenes=scaled(120))
    found = channel_means(train.pixels(scene.picture) for scene in train.scenes())
    assert max(abs(one - other) for one, other in zip(found, World.means, strict=True)) <= 5
