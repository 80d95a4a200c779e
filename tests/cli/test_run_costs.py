"""Tokens, prices and budgets of `counterpoint run`, as `run`, `ls`, the leaderboard and the pages tell them."""

import json
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from click.testing import CliRunner, Result
from clients import local_client

from counterpoint import Lab, ProgressEvent
from counterpoint.cli.main import commands
from counterpoint.core.errors import CounterpointError
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.explorer.app import create_app
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.testing import ChatServer
from counterpoint.testing.chat_protocol import ReceivedRequest
from counterpoint.world.source import World

QUERIES = 40
IN, OUT = 14, 2
"""Tokens of a request and of a reply, as the server counts them: words."""
PRICES = 'currency = "EUR"\n[models."double"]\ninput = 500\noutput = 2000\n'
DRAWN = World("test")
PRICE = (500 * IN + 2000 * OUT) / 1e6


@pytest.fixture
def lab(workdir: Path) -> LabStore:
    """A lab with twenty pairs of questions of equal length."""
    made = LabStore(Path("lab"))

    def pair(n: int) -> Group:
        picture = Picture(f"world:test/{n % 3:06d}.png")
        return Group(
            Relation.SAME,
            tuple(Query(picture, f"Which thing {verb} number {n}?") for verb in ("is", "has")),
            (Gold.of("red cup"),) * 2,
        )

    table = groups_table((("plain", pair(n)) for n in range(QUERIES // 2)), "pairs")
    made.put_suite(Manifest.of(table, generator="tests", seed=0), table)
    Path("prices.toml").write_text(PRICES, "utf-8")
    return made


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(lambda request: "red cup", models=("double",)) as server:
        yield server


def _call(*words: object) -> Result:
    return CliRunner().invoke(commands, list(map(str, words)), catch_exceptions=False)


def _run(server: ChatServer, *words: object) -> Result:
    return _call("run", "lab", "--model", "openai/double", "--base-url", server.base_url, *words)


def _json(result: Result) -> Any:
    return json.loads(result.stdout)


def test_a_run_tells_its_tokens_and_with_a_table_their_price(lab: LabStore, server: ChatServer) -> None:
    told = _run(server, "--limit", 10).stdout
    assert f"  {20 * IN} tokens in and {20 * OUT} out\n" in told
    report = _json(_run(server, "--prices", "prices.toml", "--json"))
    assert (report["asked"], report["tokens_in"], report["tokens_out"]) == (20, 20 * IN, 20 * OUT)
    assert (report["price"], report["currency"]) == (pytest.approx(20 * PRICE), "EUR")
    first, second = lab.runs()
    assert first.cost.price is None
    assert second.cost.price == pytest.approx(20 * PRICE)
    answers = lab.read_answers(second.fingerprint)
    assert answers["tokens_in"].to_pylist() == [IN] * QUERIES
    assert answers["tokens_out"].to_pylist() == [OUT] * QUERIES


def test_the_record_of_a_run_has_its_cost_while_it_goes_on_so_that_a_kill_loses_little(lab: LabStore) -> None:
    recorded: list[tuple[int, int]] = []

    def reply(request: ReceivedRequest) -> str:
        if request.number == QUERIES - 1:
            sleep(1.2)  # answers are written once a second
        return "red cup"

    def watch(event: ProgressEvent) -> None:
        if event.done:
            recorded.append((event.done, lab.runs()[-1].cost.answers))

    with ChatServer(reply, models=("double",)) as server:
        Lab(lab.folder, progress=watch).run("openai/double", base_url=server.base_url, concurrency=1)
    assert recorded[-1] == (QUERIES, QUERIES)
    assert all(answers == done for done, answers in recorded)


def test_prices_can_be_named_when_everything_is_answered(lab: LabStore, server: ChatServer) -> None:
    _run(server)
    (model,) = _json(_call("ls", "lab", "--json"))["models"]
    assert (model["tokens_in"], model["price"], model["currency"]) == (QUERIES * IN, None, None)
    for _ in range(2):
        assert "40 were answered before" in _run(server, "--prices", "prices.toml").stdout
    (model,) = _json(_call("ls", "lab", "--json"))["models"]
    assert (model["price"], model["runs"]) == (pytest.approx(QUERIES * PRICE), 2)
    assert len(server.received) == QUERIES


def test_costs_are_told_where_a_model_has_them(lab: LabStore, server: ChatServer, tmp_path: Path) -> None:
    _call("run", "lab", "--model", "constant")
    assert "tokens" not in _call("ls", "lab").stdout
    assert "tokens" not in _call("leaderboard", "lab").stdout
    client = local_client(create_app(lab, cache=tmp_path / "before"))
    timed = ["queries_per_second", "seconds_per_query"]
    assert [column["metric"] for column in client.get("/overview.json").json()["costs"]] == timed
    _run(server, "--prices", "prices.toml")
    constant, double = (line.split() for line in _call("ls", "lab").stdout.splitlines()[-2:])
    assert constant[5:8] == ["–", "–", "–"]
    assert double[5:9] == [str(QUERIES * IN), str(QUERIES * OUT), "0.44", "EUR"]
    rows = {row["model"]: row["cost"] for row in _json(_call("leaderboard", "lab", "--json"))["rows"]}
    assert (rows["constant"]["tokens_per_query"], rows["constant"]["price_per_1000"]) == (None, None)
    assert rows["openai/double"]["tokens_per_query"] == IN + OUT
    assert rows["openai/double"]["price_per_1000"] == pytest.approx(1000 * PRICE)
    assert "11.00 EUR" in _call("leaderboard", "lab").stdout
    client = local_client(create_app(lab, cache=tmp_path / "after"))
    twin = client.get("/overview.json").json()
    lines = {line["model"]: line["costs"][2:] for line in twin["lines"] + twin["floor"]}
    assert [figure["text"] for figure in lines["openai/double"]] == [str(IN + OUT), "11.00 EUR"]
    assert all(figure["reason"] for figure in lines["constant"])
    page = client.get("/models/openai-double").text
    assert "tokens a query <b>16</b>" in page
    assert "price of 1,000 queries <b>11.00 EUR</b>" in page
    assert "tokens a query" not in client.get("/models/constant").text


@pytest.mark.parametrize("budget", ["11", "11 requests", f"{11 * (IN + OUT)} tokens", f"{11 * PRICE:.3f} EUR"])
def test_a_budget_stops_in_order_and_the_command_that_is_told_goes_on(
    lab: LabStore, server: ChatServer, budget: str
) -> None:
    words = ("--budget", budget, "--prices", "prices.toml", "--concurrency", 1)
    stopped = _run(server, *words)
    assert stopped.exit_code == 0
    assert "11 answers in" in stopped.stdout
    assert "is used up; 29 queries were not asked" in stopped.stdout
    assert "To ask again what is missing:\n  counterpoint run lab --model openai/double" in stopped.stdout
    assert len(server.received) == 11
    report = _json(_run(server, *words[2:], "--json"))
    assert (report["asked"], report["cached"], report["left"]) == (29, 11, 0)
    assert set(server.asked.values()) == {1}


def test_a_dry_run_asks_nothing_and_estimates_by_rule_until_answers_are_there(
    lab: LabStore, server: ChatServer
) -> None:
    words = ("--prices", "prices.toml", "--dry-run", "--json")
    first = _json(_run(server, *words))
    assert (server.received, lab.runs(), lab.storage.names("answers/")) == ([], [], [])
    assert (first["queries"], first["requests"], first["cached"], first["seconds"]) == (QUERIES, QUERIES, 0, None)
    texts = [row["text"] for row in lab.suite("pairs").table.to_pylist()]
    characters = sum(len(f"{text}\nAnswer with a single word or a short phrase.") for text in texts)
    height, width = DRAWN.pixels(Picture("world:test/000000.png")).shape[:2]
    assert first["tokens_in"] == pytest.approx(characters / 4 + QUERIES * height * width / 750, abs=1)
    assert first["tokens_out"] == 16 * QUERIES
    assert first["price"] == pytest.approx((500 * first["tokens_in"] + 2000 * first["tokens_out"]) / 1e6)
    assert first["basis"].startswith("tokens by rule: a token is 4 characters of text or 750 pixels")
    _run(server, "--limit", 5)
    second = _json(_run(server, *words))
    assert (second["queries"], second["cached"]) == (QUERIES - 10, 10)
    assert (second["tokens_in"], second["tokens_out"]) == ((QUERIES - 10) * IN, (QUERIES - 10) * OUT)
    assert second["price"] == pytest.approx((QUERIES - 10) * PRICE)
    assert second["seconds"] > 0
    assert second["basis"] == "by the means of 10 earlier answers of this model"
    other = _json(_run(server, *words, "--model-args", "tokens=20"))
    assert (other["queries"], other["tokens_in"]) == (QUERIES, QUERIES * IN)
    assert other["basis"] == "by the means of 10 earlier answers of another version of this model"
    assert len(server.received) == 10


def test_a_dry_run_says_what_it_used_in_sentences(lab: LabStore, server: ChatServer) -> None:
    _run(server, "--limit", 5)
    told = _run(server, "--prices", "prices.toml", "--dry-run").stdout.splitlines()
    assert told[0] == "openai/double: 30 queries would be asked; 10 were answered before"
    assert told[1].startswith("  about 30 requests, 420 tokens in and 60 out, 0.33 EUR, ")
    assert told[2:] == ["  by the means of 10 earlier answers of this model"]
    assert _call("run", "lab", "--model", "constant", "--dry-run").stdout.splitlines() == [
        "constant: 40 queries would be asked",
        "  its time is not known before its first answers",
    ]
    _call("run", "lab", "--model", "constant")
    assert _call("run", "lab", "--model", "constant", "--dry-run").stdout == (
        "constant: 0 queries would be asked; 40 were answered before\n"
    )


def test_a_dry_run_finds_answers_that_are_kept_under_a_former_fingerprint(lab: LabStore, server: ChatServer) -> None:
    former = "picture_format=png,picture_side=0"
    _run(server, "--model-args", former)
    assert _json(_run(server, "--dry-run", "--json"))["queries"] == 0
    assert len(lab.runs()) == 1


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (("--budget", "lots"), "'lots' is no budget"),
        (("--budget", "5 EUR"), "a budget in EUR needs prices"),
        (("--budget", "5 USD", "--prices", "prices.toml"), "the budget is in USD, and the prices are in EUR"),
        (("--prices", "none.toml"), "none.toml cannot be read"),
    ],
)
def test_what_cannot_be_held_is_said_before_anything_is_asked(
    lab: LabStore, server: ChatServer, words: tuple[str, ...], fact: str
) -> None:
    with pytest.raises(CounterpointError, match=fact):
        _run(server, *words)
    assert (server.received, lab.runs()) == ([], [])
