"""The OpenAPI document: it says what there is, twins are what it says, and nothing that it allows breaks the server."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clients import local_client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from proving import examples, scaled
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from counterpoint.core.ports import Model, Pictures
from counterpoint.explorer.app import create_app
from counterpoint.explorer.openapi import openapi_document
from counterpoint.explorer.registry import PAGES
from counterpoint.explorer.security import HEADER
from counterpoint.models.builtin.sanity import constant
from counterpoint.store.lab import LabStore

CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")
EACH = 8
"""Requests that are tried for each operation, so that all of them together take seconds."""


def _models(pictures: Pictures) -> list[tuple[str, Model]]:
    return [("constant", constant(pictures))]


@pytest.fixture(scope="module")
def app(lab: LabStore, cache: Path) -> Starlette:
    return create_app(lab, cache=cache, models=_models)


@pytest.fixture(scope="module")
def client(app: Starlette) -> TestClient:
    return local_client(app, raise_server_exceptions=False)


@pytest.fixture(scope="module")
def wise(app: Starlette, client: TestClient) -> dict[str, Any]:
    """The document, with names that are in the lab beside those that are not, so that more than 404 is seen."""
    listed = client.get("/suites/plain/models/hasty.json").json()["groups"]
    query = re.findall(r"pictures/([0-9a-f]{16})", listed[0]["picture"])
    real = {"suite": ["plain", "odd"], "model": ["hasty", "b-bold-b-model"], "group": [listed[0]["group_id"]]}
    real |= {"query": query, "metric": ["accuracy"], "verdict": ["broken"], "test": ["hostile"], "models": ["a,b"]}
    found: dict[str, Any] = client.get("/openapi.json").json()
    for operations in found["paths"].values():
        for operation in operations.values():
            for one in operation["parameters"]:
                if one["name"] in real:
                    one["schema"] = {"anyOf": [{"enum": real[one["name"]]}, one["schema"]]}
    return found


def test_every_page_with_a_twin_is_described(app: Starlette) -> None:
    twins = {route.path.removesuffix(".json") for route in _routes(app) if re.search(r"\.json$", route.path)}
    assert twins - {"/openapi"} == {entry.path for entry in PAGES}


def test_every_route_is_in_the_document(app: Starlette) -> None:
    listed = set(openapi_document(app.routes, PAGES)["paths"])
    hidden = (
        "/login",
        "/openapi.json",
        "/review/",
        "/browse/slices",
        "/suites/{suite}/groups/{group}/notes",
    )  # people vote and save by the page alone
    assert {route.path for route in _routes(app) if not route.path.startswith(hidden)} == listed


def _routes(app: Starlette) -> Iterator[Route]:
    yield from (route for route in app.routes if isinstance(route, Route))


def test_the_document_is_one_that_others_can_read(client: TestClient) -> None:
    import schemathesis

    found = client.get("/openapi.json").json()
    assert found["openapi"] == "3.1.0"
    references = set(re.findall(r"'#/components/schemas/([^']+)'", str(found)))
    assert references <= set(found["components"]["schemas"])
    schemathesis.openapi.from_dict(found).validate()


def _tried(app: Starlette, found: dict[str, Any], path: str, method: str, headers: dict[str, str]) -> list[int]:
    import schemathesis

    loaded, checks = schemathesis.openapi.from_dict(found), [getattr(schemathesis.checks, name) for name in CHECKS]
    loaded.app = app
    seen: list[int] = []

    @settings(
        max_examples=scaled(EACH, 2),
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=loaded[path][method].as_strategy())
    def attempt(case: Any) -> None:
        case.headers = {**dict(case.headers or {}), **headers}
        answer = case.call(base_url="http://127.0.0.1")
        seen.append(answer.status_code)
        case.validate_response(answer, checks=checks)

    attempt()
    return seen


def test_nothing_that_the_document_allows_breaks_the_server(app: Starlette, wise: dict[str, Any]) -> None:
    seen: dict[str, list[int]] = {}
    for path in [*list(wise["paths"])[:: 1 if scaled(EACH) == EACH else 5], "/play/answers"]:
        for method in wise["paths"][path]:
            headers = {HEADER: app.state.keys.page} if method == "post" else {}
            seen[path] = _tried(app, wise, path, method, headers)
    assert any(200 in statuses for path, statuses in seen.items() if path.endswith(".json"))
    assert 200 in seen["/play/answers"]


@examples(60)
@given(
    st.sampled_from(["/overview", "/browse", "/browse.json", "/play.json", "/suites/plain/models/hasty.json"]),
    st.dictionaries(
        st.sampled_from(
            ["suite", "metric", "verdict", "text", "tag", "answer", "page", "sort", "low", "after", "query"]
        ),
        st.text(max_size=30),
        max_size=4,
    ),
)
def test_no_text_in_an_address_breaks_a_page(client: TestClient, path: str, said: dict[str, str]) -> None:
    assert client.get(path, params=_sendable(said)).status_code in (200, 400, 404)


def _sendable(said: dict[str, str]) -> dict[str, str]:
    return {name: value.encode("utf-8", "replace").decode() for name, value in said.items()}
