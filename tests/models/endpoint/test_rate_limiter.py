"""How fast a server is asked, and when again; all of it without a server and without a wait."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from math import inf
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from served import some

from counterpoint.core.costs import Budget
from counterpoint.core.errors import BudgetExhausted, ModelUnreachable
from counterpoint.core.groups import Answer, Query
from counterpoint.models.endpoint.requests import REQUESTS_PER_CLIENT, ClientPool
from counterpoint.models.endpoint.scheduler import (
    QueryTask,
    RateLimiter,
    RequestScheduler,
    RetryableError,
    RetryPolicy,
    ServerState,
    TaskQueue,
    backoff_delay,
    remaining_requests,
    retry_after,
)

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def test_a_push_back_halves_what_may_be_on_its_way() -> None:
    limiter = RateLimiter.full(32).after_pushback(sent=0.0, now=1.0)
    assert limiter.free_slots(0, now=1.0) == 16
    assert limiter.free_slots(10, now=1.0) == 6
    assert limiter.free_slots(20, now=1.0) == 0


def test_requests_that_were_pushed_back_together_count_once() -> None:
    limiter = RateLimiter.full(32)
    for _ in range(32):
        limiter = limiter.after_pushback(sent=0.0, now=1.0)
    assert limiter.limit == 16
    assert limiter.after_pushback(sent=2.0, now=3.0).limit == 8


def test_there_is_always_room_for_one() -> None:
    limiter = RateLimiter.full(4)
    for second in range(20):
        limiter = limiter.after_pushback(sent=float(second), now=second + 0.5)
    assert limiter.free_slots(0, now=99.0) == 1


def test_answers_give_room_for_one_more_in_the_time_of_one_round() -> None:
    limiter = RateLimiter(maximum=32, limit=8.0)
    for _ in range(9):
        limiter = limiter.after_answer()
    assert 9 <= limiter.limit < 10
    for _ in range(1000):
        limiter = limiter.after_answer()
    assert limiter.limit == 32


def test_no_more_requests_go_than_the_server_says_it_still_takes() -> None:
    limiter = RateLimiter.full(32)
    assert limiter.free_slots(0, now=0.0) == 32
    for remaining, slots in ((5.0, 5), (0.0, 1), (1000.0, 32)):
        assert limiter.after_answer(remaining).free_slots(0, now=0.0) == slots
    assert limiter.after_answer(5.0).after_answer().free_slots(0, now=0.0) == 32


@pytest.mark.parametrize(
    ("headers", "number"),
    [
        ({"x-ratelimit-remaining-requests": "59"}, 59),
        ({"anthropic-ratelimit-requests-remaining": "0"}, 0),
        ({"ratelimit-remaining": "-3"}, 0),
        ({"x-ratelimit-remaining-requests": "nan"}, inf),
        ({"x-ratelimit-remaining-requests": "many", "ratelimit-remaining": "4"}, 4),
        ({}, inf),
    ],
)
def test_rate_limit_headers_are_read(headers: dict[str, str], number: float) -> None:
    assert remaining_requests(headers) == number


def test_nothing_is_sent_while_the_server_wants_to_be_left_alone() -> None:
    limiter = RateLimiter.full(8).after_pushback(sent=0.0, now=1.0, wait=5.0)
    assert [limiter.free_slots(0, now) for now in (1.0, 5.9, 6.0)] == [0, 0, 4]
    assert limiter.after_pushback(sent=0.5, now=1.5, wait=1.0).resume_at == 6.0


@given(st.lists(st.one_of(st.none(), st.floats(0, 9))), st.integers(1, 64))
def test_whatever_happens_the_limit_stays_between_one_and_the_most(events: list[float | None], most: int) -> None:
    limiter = RateLimiter.full(most)
    for now, event in enumerate(events):
        limiter = (
            limiter.after_answer()
            if event is None
            else limiter.after_pushback(sent=now - event, now=float(now), wait=event)
        )
        assert 1 <= limiter.limit <= most


@given(st.integers(1, 100), st.integers())
def test_waits_grow_twofold_up_to_the_most_and_luck_takes_at_most_half(times: int, luck: int) -> None:
    whole = min(60.0, 0.5 * 2.0 ** (times - 1))
    assert whole / 2 <= backoff_delay(times, Random(luck), first=0.5) <= whole


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=90), usegmt=True)}, 90.0),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=90), usegmt=True)}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_the_time_to_wait_is_read_as_seconds_or_as_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


def _tasks(queries: list[Query]) -> list[QueryTask]:
    return [QueryTask(place, 0, query) for place, query in enumerate(queries)]


def test_the_first_on_a_picture_goes_before_the_others_and_pictures_are_finished_in_turn() -> None:
    waiting = TaskQueue(_tasks(some(6, pictures=2)))
    first = [waiting.next(0.0), waiting.next(0.0), waiting.next(0.0)]
    assert [number is not None and waiting.tasks[number].place for number in first] == [0, 1, False]
    assert first[0] is not None
    waiting.release(first[0])
    others = [waiting.next(0.0), waiting.next(0.0), waiting.next(0.0)]
    assert [number is not None and waiting.tasks[number].place for number in others] == [2, 4, False]


def test_queries_without_a_picture_wait_for_nobody() -> None:
    waiting = TaskQueue(_tasks([Query(None, "What?"), Query(None, "Who?")]))
    assert [waiting.next(0.0), waiting.next(0.0), waiting.next(0.0)] == [0, 1, None]


class Clock:
    """Time that passes when it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.05
        return self.now


