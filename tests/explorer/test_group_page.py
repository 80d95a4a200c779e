"""The page of one group: strips in order of severity, exchanged pictures, captions against foils, passes."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from clients import local_client
from group_labs import EXCHANGED, PASSES, PICTURES, base, lab_of_groups
from starlette.testclient import TestClient

from counterpoint.core.costs import Cost, TokenPrices, Usage
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.explorer.app import create_app
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    folder: Path = tmp_path_factory.mktemp("lab")
    return local_client(create_app(lab_of_groups(folder), cache=tmp_path_factory.mktemp("cache")))


def _group(client: TestClient, suite: str, number: int = 0, model: str = "shaky") -> tuple[Any, str]:
    """The twin and the page of a group in a list."""
    entry = client.get(f"/suites/{suite}/models/{model}.json").json()["groups"][number]
    twin = client.get(entry["address"].replace("?", ".json?"))
    return twin.json(), client.get(entry["address"]).text


def test_noisy_variants_stand_in_a_strip_in_order_of_severity_with_the_answer_below(client: TestClient) -> None:
    twin, page = _group(client, "noise", 1)
    assert [shot["label"] for shot in twin["strip"]] == [
        "base",
        "blur · severity 1",
        "blur · severity 2",
        "blur · severity 3",
    ]
    assert [shot["picture"]["address"] for shot in twin["strip"][1:]] == [
        f"/suites/noise/pictures/{twin['queries'][place]['query']}.webp?width=640" for place in (2, 3, 1)
    ]
    row = re.search(r'<th scope="row">shaky</th>(.*?)</tr>', page, re.DOTALL)
    assert row is not None
    assert re.findall(r"[✓✗] (\w+)", row[1]) == ["yes", "yes", "yes", "no"]
    assert row[1].count("changed") == 1
    assert "2 of 3" in row[1]


def test_a_strip_says_texts_once_and_a_right_answer_that_is_always_the_same_too(client: TestClient) -> None:
    twin, page = _group(client, "noise")
    assert twin["listed"] == [0]
    assert page.count("Is shade 0 light?") == 2  # the title and the base
    assert 'class="golden"' not in page


def test_exchanged_pictures_say_whether_the_answer_survived_and_have_no_boxes_of_the_base(client: TestClient) -> None:
    twin, page = _group(client, "swaps", 1)
    assert len(twin["strip"]) == EXCHANGED + 1
    assert [bool(shot["picture"]["boxes"]) for shot in twin["strip"]] == [True] + [False] * EXCHANGED
    (line,) = (line for line in twin["answers"] if line["model"] == "shaky")
    said = [answer["value"] for answer in line["answers"]]
    assert line["related"] == [value == said[0] for value in said[1:]]
    assert {True, False} == set(line["related"])
    survived = sum(line["related"])
    row = re.search(r'<th scope="row">shaky</th>(.*?)</tr>', page, re.DOTALL)
    assert row is not None
    assert (row[1].count(">survived<"), row[1].count(">gone<")) == (survived, EXCHANGED - survived)


def test_a_caption_and_its_foil_are_drawn_beside_each_other_and_a_tie_is_said(client: TestClient) -> None:
    lines = {number: _group(client, "foils", number)[0]["ranked"] for number in (0, 1, 2)}
    shaky = {number: next(line for line in own if line["model"] == "shaky") for number, own in lines.items()}
    assert [bar["name"] for bar in shaky[0]["bars"]] == ["caption", "foil"]
    assert [bar["length"] for bar in shaky[1]["bars"]] == [0.75, 0.25]
    said = ["foil above caption", "caption above foil", "a tie, which counts as a miss"]
    assert [shaky[number]["verdict"] for number in lines] == said
    assert [shaky[number]["holds"] for number in lines] == [False, True, False]


def test_passes_are_a_table_of_answers_with_their_frequency(client: TestClient) -> None:
    twin, page = _group(client, "words")
    (line,) = twin["passes"]
    assert (line["model"], line["asked"], line["passes"]) == ("shaky", "base", PASSES)
    assert [(answer["shown"], answer["count"], answer["share"]) for answer in line["answers"]] == [
        ("yes", 3, 0.75),
        ("no", 1, 0.25),
    ]
    assert [one["value"] for one in line["mean"]] == ["yes", "no"]
    assert "Stochastic passes" in page
    assert "Stochastic passes" not in _group(client, "foils")[1]


def test_models_without_an_answer_are_named_below_and_have_no_row(client: TestClient) -> None:
    _, page = _group(client, "words")
    assert '<th scope="row">silent</th>' not in page
    assert re.search(r"Without an answer[^.]*: silent\.", page)


def test_a_group_leads_to_its_sample_and_to_its_neighbours(client: TestClient) -> None:
    twin, page = _group(client, "words", 1)
    assert twin["sample"] == f"/samples/{base(1).id:016x}"
    assert f'href="{twin["sample"]}"' in page
    assert (twin["place"], twin["found"]) == (2, PICTURES)
    assert client.get(twin["after"]).status_code == client.get(twin["before"]).status_code == 200


def test_a_click_shows_the_prompt_the_whole_reply_and_what_it_cost(tmp_path: Path) -> None:
    lab, query = LabStore(tmp_path / "lab"), Query(None, "Is it?")
    table = groups_table([("it", Group(Relation.SAME, (query,), (Gold.of("yes"),)))], "it")
    lab.put_suite(Manifest.of(table, generator="tests", seed=7), table)
    reply = f"<b>Well</b>, {'let me see. ' * 400}Yes."
    answer = Answer(reply, "yes", "words", usage=Usage(120, 900), prompt="Answer by yes or no: Is it?")
    with lab.answers("talker 1") as log:
        log.add([(query.id, 0, answer, "", 1.25)])
    cost = Cost(1, Usage(120, 900), TokenPrices(0.5, 2.0, "EUR")).to_record()
    lab.put_run(RunRecord("0", "talker", "talker 1", {"cost": cost}))
    client = local_client(create_app(lab, cache=tmp_path / "cache"))
    twin, page = _group(client, "it", model="talker")
    shown = twin["answers"][0]["answers"][0]
    assert shown["raw"] == reply
    assert (shown["prompt"], shown["tokens_in"], shown["tokens_out"]) == (answer.prompt, 120, 900)
    assert (shown["seconds"], shown["price"]) == (1.25, "0.00186 EUR")
    details = re.search(r'<details class="reply">(.*?)</details>', page, re.DOTALL)
    assert details is not None
    assert unescape(details[1]).count(reply) == 1
    assert answer.prompt in details[1]
    assert "<b>" not in details[1]
    assert "120 tokens in, 900 out · 1.25 s · 0.00186 EUR" in details[1]


def test_what_is_not_known_of_an_answer_is_not_said(client: TestClient) -> None:
    twin, page = _group(client, "noise")
    assert {answer["tokens_in"] for line in twin["answers"] for answer in line["answers"] if answer} == {None}
    assert "tokens in," not in page
    assert "<small>prompt</small>" not in page
