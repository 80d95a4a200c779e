"""The page of several models: differences on all suites and on one, flips, where verdicts part, and coverage."""

import re
from math import nan
from pathlib import Path
from typing import Any

import pytest
from clients import local_client
from group_labs import PICTURES
from proving import prove, scaled
from starlette.testclient import TestClient

from counterpoint import catalog
from counterpoint.explorer.app import create_app
from counterpoint.explorer.pages.compare.suites import HALF, difference_scale
from counterpoint.metrics.accuracy import accuracy, comprehensive_accuracy, self_consistency
from counterpoint.metrics.comparison import compare_outcomes
from counterpoint.metrics.coverage import coverage_of_outcomes
from counterpoint.metrics.metric import Metric
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.paired_tests import holm
from counterpoint.metrics.ranking import acc_r, auroc
from counterpoint.metrics.robustness import mean_robustness
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.metrics.verdicts import FAILING, PASSING, VERDICTS
from counterpoint.store.lab import LabStore

_PAIRS = (accuracy, self_consistency, comprehensive_accuracy)
COMPARED: dict[str, tuple[Metric, ...]] = {
    "noise": (mean_robustness, *_PAIRS),
    "words": _PAIRS,
    "foils": (acc_r, auroc),
}


@pytest.fixture(scope="module")
def client(groups_lab: LabStore, cache: Path) -> TestClient:
    return local_client(create_app(groups_lab, cache=cache))


