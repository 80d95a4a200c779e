"""The page of a model over its versions."""

from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest
from clients import local_client
from proving import prove
from starlette.testclient import TestClient
from version_labs import lab_of_versions, version_groups

import counterpoint as cp
from counterpoint.core.groups import Answer
from counterpoint.explorer.app import create_app
from counterpoint.metrics.scoring import ALL_FAILED
from counterpoint.reports.charts.series import SeriesChart, SeriesPoint
from counterpoint.store.versions import RunRecord

LONG = "a-mix-of-eleven-sources-with-a-long-name-and-a-long-tag-of-a-checkpoint-lr2e-5"
SHARES = {
    "vlm": {"cat": [60, 62, 160, 161, 120, 121], "dog": [100, -1, 101, 140, 141, 140]},
    "slow": {"cat": [160 - 4 * step for step in range(9)], "dog": [100] * 9},
    LONG: {"cat": [60], "dog": [100]},
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> cp.Lab:
    lab = cp.Lab(lab_of_versions(tmp_path_factory.mktemp("lab"), SHARES).folder)
    lab.set_baseline("vlm@step-400")
    return lab


@pytest.fixture(scope="module")
def client(lab: cp.Lab, tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return local_client(create_app(lab.store, cache=tmp_path_factory.mktemp("cache")))


def _json(client: TestClient, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("model", ["vlm", prove("slow")])
def test_the_numbers_of_the_page_are_those_of_the_history(lab: cp.Lab, client: TestClient, model: str) -> None:
    told = {
        (score.suite, score.metric, score.version): {
            key: pytest.approx(value) if isinstance(value, float) else value
            for key, value in score.to_dict().items()
            if key not in ("suite", "metric", "date")
        }
        for score in lab.history(model)
    }
    twin = _json(client, f"/history.json?model={model}&suite=cat")
    shown = {(one["suite"], one["metric"], own["version"]): own for one in twin["series"] for own in one["scores"]}
    assert shown
    for key, score in shown.items():
        assert score == told[key]


def test_the_page_tells_what_changed_and_lists_the_groups_that_flipped(client: TestClient) -> None:
    twin = _json(client, "/history.json?model=vlm")
    last = twin["changes"][0]
    assert (last["version"], last["since"], last["suite"], last["is_better"]) == ("step-500", "step-400", "cat", False)
    assert (twin["before"], twin["after"], twin["baseline"]) == ("step-400", "step-500", "step-400")
    assert (twin["lost"]["found"], twin["won"]["found"]) == (41, 1)
    assert [(own["suite"], own["lost"], own["won"]) for own in twin["flips"]] == [("cat", 41, 0), ("dog", 0, 1)]
    found = _json(client, twin["lost"]["address"].replace("/browse?", "/browse.json?"))["found"]
    assert found == 41
    page = client.get(last["address"].partition("#")[0])
    assert 'id="flips"' in page.text
    assert "41 lost, 0 won" in page.text


def test_two_versions_can_be_chosen_and_those_of_another_model_are_not_taken(client: TestClient) -> None:
    slugs = {row["version"]: row["slug"] for row in _json(client, "/history.json?model=vlm")["versions"]}
    chosen = f"before={slugs['step-100']}&after={slugs['step-300']}"
    twin = _json(client, f"/history.json?model=vlm&suite=cat&{chosen}")
    assert (twin["before"], twin["after"], twin["won"]["found"]) == ("step-100", "step-300", 100)
    other = _json(client, f"/history.json?model=slow&{chosen}")
    assert other["after"].startswith("step-")
    assert other["model"] == "slow"


def test_a_slow_decline_is_told_in_the_title_of_its_chart(client: TestClient) -> None:
    titles = [one["figure"]["chart"]["title"] for one in _json(client, "/history.json?model=slow")["series"]]
    assert titles == [
        "cat fell by 16.0 points from step-100 to step-900; no single step holds",
        "dog changed by no more than chance explains",
    ]


def test_a_model_with_one_version_and_a_long_name_has_a_page_without_flips(client: TestClient) -> None:
    twin = _json(client, f"/history.json?model={LONG}")
    assert (len(twin["versions"]), twin["lost"], twin["changes"]) == (1, None, [])
    assert twin["series"][0]["figure"]["chart"]["title"] == "cat: one version so far"
    assert "over 1 version" in client.get(f"/history?model={LONG}").text


def test_the_most_versions_come_first_dates_are_shown_and_the_page_of_a_model_leads_here(client: TestClient) -> None:
    twin = _json(client, "/history.json")
    assert twin["model"] == "slow"
    assert [row["dates"] for row in twin["versions"]][:2] == ["run 2026-11-01", "run 2026-11-02"]
    own = _json(client, twin["versions"][0]["address"] + ".json")
    assert (own["dates"], own["versions"], own["history"]) == ("run 2026-11-01", 9, "/history?model=slow")
    assert client.get("/history?model=nobody").status_code == 404


def test_the_chart_is_a_file_of_its_own(client: TestClient) -> None:
    address = _json(client, "/history.json?model=vlm&suite=cat")["series"][0]["figure"]["address"]
    drawn = client.get(address)
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert "▼ 20.5" in drawn.text
    assert client.get(address + "x").status_code == 404


def test_a_chart_of_many_long_names_writes_the_first_and_the_last_and_no_two_on_top_of_each_other() -> None:
    points = tuple(SeriesPoint(f"checkpoint of the {number}th night of training", 0.5) for number in range(40))
    drawn = unquote(SeriesChart("title", "accuracy", points).html())
    assert drawn.count('text-anchor="middle"') + drawn.count('text-anchor="end"') < 12
    assert "0th" in drawn
    assert "39th" in drawn


def test_a_lab_without_models_says_so(tmp_path: Path) -> None:
    lab = lab_of_versions(tmp_path / "lab", {"vlm": {"cat": []}})
    client = local_client(create_app(lab, cache=tmp_path / "cache"))
    assert "No model has answered yet" in client.get("/history").text


@pytest.mark.prove
def test_many_models_fold_a_suite_without_a_score_says_why_and_review_is_in_the_navigation(tmp_path: Path) -> None:
    store = lab_of_versions(tmp_path / "lab", {"vlm": {"cat": [10] * 13}})
    with store.answers("lost 1", run="lost") as log:
        log.add(
            (query.id, 0, Answer.failed("no server"), "", 0.0)
            for group in version_groups("cat")
            for query in group.queries
        )
    store.put_run(RunRecord("20261118T000000-lost", "lost", "lost 1", {"counts": {"asked": 400}}, "1"))
    client = local_client(create_app(store, cache=tmp_path / "cache"))
    (suite,) = _json(client, "/models/lost.json")["measured"]
    assert suite["reason"] == ALL_FAILED
    page = client.get("/models/lost").text
    assert f"no score: {suite['reason']}" in page
    assert "made elsewhere" not in page
    assert 'href="/review"' in page
    assert "one of 14" in client.get("/suites/cat/models/lost").text


def test_rules_of_the_address_are_held_against_each_version(lab: cp.Lab, client: TestClient) -> None:
    rules = "accuracy >= 5 %; accuracy >= 99 %"
    gates = _json(client, f"/history.json?model=vlm&rules={quote(rules)}")["gates"]
    tags = [version["version"] for version in _json(client, "/history.json?model=vlm")["versions"]]
    assert [gate["version"] for gate in gates] == tags[::-1]
    report = lab.gate(f"vlm@{tags[-1]}", rules.split("; "))
    assert [rule["verdict"] for rule in gates[0]["rules"]] == [check.verdict.value for check in report.checks]
    assert gates[0]["rules"][0]["value"] == pytest.approx(100 * report.checks[0].test.value)
    wrong = _json(client, "/history.json?model=vlm&rules=acuracy+%3E%3D+5+%25")["gates"]
    assert all("acuracy" in gate["problem"] and not gate["rules"] for gate in wrong)
    assert "acuracy" in client.get("/history?model=vlm&rules=acuracy+%3E%3D+5+%25").text


def test_compare_says_when_each_version_was_run(lab: cp.Lab, client: TestClient) -> None:
    dates = {own.title: own.dates_text for own in lab.models if own.name == "slow"}
    slugs = [row["slug"] for row in _json(client, "/history.json?model=slow")["versions"][:2]]
    models = _json(client, f"/compare.json?models={','.join(slugs)}")["models"]
    assert [model["dates"] for model in models] == list(dates.values())[:2]
    assert models[0]["dates"] in client.get(f"/compare?models={','.join(slugs)}").text


def test_overview_says_when_each_model_was_run(lab: cp.Lab, client: TestClient) -> None:
    twin, page = _json(client, "/overview.json"), client.get("/overview").text
    dates = {own.title: (own.dates_text, own.last_date) for own in lab.models}
    assert {line["model"]: (line["dates"], line["last_date"]) for line in twin["lines"] + twin["floor"]} == dates
    assert all(f"<small>{text}</small>" in page for text, _ in dates.values() if text)
