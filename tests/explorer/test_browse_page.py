"""Browse: what fits a filter, how it is counted, walked through, shared and downloaded."""

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from clients import local_client
from hypothesis import given
from hypothesis import strategies as st
from labs import GROUPS, HOSTILE, small_lab
from proving import prove
from starlette.testclient import TestClient

from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.explorer.app import create_app
from counterpoint.explorer.group_filters import (
    browse_address,
    failures_address,
    read_filter,
)
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.verdicts import CHOICES
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.selection import STEPS, GroupFilter, list_groups, score_step
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

ALL_GROUPS = GROUPS + 8
PER_PAIR = ("self_consistency", "comprehensive_accuracy")


@pytest.fixture(scope="module")
def client(lab: LabStore, cache: Path) -> TestClient:
    return local_client(create_app(lab, cache=cache))


@pytest.fixture(scope="module")
def reader(lab: LabStore, cache: Path) -> LabReader:
    opened = LabReader(lab, cache)
    opened.refresh()
    return opened


def _json(client: TestClient, query: str = "") -> Any:
    answer = client.get(f"/browse.json{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def _facet(twin: Any, label: str) -> dict[str, int]:
    (facet,) = (facet for facet in twin["facets"] if facet["label"] == label)
    return {value["label"]: value["count"] for value in facet["values"] + facet["more"]}


def _address(entry: str) -> str:
    return entry.replace("/browse", "/browse.json", 1)


def test_every_group_is_there_once_when_nothing_is_asked(client: TestClient) -> None:
    twin = _json(client)
    assert twin["found"] == ALL_GROUPS
    assert _facet(twin, "Suite") == {"odd": 8, "plain": GROUPS}
    assert {option["value"]: option["count"] for option in twin["models"]["options"]} == {
        "": None,
        **dict.fromkeys(("careful", "hasty", "b-bold-b-model"), ALL_GROUPS),
    }


def test_a_strip_holds_the_verdict_of_every_model_and_the_tally_counts_them(client: TestClient) -> None:
    hits = _json(client, "?suite=plain")["hits"]
    assert {tuple(square["model"] for square in hit["strip"]) for hit in hits} == {
        ("careful", "hasty", "<b>bold</b>/model")  # the best of the lab first
    }
    for hit in hits:
        marks = Counter(square["mark"] for square in hit["strip"])
        failing = marks["f"] + marks["h"] + marks["r"]
        assert f"{marks['p']} model" in hit["tally"]
        assert f"· {failing} fail" in hit["tally"]
        assert ("refused" in hit["tally"]) == (marks["r"] > 0)


def _failing(hit: Any) -> int:
    return sum(square["mark"] in "fhr" for square in hit["strip"])


def test_the_groups_that_most_models_fail_come_first(client: TestClient) -> None:
    failing = [_failing(hit) for hit in _json(client)["hits"]]
    assert failing == sorted(failing, reverse=True)
    assert failing[0] > failing[-1]


def test_where_models_disagree_comes_first_if_that_is_chosen(client: TestClient) -> None:
    hits = _json(client, "?order=disagreement")["hits"]
    sides = [(_failing(hit), sum(square["mark"] == "p" for square in hit["strip"])) for hit in hits]
    assert [min(side) for side in sides] == sorted((min(side) for side in sides), reverse=True)


def test_what_a_chosen_model_fails_comes_before_what_it_passes(client: TestClient) -> None:
    verdicts = [
        hit["entry"]["verdict"] for page in (1, 2) for hit in _json(client, f"?model=hasty&page={page}")["hits"]
    ]
    passes = [verdict in ("all correct", "relation satisfied") for verdict in verdicts]
    assert passes == sorted(passes)
    assert sum(passes) == _json(client, "?model=hasty&verdict=passes")["found"]
    by_suite = [hit["suite"] for hit in _json(client, "?model=hasty&order=suite")["hits"]]
    assert by_suite == sorted(by_suite)


def test_the_picture_of_a_variant_is_beside_that_of_the_base_where_they_differ(client: TestClient) -> None:
    second = {hit["entry"]["test"]: hit["entry"]["second"] for hit in _json(client, "?suite=odd")["hits"]}
    assert second["contrast"]
    assert second["noise"]  # the same picture with an edit
    assert not second["negation"]


def test_metrics_have_labels_of_their_own(client: TestClient) -> None:
    labels = [option["label"] for box in _json(client)["metrics"] for option in box["options"]]
    assert "Comprehensive accuracy (C-ACC)" in labels
    assert len(labels) == len(set(labels))


def test_the_view_and_the_order_stay_in_the_address(client: TestClient) -> None:
    twin = _json(client, "?suite=plain&view=pictures&order=disagreement")
    links = [value["address"] for facet in twin["facets"] for value in facet["values"]]
    assert all("view=pictures" in link and "order=disagreement" in link for link in links)
    assert {name for name, _ in twin["kept"]} == {"suite", "view", "order"}
    group = client.get(twin["hits"][0]["entry"]["address"].replace("?", ".json?")).json()
    assert "view=pictures" in group["above"]
    assert 'class="groups grid' in client.get("/browse?view=pictures").text


def test_what_is_chosen_can_be_let_go(client: TestClient) -> None:
    twin = _json(client, "?suite=plain&model=hasty&metric=accuracy&high=0.5&also=careful:right")
    without = {one["label"]: one["address"] for one in twin["chosen"]}
    assert without["Accuracy"] == "/browse?model=hasty&suite=plain&also=careful%3Aright"
    assert "also" not in without["careful: all correct"]
    assert "hasty" not in without["hasty"]


@pytest.mark.parametrize("query", ["", *map(prove, ("?text=shade", "?model=hasty")), "?suite=plain&answer=dark"])
def test_each_group_of_a_list_stands_between_those_beside_it(client: TestClient, query: str) -> None:
    listed = [hit["entry"]["address"] for hit in _json(client, query)["hits"]][:6]
    shown = [client.get(address.replace("?", ".json?")).json() for address in listed]
    assert [one["place"] for one in shown] == [1, 2, 3, 4, 5, 6]
    assert [one["before"] for one in shown] == ["", *listed[:-1]]
    assert [one["after"] for one in shown[:-1]] == listed[1:]


@pytest.mark.parametrize("answer", ["dark", "light", "maybe"])
def test_a_search_finds_its_own_answer_and_not_that_of_the_last_one(client: TestClient, answer: str) -> None:
    hits = _json(client, f"?suite=plain&model=hasty&answer={answer}")["hits"]
    assert hits
    for hit in hits:
        said = [line["answer"]["shown"] for line in hit["entry"]["lines"] if line["answer"]]
        assert answer in said


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?suite=plain&model=careful", GROUPS),
        ("?suite=plain&model=hasty&verdict=right", 8),
        ("?suite=plain&model=hasty&verdict=inconsistent", 22),
        ("?suite=plain&model=careful&test=turn", 10),
        ("?suite=plain&model=careful&kind=even", 15),
        ("?relation=ranks", 1),
        ("?suite=plain&gold=dark", 15),
        ("?suite=plain&model=hasty&verdict=fails", 22),
        ("?suite=plain&model=hasty&verdict=passes", 8),
        ("?suite=plain&model=careful&verdict=fails", 0),
        ("?suite=plain&verdict=refused", 8),
        ("?model=careful&tag=number%3D7", 1),
        ("?model=careful&text=SHADE+12+", 1),
        ("?model=hasty&answer=maybe&suite=plain", 22),
        ("?model=hasty&suite=plain&metric=comprehensive_accuracy&low=1", 8),
        ("?model=hasty&suite=plain&metric=accuracy&high=0.5", 22),
        ("?model=hasty&suite=plain&metric=accuracy&low=0.55&high=0.95", 0),
        ("?suite=plain&model=hasty&also=careful:right", GROUPS),
        ("?suite=plain&model=careful&also=hasty:right", 8),
        ("?suite=plain&model=careful&also=hasty:inconsistent", 22),
        ("?suite=plain&model=hasty&verdict=right&also=hasty:inconsistent", 0),
        ("?suite=plain&also=", GROUPS),
        ("?text=%25&model=careful", 0),
        ("?text=%27&model=careful", 1),
    ],
)
def test_a_filter_finds_what_it_says(client: TestClient, query: str, found: int) -> None:
    assert _json(client, query)["found"] == found


