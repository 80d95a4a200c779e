"""A model behind a server: whatever it does, every query is answered once, by its own reply, or says why not."""

import asyncio
import gzip
from base64 import b64decode
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from io import BytesIO
from itertools import pairwise
from threading import Event
from time import sleep
from typing import Any

import httpx2
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image
from proving import examples
from served import QUICK, Plain, answers, digest, gathered, served, some

from counterpoint import catalog
from counterpoint.core.costs import Budget, Cost, TokenPrices, Usage
from counterpoint.core.errors import BudgetExhausted, CounterpointError, ModelUnreachable
from counterpoint.core.groups import Answer, Gold, Group, Mode, Query, Relation, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, BatchingModel, RemoteModel, RenamedModel, Sampler, Scorer, StreamingScorer
from counterpoint.engine import running
from counterpoint.models.endpoint.chat import Chat, chat
from counterpoint.models.endpoint.completions import (
    MAX_TEXT,
    Decoding,
    ServerCapabilities,
    request_body,
)
from counterpoint.models.endpoint.picture_encoding import PictureEncoding
from counterpoint.models.endpoint.requests import (
    MAX_REPLY_BYTES,
    Endpoint,
    RequestRejected,
    Server,
    read_limited,
)
from counterpoint.models.endpoint.scheduler import RateLimiter, RetryableError, RetryPolicy, ServerState
from counterpoint.models.prompts import Prompt
from counterpoint.store import groups
from counterpoint.testing import ChatServer, MemoryLog, ReceivedRequest, ServerFault, check_model

run = partial(running.run, read=groups.read_queries)
PASSING = [
    ServerFault.BUSY,
    ServerFault.BUSY_FOR,
    ServerFault.BUSY_UNTIL,
    ServerFault.BROKEN,
    ServerFault.LOADING,
    ServerFault.HALF,
    ServerFault.CUT,
    ServerFault.GARBLED,
    ServerFault.RESET,
]
"""Troubles that are over when a request is sent again."""


def _table(queries: Sequence[Query]) -> object:
    made = [("plain", Group(Relation.SAME, (query,), (Gold.of("yes"),))) for query in queries]
    return groups.unique_queries(groups.groups_table(made, "some"))


def _own(query: Query) -> str:
    """What the double replies to a query, by its picture and its words."""
    if query.picture is None:
        return Prompt().text(query)
    _, content = PictureEncoding().encode(Plain().pixels(query.picture))
    return f"{digest(content)[:8]} {Prompt().text(query)}"


def test_every_query_gets_its_own_reply() -> None:
    asked = [*some(40), Query(None, "What is it without a picture?")]
    with ChatServer() as server:
        said = answers(served(server), asked)
        assert [answer.raw for answer in said] == [_own(query) for query in asked]
        assert set(server.asked.values()) == {1}
    assert {answer.state for answer in said} <= {State.OK, State.UNPARSED}


def test_a_chat_model_can_do_all_that_the_engine_asks_for() -> None:
    model = served("http://127.0.0.1:1/v1")
    assert all(
        isinstance(model, port) for port in (Answerer, Scorer, StreamingScorer, Sampler, RemoteModel, BatchingModel)
    )


def _by_seed(asked: ReceivedRequest) -> str:
    return f"Yes, by {asked.body.get('seed', 'no luck')}."


def test_a_chat_model_keeps_what_models_promise() -> None:
    with ChatServer(_by_seed, chances=lambda asked: {"Yes": 0.75, "No": 0.25}) as server:
        lost = Query(Picture("p:missing.png"), "Is it lost?")
        kept = check_model(served(server), [Query(Picture(f"p:{n}.png"), f"Is it {n}?") for n in range(3)], broken=lost)
    assert set(kept) == {"fingerprint", "ability", "answers", "batch invariance", "pictures", "scores", "samples"}


def test_the_picture_stands_before_the_words_and_has_the_very_pixels() -> None:
    with ChatServer() as server:
        answers(served(server), [Query(Picture("p:7.png"), "What is it?")])
    shown, said = server.received[0].body["messages"][-1]["content"]
    assert said == {"type": "text", "text": Prompt().text(Query(None, "What is it?"))}
    content = b64decode(shown["image_url"]["url"].removeprefix("data:image/png;base64,"))
    assert np.array_equal(np.asarray(Image.open(BytesIO(content))), Plain().pixels(Picture("p:7.png")))


