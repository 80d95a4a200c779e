"""Anthropic's and Google's servers: the same promises as chat completions, in their own layouts."""

import json
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from proving import sample
from served import Plain, answers, digest, gathered, served, some

from counterpoint import catalog
from counterpoint.cli.main import commands
from counterpoint.core.costs import Usage
from counterpoint.core.errors import ModelError, ModelUnreachable
from counterpoint.core.groups import Mode, Query, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, BatchingModel, RemoteModel, Sampler, Scorer
from counterpoint.models.endpoint.chat import anthropic, chat, google
from counterpoint.models.endpoint.completions import MalformedReply, Reply, ServerCapabilities, read_error
from counterpoint.models.endpoint.generation import read_generation
from counterpoint.models.endpoint.messages import read_message
from counterpoint.models.endpoint.picture_encoding import PictureEncoding
from counterpoint.models.endpoint.providers import ANTHROPIC, GOOGLE, OPENAI, Provider
from counterpoint.models.endpoint.requests import Server
from counterpoint.models.prompts import Prompt
from counterpoint.testing import ChatServer, ReceivedRequest, ServerFault, check_model

KEY = "sk-open-sesame-0123456789"
NEW = pytest.mark.parametrize("provider", [ANTHROPIC, GOOGLE], ids=lambda provider: provider.name)
SEEN = Query(Picture("p:7.png"), "What is it?")
PASSING = [
    ServerFault.BUSY,
    ServerFault.BUSY_FOR,
    ServerFault.BROKEN,
    ServerFault.LOADING,
    ServerFault.OVERLOADED,
    ServerFault.HALF,
    ServerFault.GARBLED,
    ServerFault.RESET,
]


def _double(provider: Provider, *rules: Any, **settings: Any) -> ChatServer:
    return ChatServer(*rules, provider=provider.name, **settings)


def _response(body: object, status: str = "200 OK", headers: str = "") -> bytes:
    text = body if isinstance(body, str) else json.dumps(body)
    close = (
        "Connection: close\r\n"  # which the double does: a client that used the connection again would count a retry
    )
    return f"HTTP/1.1 {status}\r\n{headers}{close}Content-Length: {len(text)}\r\n\r\n{text}".encode()


def _message(*texts: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in texts], "stop_reason": "end_turn"} | more


def _generation(*texts: str, **more: Any) -> dict[str, Any]:
    parts = [{"text": text} for text in texts]
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"} | more]}


REPLIES: dict[str, Callable[..., dict[str, Any]]] = {"anthropic": _message, "google": _generation}


@NEW
def test_every_query_gets_its_own_reply(provider: Provider) -> None:
    asked = [*some(20), Query(None, "What is it without a picture?")]
    with _double(provider) as server:
        said = answers(served(server, provider=provider), asked)
        assert set(server.asked.values()) == {1}
    shown = [digest(PictureEncoding().encode(Plain().pixels(Picture(f"p:{n}.png")))[1])[:8] for n in range(4)]
    texts = [Prompt().text(query) for query in asked]
    own = [f"{shown[n % 4]} {text}" for n, text in enumerate(texts[:-1])]
    assert [answer.raw for answer in said] == [*own, texts[-1]]


def test_a_request_has_the_layout_of_its_provider() -> None:
    content = b64encode(PictureEncoding().encode(Plain().pixels(Picture("p:7.png")))[1]).decode()
    text, bodies = Prompt().text(SEEN), dict[str, Any]()
    for provider in (ANTHROPIC, GOOGLE):
        with _double(provider) as server:
            answers(served(server, provider=provider, prompt=Prompt(system="Be brief."), tokens=9), [SEEN])
            bodies[provider.name] = server.received[0].body
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": content}}
    assert bodies["anthropic"] == {
        "model": "double",
        "max_tokens": 9,
        "temperature": 0.0,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": [picture, {"type": "text", "text": text}]}],
    }
    inline = {"inlineData": {"mimeType": "image/png", "data": content}}
    assert bodies["google"] == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [inline, {"text": text}]}],
        "generationConfig": {"maxOutputTokens": 9, "temperature": 0.0},
    }


def test_seeds_go_to_servers_that_take_them() -> None:
    with _double(GOOGLE) as server:
        gathered(served(server, provider=GOOGLE).sample([SEEN], [1, 2], seed=3))
        seeds = {request.body["generationConfig"]["seed"] for request in server.received}
        assert len(seeds) == 2
        assert {request.body["generationConfig"]["temperature"] for request in server.received} == {1.0}
    with _double(ANTHROPIC) as server:
        gathered(served(server, provider=ANTHROPIC).sample([SEEN], [1, 2], seed=3))
        assert [request.body["temperature"] for request in server.received] == [1.0, 1.0]


