"""Groups like one, and the map of a suite's pictures, by the features of the built-in two-tower model."""

import re
from pathlib import Path
from typing import Any

import pytest
from clients import local_client, reader_of
from group_labs import PICTURES
from starlette.testclient import TestClient

from counterpoint.explorer.app import create_app
from counterpoint.explorer.pages.picture_map import MOST, PictureMapView, PicturePoint
from counterpoint.explorer.responses import TEMPLATES
from counterpoint.explorer.views import LabView, SelectBox
from counterpoint.store.lab import LabStore


@pytest.fixture(scope="module")
def client(groups_lab: LabStore, cache: Path) -> TestClient:
    return local_client(create_app(groups_lab, cache=cache))


def _json(client: TestClient, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _ready(client: TestClient, address: str) -> Any:
    """What a page shows once the index of its suite is there."""
    twin = _json(client, address)
    features = reader_of(client).features
    assert features is not None
    features.wait("noise")
    return _json(client, address) if twin["progress"] else twin


def test_the_map_has_every_picture_once_with_what_the_model_does_on_it(client: TestClient) -> None:
    twin = _ready(client, "/suites/noise/map.json?model=shaky")
    assert len(twin["points"]) == twin["pictures"] == PICTURES
    assert len({point["query"] for point in twin["points"]}) == PICTURES
    steady = _json(client, "/suites/noise/map.json?model=steady")
    assert not any(point["failing"] for point in steady["points"])
    assert all(point["failing"] == point["groups"] == 1 for point in twin["points"])
    page = client.get("/suites/noise/map?model=shaky").text
    assert page.count('<use href="#f"') == PICTURES + 1  # and the key
    assert client.get(twin["points"][0]["address"]).status_code == 200
    assert "/suites/noise/map" in client.get("/suites/noise").text


def test_a_map_of_as_many_pictures_as_it_shows_stays_below_its_weight() -> None:
    suite, digits = "our-returns-desk-photographs-of-damaged-parcels-2026", "0123456789abcdef"
    picture = "photos:val2017/000000397133.jpg"
    point = PicturePoint(123, 456, f"/suites/{suite}/groups/{digits}", digits, picture, 12, 3, 9)
    view = PictureMapView(
        "Map", "", "/map.json", suite=suite, choice=SelectBox("model", "Model", ()), points=(point,) * MOST
    )
    template = TEMPLATES.get_template("counterpoint.explorer.pages.picture_map/template.html")
    page = template.render(view=view, lab=LabView("lab"), navigation=())
    assert 100_000 < len(page.encode()) < 300_000


def test_a_group_leads_to_the_groups_like_it(client: TestClient) -> None:
    entry = _ready(client, "/suites/noise/map.json")["points"][0]["address"]
    (link,) = re.findall(r'href="([^"]+/similar)"', client.get(entry).text)
    twin = _ready(client, f"{link}.json")
    own = twin["group_id"]
    for near in (twin["by_picture"], twin["by_text"]):
        assert len(near) == 6
        assert own not in [group["group_id"] for group in near]
        similarities = [group["similarity"] for group in near]
        assert similarities == sorted(similarities, reverse=True)
        assert all((group["passing"], group["failing"]) == (1, 1) for group in near), "steady passes, shaky fails"
    assert client.get(link).text.count("<li>") == 12


def test_names_that_nobody_knows_are_refused(client: TestClient) -> None:
    for address in (
        "/suites/nothing/map",
        "/suites/noise/map?model=nobody",
        "/suites/noise/groups/0123456789abcdef/similar",
    ):
        assert client.get(address).status_code == 404
