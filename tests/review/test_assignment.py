"""Assignment: every item gets its votes from different people, and nobody sees one twice."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import examples

from counterpoint.core.votes import ReviewSettings, Vote
from counterpoint.review.assignment import AssignmentQueue, ReviewItem, sample_items
from counterpoint.review.qualification import VoterStanding, voter_standings

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
Choose = Callable[[str, ReviewItem], str]


def settings(**changed: Any) -> ReviewSettings:
    return ReviewSettings(**({"task": "judge", "suites": ("foils",)} | changed))


def groups(count: int, kinds: int = 2, **fields: Any) -> list[ReviewItem]:
    given = {"task": "judge", "suite": "foils", "query": None} | fields
    return [ReviewItem(group_id=number, kind=f"kind {number % kinds}", **given) for number in range(count)]


def gold(count: int) -> list[ReviewItem]:
    return [ReviewItem("judge", "world", 1000 + number, None, "gold", "caption") for number in range(count)]


class Crowd:
    """Voters who come in a random order, and keep what they were given until they vote."""

    def __init__(self, queue: AssignmentQueue, seed: int, choose: Choose = lambda voter, item: "caption") -> None:
        self.queue, self.rng, self.choose = queue, Random(seed), choose
        self.votes: list[Vote] = []
        self.now = 0.0

    def vote(self, voter: str) -> Vote | None:
        """The voter's next vote, after the item that is on the screen was handed out with the next one."""
        self.now += 1
        items = self.queue.hand_out(voter, self.now)
        if not items:
            return None
        vote = self.cast(voter, items[0])
        self.queue.record(vote)
        return vote

    def cast(self, voter: str, item: ReviewItem) -> Vote:
        number, about = len(self.votes), (item.task, item.suite, item.group_id, item.query)
        time, choice = NOON + timedelta(seconds=number), self.choose(voter, item)
        vote = Vote(f"{number:032x}", *about, voter, choice, time, expected=item.expected)
        self.votes.append(vote)
        return vote

    def all_vote(self, voters: int) -> "Crowd":
        """Everybody votes, one at random after the other, until nobody is given anything."""
        everybody = [f"voter {number}" for number in range(voters)]
        waiting = list(everybody)
        while waiting:
            voter = self.rng.choice(waiting)
            if self.vote(voter):
                waiting = list(everybody)  # a vote may have opened an item again
            else:
                waiting.remove(voter)
        return self


@examples(60)
@given(st.integers(0, 12), st.integers(1, 4), st.integers(1, 6), st.booleans(), st.integers(0, 9))
def test_every_item_gets_its_votes_from_different_people(
    count: int, each: int, voters: int, until_majority: bool, seed: int
) -> None:
    luck = Random(seed)
    how = settings(per_item=each, until_majority=until_majority, seed=seed)
    crowd = Crowd(AssignmentQueue(groups(count), how), seed, lambda *_: luck.choice(["caption", "foil"]))
    votes = crowd.all_vote(voters).votes
    by_item = Counter(vote.item for vote in votes)
    assert len({(vote.item, vote.voter) for vote in votes}) == len(votes), "nobody votes on an item twice"
    if voters >= each:
        assert crowd.queue.complete_items() == crowd.queue.size
        assert len(by_item) == count
    assert max(by_item.values(), default=0) <= each
    if not until_majority:
        assert set(by_item.values()) <= {min(each, voters)}


@examples(20)
@given(st.integers(0, 99))
def test_a_third_vote_is_asked_for_only_where_two_disagree(seed: int) -> None:
    luck = Random(seed)
    queue = AssignmentQueue(groups(8), settings(until_majority=True))
    votes = Crowd(queue, seed, lambda *_: luck.choice(["caption", "foil", "both"])).all_vote(5).votes
    for item in {vote.item for vote in votes}:
        first, second, *more = [vote.choice for vote in votes if vote.item == item]
        assert len(more) == (first != second)