def _round(
    queries: list[Query], attempt: Callable[[QueryTask], Awaitable[Answer]], state: ServerState, policy: RetryPolicy
) -> list[tuple[int, str]]:
    settled: list[tuple[int, str]] = []

    async def walk() -> None:
        async for task, answer in RequestScheduler(_tasks(queries), attempt, state, policy, Clock()).answers():
            settled.append((task.place, answer.raw or answer.reason))

    with ThreadPoolExecutor(1) as thread:
        problem = thread.submit(asyncio.run, walk()).exception()
    if problem is not None:
        assert isinstance(problem, BudgetExhausted | ModelUnreachable)
        settled.append((-1, str(problem)))
    return settled


def test_what_comes_to_nothing_too_often_fails_and_the_others_do_not() -> None:
    tries: list[int] = []

    async def attempt(task: QueryTask) -> Answer:
        tries.append(task.place)
        if task.place == 1:
            raise RetryableError("it broke off")
        return Answer.of("yes")

    state = ServerState(RateLimiter.full(4))
    settled = _round(some(4), attempt, state, RetryPolicy(attempts=3, first_delay=0.001))
    assert sorted(settled) == [(0, "yes"), (1, "it broke off"), (2, "yes"), (3, "yes")]
    assert tries.count(1) == 3
    assert state.retries == 2


def test_a_spent_budget_is_told_after_what_has_arrived() -> None:
    state = ServerState(RateLimiter.full(2), budget=Budget(3))

    async def attempt(task: QueryTask) -> Answer:
        state.count_request()
        await asyncio.sleep(0)
        return Answer.of("yes")

    *settled, (_, said) = _round(some(8), attempt, state, RetryPolicy())
    assert len(settled) == 3
    assert said == "the budget of 3 requests is used up"


def test_a_server_that_is_away_is_waited_for_as_long_as_patience_lasts() -> None:
    state = ServerState(RateLimiter.full(2), down_since=0.0)
    times = 0

    async def attempt(task: QueryTask) -> Answer:
        nonlocal times
        times += 1
        raise RetryableError("nobody is there", unreachable=True)

    assert _round(some(1), attempt, state, RetryPolicy(attempts=3, first_delay=0.001, max_downtime=1.0)) == [
        (-1, "nobody is there")
    ]
    assert times > 3


def test_fewer_requests_are_in_flight_to_a_server_that_pushes_back() -> None:
    clock, state, crowd = Clock(), ServerState(RateLimiter.full(24)), list[int]()
    in_flight = 0

    async def attempt(task: QueryTask) -> Answer:
        nonlocal in_flight
        in_flight += 1
        crowd.append(in_flight)
        sent, crowded = clock(), in_flight > 3
        await asyncio.sleep(0)
        in_flight -= 1
        if crowded:
            state.limiter = state.limiter.after_pushback(sent=sent, now=clock())
            raise RetryableError("too many requests")
        state.limiter = state.limiter.after_answer()
        return Answer.of("yes")

    settled = _round(some(120, pictures=60), attempt, state, RetryPolicy(attempts=50, first_delay=0.001))
    assert sorted(settled) == [(place, "yes") for place in range(120)]
    assert max(crowd[:24]) > 12
    assert sum(crowd[-60:]) / 60 < 6


def test_a_client_sends_a_few_requests_at_a_time_and_the_last_used_is_next() -> None:
    clients: Any = ("one", "two", "three")
    pool = ClientPool(clients)
    with ExitStack() as lent:
        counts = Counter(str(lent.enter_context(pool.lend())) for _ in range(3 * REQUESTS_PER_CLIENT))
    assert counts == dict.fromkeys(clients, REQUESTS_PER_CLIENT)
    with pool.lend() as first:
        pass
    with pool.lend() as again:
        assert again is first
