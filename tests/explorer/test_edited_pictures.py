"""Pages of groups whose variants are edited pictures: each is shown as a model saw it, its boxes where they belong."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clients import local_client
from PIL import Image
from starlette.testclient import TestClient

from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.pictures import Box, Edit, Picture, Size
from counterpoint.core.scenes import SceneObject
from counterpoint.explorer.app import create_app
from counterpoint.pictures.edits import Foreground, apply_edits, blur_around, crop_around, mean_around
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

KEPT = Foreground((Box(20, 10, 30, 20), Box(30, 25, 40, 30)), Size(80, 60))
EDITS = {"blur-3": blur_around(KEPT, "3"), "mask": mean_around(KEPT, (9, 8, 7)), "crop": crop_around(KEPT)}
PIXELS = np.random.Generator(np.random.PCG64(7)).integers(0, 256, (120, 160, 3), dtype=np.uint8)  # twice the scene
PICTURE = Picture("toy:a.png")


def _group(*edits: tuple[str, Edit]) -> Group:
    queries = (
        Query(PICTURE, "Is there a cat?"),
        *(Query(PICTURE.edited(edit), "Is there a cat?") for _, edit in edits),
    )
    tags = ((("answer", "yes"),), *((("edit", name), ("answer", "yes")) for name, _ in edits))
    cat = SceneObject("1", "cat", box=KEPT.boxes[0])
    return Group(Relation.SAME, queries, (Gold.of("yes"),) * len(queries), objects=(cat,), size=KEPT.size, tags=tags)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder: Path = tmp_path_factory.mktemp("lab")
    lab = LabStore(folder)
    Image.fromarray(PIXELS).save(folder / "a.png")
    group = _group(*EDITS.items(), ("broken", Edit("crop-around", (80, 60, 1))))
    table = groups_table([("visual", group)], "visual")
    lab.put_run(RunRecord("0", "careful", "careful 1"))
    lab.set_root("toy", folder)
    lab.put_suite(Manifest.of(table, generator="test", seed=0), table)
    with lab.answers("careful 1") as log:
        log.add(
            (query.id, 0, Answer.of("yes" if place < 3 else "no"), "", 0.01)
            for place, query in enumerate(group.queries)
        )
    with local_client(create_app(lab, cache=tmp_path_factory.mktemp("cache"))) as made:
        yield made


@pytest.fixture
def twin(client: TestClient) -> Any:
    (entry,) = client.get("/suites/visual/models/careful.json").json()["groups"]
    return client.get(entry["address"].replace("?", ".json?")).json()


def test_every_variant_has_the_picture_that_models_saw(client: TestClient, twin: Any) -> None:
    for shown, edits in zip(twin["pictures"], [(), *((edit,) for edit in EDITS.values())], strict=False):
        file = client.get(shown["large"])
        assert np.array_equal(np.asarray(Image.open(BytesIO(file.content))), apply_edits(edits, PIXELS))


def test_boxes_lie_where_their_things_are_in_a_cropped_picture_too(twin: Any) -> None:
    base, _, _, cropped, _ = twin["pictures"]
    assert (base["width"], base["height"]) == (80, 60)
    assert base["boxes"] == [{"name": "cat", "x": 20, "y": 10, "width": 30, "height": 20}]
    assert (cropped["width"], cropped["height"]) == (50, 45)
    assert cropped["boxes"] == [{"name": "cat", "x": 0, "y": 0, "width": 30, "height": 20}]


def test_captions_are_for_people_and_titles_say_all(twin: Any) -> None:
    assert [shown["caption"] for shown in twin["pictures"]] == [
        "base · toy:a.png · 80 × 60 · no edits",
        "variant 1 · blur-around(3, 2 boxes)",
        "variant 2 · mean-around(9, 8, 7, 2 boxes)",
        "variant 3 · 50 × 45 · crop-around(1 box)",
        "variant 4 · crop-around(0 boxes)",
    ]
    assert twin["pictures"][3]["title"] == "crop-around(80,60,20,10,50,45)"


def test_an_edit_that_cannot_be_applied_spoils_its_own_picture_only(client: TestClient, twin: Any) -> None:
    codes = [client.get(shown["address"]).status_code for shown in twin["pictures"]]
    assert codes == [200, 200, 200, 200, 404]


def test_where_texts_are_equal_the_page_and_the_list_say_what_is_not(client: TestClient, twin: Any) -> None:
    assert [query["repeats"] for query in twin["queries"]] == [False, True, True, True, True]
    page = client.get(twin["twin"].replace(".json", "")).text
    assert re.findall(r"<small[^>]*>([a-z0-9-]+)</small></div>", page) == ["base", "blur-3", "mask", "crop", "broken"]
    (entry,) = client.get("/suites/visual/models/careful.json").json()["groups"]
    assert [line["own"] for line in entry["lines"]] == ["", "edit crop", "edit broken"]
    assert "edit crop" in client.get("/suites/visual/models/careful").text


def test_small_pictures_of_every_edit_are_kept_apart(client: TestClient, twin: Any) -> None:
    small = [client.get(shown["address"].replace("640", "160")).content for shown in twin["pictures"][:4]]
    assert len(set(small)) == 4
    assert small == [client.get(shown["address"].replace("640", "160")).content for shown in twin["pictures"][:4]]