def test_kinds_keep_pace_and_items_with_votes_are_finished_first() -> None:
    items = [ReviewItem("judge", "foils", number, None, "rare" if number < 4 else "frequent") for number in range(20)]
    crowd = Crowd(AssignmentQueue(items, settings(per_item=2)), 0)
    for turn in range(20):
        crowd.vote(f"voter {turn % 2}")
    given_items = Counter("rare" if vote.group_id < 4 else "frequent" for vote in crowd.votes)
    assert given_items == {"rare": 4, "frequent": 16}
    assert Counter(Counter(vote.item for vote in crowd.votes).values())[1] <= 4, "each holds two items"


@examples(30)
@given(st.integers(2, 6), st.integers(1, 3), st.integers(1, 3), st.integers(0, 9))
def test_nobody_answers_two_queries_of_one_group_in_a_row(count: int, queries: int, voters: int, seed: int) -> None:
    items = [
        ReviewItem("answer", "order", group, 10 * group + query, "kind")
        for group in range(count)
        for query in range(queries)
    ]
    crowd = Crowd(AssignmentQueue(items, settings(task="answer", per_item=voters, seed=seed)), seed)
    votes = crowd.all_vote(voters).votes
    assert len(votes) == voters * len(items), "groups with the most queries left come first, so nothing is left over"
    for voter in {vote.voter for vote in votes}:
        own = [vote.group_id for vote in votes if vote.voter == voter]
        assert all(first != second for first, second in pairwise(own))


def test_an_item_that_is_not_voted_on_goes_to_somebody_else_after_a_time() -> None:
    queue = AssignmentQueue(groups(1), settings(per_item=1), lease=60)
    (item,) = queue.hand_out("ann", 0)
    assert queue.hand_out("ann", 50) == [item], "a reload shows the same item, and renews the lease"
    assert queue.hand_out("bob", 109) == []
    assert queue.hand_out("bob", 110) == [item]
    crowd = Crowd(queue, 0)
    queue.record(crowd.cast("ann", item))  # late, and kept
    queue.record(crowd.cast("bob", item))
    assert queue.complete_items() == queue.size
    assert queue.hand_out("cid", 111) == queue.hand_out("ann", 9999) == []


def test_a_restart_forgets_leases_and_loses_no_vote() -> None:
    how, items = settings(seed=3), groups(6)
    crowd = Crowd(AssignmentQueue(items, how), 1)
    for turn in range(7):
        crowd.vote(f"voter {turn % 3}")
    again = Crowd(AssignmentQueue(items, how, crowd.votes), 2)
    again.votes += crowd.votes
    votes = again.all_vote(3).votes
    assert Counter(vote.item for vote in votes) == {item.item: 3 for item in items}
    assert len({(vote.item, vote.voter) for vote in votes}) == len(votes)


def test_a_vote_that_replaces_another_is_no_further_vote() -> None:
    queue = AssignmentQueue(groups(2), settings(per_item=2, until_majority=True))
    crowd = Crowd(queue, 0, lambda voter, item: voter)
    first = crowd.vote("caption")
    assert first
    queue.record(Vote("f" * 32, *first.item, "caption", "foil", NOON, replaces=first.vote))
    assert queue.done("caption") == 1
    assert queue.left("caption", 5) == 1