def test_a_picture_can_be_sent_as_jpeg_and_smaller() -> None:
    kind, content = PictureEncoding("jpeg", side=3).encode(np.zeros((4, 6, 3), np.uint8))
    opened = Image.open(BytesIO(content))
    assert (kind, opened.format, opened.size) == ("jpeg", "JPEG", (3, 2))


def test_the_first_request_on_a_picture_is_answered_before_the_others_on_it_are_sent() -> None:
    pictures, alone = Plain(), dict[str, bool]()

    def says(asked: ReceivedRequest) -> str:
        alone.setdefault(asked.picture, [one.picture for one in server.received].count(asked.picture) == 1)
        return "fine"

    with ChatServer(says, together=3) as server:
        answers(served(server, pictures), some(24, pictures=3))
        assert len({one.picture for one in server.received[:3]}) == 3
    assert list(alone.values()) == [True] * 3
    assert set(pictures.looks.values()) == {1}


def test_pictures_are_finished_in_turn_where_there_is_room_for_one_request() -> None:
    with ChatServer() as server:
        answers(served(server, concurrency=1), some(12, pictures=3))
        order = [one.picture for one in server.received]
    changes = sum(one != other for one, other in pairwise(order))
    assert changes <= 5  # the first of each picture, then the rest of each


def test_a_picture_that_cannot_be_read_fails_its_queries_alone_and_costs_no_request() -> None:
    lost = [Query(Picture("p:missing.png"), f"What is lost {n}?") for n in range(3)]
    with ChatServer() as server:
        said = answers(served(server), [*some(5), *lost])
        assert len(server.received) == 5
    assert [answer.state is State.FAILED for answer in said] == [False] * 5 + [True] * 3
    assert said[-1].reason == "p:missing.png cannot be shown: missing.png does not exist"


def test_no_more_requests_are_on_their_way_than_may_be() -> None:
    with ChatServer(together=5) as server:
        answers(served(server, concurrency=5), some(60, pictures=30))
    assert server.busiest == 5


def test_after_the_first_answers_no_more_are_on_their_way_than_the_server_still_takes() -> None:
    running: list[int] = []
    body = b'{"choices": [{"message": {"content": "red"}}]}'
    head = b"HTTP/1.1 200 OK\r\nX-RateLimit-Remaining-Requests: 2\r\nContent-Length: %d\r\n\r\n" % len(body)

    def says(asked: ReceivedRequest) -> bytes:
        running.append(server.busy)
        return head + body

    with ChatServer(verbatim=says, together=6) as server:
        answers(served(server, concurrency=6), some(30, pictures=30))
    assert running[0] == 6
    assert set(running[12:]) <= {1, 2}


def test_a_server_that_pushes_back_lowers_the_concurrency_limit() -> None:
    with ChatServer(trouble=lambda asked, times: ServerFault.BUSY if not times else None, together=24) as server:
        model = served(server, concurrency=24)
        said = answers(model, some(24, pictures=24))
    assert not [answer for answer in said if answer.state is State.FAILED]
    assert server.busiest == 24
    assert model._state.limiter.limit < 24


@pytest.mark.parametrize("trouble", PASSING)
def test_a_trouble_that_passes_loses_no_query_and_settles_none_twice(trouble: ServerFault) -> None:
    asked = some(12)
    with ChatServer(trouble=lambda asked, times: trouble if not times else None) as server:
        model = served(server, concurrency=12)
        said = answers(model, asked)
        assert set(server.settled.values()) == {1}
        assert len(server.settled) == len(asked)
        assert model.requests == sum(server.asked.values()) == 2 * len(asked)
    assert [answer.raw for answer in said] == [_own(query) for query in asked]
    assert model.retries == len(asked)


@pytest.mark.parametrize("trouble", [ServerFault.BUSY, ServerFault.BROKEN, ServerFault.RESET, ServerFault.GARBLED])
def test_a_trouble_that_does_not_pass_fails_the_query_with_its_reason(trouble: ServerFault) -> None:
    with ChatServer(trouble=lambda asked, times: trouble if "number 2?" in asked.words else None) as server:
        said = answers(served(server, retries=replace(QUICK, attempts=3)), some(5))
        assert sorted(server.asked.values()) == [1, 1, 1, 1, 3]
    assert [answer.state is State.FAILED for answer in said] == [False, False, True, False, False]
    assert said[2].reason