@NEW
@pytest.mark.parametrize("trouble", sample(PASSING, 3))
def test_a_trouble_that_passes_loses_no_query_and_settles_none_twice(provider: Provider, trouble: ServerFault) -> None:
    with _double(provider, lambda asked: asked.words, lambda asked, times: None if times else trouble) as server:
        model = served(server, provider=provider, concurrency=6)
        said = answers(model, some(6))
        assert list(server.settled.values()) == [1] * 6
    assert [answer.raw for answer in said] == [Prompt().text(query) for query in some(6)]
    assert model.retries == 6


def test_google_says_in_the_body_how_long_to_wait() -> None:
    body = {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}}
    assert read_error(json.dumps(body)).wait == 0
    kind = "type.googleapis.com/google.rpc.RetryInfo"
    for delay, seconds in (("34.5s", 34.5), ("7s", 7.0), ("soon", 0.0), (3, 0.0)):
        body["error"]["details"] = [{"@type": kind, "retryDelay": delay}, "x"]
        assert read_error(json.dumps(body)).wait == seconds
    body["error"]["details"] = [{"@type": kind, "retryDelay": "2000s"}]
    with (
        _double(GOOGLE, verbatim=lambda asked: _response(body, "429 No")) as server,
        pytest.raises(ModelUnreachable, match="wait for 2,000 s"),
    ):
        answers(served(server, provider=GOOGLE), some(2))


def test_after_the_first_answers_no_more_are_on_their_way_than_anthropic_still_takes() -> None:
    running: list[int] = []

    def says(asked: ReceivedRequest) -> bytes:
        running.append(server.busy)
        return _response(_message("red"), headers="anthropic-ratelimit-requests-remaining: 2\r\n")

    with _double(ANTHROPIC, verbatim=says, together=6) as server:
        answers(served(server, provider=ANTHROPIC, concurrency=6), some(30, pictures=30))
    assert running[0] == 6
    assert set(running[12:]) <= {1, 2}


@NEW
@pytest.mark.parametrize(
    ("trouble", "state"),
    [
        (ServerFault.REFUSED, State.REFUSED),
        (ServerFault.FILTERED, State.REFUSED),
        (ServerFault.EMPTY, State.UNPARSED),
        (ServerFault.LONG, State.OK),
        (ServerFault.REJECTED, State.FAILED),
    ],
)
def test_refusals_and_endings_become_states_at_once(provider: Provider, trouble: ServerFault, state: State) -> None:
    with _double(provider, lambda asked: "red", lambda asked, times: trouble) as server:
        (said,) = answers(served(server, provider=provider), [SEEN])
        assert len(server.received) == 1
    assert said.state is state
    assert (said.reason == "cut off after 256 tokens") == (trouble is ServerFault.LONG)


@pytest.mark.parametrize(
    ("body", "reply"),
    [
        (_message("Ye", "s."), Reply("Yes.")),
        ({"content": [{"type": "thinking", "thinking": "?"}, {"type": "text", "text": "No"}]}, Reply("No")),
        (_message(), Reply("")),
        (_message("I", stop_reason="max_tokens"), Reply("I", truncated=True)),
        (_message("I", stop_reason="model_context_window_exceeded"), Reply("I", truncated=True)),
        (
            _message(stop_reason="refusal", stop_details={"type": "refusal", "category": "cyber"}),
            Reply("", refused=True, reason="cyber"),
        ),
    ],
)
def test_a_message_is_read_with_its_ending(body: dict[str, Any], reply: Reply) -> None:
    assert read_message(json.dumps(body)) == reply


