"""A few of the attacks that `make prove` runs by the thousand, and the page of promises with their tests."""

import re
from pathlib import Path

import pytest
from proving import scaled

from benchmarks.attacks import damaged_labs, hostile_requests, hostile_servers, kills


def test_damage_to_a_lab_is_named_or_refused() -> None:
    count = scaled(80)
    endings, faults = damaged_labs.run_attacks(count, seed=1)
    assert not faults
    assert endings["named"] > count // 3


def test_kills_lose_and_repeat_nothing() -> None:
    count = scaled(8, 2)
    killed, faults = kills.run_attacks(count, seed=1, works=("run", "rescore"))
    assert sum(killed.values()) == count
    assert not faults


@pytest.mark.prove
def test_requests_stop_no_server() -> None:
    statuses, _, faults = hostile_requests.run_attacks(60, seed=1)
    assert not faults
    assert len(statuses) > 3


@pytest.mark.parametrize("behaviour", hostile_servers.BEHAVIOURS)
def test_every_behaviour_of_a_rogue_server_can_be_tried(behaviour: str) -> None:
    with hostile_servers.server_of(behaviour) as server:
        assert server.base_url


@pytest.mark.prove
def test_rogue_servers_end_no_run_without_a_reason() -> None:
    endings = hostile_servers.run_attacks(("deep JSON", "429, once"))
    assert [ending.faults for ending in endings] == [()] * 6
    assert [set(ending.states) == {"failed"} for ending in endings] == [True] * 3 + [False] * 3
    assert not any(ending.states["failed"] for ending in endings[3:])


def test_every_promise_names_a_test_that_exists() -> None:
    project = Path(__file__).parents[1]
    page = (project / "docs" / "explanation" / "security.md").read_text(encoding="utf-8")
    promises = re.findall(r"^\| ([A-Z].*) \| (.*) \|$", page, re.MULTILINE)
    assert len(promises) > 15
    for promise, proof in promises:
        named = re.findall(r"`(tests/[\w/.]+|benchmarks[\w.]+)`", proof)
        assert any(name.startswith("tests/") for name in named), promise
        for name in named:
            path = name if name.startswith("tests/") else f"{name.replace('.', '/')}.py"
            assert (project / path).exists(), name