def test_a_request_that_is_rejected_fails_at_once_with_what_the_server_says() -> None:
    with ChatServer(
        trouble=lambda asked, times: ServerFault.REJECTED if "number 2?" in asked.words else None
    ) as server:
        said = answers(served(server), some(5))
        assert set(server.asked.values()) == {1}
    assert said[2] == Answer.failed("the server says 400: trouble: 400")


@pytest.mark.parametrize("trouble", [ServerFault.FILTERED, ServerFault.REFUSED])
def test_a_refusal_is_a_state_and_keeps_its_text(trouble: ServerFault) -> None:
    with ChatServer(says=lambda asked: "red", trouble=lambda asked, times: trouble) as server:
        (said,) = answers(served(server), some(1))
        assert len(server.received) == 1
    assert (said.state, said.value) == (State.REFUSED, "")
    assert "red" in said.raw


def test_an_empty_reply_is_kept_as_unparsed_and_not_asked_again() -> None:
    with ChatServer(trouble=lambda asked, times: ServerFault.EMPTY) as server:
        (said,) = answers(served(server), some(1))
        assert len(server.received) == 1
    assert (said.state, said.raw) == (State.UNPARSED, "")


def test_a_reply_that_was_cut_off_keeps_its_text_and_says_so() -> None:
    with ChatServer(says=lambda asked: "red", trouble=lambda asked, times: ServerFault.LONG) as server:
        (said,) = answers(served(server, tokens=7), some(1))
    assert (said.state, said.raw, said.reason) == (State.OK, "red", "cut off after 7 tokens")
    assert server.received[0].body["max_tokens"] == 7


def test_a_server_that_opens_late_is_waited_for() -> None:
    with ChatServer(listening=False) as server, ThreadPoolExecutor(1) as thread:
        model = served(server, retries=RetryPolicy(attempts=2, first_delay=0.01, max_downtime=600.0))
        said = thread.submit(answers, model, some(6))
        while model.retries < 3:
            sleep(0.01)
        server.listen()
        assert [answer.raw for answer in said.result()] == [_own(query) for query in some(6)]


def test_a_request_without_a_reply_is_retried_after_the_timeout_and_lowers_the_limit() -> None:
    state = ServerState(RateLimiter.full(8))

    async def post(server: ChatServer) -> None:
        endpoint = Endpoint(Server.of(server.base_url, {}), state, seconds=0.05, concurrency=8)
        async with endpoint.client() as client:
            body = request_body(Decoding("double"), "What is it?", "", ServerCapabilities(), logprobs=False)
            await endpoint.post(client, body, lambda reply: reply)

    with (
        ChatServer(trouble=lambda asked, times: ServerFault.HANG) as server,
        pytest.raises(RetryableError, match=r"no reply within 0\.05 s"),
        ThreadPoolExecutor(1) as thread,
    ):
        thread.submit(asyncio.run, post(server)).result()
    assert (state.limiter.limit, state.sent) == (4.0, 1)


def _gzipped(content: bytes) -> bytes:
    packed = gzip.compress(content, 1)
    return b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed


def test_a_compressed_reply_is_read() -> None:
    body = b'{"choices": [{"message": {"content": "red"}}]}'
    with ChatServer(verbatim=lambda asked: _gzipped(body)) as server:
        (said,) = answers(served(server), some(1))
    assert said.raw == "red"


def test_a_reply_that_unpacks_to_more_than_the_limit_fails_and_is_sent_for_once() -> None:
    bomb = _gzipped(bytes(MAX_REPLY_BYTES + 1))
    assert len(bomb) < 2**18
    with ChatServer(verbatim=lambda asked: bomb) as server:
        (said,) = answers(served(server), some(1))
        assert len(server.received) == 1
    assert said == Answer.failed("the reply is longer than 32 MiB")


def test_the_reader_of_a_response_stops_where_the_limit_is_reached() -> None:
    packed, taken = gzip.compress(bytes(4 * MAX_REPLY_BYTES), 1), 0

    async def stream() -> AsyncIterator[bytes]:
        nonlocal taken
        for start in range(0, len(packed), 1024):
            taken += 1024
            yield packed[start : start + 1024]

    response = httpx2.Response(200, headers={"content-encoding": "gzip"}, content=stream())
    with pytest.raises(RequestRejected, match="longer than 32 MiB"), ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, read_limited(response)).result()
    assert taken < len(packed) / 3


