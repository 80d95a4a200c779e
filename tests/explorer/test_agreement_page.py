"""The page that says which models fail alike, and what pages say of confusions by kind."""

import re
from pathlib import Path
from typing import Any

import pytest
from clients import local_client
from labs import small_lab
from starlette.testclient import TestClient

from counterpoint.explorer.app import create_app
from counterpoint.store.lab import LabStore


@pytest.fixture(scope="module")
def client(lab: LabStore, cache: Path) -> TestClient:
    return local_client(create_app(lab, cache=cache))


def _json(client: TestClient, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_every_two_models_have_a_cell_below_the_diagonal(client: TestClient) -> None:
    twin = _json(client, "/agreement.json?suite=plain")
    assert [len(row["cells"]) for row in twin["rows"]] == list(range(len(twin["rows"])))
    names = [row["model"] for row in twin["rows"]]
    (cell,) = (
        row["cells"][at]
        for row in twin["rows"]
        for at, other in enumerate(names[: len(row["cells"])])
        if {row["model"], other} == {"careful", "hasty"}
    )
    assert cell["groups"] == 30
    assert cell["both_fail"] == 0, "careful fails nothing"
    assert {cell["only_row_fails"], cell["only_column_fails"]} == {0, 22}
    assert cell["kappa"] == 0, "whoever never fails agrees by chance alone"


def test_all_suites_are_pooled_and_pairs_lead_to_their_comparison(client: TestClient) -> None:
    twin = _json(client, "/agreement.json")
    assert (twin["suite"], twin["empty"]) == ("", "")
    for pair in twin["most"]:
        assert client.get(pair["address"]).status_code == 200
    assert "Which models fail alike" in client.get("/compare?models=careful,hasty").text
    assert client.get("/agreement?suite=nothing").status_code == 404


def test_two_models_alone_are_one_pair_of_which_no_half_is_above(tmp_path: Path) -> None:
    client = local_client(create_app(small_lab(tmp_path / "lab", 2), cache=tmp_path / "cache"))
    finding = _json(client, "/agreement.json?suite=plain")["finding"]
    assert re.fullmatch("The failures of (careful and hasty|hasty and careful) agree with κ 0.00.", finding)


def test_a_suite_with_few_groups_says_so(client: TestClient) -> None:
    twin = _json(client, "/agreement.json?suite=odd")
    assert (twin["rows"], len(twin["left_out"])) == ([], 3)
    assert "No two models" in client.get("/agreement?suite=odd").text


@pytest.mark.parametrize("page", ["/suites/plain/models/hasty", "/models/hasty"])
def test_what_is_said_instead_of_what_is_counted_by_kind_and_leads_to_browse(client: TestClient, page: str) -> None:
    blocks = _json(client, f"{page}.json?suite=plain")["instead"]
    assert {(block["test"], block["kind"]) for block in blocks} <= {
        (test, kind) for test in ("swap", "turn") for kind in ("even", "odd")
    }
    assert sum(block["incorrect"] for block in blocks) == 22
    for block in blocks:
        for line in block["lines"]:
            assert line["given"] == "maybe"
            assert line["questions"] >= line["answers"]
            found = _json(client, line["address"].replace("/browse?", "/browse.json?"))["found"]
            assert found >= line["answers"] / 2
    assert "What is said instead of what" in client.get(page).text


def test_the_page_of_a_suite_counts_the_confusions_of_all_models(client: TestClient) -> None:
    whole, own = (
        sum(block["incorrect"] for block in _json(client, address)["instead"])
        for address in ("/suites/plain.json", "/suites/plain/models/hasty.json")
    )
    assert whole > own
