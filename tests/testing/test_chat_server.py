"""The double speaks the protocol: the official client, sync and async, understands it and is understood."""

import asyncio
import json
import socket
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import blake2b
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest
from patience import SECONDS

from counterpoint.pictures.folders import encode_png
from counterpoint.testing import ChatServer, ReceivedRequest, ServerFault, echo


def digest(content: bytes) -> str:
    """The digest that the server takes of a picture's file."""
    return blake2b(content, digest_size=16).hexdigest()


PICTURE = encode_png(np.full((4, 6, 3), 7, np.uint8))
SHOWN = f"data:image/png;base64,{b64encode(PICTURE).decode()}"
CONTENT: list[Any] = [{"type": "image_url", "image_url": {"url": SHOWN}}, {"type": "text", "text": "Is it gray?"}]
MESSAGES: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": CONTENT}]


def _always(trouble: ServerFault, asked: ReceivedRequest, times: int) -> ServerFault:
    return trouble


def _sync(server: ChatServer, key: str, retries: int, **request: Any) -> Any:
    import openai

    with openai.OpenAI(base_url=server.base_url, api_key=key, max_retries=retries, timeout=SECONDS) as client:
        return client.chat.completions.create(**request)


def _async(server: ChatServer, key: str, retries: int, **request: Any) -> Any:
    import openai

    async def ask() -> Any:
        async with openai.AsyncOpenAI(
            base_url=server.base_url, api_key=key, max_retries=retries, timeout=SECONDS
        ) as client:
            return await client.chat.completions.create(**request)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, ask()).result()


@pytest.fixture(params=[_sync, _async], ids=["sync", "async"])
def create(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """A way to ask with the official client."""

    def ask(server: ChatServer, *, key: str = "any", retries: int = 0, **changes: Any) -> Any:
        return request.param(server, key, retries, **({"model": "double", "messages": MESSAGES} | changes))

    return ask


def test_the_official_client_shows_a_picture_and_gets_the_reply_to_it(create: Callable[..., Any]) -> None:
    with ChatServer() as server:
        reply = create(server, max_tokens=8, temperature=0, seed=7)
    assert reply.object == "chat.completion"
    assert reply.choices[0].message.content == f"{digest(PICTURE)[:8]} Is it gray?"
    assert (reply.choices[0].finish_reason, reply.choices[0].message.role) == ("stop", "assistant")
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens == 7
    assert server.received[0].picture == digest(PICTURE)
    assert server.received[0].body["seed"] == 7


def test_the_official_client_reads_the_log_probabilities(create: Callable[..., Any]) -> None:
    with ChatServer(lambda asked: "Yes indeed", chances=lambda asked: {"Yes": 0.75, "No": 0.25}) as server:
        reply = create(server, logprobs=True, top_logprobs=2)
        first, second = reply.choices[0].logprobs.content
        assert create(server).choices[0].logprobs is None
    assert [np.exp(logprob.logprob) for logprob in first.top_logprobs] == pytest.approx([0.75, 0.25])
    assert (first.token, second.token) == ("Yes", " indeed")
    assert bytes(second.bytes) == b" indeed"


@pytest.mark.parametrize(
    "trouble", [ServerFault.BUSY_FOR, ServerFault.BROKEN, ServerFault.RESET, ServerFault.HALF, ServerFault.CUT]
)
def test_the_official_client_tries_again_what_may_pass(create: Callable[..., Any], trouble: ServerFault) -> None:
    with ChatServer(trouble=lambda asked, times: None if times else trouble) as server:
        assert create(server, retries=2).choices[0].message.content
        assert list(server.asked.values()) == [2]
        assert list(server.settled.values()) == [1]


def test_the_official_client_knows_the_errors_by_their_kinds(create: Callable[..., Any]) -> None:
    import openai

    with ChatServer(key="right") as server:
        with pytest.raises(openai.AuthenticationError) as closed:
            create(server, key="wrong")
        with pytest.raises(openai.NotFoundError) as missing:
            create(server, key="right", model="another")
        with pytest.raises(openai.BadRequestError) as bad:
            create(server, key="right", top_logprobs=3)
    assert closed.value.code == "invalid_api_key"
    assert missing.value.code == "model_not_found"
    assert (bad.value.param, bad.value.type) == ("top_logprobs", "invalid_request_error")


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (ServerFault.BUSY, "RateLimitError"),
        (ServerFault.LOADING, "InternalServerError"),
        (ServerFault.REJECTED, "BadRequestError"),
        (ServerFault.RESET, "APIConnectionError"),
        (ServerFault.GARBLED, "JSONDecodeError"),
    ],
)
def test_troubles_are_what_they_are_called(create: Callable[..., Any], trouble: ServerFault, kind: str) -> None:
    import openai

    with (
        ChatServer(trouble=lambda asked, times: trouble) as server,
        pytest.raises(getattr(openai, kind, json.JSONDecodeError)),
    ):
        create(server)
    assert not server.settled