def test_a_reply_in_an_encoding_that_was_not_offered_fails() -> None:
    with ChatServer(verbatim=lambda asked: b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n-") as server:
        (said,) = answers(served(server), some(1))
        assert server.received[0].headers["accept-encoding"] == "gzip"
    assert said == Answer.failed("the reply is compressed in a way that was not offered")


def test_a_huge_answer_is_kept_without_its_middle_and_asked_for_once() -> None:
    with ChatServer(lambda asked: f"first {'word ' * 400_000} last") as server:
        said = answers(served(server), some(3))
        assert set(server.asked.values()) == {1}
    assert {answer.state is State.FAILED for answer in said} == {False}
    assert all(answer.raw.startswith("first ") and answer.raw.endswith(" last") for answer in said)
    assert {len(answer.raw) for answer in said} == {MAX_TEXT + 3}


def test_a_reply_is_interpreted_while_other_replies_are_read() -> None:
    arrived = Event()

    async def post_two(server: ChatServer) -> list[bool]:
        endpoint = Endpoint(Server.of(server.base_url, {}), ServerState(RateLimiter.full(8)), seconds=60, concurrency=8)
        body = request_body(Decoding("double"), "What is it?", "", ServerCapabilities(), logprobs=False)
        async with endpoint.client() as client:
            slow = endpoint.post(client, body, lambda reply: arrived.wait(30))
            first = asyncio.ensure_future(slow)
            while not server.settled:
                await asyncio.sleep(0)
            await endpoint.post(client, body, lambda reply: True)
            arrived.set()
            return [await first]

    with ChatServer() as server, ThreadPoolExecutor(1) as thread:
        assert thread.submit(asyncio.run, post_two(server)).result() == [True]


def test_a_server_that_is_not_there_ends_the_run_when_patience_does() -> None:
    model = served("http://127.0.0.1:1/v1", retries=RetryPolicy(first_delay=0.001, max_downtime=0.05))
    with pytest.raises(ModelUnreachable, match=r"http://127.0.0.1:1/v1 cannot be reached: .*Connect call failed"):
        answers(model, some(6))


def test_a_name_that_nobody_has_is_told_at_once() -> None:
    with pytest.raises(ModelUnreachable, match=r"no-such-host.invalid/v1 cannot be reached"):
        answers(served("http://no-such-host.invalid/v1"), some(2))


def test_a_model_that_the_server_does_not_have_ends_the_run_and_nothing_counts_as_failed() -> None:
    log = MemoryLog()
    with (
        ChatServer(models=("another",)) as server,
        pytest.raises(ModelUnreachable, match="404: The model 'double'") as told,
    ):
        run(_table(some(100)), served(server), log)
    assert "name of the model" in told.value.hint
    assert (log.says, log.failures) == ({}, [])


def test_a_spent_budget_ends_the_run_and_the_next_one_asks_only_the_rest() -> None:
    log, asked = MemoryLog(), some(30)
    with ChatServer() as server:
        first = run(_table(asked), served(server, budget=Budget(12)), log)
        assert (first.asked, first.failed, first.left) == (12, 0, 18)
        assert len(server.received) == len(log.says) == 12
        second = run(_table(asked), served(server), log)
        assert (second.asked, second.cached, second.left) == (18, 12, 0)
        assert set(server.asked.values()) == {1}
    assert {log.says[query.id, 0].raw for query in asked} == {_own(query) for query in asked}


def test_a_budget_counts_what_is_sent_again_and_fails_nobody() -> None:
    log = MemoryLog()
    with ChatServer(trouble=lambda asked, times: ServerFault.BROKEN if not times else None) as server:
        first = run(_table(some(30)), served(server, budget=Budget(20)), log)
        assert len(server.received) == 20
        with pytest.raises(BudgetExhausted, match="the budget of 1 requests is used up"):
            answers(served(server, budget=Budget(1)), some(2))
    assert (first.failed, first.asked + first.left) == (0, 30)


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize(
    ("budget", "prices"),
    [
        (Budget(160, "tokens"), None),
        (Budget(0.00016, "EUR"), TokenPrices(1.0, 1.0, "EUR")),
        (Budget(0.00015, "EUR"), TokenPrices(0.5, 2.0, "EUR")),
    ],
)
def test_a_budget_in_tokens_or_money_keeps_what_has_arrived_and_the_next_run_asks_the_rest(
    budget: Budget, prices: TokenPrices | None, concurrency: int
) -> None:
    log, asked = MemoryLog(), some(40)
    with ChatServer(lambda request: "a red cup", together=1) as server:
        model = served(server, budget=budget, prices=prices, concurrency=concurrency)
        first = run(_table(asked), model, log)
        assert first.asked == len(log.says) == len(server.received) == first.cost.answers
        assert first.left == 40 - first.asked > 0
        assert first.stopped == f"the budget of {budget} is used up"
        one = budget.spent(1, Cost(1, Usage(12, 3), prices))
        spent = budget.spent(first.asked, first.cost)
        assert spent <= budget.amount + (concurrency - 1) * one  # the first requests are in flight before any reply
        assert spent >= budget.amount - 3 * one
        second = run(_table(asked), served(server, prices=prices), log)
        assert (second.asked, second.left, second.stopped) == (first.left, 0, "")
        assert set(server.asked.values()) == {1}


def test_a_budget_in_tokens_ends_the_run_where_the_server_states_none() -> None:
    body = b'{"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}'
    response = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(body), body)
    log = MemoryLog()
    with ChatServer(verbatim=lambda request: response) as server:
        outcome = run(_table(some(9)), served(server, budget=Budget(10**6, "tokens"), concurrency=1), log)
    assert (outcome.asked, outcome.left, outcome.cost.answers) == (1, 8, 0)
    assert "the server does not state its tokens" in outcome.stopped
    assert [answer.usage for answer in log.says.values()] == [None]