@pytest.mark.parametrize(
    "here",
    [
        "?text=shade&metric=accuracy&high=0.9",
        prove("?model=hasty"),
        prove("?tag=number%3D7"),
        prove("?verdict=fails&suite=odd"),
    ],
)
def test_a_choice_shows_as_many_groups_as_stand_behind_it(client: TestClient, here: str) -> None:
    twin = _json(client, here)
    for facet in twin["facets"]:
        for value in facet["values"] + facet["more"]:
            there = client.get(_address(value["address"])).json()["found"]
            assert there == value["count"] or value["chosen"], (facet["label"], value)
    for option in twin["models"]["options"][1:]:
        assert _json(client, f"{here}&model={option['value']}")["found"] == option["count"]


def test_the_columns_above_the_slider_hold_every_group_that_has_a_score(client: TestClient) -> None:
    here = "?metric=accuracy&suite=plain"
    columns = _json(client, f"{here}&low=0.5")["slider"]["columns"]
    assert len(columns) == STEPS + 1
    assert sum(column["count"] for column in columns) == _json(client, here)["found"]
    inside = sum(column["count"] for column in columns if column["inside"])
    assert inside == _json(client, f"{here}&low=0.5")["found"]


@given(st.sampled_from(range(STEPS + 1)), st.sampled_from(range(STEPS + 1)))
def test_bounds_hold_exactly_the_scores_between_them(reader: LabReader, one: int, other: int) -> None:
    low, high = sorted((one, other))
    chosen = read_filter({"metric": "accuracy", "low": str(one / STEPS), "high": str(other / STEPS), "browse": "1"})
    rows = reader.database.rows("SELECT avg(accuracy) AS mean FROM verdicts GROUP BY number")
    inside = sum(low - 1e-3 <= STEPS * row["mean"] <= high + 1e-3 for row in rows if row["mean"] is not None)
    assert len(list_groups(reader, chosen, ALL_GROUPS)) == inside


