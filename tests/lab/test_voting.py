"""Votes of people as figures: validity, agreement, voters, and people as a model on the leaderboard."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from click.testing import CliRunner

import counterpoint as cp
from counterpoint.cli import leaderboard
from counterpoint.cli import votes as votes_command
from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.core.votes import ReviewSettings, Vote
from counterpoint.lab.voting import PEOPLE
from counterpoint.store.votes import append_votes, put_review

_NUMBERS = count()


def _vote(task: str, suite: str, group: int, voter: str, choice: str, **more: Any) -> Vote:
    number = next(_NUMBERS)
    time = datetime(2026, 11, 16, tzinfo=UTC) + timedelta(seconds=number)
    query = more.pop("query", None)
    return Vote(f"{number:032x}", task, suite, group, query, voter, choice, time, **more)


def _pairs(count_: int) -> Iterator[Group]:
    for number in range(count_):
        picture = Picture(f"photos:{number}.png")
        texts = (f"there are {number} dogs", f"there are {number + 1} dogs")
        queries = tuple(Query(picture, text, mode=Mode.SCORE) for text in texts)
        yield Group(Relation.RANKS, queries, (None, None), proof="counted", kind="counting", test="counting")


def _questions() -> Iterator[Group]:
    for number in range(4):
        texts = (f"Is there a dog in picture {number}?", f"Is there no dog in picture {number}?")
        queries = tuple(Query(Picture(f"photos:{number}.png"), text) for text in texts)
        golds = (Gold.of("yes"), Gold.of("no"))
        yield Group(Relation.DIFFERS, queries, golds, proof="seen", kind="existence", test="negation")


@pytest.fixture
def lab(tmp_path: Path) -> cp.Lab:
    lab = cp.Lab(tmp_path / "lab")
    lab.add_groups(_pairs(6), "foils")
    lab.add_groups(_questions(), "negation", rules="exact")
    return lab


def _judge(lab: cp.Lab, *choices: str) -> None:
    """Votes of as many people as each word has letters: c caption, f foil, b both."""
    names = {"c": "caption", "f": "foil", "b": "both"}
    table = lab.groups("foils").to_arrow()
    groups = table.filter(pc.equal(table["role"], 0))["group_id"].to_pylist()
    given = [
        _vote("judge", "foils", group, f"voter {place}", names[letter], seconds=3.0)
        for group, word in zip(groups, choices, strict=False)
        for place, letter in enumerate(word)
    ]
    append_votes(lab.store.storage, given)


def test_validity_unanimity_and_agreement_are_as_counted_by_hand(lab: cp.Lab) -> None:
    _judge(lab, "ccc", "ccf", "cff", "cfb", "ccc", "bbb")
    (counts,) = lab.votes().counts
    assert (counts.items, counts.votes, counts.accepted, counts.unanimous, counts.undecided) == (6, 18, 3, 2, 1)
    assert counts.share.value == 0.5
    observed = (2 * 2 + 2 * 2 + 6) / 2 / 18  # couples that disagree in the second, third and fourth item
    expected = 1 - (10 * 9 + 4 * 3 + 4 * 3) / (18 * 17)
    assert counts.agreement.alpha.value == pytest.approx(1 - observed / expected)
    assert any("the same votes selected" in note for note in lab.votes().notes())


def test_alpha_is_of_the_first_two_votes_where_third_ones_follow_disagreement(lab: cp.Lab) -> None:
    _judge(lab, "cc", "cfc", "cff", "cc", "cc", "ff")
    summary = lab.votes()
    (counts,) = summary.counts
    assert counts.agreement.is_adaptive
    assert counts.unanimous is None
    observed, expected = 4 / 12, 1 - (8 * 7 + 4 * 3) / (12 * 11)
    assert counts.agreement.alpha.value == pytest.approx(1 - observed / expected)
    assert any("first two votes" in note for note in summary.notes())


def test_voters_who_miss_gold_items_are_left_out_and_told(lab: cp.Lab) -> None:
    _judge(lab, *["ccf"] * 6)
    group = lab.groups("foils").to_arrow()["group_id"][0].as_py()
    gold = [_vote("judge", "foils", group, "voter 2", "foil", expected="caption") for _ in range(3)]
    put_review(lab.store.storage, ReviewSettings("judge", ("foils",), gold_suite="foils", gold_items=1))
    append_votes(lab.store.storage, [_vote("judge", "foils", group, "voter 1", "caption", expected="caption")])
    append_votes(lab.store.storage, [*gold, _vote("judge", "foils", group, "voter 0", "caption", expected="caption")])
    summary = lab.votes()
    assert [(record.voter, record.left_out) for record in summary.voters][2] == ("voter 2", ("judge",))
    assert summary.left_out == 6
    assert summary.counts[0].votes == 12
    assert any("6 votes of 1 voter left out" in note for note in summary.notes())


def test_people_are_a_model_of_the_leaderboard(lab: cp.Lab) -> None:
    groups = lab.groups("negation").to_arrow()
    rows = list(
        zip(groups["group_id"].to_pylist(), groups["query"].to_pylist(), groups["role"].to_pylist(), strict=True)
    )
    said = {0: ("yes yes no", "no no yes"), 1: ("yes no", "no no no"), 2: ("ambiguous ambiguous yes", "no no no")}
    given = [
        _vote("answer", "negation", group, f"voter {place}", choice, query=query)
        for number, (group, query, role) in enumerate(rows[:6])
        for place, choice in enumerate(said[number // 2][role].split())
    ]
    append_votes(lab.store.storage, given)
    _judge(lab, "ccc", "cff")
    report = lab.add_people(each=True)
    assert report.models[PEOPLE] == 10
    scores = {score.metric: score for score in lab.scores(models=[PEOPLE], suites=["negation"])}
    assert scores["comprehensive_accuracy"].n == 3
    assert scores["comprehensive_accuracy"].value == pytest.approx(1 / 3), "no majority and ambiguous count against it"
    ranked = {score.metric: score.value for score in lab.scores(models=[PEOPLE], suites=["foils"])}
    assert ranked["acc_r"] == 0.5
    assert "people/voter 0" in {model.name for model in lab.models}
    assert len(lab.add_people().models) == 1
    assert len([model for model in lab.models if model.name == PEOPLE]) == 1, "the same votes are the same version"


def test_dawid_skene_needs_thirty_votes_of_each(lab: cp.Lab) -> None:
    query = lab.groups("negation").to_arrow()
    append_votes(
        lab.store.storage,
        [_vote("answer", "negation", query["group_id"][0].as_py(), "ada", "yes", query=query["query"][0].as_py())],
    )
    with pytest.raises(cp.CounterpointError, match="1 voter has fewer than 30 votes, such as ada"):
        lab.add_people(estimate="dawid-skene")


def test_gold_items_tell_dawid_skene_that_the_majority_is_careless(lab: cp.Lab) -> None:
    table = lab.groups("negation").to_arrow()
    golds = [gold[0]["answer"] for gold in table["gold"].to_pylist()]
    rows = list(zip(table["group_id"].to_pylist(), table["query"].to_pylist(), golds, strict=True))
    opposite = {"yes": "no", "no": "yes"}
    votes = []
    for voter in ("careful", "careless", "hasty"):
        said = {gold: gold if voter == "careful" else opposite[gold] for gold in opposite}
        votes += [_vote("answer", "negation", group, voter, said[gold], query=query) for group, query, gold in rows]
        for number in range(30):
            gold = ("yes", "no")[number % 2]
            votes.append(_vote("answer", "known", number, voter, said[gold], query=number, expected=gold))
    append_votes(lab.store.storage, votes)
    lab.add_people()
    (score,) = lab.scores(models=[PEOPLE], metrics=["accuracy"])
    assert score.value == 0.0
    lab.add_people(estimate="dawid-skene")
    (score,) = lab.scores(models=[f"{PEOPLE}@latest"], metrics=["accuracy"])
    assert score.value == 1.0
    summary = lab.votes(task="answer", estimate="dawid-skene")
    (estimate,) = summary.estimates
    assert (estimate.items, estimate.accepted) == (8, 8)
    shares = {(own.voter, own.probable): own.shares for own in estimate.confusions}
    assert shares["careful", "yes"]["yes"] == pytest.approx((19 + 4) / (19 + 5), abs=0.001), "the prior is 4 to 1"
    assert shares["careless", "yes"]["no"] == pytest.approx((19 + 1) / (19 + 5), abs=0.001)
    printed = CliRunner().invoke(
        votes_command.command, [str(lab.folder), "--estimate", "dawid-skene"], catch_exceptions=False
    )
    assert "83.3" in printed.output


def test_a_lab_without_votes_says_how_to_ask_for_them(lab: cp.Lab) -> None:
    with pytest.raises(cp.CounterpointError, match="has no votes on foils") as problem:
        lab.votes("foils")
    assert "review" in problem.value.hint
    with pytest.raises(cp.CounterpointError, match="no suite of this lab is called"):
        lab.votes("foil")


def test_the_command_prints_what_the_api_returns(lab: cp.Lab) -> None:
    _judge(lab, "ccc", "ccf")
    folder = str(lab.folder)
    shown = CliRunner().invoke(votes_command.command, [folder, "--suite", "foils"], catch_exceptions=False).output
    assert "counting" in shown
    assert "voter 0" in shown
    CliRunner().invoke(votes_command.command, [folder, "--people"], catch_exceptions=False)
    ranked = CliRunner().invoke(leaderboard.command, [folder, "--suite", "foils"], catch_exceptions=False)
    assert PEOPLE in ranked.output


def test_audits_alone_are_no_answers_of_people(lab: cp.Lab) -> None:
    query = lab.groups("negation").to_arrow()
    about = ("negation", query["group_id"][0].as_py())
    append_votes(lab.store.storage, [_vote("audit", *about, "ada", "wrong")])
    with pytest.raises(cp.CounterpointError, match="no vote answers a query or judges a pair"):
        lab.add_people(each=True)
    assert list(lab.models) == []
    append_votes(lab.store.storage, [_vote("answer", *about, "bob", "yes", query=query["query"][0].as_py())])
    lab.add_people(each=True)
    assert [model.name for model in lab.models] == [PEOPLE, f"{PEOPLE}/bob"]