class TestQualification:
    how = settings(gold_suite="world", gold_items=5, gold_every=3, per_item=2)

    def crowd(self, choose: Choose) -> Crowd:
        return Crowd(AssignmentQueue([*groups(12), *gold(6)], self.how), 0, choose)

    def test_a_voter_qualifies_on_gold_items_and_meets_some_again(self) -> None:
        crowd = self.crowd(lambda voter, item: "caption")
        crowd.all_vote(1)
        marks = "".join("g" if vote.expected else "." for vote in crowd.votes)
        assert marks == "ggggg...g...g...g...g"
        assert [crowd.queue.done("voter 0"), crowd.queue.left("voter 0", 0)] == [21, 0]
        assert voter_standings(crowd.votes, self.how) == {"voter 0": VoterStanding.QUALIFIED}

    @pytest.mark.parametrize("items", [1, 2])
    def test_few_gold_items_are_repeated_and_nobody_waits_for_ever(self, items: int) -> None:
        crowd = Crowd(AssignmentQueue([*groups(12), *gold(items)], self.how), 0)
        crowd.all_vote(1)
        assert "".join("g" if vote.expected else "." for vote in crowd.votes) == "ggggg...g...g...g...g"

    def test_who_does_not_qualify_gets_no_items(self) -> None:
        crowd = self.crowd(lambda voter, item: "foil")
        crowd.all_vote(1)
        assert [vote.expected for vote in crowd.votes] == ["caption"] * 5
        assert crowd.queue.standing("voter 0") is VoterStanding.DISQUALIFIED
        assert crowd.queue.left("voter 0", 0) == 0

    @pytest.mark.parametrize("share_right", [3, 4])
    def test_a_voter_qualifies_at_the_stated_share(self, share_right: int) -> None:
        right = iter([True] * share_right + [False] * 9)
        crowd = self.crowd(lambda *_: "caption" if next(right) else "foil")
        for _ in range(5):
            crowd.vote("ann")
        assert (crowd.queue.standing("ann") is VoterStanding.QUALIFIED) == (share_right >= 4)

    def test_who_stops_reading_is_found_and_the_items_go_to_others(self) -> None:
        def choose(voter: str, item: ReviewItem) -> str:
            reads = voter != "voter 0" or len(crowd.votes) < 8
            return "caption" if reads else "foil"

        crowd = self.crowd(choose)
        while crowd.vote("voter 0"):
            pass
        lazy = [vote for vote in crowd.votes if not vote.expected]
        assert crowd.queue.standing("voter 0") is VoterStanding.DISQUALIFIED
        assert 3 < len(lazy) < 12
        votes = crowd.all_vote(3).votes
        standings = voter_standings(votes, self.how)
        ordinary = [(vote, standings[vote.voter]) for vote in votes if not vote.is_gold_item]
        counted = [vote for vote, standing in ordinary if standing is VoterStanding.QUALIFIED]
        left_out = [vote for vote, standing in ordinary if standing is not VoterStanding.QUALIFIED]
        assert left_out == lazy, "kept, and left out"
        assert Counter(vote.item for vote in counted) == {item.item: 2 for item in groups(12)}
        assert crowd.queue.complete_items() == crowd.queue.size

    def test_the_one_who_marked_the_gold_items_needs_no_qualification(self) -> None:
        how = settings(gold_voter="author", gold_items=2, gold_every=1, per_item=1)
        crowd = Crowd(AssignmentQueue([*groups(4), *gold(2)], how), 0)
        while crowd.vote("author"):
            pass
        assert [vote.expected for vote in crowd.votes] == [""] * 4
        assert voter_standings(crowd.votes, how) == {"author": VoterStanding.QUALIFIED}


def test_a_sample_takes_kinds_in_turn_and_whole_groups() -> None:
    items = [
        ReviewItem("answer", "order", group, query, "rare" if group < 3 else "frequent")
        for group in range(40)
        for query in (10 * group, 10 * group + 1)
    ]
    chosen = sample_items(items, 6, seed=1)
    assert len(chosen) == 12
    assert Counter(item.kind for item in chosen) == {"rare": 6, "frequent": 6}
    everything = sample_items(items, None, seed=1)
    assert everything != items
    assert set(everything) == set(items)
    assert sample_items([], 6, 1) == []


def test_what_people_were_given_before_a_restart_is_given_to_nobody_else() -> None:
    items = groups(4)
    before = AssignmentQueue(items, settings(per_item=1))
    held = {voter: before.hand_out(voter, 0.0) for voter in ("ann", "bob")}
    after = AssignmentQueue(items, settings(per_item=1))
    assert all(after.restore(voter, item.item, 0.0) for voter, own in held.items() for item in own)
    assert after.hand_out("eve", 1.0) == []
    assert after.hand_out("ann", 1.0) == held["ann"]
    assert after.hand_out("eve", 2000.0), "a lease that was restored ends too"
    assert not after.restore("ann", ("judge", "other", 1, None), 1.0)
