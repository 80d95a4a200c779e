"""What is behind everything: told apart by place and weather, and never in the way of the sun."""

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pytest

from counterpoint.core.ids import seeded_rng
from counterpoint.world.backdrops import Light, backdrop, finish, light
from counterpoint.world.cameras import CANVAS, PICTURE, Camera, indoor_camera, outdoor_camera
from counterpoint.world.scene_sampling import INDOORS, PLACES, WEATHERS
from counterpoint.world.sketch import Extent

STAGES = [(place, weather) for place in PLACES for weather in (("",) if place in INDOORS else WEATHERS)]
SUN = (255, 220, 86)


def picture(place: str, weather: str, luck: int = 0, taken: Sequence[Extent] = ()) -> np.ndarray:
    """An empty stage as it is seen."""
    rng = seeded_rng("stage", luck)
    camera = indoor_camera(rng) if place in INDOORS else outdoor_camera(rng)
    canvas = backdrop(place, weather, camera, rng, taken)
    assert canvas.size == (CANVAS.width, CANVAS.height)
    return np.asarray(finish(canvas, weather, Light(), rng))


@pytest.mark.parametrize(("place", "weather"), STAGES)
def test_a_backdrop_follows_from_its_luck_alone(place: str, weather: str) -> None:
    assert picture(place, weather).shape == (PICTURE.height, PICTURE.width, 3)
    assert (picture(place, weather) == picture(place, weather)).all()
    assert (picture(place, weather) != picture(place, weather, 1)).any()


def test_no_two_places_or_weathers_look_alike() -> None:
    means = {stage: np.mean([picture(*stage, luck) for luck in range(6)], axis=0) for stage in STAGES}
    for one, other in combinations(STAGES, 2):
        assert np.abs(means[one] - means[other]).mean() > 2, (one, other)


@pytest.mark.parametrize("place", [place for place in PLACES if place not in INDOORS])
def test_the_sun_is_seen_when_it_is_sunny_and_only_then(place: str) -> None:
    for luck, weather in product(range(8), WEATHERS):
        seen = (picture(place, weather, luck) == SUN).all(axis=2).sum() > 40
        assert seen or weather != "sunny" or luck  # a cloud may stand before it now and then
        assert not seen or weather == "sunny"


def test_the_sun_keeps_clear_of_what_is_there() -> None:
    left_half = (0, 0, CANVAS.width // 2, CANVAS.height)
    for luck in range(20):
        sun = (picture("park", "sunny", luck, [left_half]) == SUN).all(axis=2)
        assert not sun[:, : PICTURE.width // 2 - 15].any()


@pytest.mark.parametrize("indoors", [False, True])
def test_a_camera_shows_ground_below_its_horizon(indoors: bool) -> None:
    for luck in range(50):
        camera = (indoor_camera if indoors else outdoor_camera)(seeded_rng("camera", luck))
        assert 0 < camera.horizon < camera.back < camera.front <= CANVAS.height
        assert camera.pixels(100, camera.front) > camera.pixels(100, camera.back) > 0


def test_nearest_is_where_a_thing_has_the_height_that_was_asked_for() -> None:
    camera = Camera(200, 120, 300, 700)
    assert (
        camera.pixels(170, camera.nearest(170, 100, 400)) <= 400 < camera.pixels(170, camera.nearest(170, 100, 400) + 2)
    )


def test_a_light_changes_every_picture_in_the_same_way() -> None:
    plain = picture("park", "cloudy")
    rng = seeded_rng("stage", 0)
    camera = outdoor_camera(rng)
    dim = np.asarray(finish(backdrop("park", "cloudy", camera, rng), "cloudy", Light(90, 95, 100), rng))
    assert (dim == plain.astype(int) * (90, 95, 100) // 100).all()
    assert light(seeded_rng("light"), indoors=True) == light(seeded_rng("light"), indoors=True)
