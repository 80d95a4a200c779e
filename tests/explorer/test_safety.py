"""Who is let in, whose requests count, and what a hostile lab cannot do."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from clients import local_client
from hypothesis import given
from hypothesis import strategies as st
from labs import HOSTILE
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from counterpoint.cli.serve import TOKEN, command
from counterpoint.core.errors import CounterpointError
from counterpoint.core.ports import Model, Pictures
from counterpoint.explorer.app import create_app
from counterpoint.explorer.security import COOKIE, HEADER, TRIES, local_address
from counterpoint.models.builtin.sanity import constant
from counterpoint.store.lab import LabStore

PASSWORD = "correct horse"


def _models(pictures: Pictures) -> list[tuple[str, Model]]:
    return [("constant", constant(pictures))]


@pytest.fixture(scope="module")
def open_app(lab: LabStore, cache: Path) -> Starlette:
    return create_app(lab, cache=cache, models=_models)


@pytest.fixture
def locked(lab: LabStore, cache: Path) -> TestClient:
    app = create_app(lab, host="0.0.0.0", cache=cache, password=PASSWORD, models=_models)
    return local_client(app, follow_redirects=False)


def _routes(app: Starlette) -> Iterator[Route]:
    yield from (route for route in app.routes if isinstance(route, Route))


def _filled(path: str) -> str:
    for name, value in (("suite", "plain"), ("model", "hasty"), ("group", "0" * 16), ("query", "0" * 16)):
        path = path.replace("{" + name + "}", value)
    return re.sub(r"\{\w+\}", "x", path)


def test_nothing_but_the_door_is_open_without_the_password(locked: TestClient, open_app: Starlette) -> None:
    for route in _routes(open_app):
        if route.path == "/login":
            continue
        for method in sorted(route.methods or ()):
            answer = locked.request(method, _filled(route.path))
            assert answer.status_code == (403 if route.path == "/review/join" else 401), route.path
            assert "careful" not in answer.text
            assert "plain" not in answer.text
    assert locked.get("/static/browse.js").status_code == 401
    assert locked.get("/static/style.css").status_code == 200
    assert locked.get("/nowhere").status_code == 401


def test_a_visitor_is_shown_the_door_and_comes_in_by_the_password(locked: TestClient, lab: LabStore) -> None:
    sent = locked.get("/browse?text=a b", headers={"accept": "text/html"})
    assert sent.status_code == 303
    assert sent.headers["location"].startswith("/login?next=/browse")
    page = locked.get(sent.headers["location"]).text
    assert lab.folder.name not in page
    fields = dict(re.findall(r'name="(token|next)" value="([^"]*)"', page))
    wrong = locked.post("/login", data={**fields, "password": "wrong one"})
    assert wrong.status_code == 403
    assert COOKIE not in wrong.headers.get("set-cookie", "")
    right = locked.post("/login", data={**{k: unescape(v) for k, v in fields.items()}, "password": PASSWORD})
    assert right.status_code == 303
    assert right.headers["location"] == "/browse?text=a%20b"
    cookie = right.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert PASSWORD not in right.headers["set-cookie"]
    assert locked.get("/overview").status_code == 200


def test_a_program_comes_in_by_a_header(locked: TestClient) -> None:
    assert locked.get("/overview.json", headers={"Authorization": f"Bearer {PASSWORD}"}).status_code == 200
    assert locked.get("/overview.json", headers={"Authorization": "Bearer nothing"}).status_code == 401
    assert locked.get("/overview.json", headers={"Authorization": PASSWORD}).status_code == 401
    assert locked.get(f"/overview.json?token={PASSWORD}").status_code == 401


def _from(app: Any, address: str) -> TestClient:
    return local_client(app, client=(address, 50000), follow_redirects=False)


def test_passwords_cannot_be_tried_without_end(locked: TestClient) -> None:
    guess, right = {"Authorization": "Bearer guess"}, {"Authorization": f"Bearer {PASSWORD}"}
    stranger = _from(locked.app, "2001:db8::1")
    for _ in range(TRIES):
        assert stranger.get("/browse", headers=guess).status_code == 401
    answer = stranger.get("/browse", headers=right)
    assert answer.status_code == 429
    assert answer.headers["content-security-policy"]
    assert _from(locked.app, "2001:db8::2").get("/browse", headers=right).status_code == 429  # the same network


def test_a_stranger_who_guesses_locks_out_nobody_else(locked: TestClient) -> None:
    visitor = _from(locked.app, "10.0.0.7")
    for _ in range(3 * TRIES):
        _from(locked.app, "10.0.0.6").get("/browse", headers={"Authorization": "Bearer guess"})
    assert visitor.get("/overview.json", headers={"Authorization": f"Bearer {PASSWORD}"}).status_code == 200


def test_no_host_but_this_machine_is_answered_on_loopback(open_app: Starlette) -> None:
    for host, status in (("127.0.0.1:8400", 200), ("localhost", 200), ("testserver", 400), ("evil.example", 400)):
        assert local_client(open_app).get("/overview.json", headers={"host": host}).status_code == status


def test_the_door_needs_the_token_of_its_page(locked: TestClient) -> None:
    assert locked.post("/login", data={"password": PASSWORD}).status_code == 403


@given(st.text(max_size=40))
def test_nobody_is_sent_elsewhere(address: str) -> None:
    found = local_address(address)
    assert found.startswith("/")
    assert not found.startswith(("//", "/\\"))
    assert "\n" not in found


@pytest.mark.parametrize("path", ["/play", "/play/answers", "/play/pictures"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {HEADER: "guess"},
        {HEADER: "", "Cookie": "counterpoint=guess"},
        {HEADER: "right", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_what_another_site_sends_is_refused(open_app: Starlette, path: str, headers: dict[str, str]) -> None:
    client = local_client(open_app)
    right = open_app.state.keys.page
    sent = {name: right if value == "right" else value for name, value in headers.items()}
    if path == "/play":
        fields = {"question": "Is it?", "token": sent.pop(HEADER, "")}
        assert client.post(path, data=fields, headers=sent).status_code == 403
    elif path == "/play/answers":
        assert client.post(path, json={"question": "Is it?"}, headers=sent).status_code == 403
    else:
        assert client.post(path, content=b"x", headers=sent).status_code == 403


def test_the_token_is_in_no_twin_and_in_no_page_but_those_that_need_it(open_app: Starlette) -> None:
    client, token = local_client(open_app), open_app.state.keys.page
    for path in ("/play.json", "/overview", "/overview.json", "/openapi.json", "/browse"):
        assert token not in client.get(path).text
    assert token in client.get("/play").text
    assert client.get("/play").headers["cache-control"] == "no-store"


def test_everything_but_play_votes_slices_and_the_door_can_only_be_read(open_app: Starlette) -> None:
    writing = {route.path for route in _routes(open_app) if "POST" in (route.methods or ())}
    assert writing == {
        "/browse/slices",
        "/login",
        "/play",
        "/play/answers",
        "/play/pictures",
        "/review/{task}/votes",
        "/suites/{suite}/groups/{group}/notes",
    }
    client = local_client(open_app, raise_server_exceptions=False)
    for route in _routes(open_app):
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            if method not in (route.methods or ()):
                assert client.request(method, _filled(route.path)).status_code == 405, route.path


def test_listening_for_others_needs_a_token(lab: LabStore) -> None:
    words = [str(lab.folder), "--host", "0.0.0.0"]
    with pytest.raises(CounterpointError, match=r"0\.0\.0\.0") as problem:
        CliRunner(env={TOKEN: None}).invoke(command, words, catch_exceptions=False)
    assert TOKEN in problem.value.hint
    with pytest.raises(CounterpointError, match="5 characters"):
        CliRunner(env={TOKEN: "short"}).invoke(command, words, catch_exceptions=False)
    with pytest.raises(CounterpointError, match="3 characters"):
        CliRunner().invoke(command, [*words, "--token-file", "-"], input="abc\n", catch_exceptions=False)


def test_no_option_takes_a_token_that_the_list_of_processes_would_show(lab: LabStore) -> None:
    assert CliRunner().invoke(command, [str(lab.folder), "--token", PASSWORD]).exit_code == 2


def test_what_a_hostile_question_holds_is_escaped_by_play(open_app: Starlette) -> None:
    client = local_client(open_app)
    fields = {"question": HOSTILE, "choices": HOSTILE, "swap": HOSTILE, "token": open_app.state.keys.page}
    for answer in (client.post("/play", data=fields), client.get("/play", params={"question": HOSTILE})):
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "&lt;script&gt;alert" in answer.text
        assert len(re.findall("<script", answer.text)) == 2
