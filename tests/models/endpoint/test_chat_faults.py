"""Faults of a server: whatever it does, no query is lost and none is settled twice, or it says why not."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from time import sleep

import httpx2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from patience import SECONDS
from proving import examples
from served import QUICK, answers, asked_table, own_reply, run, served, some

from counterpoint.core.costs import Budget, Usage
from counterpoint.core.errors import ModelUnreachable
from counterpoint.core.groups import Answer, State
from counterpoint.models.endpoint.completions import MAX_TEXT, Decoding, ServerCapabilities, read_reply, request_body
from counterpoint.models.endpoint.requests import (
    MAX_REPLY_BYTES,
    Endpoint,
    RequestRejected,
    Server,
    decode_body,
    read_limited,
)
from counterpoint.models.endpoint.scheduler import RateLimiter, RetryableError, RetryPolicy, ServerState
from counterpoint.models.prompts import Prompt
from counterpoint.testing import ChatServer, MemoryLog, ReceivedRequest, ServerFault

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
    assert [answer.raw for answer in said] == [own_reply(query) for query in asked]
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


def test_an_error_of_a_content_filter_is_a_refusal_with_its_reason_and_not_asked_again() -> None:
    with ChatServer(trouble=lambda asked, times: ServerFault.BLOCKED if "number 1?" in asked.words else None) as server:
        said = answers(served(server), some(3))
        assert set(server.asked.values()) == {1}
    assert [answer.state is State.REFUSED for answer in said] == [False, True, False]
    assert said[1].reason == "trouble: 400 of a content filter"


def _response(body: object, status: int = 200) -> bytes:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"HTTP/1.1 %d OK\r\nContent-Length: %d\r\n\r\n" % (status, len(content)) + content


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [("iso-8859-1", "iso-8859-1"), ("utf-8", "iso-8859-1"), ("gbk", "GBK"), ("utf-8", "none-such"), ("utf-8", "idna")],
)
def test_a_reply_is_read_in_utf_8_or_else_in_the_charset_that_its_server_declares(encoding: str, declared: str) -> None:
    text = "红色" if encoding == "gbk" else "Sí"
    content = json.dumps({"choices": [{"message": {"content": text}}]}, ensure_ascii=False).encode(encoding)
    head = f"Content-Type: application/json; charset={declared}\r\nContent-Length: {len(content)}\r\n\r\n"
    with ChatServer(verbatim=lambda asked: b"HTTP/1.1 200 OK\r\n" + head.encode() + content) as server:
        (said,) = answers(served(server), some(1))
    assert said.raw == text


@pytest.mark.parametrize("charset", [None, "punycode", "utf-8", "iso-8859-99"])
def test_bytes_of_no_known_charset_are_replaced(charset: str | None) -> None:
    assert decode_body(b"S\xed", charset) == "S\ufffd"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (403, {"code": 403, "message": "Your chosen model requires moderation and your input was flagged"}),
        (400, {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}),
        (400, {"code": "content_filter", "status": 400, "message": "The response was filtered"}),
        (200, {"code": 403, "message": "Your chosen model requires moderation and your input was flagged"}),
    ],
)
def test_content_filters_are_known_by_code_or_message(status: int, error: dict[str, object]) -> None:
    with ChatServer(verbatim=lambda asked: _response({"error": error}, status)) as server:
        (said,) = answers(served(server), some(1))
    assert (said.state, said.reason) == (State.REFUSED, error["message"])


def test_a_reply_that_broke_off_behind_the_server_is_asked_again_and_not_taken_for_empty() -> None:
    broken = {"message": {"content": ""}, "finish_reason": "error", "error": {"code": 502, "message": "upstream"}}
    whole = {"message": {"content": "red"}, "finish_reason": "stop"}
    replies = [_response({"choices": [choice]}) for choice in (broken, whole)]
    with ChatServer(verbatim=lambda asked: replies[min(asked.number, 1)]) as server:
        (said,) = answers(served(server, retries=QUICK), some(1))
    assert (said.raw, said.state) == ("red", State.OK)


def test_an_unpaid_account_ends_the_run_though_the_status_is_success() -> None:
    body = _response({"error": {"code": 402, "message": "No credits left"}})
    with ChatServer(verbatim=lambda asked: body) as server, pytest.raises(ModelUnreachable, match="402: No credits"):
        answers(served(server), some(1))


def test_a_web_page_in_place_of_the_first_reply_ends_the_run_and_later_is_asked_again() -> None:
    """As an address without /v1 gives it, or a proxy that wants a login."""
    page = _response(b"<!DOCTYPE html><title>Login</title>")
    with ChatServer(verbatim=lambda asked: page) as server:
        with pytest.raises(ModelUnreachable, match="returns a web page") as raised:
            answers(served(server, retries=QUICK), some(3))
        assert "base URL, which mostly ends in /v1" in raised.value.hint
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    whole = _response({"choices": [{"message": {"content": "red"}, "finish_reason": "stop"}], "usage": usage})
    replies = [whole, page, whole]
    with ChatServer(verbatim=lambda asked: replies[min(asked.number, 2)]) as server:
        said = answers(served(server, retries=QUICK, concurrency=1), some(2))
    assert [one.raw for one in said] == ["red", "red"]


def test_what_a_server_does_not_support_is_not_asked_again() -> None:
    message = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
    body = _response({"error": {"code": 500, "message": message}}, 500)
    with ChatServer(verbatim=lambda asked: body) as server:
        (said,) = answers(served(server, retries=QUICK), some(1))
        assert (said.state, len(server.received)) == (State.FAILED, 1)
    assert "image input is not supported" in said.reason


def test_a_server_that_streams_is_read_as_one_that_does_not() -> None:
    parts = [{"delta": {"role": "assistant", "content": ""}}, {"delta": {"content": "re"}}, {"delta": {"content": "d"}}]
    events = [*({"choices": [part]} for part in parts), {"choices": [{"delta": {}, "finish_reason": "stop"}]}]
    events.append({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}})
    stream = ": ping\n\n" + "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in events) + "data: [DONE]\n\n"
    half = stream[: stream.index("finish_reason")]
    replies = [_response(half.encode()), _response(stream.encode())]
    with ChatServer(verbatim=lambda asked: replies[min(asked.number, 1)]) as server:
        (said,) = answers(served(server, retries=QUICK), some(1))
    assert (said.raw, said.usage) == ("red", Usage(7, 2))


@pytest.mark.parametrize(
    ("events", "text"),
    [
        ([{"delta": {"refusal": "I can"}}, {"delta": {"refusal": "not."}}, {"delta": None}], "I cannot."),
        ([{"delta": {"content": "red"}, "finish_reason": "content_filter"}], "red"),
    ],
)
def test_a_refusal_in_a_stream_is_one(events: list[dict[str, object]], text: str) -> None:
    bodies: list[object] = [{"choices": [{"finish_reason": "stop"} | event]} for event in events]
    reply = read_reply("".join(f"data: {json.dumps(body)}\n\n" for body in [*bodies, {"choices": None}]))
    assert (reply.refused, reply.text) == (True, text)


def test_an_error_in_a_stream_is_read_as_one() -> None:
    stream = b'data: {"error": {"code": 402, "message": "No credits left"}}\n\n'
    with ChatServer(verbatim=lambda asked: _response(stream)) as server, pytest.raises(ModelUnreachable, match="402"):
        answers(served(server), some(1))


@pytest.mark.parametrize(
    "message",
    [
        "This model only supports streaming: set stream=true",
        "This model only support stream mode, please enable the stream parameter to access the model.",
        "Stream must be set to true",
    ],
)
def test_a_server_that_streams_alone_is_asked_for_a_stream(message: str) -> None:
    takes = ServerCapabilities().without(message)
    assert not ServerCapabilities().without("broken data stream when reading image file").streams
    body = request_body(Decoding("m"), "Is it red?", "", takes, logprobs=False)
    assert (body["stream"], takes.without("stream_options is unknown")) == (True, takes)


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
        assert [answer.raw for answer in said.result()] == [own_reply(query) for query in some(6)]


def test_a_request_without_a_reply_is_retried_after_the_timeout_and_lowers_the_limit() -> None:
    state = ServerState(RateLimiter.full(8))

    async def post(server: ChatServer) -> None:
        patient, impatient = (
            Endpoint(Server.of(server.base_url, {}), state, seconds=seconds, concurrency=8)
            for seconds in (SECONDS, 0.05)
        )
        async with patient.client() as client:  # to connect may take long on a busy machine
            body = request_body(Decoding("double"), "What is it?", "", ServerCapabilities(), logprobs=False)
            await impatient.post(client, body, lambda reply: reply)

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
            slow = endpoint.post(client, body, lambda reply: arrived.wait(SECONDS))
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
        run(asked_table(some(100)), served(server), log)
    assert "name of the model" in told.value.hint
    assert (log.says, log.failures) == ({}, [])


def test_what_failed_is_asked_by_the_next_run_and_nothing_else_is() -> None:
    log, asked = MemoryLog(), some(20)
    with ChatServer(trouble=lambda asked, times: ServerFault.BROKEN if "number 7?" in asked.words else None) as server:
        first = run(asked_table(asked), served(server, retries=replace(QUICK, attempts=2)), log)
    assert (first.asked, first.failed, first.retries) == (20, 1, 1)
    with ChatServer() as server:
        second = run(asked_table(asked), served(server), log)
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
            outcome = run(asked_table(asked), served(server, budget=limit, concurrency=concurrency), log)
            assert outcome.failed == 0
        assert set(server.settled.values()) <= {1}
        assert len(server.settled) == len(asked)
    assert {key: answer.raw for key, answer in log.says.items()} == {(query.id, 0): own_reply(query) for query in asked}
