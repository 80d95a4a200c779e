"""The page of one suite and the list of all: how suites were made, what is in them, in which words."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from clients import local_client
from labs import GROUPS, HOSTILE, captions_lab
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


def test_all_suites_are_listed_with_their_sizes(client: TestClient, lab: LabStore) -> None:
    found = {suite["suite"]: suite for suite in _json(client, "/suites.json")["suites"]}
    assert set(found) == set(lab.suites())
    assert (found["plain"]["groups"], found["plain"]["queries"], found["plain"]["models"]) == (GROUPS, 2 * GROUPS, 3)


def test_a_suite_says_how_it_was_made(client: TestClient, lab: LabStore) -> None:
    facts = {fact["name"]: fact["value"] for fact in _json(client, "/suites/plain.json")["facts"]}
    manifest = lab.manifest("plain")
    assert facts["fingerprint"] == manifest.fingerprint
    assert (facts["groups"], facts["seed"], facts["pictures"], facts["relation"]) == (str(GROUPS), "7", "10", "same")


def test_kinds_are_counted_with_their_answers_and_examples(client: TestClient) -> None:
    kinds = _json(client, "/suites/plain.json")["kinds"]
    assert sum(kind["groups"] for kind in kinds) == GROUPS
    for kind in kinds:
        assert kind["answers"] == [["dark" if kind["kind"] == "even" else "light", kind["queries"]]]
        assert 1 <= len(kind["examples"]) <= 3
        assert client.get(kind["examples"][0]["picture"]).status_code == 200
        assert client.get(kind["examples"][0]["address"]).status_code == 200


def test_words_are_counted(client: TestClient) -> None:
    (figure,) = _json(client, "/suites/plain.json")["charts"]
    counts = {bar["word"]: bar["count"] for bar in figure["chart"]["bars"]}
    assert counts.keys().isdisjoint({"is", "or", "what", "you"})
    assert counts["shade"] == 2 * GROUPS
    assert client.get(figure["address"]).status_code == 200


def test_captions_are_counted_against_foils(tmp_path_factory: pytest.TempPathFactory) -> None:
    app = create_app(captions_lab(tmp_path_factory.mktemp("lab")), cache=tmp_path_factory.mktemp("cache"))
    (figure,) = _json(local_client(app), "/suites/foils.json")["charts"]
    values = figure["chart"]["frequencies"]
    assert {(value["side"], value["count"]) for value in values if value["word"] == "dog"} == {
        ("captions", 40),
        ("foils", 40),
    }


def test_questions_that_templates_made_are_counted_without_every_rejection(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    store = captions_lab(tmp_path_factory.mktemp("lab"))
    stored = store.suite("foils")
    made = {"scenes": 6, "made": {"count": {"1": 5, "2": 2}}, "rejected": {"count": {"too small": 90}}}
    manifest = replace(stored.manifest, parameters={"questions_made": made})
    store.put_suite(manifest, stored.table, replace=True)
    client = local_client(create_app(store, cache=tmp_path_factory.mktemp("cache")))
    facts = {fact["name"]: fact["value"] for fact in _json(client, "/suites/foils.json")["facts"]}
    assert facts["questions made"].startswith("7 questions made by templates from 6 scenes")
    assert "too small" not in facts["questions made"]


def test_texts_of_suites_are_escaped(client: TestClient) -> None:
    page = client.get("/suites/odd").text
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("address", ["/suites/nowhere", "/suites/nowhere.json", "/suites/nowhere.svg"])
def test_a_suite_that_is_not_there_is_said(client: TestClient, address: str) -> None:
    assert client.get(address).status_code == 404