def test_what_a_reply_cost_is_kept_though_no_answer_came_of_it() -> None:
    log = MemoryLog()
    with ChatServer(lambda request: "yes", logprobs=False) as server:
        outcome = run(_table(some(1, mode=Mode.SCORE)), served(server), log)
    assert (outcome.failed, outcome.cost.answers) == (1, 1)
    assert outcome.cost.usage.tokens_out == 1


def test_what_failed_is_asked_by_the_next_run_and_nothing_else_is() -> None:
    log, asked = MemoryLog(), some(20)
    with ChatServer(trouble=lambda asked, times: ServerFault.BROKEN if "number 7?" in asked.words else None) as server:
        first = run(_table(asked), served(server, retries=replace(QUICK, attempts=2)), log)
    assert (first.asked, first.failed, first.retries) == (20, 1, 1)
    with ChatServer() as server:
        second = run(_table(asked), served(server), log)
        assert len(server.received) == 1
    assert (second.asked, second.failed, second.cached) == (1, 0, 19)
    assert len(log.says) == 20


@examples(30)
@given(
    st.lists(st.lists(st.sampled_from(PASSING), max_size=3), max_size=16),
    st.integers(1, 8),
    st.integers(0, 30),
)
@example(
    [[ServerFault.CUT], [], [ServerFault.RESET, ServerFault.GARBLED], [ServerFault.BUSY_UNTIL, ServerFault.HALF]], 3, 5
)
def test_whatever_goes_wrong_in_whatever_order_nothing_is_lost_and_nothing_settled_twice(
    troubles: list[list[ServerFault]], concurrency: int, budget: int
) -> None:
    asked, log = some(len(troubles), pictures=3), MemoryLog()
    plan = {Prompt().text(query): some for query, some in zip(asked, troubles, strict=True)}

    def trouble(asked: ReceivedRequest, times: int) -> ServerFault | None:
        return dict(enumerate(plan[asked.words])).get(times)

    with ChatServer(trouble=trouble, pause=0.001) as server:
        first = Budget(budget) if budget else None
        for limit in (first, None):  # a first run that may be cut short, and one that goes on
            outcome = run(_table(asked), served(server, budget=limit, concurrency=concurrency), log)
            assert outcome.failed == 0
        assert set(server.settled.values()) <= {1}
        assert len(server.settled) == len(asked)
    assert {key: answer.raw for key, answer in log.says.items()} == {(query.id, 0): _own(query) for query in asked}


def _likely(asked: ReceivedRequest) -> dict[str, float]:
    if "color" in asked.words:
        return {"red": 0.6, " Blu": 0.2, "Yes": 0.1}
    return {"Yes": 0.5, " yes": 0.1, "No": 0.2, "red": 0.15}