@pytest.mark.parametrize(
    ("body", "reply"),
    [
        (_generation("Ye", "s."), Reply("Yes.")),
        (
            {"candidates": [{"content": {"parts": [{"text": "Hm", "thought": True}, {"text": "No"}]}}]},
            Reply("No"),
        ),
        ({"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}]}, Reply("", truncated=True)),
        (
            {"candidates": [{"finishReason": "PROHIBITED_CONTENT"}]},
            Reply("", refused=True, reason="the reply was withheld: PROHIBITED_CONTENT"),
        ),
        (_generation("It", finishReason="SAFETY"), Reply("It", True, reason="the reply was withheld: SAFETY")),
        (
            {"promptFeedback": {"blockReason": "OTHER"}, "candidates": []},
            Reply("", refused=True, reason="the prompt was blocked: OTHER"),
        ),
        ({"candidates": [{"finishReason": "OTHER"}]}, Reply("", reason="the reply has no text: OTHER")),
    ],
)
def test_a_candidate_is_read_with_its_ending(body: dict[str, Any], reply: Reply) -> None:
    assert read_generation(json.dumps(body)) == reply


def test_an_answer_without_a_text_says_how_its_reply_ended() -> None:
    body = _response({"candidates": [{"finishReason": "OTHER"}]})
    with _double(GOOGLE, verbatim=lambda asked: body) as server:
        (said,) = answers(served(server, provider=GOOGLE), [SEEN])
    assert (said.state, said.reason) == (State.UNPARSED, "the reply has no text: OTHER")


def test_the_tokens_are_those_that_the_server_states_reasoning_and_cache_included() -> None:
    cached = {"input_tokens": 9, "cache_read_input_tokens": 800, "cache_creation_input_tokens": None}
    for stated, usage in (({}, None), ({"output_tokens": 3}, None), (cached | {"output_tokens": 3}, Usage(809, 3))):
        assert read_message(json.dumps(_message("Yes.", usage=stated))) == Reply("Yes.", usage=usage)
    thoughts = {"promptTokenCount": 812, "thoughtsTokenCount": 40, "candidatesTokenCount": 3, "totalTokenCount": 855}
    for stated, usage in (({}, None), ({"promptTokenCount": 812}, Usage(812, 0)), (thoughts, Usage(812, 43))):
        body = _generation("Yes.") | {"usageMetadata": stated}
        assert read_generation(json.dumps(body)) == Reply("Yes.", usage=usage)
    for provider in (ANTHROPIC, GOOGLE):
        with _double(provider, lambda asked: "It is red") as server:
            (said,) = answers(served(server, provider=provider), [SEEN])
            assert said.usage == Usage(len(server.received[0].words.split()), 3)


@pytest.mark.parametrize("text", ["", "no", "[]", "{}", '{"error": "x"}', '{"candidates": []}', "[" * 9999])
def test_what_is_no_reply_is_malformed(text: str) -> None:
    for read in (read_message, read_generation):
        with pytest.raises(MalformedReply):
            read(text)
    for read, body in ((read_message, {"content": None}), (read_message, {"content": "Yes"})):
        with pytest.raises(MalformedReply):
            read(json.dumps(body))
    with pytest.raises(MalformedReply):
        read_generation(json.dumps({"candidates": [{}], "usageMetadata": {}}))


PLAINS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["content", "parts", "text", "finishReason", "type", "token", "chosenCandidates", "details"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


def test_an_error_in_a_list_of_one_is_read_as_well() -> None:
    """As Google's server for the protocol of OpenAI sends it; else a wrong key fails query by query."""
    body = {"error": {"message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}}
    report = read_error(json.dumps([body]))
    assert (report.message, report.code) == ("API key not valid.", "API_KEY_INVALID")
    assert read_error(json.dumps([body, body])).code == ""


@given(PLAINS, PLAINS)
def test_a_reply_of_any_shape_is_read_or_malformed(one: Any, other: Any) -> None:
    texts = [
        json.dumps({"candidates": [one], "promptFeedback": other, "content": other, "stop_details": one}),
        json.dumps({"candidates": [{"content": one, "logprobsResult": other}], "content": [one]}),
    ]
    for text in texts:
        assert read_error(text).message == text
        for read in (read_message, read_generation):
            with suppress(MalformedReply):
                assert isinstance(read(text).text, str)


@NEW
@pytest.mark.parametrize("empty", ["{}", '{"candidates": [], "content": null}', "<p>"])
def test_a_malformed_reply_is_asked_for_again_and_then_fails(provider: Provider, empty: str) -> None:
    with _double(provider, verbatim=lambda asked: _response(empty) if asked.number < 3 else b"") as server:
        model = served(server, provider=provider, concurrency=1)
        said = answers(model, some(2))
        assert (len(server.received), model.retries) == (5, 3)
    assert {answer.state for answer in said} <= {State.OK, State.UNPARSED}
    with _double(provider, verbatim=lambda asked: _response(empty)) as server:
        (failed,) = answers(served(server, provider=provider), [SEEN])
    assert failed.reason == f"the reply is no chat completion: {empty}"


@NEW
def test_the_key_goes_into_the_header_of_the_provider(provider: Provider) -> None:
    with _double(provider, key=KEY) as server:
        answers(served(server, provider=provider, key=KEY), [SEEN])
        headers = server.received[0].headers
    assert headers[provider.key_header[0].lower()] == KEY
    assert "authorization" not in headers
    assert headers.get("anthropic-version", "2023-06-01") == "2023-06-01"


@NEW
def test_another_key_ends_the_run_with_the_variable_to_set(provider: Provider) -> None:
    with _double(provider, key="another key than ours") as server, pytest.raises(ModelUnreachable) as told:
        answers(served(server, provider=provider, key=KEY), some(3))
    assert "Incorrect API key provided: …" in str(told.value)
    assert told.value.hint == f"set {provider.key_variable} to a key that this server knows"


@pytest.mark.parametrize(
    ("provider", "error", "status", "hint"),
    [
        (ANTHROPIC, {"type": "invalid_request_error", "message": "Your credit balance is too low."}, 400, "paid for"),
        (ANTHROPIC, {"type": "not_found_error", "message": "model: double"}, 404, "check the name of the model"),
        (GOOGLE, {"code": 400, "status": "FAILED_PRECONDITION", "message": "User location"}, 400, "may not use"),
        (GOOGLE, {"code": 403, "status": "PERMISSION_DENIED", "message": "unregistered"}, 403, "may not use"),
    ],
)
def test_what_every_request_would_get_ends_the_run(
    provider: Provider, error: dict[str, Any], status: int, hint: str
) -> None:
    response = _response({"type": "error", "error": error}, f"{status} No")
    with _double(provider, verbatim=lambda asked: response) as server, pytest.raises(ModelUnreachable) as told:
        answers(served(server, provider=provider), some(3))
    assert error["message"] in str(told.value)
    assert hint in told.value.hint


@pytest.mark.parametrize(
    ("provider", "given", "url"),
    [
        (ANTHROPIC, "", "https://api.anthropic.com/v1/messages"),
        (ANTHROPIC, "http://127.0.0.1:8000", "http://127.0.0.1:8000/v1/messages"),
        (ANTHROPIC, "http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1/messages"),
        (ANTHROPIC, "https://example.org/claude/v1/messages", "https://example.org/claude/v1/messages"),
        (GOOGLE, "", "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent"),
        (GOOGLE, "http://127.0.0.1/v1", "http://127.0.0.1/v1/models/m:generateContent"),
        (OPENAI, "http://127.0.0.1", "http://127.0.0.1/chat/completions"),
    ],
)
def test_a_base_url_may_have_the_version_or_not(provider: Provider, given: str, url: str) -> None:
    assert Server.of(given, {}, provider).url(provider.request_path("m")) == url


def test_address_and_key_come_from_the_variables_of_the_provider() -> None:
    environment = {"OPENAI_API_KEY": "no", "ANTHROPIC_API_KEY": "a", "ANTHROPIC_BASE_URL": "http://127.0.0.1/x"}
    server = Server.of("", environment, ANTHROPIC)
    assert (server.address, server.headers["x-api-key"]) == ("http://127.0.0.1/x/v1", "a")
    assert Server.of("", {"GOOGLE_API_KEY": "g"}, GOOGLE).headers == {"x-goog-api-key": "g"}
    both = {"GOOGLE_API_KEY": "g", "GEMINI_API_KEY": "e"}
    assert Server.of("", both, GOOGLE).headers == {"x-goog-api-key": "e"}
    with pytest.raises(ModelError, match="GOOGLE_API_KEY holds characters that no key has"):
        Server.of("", {"GOOGLE_API_KEY": f"“{KEY}”"}, GOOGLE)


def test_the_fingerprint_covers_the_provider_and_not_the_address() -> None:
    kept = [make("m", Plain()).fingerprint for make in (chat, anthropic, google)]
    assert len(set(kept)) == 3
    assert all(name.startswith("m ") for name in kept)
    assert anthropic("m", Plain(), base_url="http://127.0.0.1:1").fingerprint == kept[1]
    assert anthropic("m", Plain(), version="w46").fingerprint != kept[1]
    assert chat("m", Plain(), version="anthropic").fingerprint not in kept
    assert anthropic("m", Plain()).former_fingerprints == ()
    with pytest.raises(ModelError, match=r"google/m: tokens is 0"):
        google("m", Plain(), tokens=0)


def test_a_message_model_answers_and_samples_and_cannot_score() -> None:
    with _double(ANTHROPIC, lambda asked: f"Yes, {asked.words}") as server:
        model = catalog.model("anthropic/double", Plain(), {"base_url": server.base_url})
        assert all(isinstance(model, port) for port in (Answerer, Sampler, RemoteModel, BatchingModel))
        assert not isinstance(model, Scorer)
        kept = check_model(model, [Query(Picture(f"p:{n}.png"), f"Is it {n}?") for n in range(3)])
    assert "scores" not in kept


def test_a_google_model_has_probabilities_where_the_server_gives_them() -> None:
    question, caption = Query(Picture("p:1.png"), "Is it red?"), Query(Picture("p:1.png"), "A cup.", Mode.SCORE)
    likely = {"Yes": 0.75, "No": 0.25}
    with _double(GOOGLE, lambda asked: "Yes.", chances=lambda asked: likely) as server:
        model = served(server, provider=GOOGLE)
        (said,) = answers(model, [question])
        assert model.score([caption]) == pytest.approx([0.75])
    assert dict(said.top) == pytest.approx({"yes": 0.75, "no": 0.25})
    with _double(GOOGLE, lambda asked: "Yes.", refuses=("logprobs",)) as server:
        said, scored = answers(served(server, provider=GOOGLE, concurrency=1), [question, caption])
        assert len(server.received) == 1
    assert (said.value, said.top) == ("yes", ())
    assert scored.reason == "the server gives no log-probabilities, of which a score is made"
    message = "Logprobs is not enabled for models/double"
    assert ServerCapabilities().without(message).without(message).alternatives == 0


ECHOES: dict[str, list[bytes]] = {
    name: [
        _response(reply("it is ", KEY[:13], KEY[13:])),
        _response(json.dumps(reply(f"it is {KEY}")).replace("s", "\\u0073")),
        _response(reply(b64encode(KEY.encode()).decode())),
        _response({"error": {"type": "x", "message": f"no {KEY}", "status": KEY}}, "400 No"),
        _response("", f"400 Wrong key {KEY}"),
        _response(f"<p>{KEY}"),
        _response({**reply(), "stop_reason": "refusal", "stop_details": {"category": KEY}}),
        _response({"promptFeedback": {"blockReason": KEY}, "content": []}),
    ]
    for name, reply in REPLIES.items()
}
"""Ways in which a server may repeat the key."""


@NEW
def test_the_key_is_in_no_file_and_no_output_however_the_server_repeats_it(provider: Provider, tmp_path: Path) -> None:
    made = CliRunner().invoke(commands, ["generate", str(tmp_path), "--suite", "order", "--items", "3"])
    assert made.exit_code == 0, made.output
    ways = ECHOES[provider.name]
    with _double(provider, verbatim=lambda asked: ways[asked.number % len(ways)]) as server:
        line = ["run", str(tmp_path), "--model", f"{provider.name}/double", "--base-url", server.base_url]
        environment = {provider.key_variable: KEY}
        done = CliRunner(env=environment).invoke(commands, [*line, "--model-args", "attempts=1"])
        assert len(server.received) > len(ways), done.output
        header = provider.key_header[0].lower()
        assert {request.headers[header] for request in server.received} == {KEY}
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()).decode("latin-1")
    shown = CliRunner().invoke(commands, ["failures", str(tmp_path), "--json"]).output
    seen = "".join(filter(str.isalnum, kept + shown + done.output)).lower()
    assert "sesame" not in seen
    assert b64encode(KEY.encode()).decode().lower()[:12] not in seen


def test_the_command_line_says_what_a_provider_cannot_do(tmp_path: Path) -> None:
    for line in (["--suite", "order", "--items", "3"], ["--suite", "existence", "--items", "4"]):
        done = CliRunner().invoke(commands, ["generate", str(tmp_path), *line])
        assert done.exit_code == 0, done.output
    with _double(ANTHROPIC, lambda asked: "Yes.", models=("claude",)) as server:
        line = ["run", str(tmp_path), "--model", "anthropic/claude", "--base-url", server.base_url]
        done = CliRunner(env={"ANTHROPIC_API_KEY": KEY}).invoke(commands, line)
    assert done.exit_code == 0, done.output
    assert "of an ability that this model does not have" in done.output
