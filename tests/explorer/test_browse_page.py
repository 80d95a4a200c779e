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
from hypothesis import given
from hypothesis import strategies as st
from labs import GROUPS, HOSTILE, MODELS, small_lab
from starlette.testclient import TestClient

from counterpoint.explorer.app import create_app
from counterpoint.explorer.group_filters import (
    browse_address,
    read_filter,
)
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.verdicts import INCONSISTENT, VERDICTS
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.selection import STEPS, list_groups, score_step

GROUPS_OF_ALL = len(MODELS) * (GROUPS + 8)


@pytest.fixture(scope="module")
def client(lab: LabStore, cache: Path) -> TestClient:
    return TestClient(create_app(lab, cache=cache))


@pytest.fixture(scope="module")
def reader(lab: LabStore, cache: Path) -> LabReader:
    opened = LabReader(lab, cache)
    opened.refresh()
    return opened


def _json(client: TestClient, query: str = "") -> Any:
    answer = client.get(f"/browse.json{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def _box(twin: Any, name: str) -> dict[str, int]:
    (box,) = (box for box in twin["boxes"] if box["name"] == name)
    return {option["value"]: option["count"] for option in box["options"]}


def test_all_groups_of_all_models_are_there_when_nothing_is_asked(client: TestClient) -> None:
    twin = _json(client)
    assert twin["found"] == GROUPS_OF_ALL
    assert _box(twin, "suite") == {"": None, "odd": 8 * 3, "plain": GROUPS * 3}
    assert sum(count for slug, count in _box(twin, "model").items() if slug) == GROUPS_OF_ALL


@pytest.mark.parametrize("query", ["", "?text=shade", "?model=hasty", "?suite=plain&answer=dark"])
def test_each_group_of_a_list_stands_between_those_beside_it(client: TestClient, query: str) -> None:
    listed = [hit["entry"]["address"] for hit in _json(client, query)["hits"]][:6]
    shown = [client.get(address.replace("?", ".json?")).json() for address in listed]
    assert [one["place"] for one in shown] == [1, 2, 3, 4, 5, 6]
    assert [one["before"] for one in shown] == ["", *listed[:-1]]
    assert [one["after"] for one in shown[:-1]] == listed[1:]


@pytest.mark.parametrize("answer", ["dark", "light", "maybe"])
def test_a_search_finds_its_own_answer_and_not_that_of_the_last_one(client: TestClient, answer: str) -> None:
    hits = _json(client, f"?suite=plain&answer={answer}")["hits"]
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
        ("?relation=ranks", 3),
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
        ("?suite=plain&also=", GROUPS * 3),
        ("?text=%25&model=careful", 0),
        ("?text=%27&model=careful", 1),
    ],
)
def test_a_filter_finds_what_it_says(client: TestClient, query: str, found: int) -> None:
    assert _json(client, query)["found"] == found


def test_a_choice_shows_as_many_groups_as_stand_behind_it(client: TestClient) -> None:
    here = "?text=shade&metric=accuracy&high=0.9"
    for box in _json(client, here)["boxes"]:
        for option in box["options"]:
            if option["value"]:
                assert _json(client, f"{here}&{box['name']}={option['value']}")["found"] == option["count"]


def test_choices_stand_in_the_order_of_their_names(client: TestClient) -> None:
    for box in _json(client, "")["boxes"]:
        values = [option["value"] for option in box["options"] if option["value"] != INCONSISTENT]
        assert values == sorted(values)


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
    rows = reader.database.rows("SELECT accuracy FROM verdicts WHERE accuracy IS NOT NULL")
    inside = sum(low - 1e-4 <= STEPS * row["accuracy"] <= high + 1e-4 for row in rows)
    assert len(list_groups(reader, chosen, GROUPS_OF_ALL)) == inside


def test_pages_hold_every_group_once_and_lead_back(client: TestClient) -> None:
    forward, address = [], "/browse"
    while address:
        twin = _json(client, address.removeprefix("/browse"))
        forward.append(_ids(twin))
        address = twin["after"]
    flat = [one for ids in forward for one in ids]
    assert len(flat) == len(set(flat)) == GROUPS_OF_ALL
    backward, address = [forward[-1]], twin["before"]
    while address:
        twin = _json(client, address.removeprefix("/browse"))
        backward.append(_ids(twin))
        address = twin["before"]
    assert [one for ids in reversed(backward) for one in ids][-75:] == flat[-75:]
    assert backward[-1] == forward[0]


def _ids(twin: Any) -> list[tuple[str, str, str, str]]:
    return [(hit["suite"], hit["entry"]["group_id"], hit["entry"]["test"], hit["model"]) for hit in twin["hits"]]


@pytest.mark.parametrize("query", ["?model=hasty&verdict=broken", "?metric=accuracy&high=0.5", "?text=is"])
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
        "after=x",
        "after=plain:-1:hasty",
        "low=a",
        "metric=accuracy&low=7&high=-3",
        "page=0",
        "also=hasty:",
        "also=right",
    ],
)
def test_what_means_nothing_is_passed_over(client: TestClient, query: str) -> None:
    assert client.get(f"/browse?{query}").status_code == 200


@given(st.text(max_size=40), st.sampled_from(["text", "tag", "answer", "test", "kind", "after", "low", "high"]))
def test_whatever_is_typed_is_only_ever_looked_for(client: TestClient, text: str, name: str) -> None:
    answer = client.get("/browse.json", params={name: text, "metric": "accuracy"})
    assert answer.status_code == 200
    assert answer.json()["found"] <= GROUPS_OF_ALL


def test_texts_are_escaped(client: TestClient) -> None:
    page = client.get("/browse?test=hostile&text=%3Cscript%3Ealert&answer=%22%3E%3Cb%3E").text
    assert "<script>alert" not in page
    assert '"><b>' not in page
    assert "&lt;script&gt;alert" in client.get("/browse?test=hostile").text


def test_a_verdict_is_named_as_everywhere(client: TestClient) -> None:
    boxes = {box["name"]: box for box in _json(client)["boxes"]}
    labels = {option["value"]: option["label"] for option in boxes["verdict"]["options"] if option["value"]}
    assert labels.items() <= {**VERDICTS, INCONSISTENT: INCONSISTENT}.items()


def test_a_lab_without_models_can_be_looked_through(tmp_path: Path) -> None:
    lab = small_lab(tmp_path / "lab")
    for run in (lab.folder / "runs").iterdir():
        run.unlink()
    client = TestClient(create_app(lab, cache=tmp_path / "cache"))
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