@pytest.mark.parametrize(
    ("query", "top"),
    [
        (Query(None, "Is it red?"), (("yes", 0.75), ("no", 0.25))),
        (Query(None, "What color is it?", choices=("blue", "red")), (("red", 0.75), ("blue", 0.25))),
        (Query(None, "What color is it?"), ()),
    ],
)
def test_probabilities_come_with_answers_that_are_chosen(query: Query, top: tuple[tuple[str, float], ...]) -> None:
    with ChatServer(lambda asked: "Yes", chances=_likely) as server:
        (said,) = answers(served(server), [query])
        assert server.received[0].body.get("logprobs", False) == bool(top)
    assert [value for value, _ in said.top] == [value for value, _ in top]
    assert [share for _, share in said.top] == pytest.approx([share for _, share in top])


def test_a_score_is_how_likely_yes_is_against_no() -> None:
    with ChatServer(lambda asked: "Yes", chances=_likely) as server:
        model, asked = served(server), some(6, mode=Mode.SCORE)
        assert model.score(asked) == pytest.approx([0.75] * 6)
        (_, said), *_ = gathered(model.stream_scores(asked))
        outcome = run(_table(asked), model, log := MemoryLog())
    assert said.raw == "Yes"
    assert said.score == pytest.approx(0.75)
    assert outcome.failed == 0
    assert [answer.score for answer in log.says.values()] == pytest.approx([0.75] * 6)


def test_a_reply_to_a_score_that_says_neither_yes_nor_no_is_kept_as_unparsed() -> None:
    with ChatServer(lambda asked: "Perhaps") as server:
        (said,) = answers(served(server), some(1, mode=Mode.SCORE))
    assert (said.state, said.raw, said.score) == (State.UNPARSED, "Perhaps", None)


def test_a_server_that_refuses_log_probabilities_is_asked_without_from_then_on() -> None:
    asked = [Query(None, f"Is it number {n}?") for n in range(10)]
    with ChatServer(lambda asked: "Yes.", refuses=("logprobs",)) as server:
        model = served(server, concurrency=1)
        said = answers(model, asked)
        answers(model, [Query(None, "Is it another?")])
    assert {(answer.value, answer.top) for answer in said} == {("yes", ())}
    assert model.requests - 11 == 2  # with twenty alternatives, with five, and then with none
    assert len(server.received) == 11


@pytest.mark.parametrize("offer", [{"refuses": ("logprobs",)}, {"logprobs": False}])
def test_without_log_probabilities_a_score_fails_and_says_why(offer: dict[str, Any]) -> None:
    with ChatServer(lambda asked: "Yes.", **offer) as server:
        model = served(server, concurrency=1)
        said = answers(model, some(20, mode=Mode.SCORE))
        assert model.requests <= 2
        assert np.isnan(model.score(some(3, mode=Mode.SCORE))).all()
    assert {answer.reason for answer in said} == {"the server gives no log-probabilities, of which a score is made"}


def test_a_server_that_knows_only_the_new_name_of_a_field_is_asked_by_it() -> None:
    with ChatServer(refuses=("max_tokens",)) as server:
        model = served(server, concurrency=1)
        assert all(answer.state is not State.FAILED for answer in answers(model, some(5)))
        assert model.requests == 6
        assert server.received[-1].body["max_completion_tokens"] == 256


def test_samples_have_a_seed_of_their_own_that_follows_from_query_trial_and_seed() -> None:
    seeds: list[dict[tuple[str, int], int]] = []
    for seed in (0, 0, 1):
        with ChatServer() as server:
            model = served(server)
            sampled = gathered(model.sample(some(4), (1, 2), seed))
            assert sorted((place, trial) for place, trial, _ in sampled) == [(p, t) for p in range(4) for t in (1, 2)]
            assert {one.body["temperature"] for one in server.received} == {1.0}
            seeds.append({(one.words, one.body["seed"]): 1 for one in server.received})
    assert len(seeds[0]) == 8
    assert seeds[0] == seeds[1]
    assert not seeds[0].keys() & seeds[2].keys()


def test_a_plain_answer_is_asked_for_without_luck() -> None:
    with ChatServer() as server:
        answers(served(server), some(1))
    assert server.received[0].body["temperature"] == 0.0
    assert "seed" not in server.received[0].body


def test_trials_go_through_the_engine() -> None:
    with ChatServer() as server:
        outcome = run(_table(some(5)), served(server), log := MemoryLog(), trials=(0, 1, 2))
    assert (outcome.asked, outcome.failed, len(log.says)) == (15, 0, 15)


