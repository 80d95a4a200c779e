"""The page of one sample: what it is, what models say to it, and a card for each test that was made of it."""

import re
from pathlib import Path
from typing import Any

import pytest
from clients import local_client
from group_labs import EXCHANGED, PASSES, base, foils
from starlette.testclient import TestClient

from counterpoint.explorer.app import create_app
from counterpoint.explorer.frequencies import answer_frequencies
from counterpoint.store.lab import LabStore


@pytest.fixture(scope="module")
def client(groups_lab: LabStore, cache: Path) -> TestClient:
    return local_client(create_app(groups_lab, cache=cache))


def _sample(client: TestClient, query: int) -> Any:
    answer = client.get(f"/samples/{query:016x}.json")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_sample_shows_its_question_its_gold_with_credit_and_the_likeliest_answers(client: TestClient) -> None:
    twin, page = _sample(client, base(1).id), client.get(f"/samples/{base(1).id:016x}").text
    assert (twin["query"], twin["text"]) == (f"{base(1).id:016x}", "Is shade 1 light?")
    assert twin["gold"] == [{"answer": "yes", "credit": 1}]
    steady = next(line for line in twin["predicted"] if line["model"] == "steady")
    assert [(one["value"], one["probability"]) for one in steady["top"]] == [("yes", 0.75), ("maybe", 0.2)]
    assert "Is shade 1 light?" in page
    assert "1.00" in page
    assert client.get(twin["picture"]["address"]).status_code == 200


def test_every_suite_that_asks_around_it_has_a_card_with_scores_and_frequencies(client: TestClient) -> None:
    twin = _sample(client, base(1).id)
    cards = {card["suite"]: card for card in twin["cards"]}
    assert sorted(cards) == ["noise", "swaps", "words"]
    shaky = {suite: next(line for line in card["lines"] if line["model"] == "shaky") for suite, card in cards.items()}
    assert [(answer["shown"], answer["count"]) for answer in shaky["noise"]["answers"]] == [("yes", 2), ("no", 1)]
    scores = {score["metric"]: score["value"] for score in shaky["noise"]["scores"]}
    assert scores["self_consistency"] == pytest.approx(2 / 3)
    assert sum(answer["count"] for answer in shaky["swaps"]["answers"]) == EXCHANGED
    assert {line["model"] for line in cards["words"]["lines"]} == {"steady", "shaky"}
    for card in cards.values():
        assert client.get(card["address"]).status_code == 200
        assert all(client.get(line["address"]).status_code == 200 for line in card["lines"])


def test_the_passes_of_a_sample_are_counted(client: TestClient) -> None:
    (line,) = _sample(client, base(1).id)["passes"]
    assert (line["passes"], [answer["count"] for answer in line["answers"]]) == (PASSES, [PASSES - 1, 1])


def test_a_caption_has_its_scores_on_its_card(client: TestClient) -> None:
    caption = next(iter(foils())).queries[0]
    (card,) = _sample(client, caption.id)["cards"]
    assert [name for name, _ in card["metrics"]] == ["acc_r", "ties"]
    shaky = next(line for line in card["lines"] if line["model"] == "shaky")
    assert sorted(answer["shown"] for answer in shaky["answers"]) == ["caption 0.75", "foil 0.875"]


def test_a_variant_is_a_sample_too_and_leads_to_the_groups_that_it_is_part_of(client: TestClient) -> None:
    caption, foil = next(iter(foils())).queries
    twin = _sample(client, foil.id)
    assert twin["cards"] == []
    assert [one["label"] for one in twin["within"]] == ["Foils · variant 1"]
    assert client.get(twin["within"][0]["address"]).status_code == 200
    assert twin["text"] != caption.text


def test_what_is_no_query_of_the_lab_is_not_there(client: TestClient) -> None:
    for word in ("0" * 16, "x", "../../secret"):
        assert client.get(f"/samples/{word}").status_code == 404


def test_rare_answers_are_counted_together() -> None:
    found = answer_frequencies([*("yes",) * 5, *"abcdefghij"], most=4)
    assert [(one.shown, one.count) for one in found] == [("yes", 5), ("a", 1), ("b", 1), ("8 others", 8)]
    assert sum(one.share for one in found) == pytest.approx(1)


def test_a_sample_is_the_same_for_people_and_for_programs(client: TestClient) -> None:
    twin, page = _sample(client, base(3).id), client.get(f"/samples/{base(3).id:016x}").text
    shown = [
        f"{100 * score['value']:.1f}" for card in twin["cards"] for line in card["lines"] for score in line["scores"]
    ]
    assert re.findall(r'<td class="number" data-label="[^"]+">([\d.]+)</td>', page)[1:] == shown
