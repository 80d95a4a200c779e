"""The page of one group: strips in order of severity, exchanged pictures, captions against foils, passes."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from clients import local_client
from group_labs import EXCHANGED, PASSES, PICTURES, base
from starlette.testclient import TestClient

from counterpoint.core.costs import Cost, TokenPrices, Usage
from counterpoint.core.groups import Answer, Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.explorer.app import create_app
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord


@pytest.fixture(scope="module")
def client(groups_lab: LabStore, cache: Path) -> TestClient:
    return local_client(create_app(groups_lab, cache=cache))


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
    assert "<dt>question</dt>" in page
    assert not re.search(r"\bbase\b", re.sub(r"<[^>]*>", "", page))  # which has variants
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


def _lab_of_scores(folder: Path, groups: list[Group], given: dict[str, list[float]], suite: str = "foils") -> LabStore:
    """A lab of captions and foils; `given` are the scores of each model in the order of the queries."""
    lab = LabStore(folder)
    table = groups_table([("foils", group) for group in groups], suite)
    lab.put_suite(Manifest.of(table, generator="test", seed=7), table)
    queries = [query.id for group in groups for query in group.queries]
    for number, (model, scores) in enumerate(given.items()):
        with lab.answers(f"{model} 1") as log:
            log.add((query, 0, Answer.scored(score), "", 0.01) for query, score in zip(queries, scores, strict=True))
        lab.put_run(RunRecord(str(number), model, f"{model} 1"))
    return lab


def test_scores_without_end_tiny_ones_and_huge_ones_are_shown_as_they_are(tmp_path: Path) -> None:
    texts = ("A dog.", "A cat.")
    group = Group(Relation.RANKS, tuple(Query(None, text, Mode.SCORE) for text in texts), (None, None))
    given = {"endless": [0.5, float("-inf")], "tiny": [0.00021, 0.00003], "huge": [1e30, 1e30]}
    client = local_client(create_app(_lab_of_scores(tmp_path, [group], given), cache=tmp_path / "cache"))
    shown = {}
    for model in given:
        twin, _ = _group(client, "foils", 0, model)
        (line,) = [line for line in twin["answers"] if line["model"] == model]
        shown[model] = [answer["shown"] for answer in line["answers"]]
    assert shown == {"endless": ["0.500", "-inf"], "tiny": ["0.00021", "3e-05"], "huge": ["1e+30", "1e+30"]}


def test_a_caption_without_a_foil_has_a_page(tmp_path: Path) -> None:
    group = Group(Relation.RANKS, (Query(None, "A dog.", Mode.SCORE),), (None,))
    client = local_client(create_app(_lab_of_scores(tmp_path, [group], {"one": [0.5]}), cache=tmp_path / "cache"))
    address = client.get("/browse.json?suite=foils").json()["hits"][0]["entry"]["address"]
    assert client.get(address).status_code == 200


def test_names_that_end_like_a_twin_have_pages_and_are_told_as_they_are(tmp_path: Path) -> None:
    group = Group(Relation.RANKS, tuple(Query(None, text, Mode.SCORE) for text in ("A dog.", "A cat.")), (None, None))
    given = {name: [0.9, 0.1] for name in ("results.json", "plot.svg", "模型", "x", "x-2", "x/")}
    lab = _lab_of_scores(tmp_path, [group], given, "foils.json")
    client = local_client(create_app(lab, cache=tmp_path / "cache"))
    lines = {line["model"]: line for line in client.get("/overview.json").json()["lines"]}
    assert set(lines) == set(given)  # none hides another one
    for line in lines.values():
        assert client.get(line["address"]).headers["content-type"].startswith("text/html"), line["address"]
        assert client.get(f"{line['address']}.json").json()["model"] == line["model"]
    page = client.get("/suites/foils.json")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert client.get("/suites/foils.json.json").json()["suite"] == "foils.json"
    address = f"/browse.json?suite=foils.json&model={lines['模型']['slug']}&verdict=passes"
    entry = client.get(address).json()["hits"][0]["entry"]["address"]
    assert client.get(entry.replace("?", ".json?")).json()["among"] == "foils.json · 模型 passes"


def test_a_lab_without_a_folder_of_pictures_shows_drawings_in_their_place(tmp_path: Path) -> None:
    lab, group = LabStore(tmp_path), Group(Relation.SAME, (Query(Picture("toy:1.png"), "Is it?"),), (Gold.of("yes"),))
    table = groups_table([("plain", group)], "plain")
    lab.put_suite(Manifest.of(table, generator="test", seed=7), table)
    client = local_client(create_app(lab, cache=tmp_path / "cache"))
    picture = client.get(f"/suites/plain/pictures/{group.base.id:016x}.webp")
    assert (picture.status_code, picture.headers["content-type"]) == (404, "image/svg+xml")
    assert client.get("/suites/plain/pictures/0000000000000000.webp").headers["content-type"].startswith("text/html")