def test_a_system_prompt_stands_first() -> None:
    with ChatServer() as server:
        answers(served(server, prompt=Prompt(system="Be brief.")), some(1))
    assert server.received[0].body["messages"][0] == {"role": "system", "content": "Be brief."}


def test_whoever_stops_listening_leaves_nothing_behind() -> None:
    async def first(model: Chat) -> int:
        async for place, _ in model.answer(some(20)):
            return place
        raise AssertionError("nobody answered")

    async def one(model: Chat) -> AsyncIterator[int]:
        yield await first(model)

    with ChatServer() as server:
        (place,) = gathered(one(served(server, concurrency=2)))
        assert place in range(20)
        assert len(server.received) < 20


def test_the_fingerprint_changes_with_whatever_an_answer_depends_on_and_with_nothing_else() -> None:
    def made(name: str = "m", **settings: Any) -> str:
        return chat(name, Plain(), **settings).fingerprint

    plain = made()
    assert plain.startswith("m ")
    others = [
        made("n"),
        made(version="week-46"),
        made(version="week-47"),
        made(prompt="Be brief."),
        made(system="Be brief."),
        made(tokens=8),
        made(temperature=0.5),
        made(temperature=0.5, seed=1),
        made(sampling=0.5),
        made(picture_format="jpeg"),
        made(picture_format="png"),
        made(picture_side=512),
    ]
    assert len({plain, *others}) == 13
    alike = [
        made(base_url="http://127.0.0.1/v1"),
        made(concurrency=2),
        made(timeout=1),
        made(attempts=1),
        made(budget=9),
        made(max_downtime=0),
        made(rule="free"),
    ]
    assert {plain, *alike} == {plain}


def test_answers_stored_under_the_fingerprint_with_the_address_are_still_found() -> None:
    def former(**settings: Any) -> tuple[str, ...]:
        return chat("m", Plain(), **settings).former_fingerprints

    assert former(base_url="http://127.0.0.1/v1", picture_format="png", picture_side=0) == ("m 13a057396abfefb1",)
    assert "m 13a057396abfefb1" in former(base_url="http://127.0.0.1/v1")
    assert "m b1131a0ce4e118e5" in former()
    assert former(version="week-46", picture_format="png", picture_side=0) == ()
    assert isinstance(chat("m", Plain()), RenamedModel)


def test_settings_that_keep_their_former_values_keep_the_fingerprint_and_others_lead_to_it() -> None:
    def made(**settings: Any) -> Chat:
        return chat("m", Plain(), **settings)

    png = made(picture_format="png", picture_side=0)
    assert png.fingerprint == "m 3d066fd55cb7161d"
    for settings in ({}, {"picture_side": 0}, {"picture_format": "png"}):
        model = made(**settings)
        assert model.fingerprint != png.fingerprint
        assert png.fingerprint in model.former_fingerprints
    small = made(picture_format="png", picture_side=512)
    assert small.fingerprint in made(picture_side=512).former_fingerprints
    assert png.fingerprint not in made(picture_side=512).former_fingerprints
    named = made(picture_format="png", picture_side=0, version="week-46").fingerprint
    assert named in made(version="week-46").former_fingerprints


def test_a_version_is_a_setting_of_endpoints() -> None:
    plain, named = (catalog.model("openai/m", Plain(), one) for one in ({}, {"version": "week-46"}))
    assert plain.fingerprint != named.fingerprint == chat("m", Plain(), version="week-46").fingerprint


def test_the_catalog_makes_a_model_with_settings_as_people_type_them() -> None:
    with ChatServer(models=("org/double",)) as server:
        typed = {"base_url": server.base_url, "tokens": "3", "temperature": "0.5", "rule": "free", "concurrency": "2"}
        model = catalog.model("openai/org/double", Plain(), typed)
        assert isinstance(model, Chat)
        answers(model, some(2))
    body = server.received[0].body
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("org/double", 3, 0.5)
    assert "seed" in body


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"tokens": 0}, "tokens is 0"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"timeout": -1.0}, "timeout is -1.0"),
        ({"temperature": float("nan")}, "temperature is nan"),
        ({"picture_format": "gif"}, "no format of pictures is called 'gif'"),
        ({"rule": "guess"}, "no rule is called 'guess'"),
        ({"base_url": "127.0.0.1:8000"}, "no web address"),
        ({"base_url": "http://[::1"}, "no web address"),
    ],
)
def test_settings_that_cannot_be_are_told(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(CounterpointError, match=said):
        chat("m", Plain(), **wrong)
