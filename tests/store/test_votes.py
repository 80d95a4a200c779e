"""Votes at rest: every one is there, each counts once, and a voter's link holds a secret that the lab does not."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabled import calm, texts

from counterpoint.core.errors import StoreError
from counterpoint.core.votes import ReviewSettings, Vote, standing_votes
from counterpoint.store.folder import StorageFolder
from counterpoint.store.lab import LabStore
from counterpoint.store.marker import MARKER
from counterpoint.store.parts import PartPolicy
from counterpoint.store.votes import (
    VoteLog,
    all_votes,
    append_votes,
    find_voter,
    invite_voter,
    put_review,
    read_reviews,
    read_voters,
    read_votes,
    vote_values,
    votes_table,
)

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def vote(name: str, choice: str = "caption", *, minute: int = 0, **fields: Any) -> Vote:
    given = {"group_id": 7, "query": None, "voter": "ann", "task": "judge", "suite": "counting"} | fields
    return Vote(vote=name, choice=choice, time=NOON + timedelta(minutes=minute), **given)


def counted(*votes: Vote) -> list[str]:
    return [each.vote for each in standing_votes(votes)]


@calm
@given(st.lists(st.tuples(texts, texts, st.none() | st.integers(0, 2**64 - 1), st.floats(0, 60, width=32)), max_size=5))
def test_votes_come_back_as_they_were_given(rows: list[tuple[str, str, int | None, float]]) -> None:
    votes = [
        vote(f"{place}", choice, note=note, query=query, seconds=seconds, minute=place)
        for place, (choice, note, query, seconds) in enumerate(rows)
    ]
    with TemporaryDirectory() as folder:
        append_votes(StorageFolder(Path(folder)), votes)
        assert all_votes(StorageFolder(Path(folder))) == votes
    assert vote_values(votes_table(votes)) == votes


def test_a_vote_sent_twice_counts_once() -> None:
    first = vote("a")
    assert standing_votes([replace(first, choice="foil", time=NOON + timedelta(minutes=1)), first]) == [first]


def test_the_vote_that_nobody_replaced_counts() -> None:
    chain = [vote("a"), vote("b", replaces="a", minute=1), vote("c", replaces="b", minute=2)]
    assert counted(*chain) == counted(*reversed(chain)) == ["c"]


def test_nobody_replaces_the_vote_of_another_or_on_another_item() -> None:
    kept = vote("a")
    assert counted(kept, vote("b", voter="bob", replaces="a", minute=1)) == ["a", "b"]
    assert counted(kept, vote("b", group_id=8, replaces="a", minute=1)) == ["a", "b"]


def test_of_two_windows_of_one_person_the_later_vote_counts_but_gold_items_and_notes_repeat() -> None:
    assert counted(vote("a"), vote("b", minute=1)) == ["b"]
    assert counted(vote("a", expected="caption"), vote("b", expected="caption", minute=1)) == ["a", "b"]
    assert counted(vote("a", task="note"), vote("b", task="note", minute=1)) == ["a", "b"]


def test_votes_are_read_by_task_and_suite_and_without_gold_items(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    log = VoteLog(storage, policy=PartPolicy(merge_parts=2))
    votes = [
        vote("a"),
        vote("b", group_id=8, expected="caption"),
        vote("c", suite="order"),
        vote("d", task="answer", query=1),
    ]
    for each in votes:
        log.append([each])
    log.append([])
    log.close()
    assert [name.endswith(".parquet") for name in storage.names("votes/")] == [True, False]
    assert read_votes(storage)["vote"].to_pylist() == ["a", "c", "d"]
    assert read_votes(storage, "judge", "counting", gold_items=True)["vote"].to_pylist() == ["a", "b"]
    assert read_votes(storage, "audit").num_rows == 0


def test_two_logs_add_to_one_lab_and_drafts_of_a_killed_one_go(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    (tmp_path / "votes").mkdir()
    draft = tmp_path / "votes" / ".x.parquet.0000.draft"
    draft.write_bytes(b"half")
    logs = [VoteLog(storage), VoteLog(storage)]
    for place in range(6):
        logs[place % 2].append([vote(f"{place}", group_id=place)])
    assert sorted(read_votes(storage)["vote"].to_pylist()) == list("012345")
    assert not draft.exists()


def test_a_link_is_accepted_until_the_voter_is_invited_again(tmp_path: Path) -> None:
    storage = StorageFolder(tmp_path)
    ann, secret = invite_voter(storage, "Ann Lee", now=lambda: NOON)
    assert find_voter(storage, "Ann Lee", secret) == ann == read_voters(storage)["Ann Lee"]
    assert find_voter(storage, "Ann Lee", "guess") is find_voter(storage, "Bob", secret) is None
    assert secret.encode() not in b"".join(map(storage.get, storage.names("voters/")))
    _, newer = invite_voter(storage, "Ann Lee")
    assert find_voter(storage, "Ann Lee", secret) is None
    assert find_voter(storage, "Ann Lee", newer)


@pytest.mark.parametrize("name", ["", "a/b", " ann", "a\nb", "x" * 81])
def test_a_name_that_cannot_be_shown_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="cannot be a voter's name"):
        invite_voter(StorageFolder(tmp_path), name)


def test_settings_of_a_task_come_back_and_damage_is_found(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    settings = ReviewSettings("judge", ("counting", "order"), sample=30, gold_suite="world", until_majority=True)
    put_review(lab.storage, replace(settings, seed=1))
    put_review(lab.storage, settings)
    assert read_reviews(lab.storage) == {"judge": settings}
    lab.storage.put("reviews/answer.json", b'{"task": "answer", "suites": "counting"}')
    with pytest.raises(StoreError, match="holds no review"):
        read_reviews(lab.storage)
    assert [(check.place, check.holds) for check in lab.verify() if check.place != MARKER] == [
        ("reviews/answer.json", False),
        ("reviews/judge.json", True),
    ]


def test_a_damaged_voter_is_found(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    invite_voter(lab.storage, "ann")
    (name,) = lab.storage.names("voters/")
    lab.storage.put(name, b'{"name": "ann"}')
    assert [(check.place, check.holds) for check in lab.verify() if check.place != MARKER] == [(name, False)]
