"""Shards: every row is answered or fails, whatever workers do and in whatever order it is heard of."""

from dataclasses import dataclass, field
from itertools import groupby

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.engine.shards import MAX_LOSSES, MAX_TRIES, SHARD_SECONDS, ShardDispatcher, picture_starts


@dataclass
class Course:
    """Workers that take, finish and lose shards as drawn, and what became of every row."""

    dispatcher: ShardDispatcher
    answered: list[int] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)  # lost, and not up again yet

    def step(self, worker: int, choice: str, kept: int) -> None:
        if worker in self.gone and not self.dispatcher.is_benched(worker):
            self.gone.discard(worker)
            self.dispatcher.join(worker)
        elif (shard := self.dispatcher.held(worker)) is None:
            if worker in self.dispatcher.joined:
                self.dispatcher.take(worker)
        elif choice == "finish":
            self.answered += shard.rows
            self.dispatcher.finish(worker, seconds=1.0)
        else:
            self.answered += shard.rows[:kept]
            self.gone.add(worker)
            self.dispatcher.lose(worker, "killed", shard.rows[kept:])


@given(st.text("abc-", max_size=40), st.integers(1, 4), st.integers(1, 6), st.data())
def test_every_row_ends_once_whoever_is_lost(letters: str, workers: int, first: int, data: st.DataObject) -> None:
    plan = pa.table({"picture": pa.array([None if x == "-" else x for x in sorted(letters)], pa.string())})
    course = Course(ShardDispatcher(picture_starts(plan), plan.num_rows, first))
    for worker in range(workers):
        course.dispatcher.join(worker)
    choices = st.tuples(st.integers(0, workers - 1), st.sampled_from(["finish", "lose"]), st.integers(0, 3))
    for worker, choice, kept in data.draw(st.lists(choices, max_size=60)):
        course.step(worker, choice, kept)
    for _ in range(6 * len(letters) + 20):  # from here on nobody is lost, and all that can be done is done
        for worker in range(workers):
            course.step(worker, "finish", 0)
    failed = [row for shard in course.dispatcher.failed for row in shard.rows]
    assert all(len(shard.lost_by) == MAX_TRIES for shard in course.dispatcher.failed)
    if len(course.dispatcher.benched) < workers:
        assert course.dispatcher.is_done
        assert sorted([*course.answered, *failed]) == list(range(plan.num_rows))
    else:
        assert len({*course.answered, *failed}) == len(course.answered) + len(failed), "none is answered twice"


@given(st.text("abcd", min_size=1, max_size=40), st.integers(1, 9))
def test_a_picture_is_never_cut(letters: str, first: int) -> None:
    whole = "".join(sorted(letters))
    dispatcher = ShardDispatcher(picture_starts(pa.table({"picture": list(whole)})), len(whole), first)
    dispatcher.join(0)
    shards = []
    while (shard := dispatcher.take(0)) is not None:
        shards.append("".join(whole[row] for row in shard.rows))
        dispatcher.finish(0, seconds=SHARD_SECONDS)
    assert "".join(shards) == whole
    assert sum(len(list(groupby(shard))) for shard in shards) == len(set(whole))


def test_shards_grow_to_half_a_minute_of_work_and_shrink_towards_the_end() -> None:
    dispatcher = ShardDispatcher(range(20_000), 20_000, first_rows=10)
    for worker in range(2):
        dispatcher.join(worker)
    sizes = list[int]()
    while (shard := dispatcher.take(0)) is not None:
        sizes.append(len(shard))
        dispatcher.finish(0, seconds=len(shard) / 100)
    assert sizes[:4] == [10, 80, 640, 3000], "never more than eight times the last"
    assert sizes[-1] <= 10 < max(sizes) <= 100 * SHARD_SECONDS


def lost(dispatcher: ShardDispatcher, worker: int) -> None:
    shard = dispatcher.held(worker)
    dispatcher.lose(worker, f"worker {worker} died", shard.rows if shard else ())


def test_what_a_worker_left_goes_to_another_and_back_only_if_nobody_else_is_there() -> None:
    dispatcher = ShardDispatcher([0], 4, first_rows=4)
    dispatcher.join(0)
    dispatcher.join(1)
    dispatcher.take(0)
    lost(dispatcher, 0)
    dispatcher.join(0)
    assert dispatcher.take(0) is None, "worker 1 has not tried it"
    shard = dispatcher.take(1)
    assert shard is not None
    assert (list(shard.rows), shard.lost_by, shard.reason) == ([0, 1, 2, 3], (0,), "worker 0 died")
    lost(dispatcher, 1)
    assert dispatcher.take(0) is not None, "both have lost it"
    lost(dispatcher, 0)
    assert [(len(shard), shard.lost_by) for shard in dispatcher.failed] == [(4, (0, 1, 0))]
    assert dispatcher.is_done


def test_a_worker_that_is_always_lost_is_benched_and_one_that_finishes_is_forgiven() -> None:
    dispatcher = ShardDispatcher(range(100), 100, first_rows=1)
    for worker in range(2):
        dispatcher.join(worker)
    for _ in range(MAX_LOSSES - 1):
        lost(dispatcher, 0)
        dispatcher.join(0)
    dispatcher.take(0)
    dispatcher.finish(0, 1.0)
    for _ in range(MAX_LOSSES):
        assert not dispatcher.is_benched(0)
        lost(dispatcher, 0)
    dispatcher.join(0)
    assert dispatcher.benched == [0]
    assert dispatcher.joined == {1}


def test_a_busy_worker_cannot_take_another_shard() -> None:
    dispatcher = ShardDispatcher([0, 1], 2, first_rows=1)
    dispatcher.join(0)
    dispatcher.take(0)
    with pytest.raises(AssertionError, match="worker 0 cannot take"):
        dispatcher.take(0)
