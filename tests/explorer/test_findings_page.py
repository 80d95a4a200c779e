"""The findings of a model and of a pair of models as pages, on the first page and in the report."""

from pathlib import Path
from typing import Any

import pytest
from clients import local_client, reader_of
from starlette.testclient import TestClient

from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.explorer.app import create_app
from counterpoint.lab.findings_index import FindingsIndex
from counterpoint.lab.reader import LabReader
from counterpoint.reports.lab_report import render_lab_report
from counterpoint.reports.templating import unbroken
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.selection import GroupFilter, list_groups
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

KINDS = ("color", "count", "place")
EACH = 40  # groups of a kind


def _groups() -> list[Group]:
    groups = []
    for place, kind in enumerate(KINDS):
        for number in range(EACH):
            picture = Picture(f"toy:{number}.png")
            word = "more" if number % 2 else "moreover"
            texts = f"Is {kind} {number} {word}?", f"Really, is {kind} {number} {word}?"
            queries = tuple(Query(picture, text) for text in texts)
            tags = ((("half", "upper" if number < EACH // 2 else "lower"),),) * 2
            gold = (Gold.of("yes" if (number + place) % 2 else "no"),) * 2
            groups.append(Group(Relation.SAME, queries, gold, kind=kind, tags=tags))
    return groups


@pytest.fixture(scope="module")
def weak_lab(tmp_path_factory: pytest.TempPathFactory) -> LabStore:
    """A model that fails one kind, one that fails nothing of it, and few of the others at random places."""
    lab, groups = LabStore(tmp_path_factory.mktemp("weak")), _groups()
    table = groups_table([("plain", group) for group in groups], "plain")
    lab.put_suite(Manifest.of(table, generator="labs", seed=7), table)
    for model, weak, every in (("weak", "count", 13), ("firm", "", 11)):
        with lab.answers(f"{model} 1") as log:
            for place, group in enumerate(groups):
                fails = group.kind == weak or place % every == 0
                for query, gold in zip(group.queries, group.gold, strict=True):
                    assert gold
                    said = {"yes": "no", "no": "yes"}[gold.best] if fails else gold.best
                    log.add([(query.id, 0, Answer.of(said), "", 0.01)])
        lab.put_run(RunRecord(f"2026-{model}", model, f"{model} 1"))
    return lab


@pytest.fixture(scope="module")
def client(weak_lab: LabStore, cache: Path) -> TestClient:
    return local_client(create_app(weak_lab, cache=cache))


def _index(client: TestClient) -> FindingsIndex:
    reader = reader_of(client)
    return reader.findings


def _json(client: TestClient, address: str) -> Any:
    """The page once its search has ended."""
    assert client.get(address).status_code == 200
    _index(client).wait()
    return client.get(address).json()


def test_a_page_waits_for_its_search_and_then_tells_the_weak_kind(client: TestClient) -> None:
    first = client.get("/models/weak/findings").text
    assert ("being searched" in first) == ('http-equiv="refresh"' in first)
    twin = _json(client, "/models/weak/findings.json")
    assert twin["is_ready"]
    assert twin["is_significant"]
    finding = twin["findings"][0]
    assert finding["features"] == [["kind", "count"]]
    assert finding["sentence"].startswith("Right in 0 % of 40 groups of the kind “count”")
    assert [(own["model"], own["address"]) for own in finding["others"]] == [("firm", "/models/firm/findings")]
    assert len(finding["examples"]) == 3
    assert client.get(finding["examples"][0]["address"]).status_code == 200
    page = client.get("/models/weak/findings").text
    assert unbroken(finding["sentence"]) in page
    assert "http-equiv" not in page


def test_the_list_of_a_finding_has_its_failed_groups(client: TestClient) -> None:
    finding = _json(client, "/models/weak/findings.json")["findings"][0]
    listed = client.get(finding["address"].replace("/browse?", "/browse.json?")).json()
    assert listed["found"] == EACH


@pytest.mark.parametrize(("model", "other"), [("weak", "firm"), ("firm", "weak")])
def test_the_list_of_a_change_has_the_groups_that_changed(client: TestClient, model: str, other: str) -> None:
    found = _json(client, f"/models/{model}/findings/{other}.json")["findings"]
    finding = next(own for own in found if own["features"] == [["kind", "count"]])
    listed = client.get(finding["address"].replace("/browse?", "/browse.json?")).json()
    assert listed["found"] == round(finding["n"] * abs(finding["right"])) > 0, "all of them changed in one direction"


def test_a_search_is_made_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    _json(client, "/models/weak/findings.json")

    def fail(*args: Any, **options: Any) -> Any:
        raise AssertionError("searched again")

    monkeypatch.setattr("counterpoint.lab.findings_index.find_findings", fail)
    before = _index(client).version
    assert _json(client, "/models/weak/findings.json?again=1")["findings"]
    assert _index(client).version == before


def test_where_nothing_is_significant_it_is_said(client: TestClient) -> None:
    twin = _json(client, "/models/firm/findings.json")
    assert not twin["is_significant"]
    page = client.get("/models/firm/findings").text
    assert ("Largest gaps, not yet significant" in page) == bool(twin["findings"])
    assert twin["findings"] or twin["empty"]


def test_a_pair_of_models_has_the_slices_that_changed_most(client: TestClient) -> None:
    twin = _json(client, "/models/weak/findings/firm.json")
    assert twin["title"] == "What changed from firm to weak"
    assert twin["findings"][0]["features"] == [["kind", "count"]]
    assert "worse in 40 groups" in twin["findings"][0]["sentence"]
    line = twin["findings"][0]["examples"][0]["lines"][0]
    assert line["answer"]["shown"] != line["other"]["shown"]
    assert client.get("/models/weak/findings/nobody").status_code == 404


def test_the_first_page_the_model_and_the_report_tell_it(client: TestClient, weak_lab: LabStore, cache: Path) -> None:
    sentence = _json(client, "/models/weak/findings.json")["findings"][0]["sentence"]
    (example,) = [own for own in _json(client, "/overview.json")["examples"] if own["model"] == "weak"]
    assert example["sentence"] == f"is {sentence[0].lower()}{sentence[1:].rstrip('.')}"
    assert example["address"] == "/models/weak/findings"
    assert sentence in _json(client, "/models/weak.json")["findings"]
    assert "/models/weak/findings" in client.get("/models/weak").text
    page = render_lab_report(LabReader(weak_lab, cache))
    assert f"is {sentence[0].lower()}{sentence[1:]}" in page


def test_text_in_quotes_is_a_whole_word(weak_lab: LabStore, cache: Path) -> None:
    reader = LabReader(weak_lab, cache)
    reader.refresh()
    every, whole = (list_groups(reader, GroupFilter(text=text), 1000) for text in ("more", '"more"'))
    assert (len(every), len(whole)) == (len(KINDS) * EACH, len(KINDS) * EACH // 2)
