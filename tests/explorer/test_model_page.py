"""The page of one model: its metrics, its distributions, what it costs."""

from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from clients import local_client, reader_of
from labs import GROUPS, answered, captions_lab, plain_groups, small_lab
from starlette.testclient import TestClient

from counterpoint.explorer.app import create_app
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.queries import score_bin_counts
from counterpoint.store.versions import RunRecord


@pytest.fixture(scope="module")
def client(lab: LabStore, cache: Path) -> TestClient:
    return local_client(create_app(lab, cache=cache))


def _json(client: TestClient, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_every_sample_is_counted_once_and_the_bars_make_the_whole_data_set(client: TestClient) -> None:
    counts = score_bin_counts(reader_of(client), "plain", "hasty", "accuracy", 10)
    assert sum(counts.values()) == GROUPS
    assert set(counts) == {5, 9}  # right on the base alone, or on both
    charts = _json(client, "/models/hasty.json?suite=plain&metric=accuracy")["charts"]
    assert not any("bins" in figure["chart"] for figure in charts)  # two bars say no more than the table


def test_all_measures_of_the_model_have_intervals_and_cost_has_figures_or_reasons(client: TestClient) -> None:
    twin = _json(client, "/models/careful.json")
    assert {one["suite"] for one in twin["measured"]} == {"plain", "odd"}
    for one in twin["measured"]:
        assert all(
            cell["low"] <= cell["value"] <= cell["high"]
            for cell in one["cells"]
            if cell["low"] is not None  # a plug-in value such as ece has no interval
        )
    assert any(cell["low"] is not None for cell in twin["measured"][0]["cells"])
    assert all(figure["text"] or figure["reason"] for _, figure in twin["costs"])


def test_another_model_stands_beside_it_where_the_address_says_so(client: TestClient) -> None:
    twin = _json(client, "/models/careful.json?against=hasty")
    (plain,) = [one for one in twin["measured"] if one["suite"] == "plain"]
    assert len(plain["against"]) == len(plain["cells"])
    assert any("chart=profile" in chart["address"] for chart in twin["charts"])
    assert twin["charts"][0]["chart"]["title"]
    assert client.get("/models/careful.svg?chart=profile&against=hasty").status_code == 200


def test_reliability_is_drawn_where_there_are_probabilities_and_nowhere_else(client: TestClient) -> None:
    has, lacks = ([c["address"] for c in _json(client, f"/models/{m}.json")["charts"]] for m in ("careful", "hasty"))
    assert any("chart=reliability" in address for address in has)
    assert not any("chart=reliability" in address for address in lacks)


def test_a_measure_that_the_chosen_suite_lacks_gives_way_to_one_that_it_has(client: TestClient) -> None:
    boxes = {box["name"]: box for box in _json(client, "/models/careful.json?suite=plain&metric=acc_r")["boxes"]}
    assert [option["value"] for option in boxes["metric"]["options"] if option["chosen"]] == ["comprehensive_accuracy"]


@pytest.mark.parametrize(
    "address",
    [
        "/models/nobody",
        "/models/careful?against=nobody",
        "/models/careful?suite=no",
        "/models/careful?metric=no",
        "/models/careful.svg?chart=no",
    ],
)
def test_what_is_not_there_is_said(client: TestClient, address: str) -> None:
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("name", ["modèle-a", "模型一", "模型 二", "org/vlm 7b"])
def test_a_model_is_reached_by_its_name_in_any_script(tmp_path: Path, name: str) -> None:
    lab = small_lab(tmp_path / "lab", 1)
    answered(lab, name, "other 1", [group for _, group in plain_groups()])
    lab.put_run(RunRecord("other", name, "other 1"))
    client = local_client(create_app(lab, cache=tmp_path / "cache"))
    for address in (f"/models/{quote(name)}", f"/models/{quote(name)}/findings", f"/suites/plain/models/{quote(name)}"):
        page = client.get(address)
        assert page.status_code == 200, address
        assert page.history
        assert escape(name) in page.text
    assert client.get(f"/models/{quote(name)}.json?suite=plain").json()["title"] == name
    assert client.get(f"/models/{quote(name)}x").status_code == 404
    elsewhere = client.get(f"http://127.0.0.1//example.org/models/{quote(name)}", follow_redirects=False)
    assert elsewhere.headers["location"].startswith("/example.org/models/"), "no other host is named"


def test_a_model_that_only_ranks_has_its_page(tmp_path_factory: pytest.TempPathFactory) -> None:
    app = create_app(captions_lab(tmp_path_factory.mktemp("lab")), cache=tmp_path_factory.mktemp("cache"))
    twin = _json(local_client(app), "/models/sharp.json?against=dull")
    assert [column["metric"] for column in twin["measured"][0]["columns"]][:3] == ["acc_r", "auroc", "min_p"]
