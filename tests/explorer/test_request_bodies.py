"""What a hostile page or a slow visitor can send: it is refused before it is parsed, and nobody else waits for it."""

import asyncio
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from browsing import served
from hypothesis import given
from hypothesis import strategies as st
from patience import SECONDS
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Message

from counterpoint.core.ports import Model, Pictures
from counterpoint.explorer import request_bodies
from counterpoint.explorer.app import create_app
from counterpoint.explorer.connections import HttpConnection
from counterpoint.explorer.request_bodies import MAX_BODY_BYTES, MAX_FIELDS, MultipartForm
from counterpoint.models.builtin.sanity import constant
from counterpoint.store.lab import LabStore

MULTIPART = "multipart/form-data; boundary=b"
PIECE = 4_000


@pytest.fixture(scope="module")
def app(lab: LabStore, cache: Path) -> Starlette:
    def models(pictures: Pictures) -> list[tuple[str, Model]]:
        return [("constant", constant(pictures))]

    return create_app(lab, cache=cache, models=models)


def _part(name: str, value: bytes, more: str = "") -> bytes:
    return f'--b\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + value + b"\r\n"


def _post(
    app: Starlette, body: bytes, headers: Mapping[str, str] | None = None, *, ends: bool = True, leaves: bool = False
) -> tuple[int, int]:
    """The status of a form that is sent to /play in pieces, and how many bytes of it were taken."""
    pieces = iter([body[start : start + PIECE] for start in range(0, len(body), PIECE)])
    taken, messages = 0, list[Message]()

    async def receive() -> Message:
        nonlocal taken
        piece = next(pieces, None)
        if piece is None and not ends:
            await asyncio.Event().wait()
        if piece is None and leaves:
            return {"type": "http.disconnect"}
        taken += len(piece or b"")
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    async def send(message: Message) -> None:
        messages.append(message)

    given = {"host": "127.0.0.1", "content-type": MULTIPART, **(headers or {})}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/play",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    with ThreadPoolExecutor(1) as thread:  # a browser of another test may hold the loop of this one
        thread.submit(asyncio.run, app(scope, receive, send)).result()
    return messages[0]["status"], taken


@pytest.mark.parametrize("headers", [{"sec-fetch-site": "cross-site"}, {"origin": "http://evil.example"}])
def test_nothing_of_a_form_from_another_site_is_read(app: Starlette, headers: dict[str, str]) -> None:
    body = _part("token", app.state.keys.page.encode()) + b"--b--\r\n"
    assert _post(app, body, headers) == (403, 0)


@pytest.mark.parametrize("first", [_part("token", b"guess"), _part("question", b"Is it?"), _part("file", b"x" * 9_000)])
def test_the_token_is_checked_before_the_rest_of_a_form_arrives(app: Starlette, first: bytes) -> None:
    status, taken = _post(app, first + _part("q", b"") * 100_000)
    assert status == 403
    assert taken <= len(first) + PIECE


def test_a_file_before_the_token_is_not_waited_for(app: Starlette) -> None:
    status, taken = _post(app, _part("file", b"x" * 1_000_000, '; filename="a.png"'))
    assert status == 403
    assert taken <= MAX_BODY_BYTES + PIECE


def test_a_form_of_many_parts_is_refused_at_the_first_that_is_too_many(app: Starlette) -> None:
    body = _part("token", app.state.keys.page.encode()) + _part("q", b"") * 100_000
    status, taken = _post(app, body)
    assert status == 413
    assert taken <= MAX_FIELDS * len(_part("q", b"")) + PIECE


def test_a_form_inside_a_form_is_a_text(app: Starlette) -> None:
    inner = b"\r\n".join(
        f"--{level}\r\nContent-Type: multipart/mixed; boundary={level}\r\n".encode() for level in range(900)
    )
    token = _part("token", app.state.keys.page.encode())
    assert _post(app, token + _part("extra", inner) + b"--b--\r\n")[0] == 200


