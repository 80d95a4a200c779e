"""Setting up tasks for people: which items there are, which are gold, and what is refused."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from review_labs import review_lab

import counterpoint as cp
from counterpoint.cli.main import commands
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.votes import Vote
from counterpoint.lab.review_tasks import load_review
from counterpoint.store.votes import append_votes, find_voter, read_reviews


@pytest.fixture
def lab(tmp_path: Path) -> cp.Lab:
    review_lab(tmp_path / "lab")
    return cp.Lab(tmp_path / "lab")


@pytest.mark.parametrize(
    ("task", "suites", "items"),
    [("judge", ("foils", "known"), 10), ("answer", ("questions",), 6), ("audit", ("foils", "known", "questions"), 13)],
)
def test_without_names_every_suite_that_fits_is_taken(
    lab: cp.Lab, task: str, suites: tuple[str, ...], items: int
) -> None:
    setup = lab.review(task)
    assert (setup.suites, setup.items) == (suites, items)
    assert read_reviews(lab.store.storage)[task].suites == suites


def test_a_sample_is_of_each_suite_and_the_same_for_one_seed(lab: cp.Lab) -> None:
    def drawn(**how: Any) -> list[tuple[str, int]]:
        lab.review("judge", sample=2, **how)
        pool = load_review(lab.store, read_reviews(lab.store.storage)["judge"])
        return [(item.suite, item.group_id) for item in pool.items]

    assert sorted(suite for suite, _ in drawn()) == ["foils", "foils", "known", "known"]
    assert drawn(seed=1) == drawn(seed=1) != drawn(seed=2)


def test_gold_items_are_groups_of_a_suite_or_the_votes_of_the_author(lab: cp.Lab) -> None:
    assert "qualify on 4 gold items" in str(lab.review("judge", suites=["foils"], gold_suite="known"))
    lab.review("judge", suites=["foils"])
    item = load_review(lab.store, read_reviews(lab.store.storage)["judge"]).items[0]
    append_votes(lab.store.storage, [Vote("0" * 32, *item.item, "author", "both", datetime.now(UTC))])
    setup = lab.review("judge", suites=["foils"], gold_voter="author")
    assert (setup.items, setup.gold_items, setup.votes) == (5, 1, 1)
    pool = load_review(lab.store, read_reviews(lab.store.storage)["judge"])
    assert [(gold.group_id, gold.expected) for gold in pool.items if gold.expected] == [(item.group_id, "both")]


def test_a_gold_query_has_one_answer_among_those_that_are_offered(lab: cp.Lab) -> None:
    lab.review("answer", suites=["questions"], gold_suite="questions")
    pool = load_review(lab.store, read_reviews(lab.store.storage)["answer"])
    assert sorted(item.expected for item in pool.items if item.expected) == ["gray", "yes"]


@pytest.mark.parametrize(
    ("task", "how", "problem"),
    [
        ("judge", {"suites": ["questions"]}, "has no captions with foils"),
        ("answer", {"suites": ["foils"]}, "has no queries to answer"),
        ("judge", {"suites": ["nowhere"]}, "nowhere"),
        ("vote", {}, "no review task is called 'vote'"),
        ("judge", {"gold_suite": "known", "gold_voter": "author"}, "gold items come from"),
        ("judge", {"gold_voter": "nobody"}, "no gold item in the votes of nobody"),
        ("judge", {"gold_suite": "questions"}, "no gold item in questions"),
    ],
)
def test_what_nobody_could_vote_on_is_refused(lab: cp.Lab, task: str, how: dict[str, Any], problem: str) -> None:
    with pytest.raises((CounterpointError, UnknownName), match=problem):
        lab.review(task, **how)
    assert read_reviews(lab.store.storage) == {}


def _run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(commands, ["review", *map(str, words)])
    return result.exit_code, result.output


def test_the_command_sets_up_a_task_and_prints_links(lab: cp.Lab) -> None:
    code, said = _run(
        lab.folder, "--task", "judge", "--suite", "foils", "--until-majority", "--no-serve", "--invite", "Ann Lee"
    )
    assert code == 0
    assert "judge: 6 groups of foils, 3 votes each, a further one only until 2 agree" in said
    secret = said.strip().rpartition("secret=")[2]
    assert "http://127.0.0.1:8400/review/join?voter=Ann+Lee&secret=" in said
    assert find_voter(lab.store.storage, "Ann Lee", secret)
    code, said = _run(lab.folder, "--invite", "bob", "--address", "https://votes.example/")
    assert code == 0
    assert said.startswith("bob: https://votes.example/review/join?voter=bob&secret=")


def test_a_server_on_any_free_port_prints_links_that_lead_to_it(lab: cp.Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def serve(lab: cp.Lab, *, page: str, started: Callable[[str], None], **_: object) -> None:
        started(f"http://127.0.0.1:54321{page}")

    monkeypatch.setattr(cp, "serve", serve)
    code, said = _run(lab.folder, "--task", "judge", "--port", 0, "--invite", "bob")
    assert code == 0
    assert "bob: http://127.0.0.1:54321/review/join?voter=bob&secret=" in said
    assert (
        "vote at http://127.0.0.1:54321/review/judge, see how far people are at http://127.0.0.1:54321/review;" in said
    )


def test_the_command_wants_a_task_a_sheet_or_somebody_to_invite(lab: cp.Lab) -> None:
    code, said = _run(lab.folder, "--suite", "foils")
    assert code == 2
    assert "--invite" in said