def test_pages_hold_every_group_once_and_lead_back(client: TestClient) -> None:
    first = _json(client)
    second = client.get(_address(first["after"])).json()
    assert (first["first"], first["last"], second["first"], second["last"]) == (1, 24, 25, ALL_GROUPS)
    assert len({hit["entry"]["group_id"] for hit in first["hits"] + second["hits"]}) == ALL_GROUPS
    assert (second["before"], second["after"], first["before"]) == ("/browse", "", "")
    assert _json(client, "?page=99")["hits"] == second["hits"]


@pytest.mark.parametrize(
    "query", ["?model=hasty&verdict=broken", *map(prove, ("?metric=accuracy&high=0.5", "?text=is"))]
)
def test_next_and_previous_walk_through_what_was_found(client: TestClient, query: str) -> None:
    listed = _json(client, query)
    address, walked = listed["hits"][0]["entry"]["address"], list[tuple[str, str]]()
    while address and len(walked) < 20:
        twin = client.get(address.replace("?", ".json?")).json()
        walked.append((twin["suite"], twin["group_id"]))
        assert (twin["place"], twin["found"]) == (len(walked), listed["found"])
        address = twin["after"]
    assert walked == [(hit["suite"], hit["entry"]["group_id"]) for hit in listed["hits"][:20]]
    assert twin["above"].startswith("/browse?")
    assert _json(client, twin["above"].removeprefix("/browse"))["found"] == listed["found"]