def test_a_form_is_parsed_beside_the_event_loop(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> None:
    threads, write = list[threading.Thread](), MultipartForm.write

    def note_thread(form: MultipartForm, piece: bytes) -> None:
        threads.append(threading.current_thread())
        write(form, piece)

    monkeypatch.setattr(MultipartForm, "write", note_thread)
    body = _part("token", app.state.keys.page.encode()) + _part("question", b"Is it?") + b"--b--\r\n"
    assert _post(app, body)[0] == 200
    assert threads
    assert threading.main_thread() not in threads


def test_a_body_that_stops_is_not_waited_for(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_bodies, "BODY_SECONDS", 0.05)
    monkeypatch.setattr(request_bodies, "BYTES_PER_SECOND", 1 << 40)
    assert _post(app, _part("token", app.state.keys.page.encode()), ends=False)[0] == 408


def test_a_visitor_who_leaves_is_no_error_of_the_server(app: Starlette) -> None:
    assert _post(app, _part("token", app.state.keys.page.encode()), leaves=True)[0] == 400


def test_a_body_that_says_it_is_too_long_is_not_read(app: Starlette) -> None:
    assert _post(app, _part("token", b"x"), {"content-length": "99999999999"}) == (413, 0)


_FRAGMENTS = [
    b"--b",
    b"\r\n",
    b"--b--",
    b'Content-Disposition: form-data; name="token"',
    b"\r\n\r\n",
    b"good",
    b"\0\xff",
]


@given(st.lists(st.sampled_from(_FRAGMENTS) | st.binary(max_size=20), max_size=30), st.integers(1, 50))
def test_no_form_is_anything_but_read_or_refused(fragments: Sequence[bytes], size: int) -> None:
    def check(token: object) -> None:
        if token != "good":
            raise HTTPException(403)

    body = b"".join(fragments)
    try:
        form = MultipartForm(MULTIPART, check)
        for start in range(0, len(body), size):
            form.write(body[start : start + size])
        assert form.fields()["token"]
    except (ValueError, HTTPException):
        return


class Impatient(HttpConnection):
    """Waits for headers for a moment."""

    header_seconds = 0.2


class Crowded(HttpConnection):
    """Has room for few connections, which may wait."""

    header_seconds, max_connections = SECONDS, 3


@contextmanager
def _listening(http: type[HttpConnection]) -> Iterator[tuple[str, int]]:
    """The address of a server with connections of a class."""
    with served(Starlette(routes=[Route("/", lambda request: PlainTextResponse("here"))]), http) as address:
        yield "127.0.0.1", int(address.rpartition(":")[2])


def _until_closed(address: tuple[str, int], start: bytes) -> bytes:
    """What a server sends to who sends this and no more, until it closes the connection."""
    received = b""
    with socket.create_connection(address, timeout=SECONDS) as visitor:
        try:
            visitor.sendall(start)
        except ConnectionError:  # it was closed before
            return b""
        while piece := _received(visitor):
            received += piece
    return received


def test_half_a_request_is_closed() -> None:
    with _listening(Impatient) as address:
        assert _until_closed(address, b"") == b""
        assert _until_closed(address, b"GET / HTTP/1.1\r\nHost: 127") == b""
        whole = (_until_closed(address, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n") for _ in range(100))
        assert any(received.endswith(b"here") for received in whole)  # on a busy machine the first may be too slow


def test_there_is_an_end_to_connections() -> None:
    with _listening(Crowded) as address:
        visitors = [socket.create_connection(address, timeout=SECONDS) for _ in range(4)]
        try:
            assert _received(visitors[-1]) == b""
            visitors[0].sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            assert _received(visitors[0]).startswith(b"HTTP/1.1 200")
        finally:
            for visitor in visitors:
                visitor.close()


def _received(visitor: socket.socket) -> bytes:
    try:
        return visitor.recv(1000)
    except ConnectionResetError:
        return b""
