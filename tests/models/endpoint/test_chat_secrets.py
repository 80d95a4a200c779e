"""The key of a server is in the header of a request, and nowhere else."""

import json
import logging
from base64 import b64encode
from collections.abc import MutableMapping
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from patience import SECONDS
from served import Plain, answers, some

from counterpoint.cli.main import commands
from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.models.endpoint.chat import chat
from counterpoint.models.endpoint.redaction import Redactor
from counterpoint.models.endpoint.requests import Server
from counterpoint.testing import ChatServer, ReceivedRequest, ServerFault

KEY = "sk-open-sesame-0123456789"


def _repeated(asked: ReceivedRequest) -> str:
    return f"you came with {asked.headers['authorization']}"


@pytest.fixture(autouse=True)
def _key(environ: MutableMapping[str, str]) -> None:
    environ["OPENAI_API_KEY"] = KEY
    environ.pop("OPENAI_BASE_URL", None)


def test_the_key_goes_to_the_server() -> None:
    with ChatServer(key=KEY) as server:
        answers(chat("double", Plain(), base_url=server.base_url), some(1))
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("trouble", [None, *(one for one in ServerFault if one is not ServerFault.LOADING)])
def test_the_key_is_in_no_answer_no_log_and_no_error(
    trouble: ServerFault | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with ChatServer(_repeated, lambda asked, times: trouble, pause=0.001) as server:
        timeout = 0.3 if trouble is ServerFault.HANG else SECONDS
        model = chat("double", Plain(), base_url=server.base_url, attempts=1, timeout=timeout)
        said = answers(model, some(2))
    told = [repr(said), repr(model), repr(vars(model)), repr(model._settings), model.fingerprint, caplog.text]
    assert all(KEY not in one for one in told)
    assert trouble is not None or "you came with" in said[0].raw


def test_the_key_is_in_no_error_that_ends_a_run() -> None:
    problems: list[CounterpointError] = []
    with ChatServer(key="another key than ours") as server:
        for address in (server.base_url, server.base_url.removesuffix("/v1"), "http://127.0.0.1:1/v1"):
            with pytest.raises(ModelError) as told:
                answers(chat("double", Plain(), base_url=address, max_downtime=0.01), some(2))
            problems.append(told.value)
    with ChatServer(trouble=lambda asked, times: ServerFault.LOADING) as server, pytest.raises(ModelError) as told:
        answers(chat("double", Plain(), base_url=server.base_url, max_downtime=0.01), some(2))
    problems.append(told.value)
    assert "401: Incorrect API key provided: …" in str(problems[0])
    assert "OPENAI_API_KEY" in problems[0].hint
    assert all(KEY not in f"{problem!r} {problem} {problem.hint} {problem.__cause__!r}" for problem in problems)


def test_a_key_with_signs_that_no_key_has_is_told_without_it(environ: MutableMapping[str, str]) -> None:
    for wrong in (f"{KEY}\nmore", f"“{KEY}”"):
        environ["OPENAI_API_KEY"] = wrong
        with pytest.raises(ModelError, match="OPENAI_API_KEY holds characters that no key has") as told:
            chat("double", Plain())
        assert KEY not in f"{told.value} {told.value.hint}"


def test_a_login_in_the_address_is_used_and_not_shown(environ: MutableMapping[str, str]) -> None:
    with ChatServer(_repeated) as server:
        plain = chat("double", Plain(), base_url=server.base_url)
        environ["OPENAI_BASE_URL"] = server.base_url.replace("//", "//me:long-password@")
        model = chat("double", Plain())
        (said,) = answers(model, some(1))
        assert server.received[0].headers["authorization"] == "Basic bWU6bG9uZy1wYXNzd29yZA=="
    assert said.raw == "you came with Basic …"
    assert model.fingerprint == plain.fingerprint


@pytest.mark.parametrize(
    "address", ["http://me:long-password@127.0.0.1/v1", "http://127.0.0.1/v1?api_key=long-password"]
)
def test_a_secret_in_an_address_that_is_typed_is_refused_since_that_is_kept(address: str) -> None:
    with pytest.raises(ModelError, match="holds a secret") as told:
        chat("double", Plain(), base_url=address)
    assert "long-password" not in f"{told.value} {told.value.hint}"


def test_a_version_in_the_address_is_sent_along() -> None:
    server = Server.of("https://example.org/openai/?api-version=2024-10-21", {})
    assert server.url("chat/completions") == "https://example.org/openai/chat/completions?api-version=2024-10-21"
    assert Server.of("http://127.0.0.1/v1/chat/completions", {}).address == "http://127.0.0.1/v1"


def test_the_key_is_in_no_file_that_a_run_writes(tmp_path: Path) -> None:
    made = CliRunner().invoke(commands, ["generate", str(tmp_path), "--suite", "order", "--items", "3"])
    assert made.exit_code == 0, made.output
    with ChatServer(
        _repeated, lambda asked, times: ServerFault.REJECTED if asked.number == 3 else None, key=KEY
    ) as server:
        line = ["run", str(tmp_path), "--model", "openai/double", "--base-url", server.base_url]
        done = CliRunner().invoke(commands, line)
        assert done.exit_code == 0, done.output
        assert len(server.received) > 3
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any("runs" in path.parts for path in files)
    assert all(KEY.encode() not in path.read_bytes() for path in files)
    assert KEY not in done.output


def _escaped(text: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


def _response(body: str, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def _completion(content: str) -> bytes:
    return _response(f'{{"choices": [{{"message": {{"content": {content}}}, "finish_reason": "stop"}}]}}')


_PARTS = json.dumps([{"type": "text", "text": part} for part in ("it is ", KEY[:13], KEY[13:])])
ECHOES = {
    "in the answer": _completion(f'"it is {KEY}"'),
    "escaped": _completion(f'"it is {_escaped(KEY)}"'),
    "in parts": _completion(_PARTS),
    "in lines and capitals": _completion(json.dumps(f"it is {KEY[:9].upper()}\n{KEY[9:]}")),
    "encoded": _completion(json.dumps(f"it is {b64encode(f'Bearer {KEY}'.encode()).decode()}")),
    "in the reason phrase": _response("", f"400 Wrong key {KEY}"),
    "in an error, cut": _response(json.dumps({"error": {"message": f"{'x' * 280} {KEY}"}}), "400 No"),
    "half in the message": _response(json.dumps({"error": {"message": f"no {KEY[:14]}", "code": KEY[14:]}}), "422 No"),
    "escaped twice, in no JSON": _response(f"<p>{_escaped(KEY)} {KEY.replace('-', '%2D')}"),
}
"""Ways in which a server may repeat the key."""


def _contents(lab: Path) -> str:
    """All files of a lab as text, tables unpacked."""
    files = [path for path in lab.rglob("*") if path.is_file()]
    tables = [pq.read_table(path) for path in files if path.suffix == ".parquet"]
    rows = [str(table.to_pylist()) + str(table.schema.metadata) for table in tables]
    return "\n".join([path.read_bytes().decode("latin-1") for path in files] + rows)


def test_the_key_is_in_no_file_and_no_output_however_the_server_repeats_it(tmp_path: Path) -> None:
    line = ["generate", str(tmp_path), "--suite", "order", "--items", "3"]
    assert CliRunner().invoke(commands, line).exit_code == 0
    ways = list(ECHOES.values())
    with ChatServer(verbatim=lambda asked: ways[asked.number % len(ways)]) as server:
        line = ["run", str(tmp_path), "--model", "openai/double", "--base-url", server.base_url]
        done = CliRunner().invoke(commands, [*line, "--model-args", "attempts=1"])
        assert len(server.received) > len(ways), done.output
    kept = _contents(tmp_path)
    assert all(text in kept for text in ("it is …", "the server says 400: Wrong key …", "no …", "<p>… …"))
    seen = "".join(filter(str.isalnum, kept + done.output)).lower()
    letters = "".join(filter(str.isalnum, KEY)).lower()
    for form in (letters, b64encode(KEY.encode()).decode().lower()):
        pieces = [form[start : start + 12] for start in range(len(form) - 11)]
        assert not [piece for piece in pieces if piece in seen]
    assert _escaped(KEY)[:24] not in kept + done.output


@pytest.mark.parametrize(
    "response",
    [
        _response("", f"401 Unknown key {KEY}"),
        _response(f'{{"error": {{"message": "unknown key {_escaped(KEY)}"}}}}', "403 No"),
        _response(
            json.dumps({"error": {"message": f"no quota for {KEY.upper()}", "code": "insufficient_quota"}}), "429 No"
        ),
        _response("", f"307 Go to {KEY}"),
    ],
)
def test_the_key_is_not_in_the_message_that_ends_a_run_however_it_is_repeated(response: bytes) -> None:
    with ChatServer(verbatim=lambda asked: response) as server, pytest.raises(ModelError, match=" …") as told:
        answers(chat("double", Plain(), base_url=server.base_url), some(1))
    seen = "".join(filter(str.isalnum, f"{told.value!r} {told.value.hint} {told.value.__cause__!r}")).lower()
    assert "sesame" not in seen
    assert "u0073" not in seen


@given(st.text(), st.text())
def test_a_text_without_the_key_is_left_as_it_is(before: str, after: str) -> None:
    redact = Redactor([KEY])
    assert redact(before + after) == before + after
    assert redact(f"{before} {KEY} {after}") == f"{before} … {after}"


def test_a_short_key_is_no_secret_and_leaves_answers_alone(environ: MutableMapping[str, str]) -> None:
    environ["OPENAI_API_KEY"] = "no"
    with ChatServer(lambda asked: "no") as server:
        (said,) = answers(chat("double", Plain(), base_url=server.base_url), some(1))
    assert said.raw == "no"