def _json(client: TestClient, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _judged(lab: LabStore, suite: str) -> tuple[Outcomes, Outcomes]:
    groups = lab.suite(suite).groups
    first, second = (judge(groups, lab.read_answers(f"{model} 1")) for model in ("steady", "shaky"))
    return first, second


@pytest.mark.parametrize("suite", ["noise", "words", "foils"])
def test_differences_are_those_of_the_command_that_compares(
    client: TestClient, groups_lab: LabStore, suite: str
) -> None:
    twin = _json(client, f"/compare.json?models=steady,shaky&suite={suite}")
    metrics = COMPARED[suite]
    table = compare_outcomes(*_judged(groups_lab, suite), ScoreRequest(("test",), metrics=metrics)).to_pylist()
    assert len(twin["lines"]) == len(table)
    for row in table:
        (line,) = (line["against"][0] for line in twin["lines"] if line["metric"] == row["metric"])
        for name in ("first", "second", "difference", "n", "clusters"):
            assert line[name] == pytest.approx(row[name]), name
        assert (line["low"], line["high"]) == pytest.approx((row["low"], row["high"]), abs=0.03)
        assert line["p"] == pytest.approx(row["p"], abs=0.01)
        assert line["verdict"] == {"first": "steady", "second": "shaky", "tie": "tie"}[row["verdict"]]


def test_all_suites_are_compared_by_their_main_metric_and_corrected_together(
    client: TestClient, groups_lab: LabStore
) -> None:
    twin = _json(client, "/compare.json?models=steady,shaky")
    assert (twin["suite"], twin["lines"]) == ("", [])
    assert {row["suite"] for row in twin["rows"]} == set(groups_lab.suites())
    for row in twin["rows"]:
        request = ScoreRequest(metrics=(catalog.metric(row["metric"]),))
        (expected,) = compare_outcomes(*_judged(groups_lab, row["suite"]), request).to_pylist()
        for name in ("first", "second", "difference", "n", "clusters"):
            assert row[name] == pytest.approx(expected[name]), name
        assert (row["low"], row["high"]) == pytest.approx((expected["low"], expected["high"]), abs=0.03)
        assert row["detectable"] is not None
    corrected = holm([nan if row["p"] is None else row["p"] for row in twin["rows"]])
    assert [row["holm"] for row in twin["rows"]] == pytest.approx(list(corrected))


def test_flips_are_the_groups_that_one_model_passes_and_the_other_fails(client: TestClient) -> None:
    whole = _json(client, "/compare.json?models=steady,shaky")
    for suite, row in {row["suite"]: row for row in whole["rows"]}.items():
        twin = _json(client, f"/compare.json?models=steady,shaky&suite={suite}")
        tables = [field for table in twin["tables"] for line in table["lines"] for field in line["fields"]]
        named = [re.search("first=(.+)&second=(.+)#", field["address"]) for field in tables]
        cells = [(*found.groups(), field["count"]) for found, field in zip(named, tables, strict=True) if found]
        lost = sum(count for first, second, count in cells if first in PASSING and second in FAILING)
        assert [gallery["found"] for gallery in twin["flips"]] == [row["only_first"], row["only_second"]]
        assert suite == "swaps" or row["only_first"] == lost, "what survived an exchange is another verdict"
        assert len(twin["flips"][0]["groups"]) == min(row["only_first"], 12)
        for gallery in twin["flips"]:
            assert _json(client, gallery["address"].replace("/browse?", "/browse.json?"))["found"] == gallery["found"]
        for entry in twin["flips"][0]["groups"]:
            assert any(line["answer"] != line["other"] for line in entry["lines"])
    shown = [entry["address"].split("/")[2] for entry in whole["flips"][0]["groups"]]
    assert len(set(shown)) == sum(row["only_first"] > 0 for row in whole["rows"]), "each suite in turn"


@pytest.mark.parametrize("widest", [0.0, 0.004, 0.031, 0.2, 0.41, 1.0])
def test_three_points_are_always_four_pixels_and_no_scale_is_wider_than_needed(widest: float) -> None:
    scale = difference_scale([widest, -widest / 2])
    assert 3 * scale.pixels >= 4
    assert scale.end * scale.pixels == pytest.approx(HALF)
    assert scale.end >= min(100 * widest, 75)


def test_a_model_is_found_by_a_part_of_its_name(client: TestClient) -> None:
    assert _json(client, "/compare.json?models=steady,shaky&add=SILENT")["names"] == ["steady", "shaky", "silent"]
    assert _json(client, "/compare.json?models=steady,shaky&add=silent&instead=1")["names"] == ["steady", "silent"]
    several = _json(client, "/compare.json?models=steady,silent&add=s")
    assert (several["names"], [choice["label"] for choice in several["suggested"]]) == (["steady", "silent"], ["shaky"])
    assert "No other model has" in client.get("/compare?models=steady,shaky&add=gemini").text


def test_coverage_is_that_of_the_tables_of_carets(client: TestClient, groups_lab: LabStore) -> None:
    twin = _json(client, "/compare.json?models=steady,shaky&suite=noise")
    first, second = _judged(groups_lab, "noise")
    table = coverage_of_outcomes({"steady": first, "shaky": second}, ScoreRequest(("test",))).to_pylist()
    shown = {line["model"]: dict(zip(twin["names"], line["cells"], strict=True)) for line in twin["coverage"]}
    for row in table:
        cell = shown[row["model"]][row["of"]]
        assert (cell["value"], cell["n"]) == (pytest.approx(row["value"]), row["n"])
        assert (cell["low"], cell["high"]) == pytest.approx((row["low"], row["high"]))


def test_every_field_says_how_many_groups_it_has_and_lists_them(client: TestClient) -> None:
    twin = _json(client, "/compare.json?models=steady,shaky&suite=noise")
    (table,) = twin["tables"]
    assert table["heads"] == ["all correct", "then incorrect", "then correct", "all incorrect"]
    counts = [[field["count"] for field in line["fields"]] for line in table["lines"]]
    assert len(counts) == len(counts[0]) == 4
    assert sum(map(sum, counts)) == sum(table["totals"]) == PICTURES
    for line in table["lines"]:
        for field in line["fields"]:
            assert bool(field["address"]) == bool(field["count"])
            if field["count"]:
                listed = _json(client, field["address"].replace("/compare?", "/compare.json?"))
                assert listed["found"] == field["count"]
                assert len(listed["groups"]) == min(field["count"], 10)


@pytest.mark.parametrize("suite", [prove("noise"), "words", prove("foils")])
def test_a_field_is_the_same_in_find_and_its_groups_stand_among_it(client: TestClient, suite: str) -> None:
    tables = _json(client, f"/compare.json?models=steady,shaky&suite={suite}")["tables"]
    for field in (field for table in tables for line in table["lines"] for field in line["fields"] if field["count"]):
        listed = _json(client, field["address"].replace("/compare?", "/compare.json?"))
        found = _json(client, listed["elsewhere"].replace("/browse?", "/browse.json?"))
        assert found["found"] == field["count"]
        assert [hit["entry"]["group_id"] for hit in found["hits"][:10]] == [
            group["group_id"] for group in listed["groups"]
        ]
        last = _json(client, listed["groups"][-1]["address"].replace("?", ".json?"))
        assert (last["place"], last["found"]) == (len(listed["groups"]), field["count"])
        assert all(name in last["among"] for name in (suite, "steady", "shaky"))


def test_what_survived_an_exchange_is_not_looked_for_in_find(client: TestClient) -> None:
    listed = _json(client, "/compare.json?models=steady,shaky&suite=swaps&first=holds&second=breaks")
    assert listed["found"] > 0
    assert listed["elsewhere"] == ""


def test_the_list_of_a_field_shows_both_answers_and_goes_on(client: TestClient) -> None:
    address = "/compare.json?models=steady,shaky&suite=noise&first=right&second=broken"
    seen: list[str] = []
    while address:
        twin = _json(client, address)
        for group in twin["groups"]:
            seen.append(group["group_id"])
            told = {(line["answer"]["correct"], line["other"]["correct"]) for line in group["lines"]}
            assert (1, 0) in told
            assert client.get(group["address"]).status_code == 200
        address = twin["after"].replace("/compare?", "/compare.json?").removesuffix("#groups")
    assert len(seen) == len(set(seen)) == PICTURES


def test_exchanged_inputs_are_compared_by_what_survives(client: TestClient) -> None:
    twin = _json(client, "/compare.json?models=steady,shaky&suite=swaps")
    (line,) = twin["lines"]
    assert (line["metric"], line["against"][0]["first"]) == ("survived", 1)
    assert line["against"][0]["second"] < 1
    (table,) = twin["tables"]
    assert table["heads"] == ["all survived", "not all survived"]
    assert sum(table["totals"]) == PICTURES


def test_captions_are_compared_by_ranking_and_have_no_coverage(client: TestClient) -> None:
    twin = _json(client, "/compare.json?models=steady,shaky&suite=foils")
    assert [line["metric"] for line in twin["lines"]] == ["acc_r", "auroc"]
    assert twin["coverage"] == []
    assert "has gold" in client.get("/compare?models=steady,shaky&suite=foils").text


def test_a_bare_address_compares_two_models_and_a_form_may_say_models_one_by_one(client: TestClient) -> None:
    assert len(_json(client, "/compare.json")["names"]) == 2
    by_form = _json(client, "/compare.json?models=shaky&models=steady&suite=noise")
    assert by_form["names"] == ["shaky", "steady"]
    assert by_form["twin"].endswith("models=shaky,steady&suite=noise")


def test_a_model_that_was_not_asked_has_a_dash_and_is_left_out_of_the_table(client: TestClient) -> None:
    twin = _json(client, "/compare.json?models=steady,silent&suite=noise")
    assert (twin["lines"], twin["tables"], twin["left_out"]) == ([], [], PICTURES)
    page = client.get("/compare?models=steady,shaky,silent&suite=noise").text
    assert "no case with answers of both models" in page


@pytest.mark.parametrize("query", ["models=nobody", "suite=nothing", "models=steady,shaky&first=odd"])
def test_names_that_nobody_knows_are_refused(client: TestClient, query: str) -> None:
    assert client.get(f"/compare?{query}").status_code == 404


def test_texts_of_models_and_data_are_escaped_and_everything_linked_is_there(lab: LabStore, cache: Path) -> None:
    client = local_client(create_app(lab, cache=cache))
    links = set[str]()
    for first in list(VERDICTS)[: scaled(len(VERDICTS), 1)]:
        page = client.get(f"/compare?models=careful,b-bold-b-model&suite=odd&first={first}&second=unanswered").text
        assert "<script>alert" not in page
        assert "<b>bold" not in page
        links.update(re.findall(r'href="(/compare[^"#]+)', page))
    assert links
    for link in sorted(links):
        assert client.get(link.replace("&amp;", "&")).status_code == 200


def test_five_models_at_most_are_compared(tmp_path: Path, client: TestClient) -> None:
    many = ",".join(["steady", "shaky", "silent", "steady"])
    assert _json(client, f"/compare.json?models={many}&suite=noise")["names"] == ["steady", "shaky", "silent"]