def test_a_download_holds_no_formula(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    texts = ("=HYPERLINK(1)", "+1+cmd|' /C calc'!A0", "@SUM(A1)", "-5", "-a", "yes")
    groups = [("t", Group(Relation.GOLD, (Query(None, text),), (Gold.of(text),))) for text in texts]
    table = groups_table(groups, "plain")
    lab.put_suite(Manifest.of(table, generator="x", seed=1), table)
    lab.put_run(RunRecord("0", "=m", "m"))
    with lab.answers("m", run="0") as log:
        log.add((own.queries[0].id, 0, Answer.of(own.queries[0].text), "", 0.1) for _, own in groups)
    rows = _rows(local_client(create_app(lab, cache=tmp_path / "cache")), ".csv", "")
    assert {row["text"] for row in rows} == {*(f"'{text}" for text in texts if text not in ("-5", "yes")), "-5", "yes"}
    assert {row["gold"] for row in rows} == {row["value"] for row in rows} == {row["text"] for row in rows}


def _rows(client: TestClient, ending: str, query: str) -> Sequence[Mapping[str, Any]]:
    answer = client.get(f"/browse{ending}{query}")
    assert answer.status_code == 200
    assert f"groups{ending}" in answer.headers["content-disposition"]
    if ending == ".csv":
        return list(csv.DictReader(io.StringIO(answer.text)))
    if ending == ".jsonl":
        return [json.loads(line) for line in answer.text.splitlines()]
    return list(pq.read_table(io.BytesIO(answer.content)).to_pylist())


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_downloads_hold_every_query_of_every_group_found(client: TestClient, ending: str) -> None:
    rows = _rows(client, ending, "?model=hasty&suite=plain&metric=accuracy&high=0.5")
    assert len(rows) == 2 * 22
    assert {row["verdict"] for row in rows} == {"broken"}
    assert Counter(row["value"] for row in rows)["maybe"] == 22
    assert {float(row["score"]) for row in rows} == {0.5}
    whole = _rows(client, ending, "")
    assert {row["text"] for row in whole} >= {HOSTILE, "Is shade 3 light or dark?"}
    assert {row["model"] for row in whole} == {"careful", "hasty", "b-bold-b-model"}
    assert Counter(row["model"] for row in whole)["hasty"] == len(whole) / 3


def test_a_download_of_nothing_is_whole(client: TestClient) -> None:
    for ending in (".csv", ".jsonl", ".parquet"):
        assert _rows(client, ending, "?text=nowhere+to+be+found") == []


@pytest.mark.parametrize(
    "query",
    [
        "model=nobody",
        "suite=nowhere",
        "verdict=nice",
        "also=careful:nice",
        "also=nobody:right",
        "relation=loose",
        "order=random",
        "metric=auroc",
        "metric=1;DROP",
        "metric=%22",
    ],
)
@pytest.mark.parametrize("ending", ["", ".json", ".csv"])
def test_what_nobody_knows_is_refused(client: TestClient, query: str, ending: str) -> None:
    assert client.get(f"/browse{ending}?{query}").status_code == 404


@pytest.mark.parametrize(
    "query",
    [
        "page=x",
        "view=round",
        "low=a",
        "metric=accuracy&low=7&high=-3",
        "page=0",
        "also=hasty:",
        "also=right",
    ],
)
def test_what_means_nothing_is_passed_over(client: TestClient, query: str) -> None:
    assert client.get(f"/browse?{query}").status_code == 200


@given(st.text(max_size=40), st.sampled_from(["text", "tag", "answer", "test", "kind", "gold", "page", "low", "high"]))
def test_whatever_is_typed_is_only_ever_looked_for(client: TestClient, text: str, name: str) -> None:
    answer = client.get("/browse.json", params={name: text, "metric": "accuracy"})
    assert answer.status_code == 200
    assert answer.json()["found"] <= ALL_GROUPS


def test_texts_are_escaped(client: TestClient) -> None:
    page = client.get("/browse?test=hostile&text=%3Cscript%3Ealert&answer=%22%3E%3Cb%3E").text
    assert "<script>alert" not in page
    assert '"><b>' not in page
    assert "&lt;script&gt;alert" in client.get("/browse?test=hostile").text


def test_a_verdict_is_named_as_everywhere(client: TestClient) -> None:
    assert set(_facet(_json(client), "Verdict")) <= set(CHOICES.values())


def test_a_lab_without_models_can_be_looked_through(tmp_path: Path) -> None:
    lab = small_lab(tmp_path / "lab")
    for run in (lab.folder / "runs").iterdir():
        run.unlink()
    client = local_client(create_app(lab, cache=tmp_path / "cache"))
    twin = _json(client, "?text=shade&suite=plain")
    assert twin["found"] == GROUPS
    assert client.get(twin["hits"][0]["entry"]["address"]).status_code == 200
    assert len(_rows(client, ".jsonl", "?text=shade&suite=plain")) == 2 * GROUPS


def test_an_address_says_no_more_than_it_must() -> None:
    chosen = read_filter({"metric": "accuracy", "low": "0", "high": "1.0", "kind": ""})
    assert browse_address(chosen) == "/browse?metric=accuracy"
    assert browse_address(read_filter({"low": "0.3"})) == "/browse"
    assert read_filter({"metric": "accuracy", "low": "0.8", "high": "0.31"}).steps == (6, 16)


@given(st.text(max_size=12))
def test_a_bound_is_always_a_step(text: str) -> None:
    assert 0 <= score_step(text, 0) <= STEPS


@pytest.mark.parametrize(
    "page",
    ["/overview.json?suite=plain", prove("/suites/plain/models/hasty.json"), prove("/models/hasty.json")],
)
def test_every_score_leads_to_the_groups_that_fail_behind_it(client: TestClient, page: str) -> None:
    twin, leads = client.get(page).json(), 0
    rows = twin["measured"] if "measured" in twin else [{**line, "columns": twin["columns"]} for line in twin["lines"]]
    for row in rows:
        for column, cell in zip(row["columns"], row["cells"], strict=True):
            found = client.get(_address(cell["address"])).json()["found"] if cell["value"] is not None else 0
            if cell["value"] is not None and column["suite"] == "plain" and column["metric"] in PER_PAIR:
                assert found == round((1 - cell["value"]) * cell["n"])  # each group of this suite is one pair
                leads += found > 0
    assert leads


def test_a_metric_that_groups_have_no_score_by_leads_to_the_groups_that_fail(client: TestClient) -> None:
    assert failures_address(GroupFilter("hasty", "odd")) == "/browse?model=hasty&suite=odd&verdict=fails"
    less = failures_address(GroupFilter("hasty", "odd", metric="question_bias"), lower_is_better=True)
    assert less == "/browse?model=hasty&suite=odd&metric=question_bias&low=0.05"
