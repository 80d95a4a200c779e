"""The overview: which columns it has, how it is ordered, what is below a model, what it costs."""

import re
from pathlib import Path
from typing import Any

import pytest
from clients import local_client
from labs import captions_lab
from proving import prove
from starlette.testclient import TestClient

from counterpoint import Lab
from counterpoint.explorer.app import create_app
from counterpoint.explorer.pages.overview.query import OverviewQuery
from counterpoint.lab.reader import LabReader
from counterpoint.reports.lab_report import render_lab_report
from counterpoint.store.lab import LabStore


@pytest.fixture(scope="module")
def client(lab: LabStore, cache: Path) -> TestClient:
    return local_client(create_app(lab, cache=cache))


@pytest.fixture(scope="module")
def captions(tmp_path_factory: pytest.TempPathFactory) -> LabStore:
    return captions_lab(tmp_path_factory.mktemp("captions"))


def _json(client: TestClient, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _models(client: TestClient, asked: str) -> list[str]:
    return [line["model"] for line in _json(client, f"/overview.json?{asked}")["lines"]]


@pytest.mark.parametrize("asked", ["", "suite=odd", "suite=odd&suite=plain", "metric=acc_r", "suite=plain&metric=ece"])
def test_no_column_has_dashes_only(client: TestClient, asked: str) -> None:
    twin = _json(client, f"/overview.json?{asked}")
    for place, _ in enumerate(twin["columns"]):
        assert any(line["cells"][place]["value"] is not None for line in twin["lines"])


def test_models_are_ordered_by_any_column_and_back(client: TestClient) -> None:
    down, up = (_models(client, f"sort={sign}plain/comprehensive_accuracy") for sign in ("", "-"))
    assert down[0] == "careful"
    assert up == down[::-1]
    assert _models(client, "sort=model") == sorted(down)
    assert _models(client, "sort=-model") == sorted(down, reverse=True)
    assert sorted(_models(client, "sort=cost/seconds_per_query")) == sorted(down)
    assert _models(client, "sort=no/such/column") == _models(client, "")


def test_the_column_that_orders_says_so_and_its_head_turns_the_order(client: TestClient) -> None:
    asked = "sort=plain%2Fcomprehensive_accuracy"
    page = client.get(f"/overview?{asked}").text
    assert page.count("aria-sort") == 1
    assert 'aria-sort="descending"' in page
    assert "/overview?sort=-plain%2Fcomprehensive_accuracy" in page


def test_a_model_is_opened_to_its_data_sets_and_kinds(client: TestClient) -> None:
    (line,) = [one for one in _json(client, "/overview.json?open=hasty")["lines"] if one["opened"]]
    assert line["model"] == "hasty"
    (block,) = [one for one in line["blocks"] if one["suite"] == "plain"]
    assert {one["label"] for one in block["slices"]} == {"swap", "turn"}
    page = client.get("/overview?open=hasty").text
    assert page.count('aria-expanded="true"') == 1
    assert 'class="opened"' in page


def test_suites_and_columns_can_be_chosen_and_the_form_keeps_the_rest(client: TestClient) -> None:
    twin = _json(client, "/overview.json?suite=plain&suite=odd&metric=accuracy&metric=worst_case&open=hasty")
    assert {column["metric"] for column in twin["columns"]} == {"accuracy", "worst_case"}
    assert {column["suite"] for column in twin["columns"]} == {"plain", "odd"}
    assert twin["costs"] == []
    assert ["open", "hasty"] in twin["kept"]
    address = "/overview.json?suite=plain&metric=accuracy&sort=-model&family=VALSE&pin=hasty&versions=latest"
    kept = [["sort", "-model"], ["family", "VALSE"], ["pin", "hasty"], ["versions", "latest"]]
    assert _json(client, address)["kept"] == kept  # all that no box of the form says
    page = client.get("/overview?suite=plain&metric=accuracy").text
    assert re.search(r'name="metric" value="accuracy" checked', page)


def test_cost_stands_beside_quality_without_columns_that_no_model_has(client: TestClient) -> None:
    twin = _json(client, "/overview.json")
    assert [column["metric"] for column in twin["costs"]] == ["queries_per_second", "seconds_per_query"]
    speed, seconds = twin["lines"][0]["costs"]
    assert speed["value"] == pytest.approx(180)
    assert seconds["text"] == "10.0"


def test_an_address_says_the_whole_choice() -> None:
    choice = OverviewQuery(("a", "b"), ("accuracy", "cost"), "-a/accuracy", ("x",))
    query = [pair.split("=") for pair in choice.address().partition("?")[2].replace("%2F", "/").split("&")]
    assert OverviewQuery.read([(name, value) for name, value in query]) == choice
    assert choice.toggled("x") == OverviewQuery(("a", "b"), ("accuracy", "cost"), "-a/accuracy").address()


def test_a_lab_of_captions_alone_has_its_measures_everywhere(captions: LabStore, cache: Path) -> None:
    client = local_client(create_app(captions, cache=cache))
    twin = _json(client, "/overview.json")
    assert [column["metric"] for column in twin["columns"]] == ["acc_r", "auroc", "min_p"]
    assert [line["model"] for line in twin["lines"]] == ["sharp", "dull"]
    assert [line["cells"][0]["value"] for line in twin["lines"]] == [0.8, 0.4]
    assert [line["cells"][0]["tie"] for line in twin["lines"]] == [True, False]
    assert twin["lines"][0]["costs"][0]["text"] == "1.2 M"


def test_the_report_of_a_lab_of_captions_alone_is_written(captions: LabStore, cache: Path) -> None:
    page = render_lab_report(LabReader(captions, cache))
    assert "Ranking accuracy" in page
    assert "50 by chance" in page


@pytest.mark.parametrize("metric", [prove("acc_r"), "auroc", prove("min_p")])
def test_the_interval_of_a_suite_with_one_test_is_the_same_everywhere(
    captions: LabStore, metric: str, cache: Path, tmp_path: Path
) -> None:
    """By test, by suite, on the leaderboard, in a page's JSON and in the report."""
    lab = Lab(captions.folder)
    ends = set()
    for by in ("test", "suite"):
        (score,) = lab.scores(models=["sharp"], metrics=[metric], by=by)
        ends.add((score.low, score.high))
    (row,) = lab.leaderboard(models=["sharp"], metrics=[metric]).to_dict()["rows"]
    ends.add(tuple(row["cells"][f"foils/{metric}"][end] for end in ("low", "high")))
    twin = _json(local_client(create_app(captions, cache=cache)), f"/overview.json?metric={metric}")
    (cell,) = [line["cells"][0] for line in twin["lines"] if line["model"] == "sharp"]
    ends.add((cell["low"], cell["high"]))
    assert len(ends) == 1
    ((low, high),) = ends
    assert low is not None
    assert high is not None
    lab.report(tmp_path / "report.html")
    assert f"{100 * low:.1f}–{100 * high:.1f}" in (tmp_path / "report.html").read_text("utf-8")