def test_refusals_and_endings_are_seen_by_the_official_client(create: Callable[..., Any]) -> None:
    found = {}
    for trouble in (ServerFault.FILTERED, ServerFault.REFUSED, ServerFault.EMPTY, ServerFault.LONG):
        with ChatServer(lambda asked: "red", partial(_always, trouble)) as server:
            choice = create(server).choices[0]
        found[trouble] = (choice.finish_reason, choice.message.content, choice.message.refusal)
    assert found == {
        ServerFault.FILTERED: ("content_filter", "red", None),
        ServerFault.REFUSED: ("stop", None, "I will not say: red"),
        ServerFault.EMPTY: ("stop", "", None),
        ServerFault.LONG: ("length", "red", None),
    }


def test_the_models_are_listed() -> None:
    import openai

    with ChatServer(models=("one", "two")) as server, openai.OpenAI(base_url=server.base_url, api_key="any") as client:
        assert [model.id for model in client.models.list()] == ["one", "two"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"messages": []},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://a/b.png"}}]}]},
        {
            "messages": [
                {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}
            ]
        },
        {"messages": [{"role": "user", "content": [{"type": "sound"}]}]},
        {"messages": [{"role": "nobody", "content": "Hi"}]},
        {"temperature": 3},
        {"max_tokens": 0},
        {"n": 2},
        {"extra_body": {"novel": 1}},
    ],
)
def test_the_double_is_strict(create: Callable[..., Any], wrong: dict[str, Any]) -> None:
    import openai

    with ChatServer() as server, pytest.raises(openai.BadRequestError):
        create(server, **wrong)


def test_before_it_opens_whoever_knocks_is_refused_and_a_closed_one_is_gone() -> None:
    with ChatServer(listening=False) as server:
        port = int(server.base_url.rpartition(":")[2].partition("/")[0])
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
    with ChatServer(echo, port=port) as again:
        assert again.base_url == server.base_url
        with urlopen(f"{again.base_url}/models") as page:
            assert page.status == 200
    server.close()


def test_the_official_client_sends_a_batch_and_reads_its_replies() -> None:
    import openai

    body = {"model": "double", "messages": MESSAGES}
    lines = [{"custom_id": f"q{n}", "method": "POST", "url": "/v1/chat/completions", "body": body} for n in range(3)]
    content = "\n".join(json.dumps(line) for line in lines).encode()
    with ChatServer(lambda asked: "Yes.") as server, openai.OpenAI(base_url=server.base_url, api_key="any") as client:
        file = client.files.create(file=("requests.jsonl", content), purpose="batch")
        batch = client.batches.create(input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h")
        statuses = [client.batches.retrieve(batch.id).status for _ in range(4)]
        ended = client.batches.retrieve(batch.id)
        assert [found.id for found in client.batches.list()] == [batch.id]
        assert ended.output_file_id is not None
        replies = [json.loads(line) for line in client.files.content(ended.output_file_id).text.splitlines()]
    assert statuses == ["validating", "in_progress", "finalizing", "completed"]
    assert [reply["custom_id"] for reply in replies] == ["q2", "q1", "q0"]
    assert {reply["response"]["body"]["choices"][0]["message"]["content"] for reply in replies} == {"Yes."}
    assert (ended.error_file_id, len(server.received)) == (None, 3)
