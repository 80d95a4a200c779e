"""The OpenAPI document: paths from the registry and the routes, schemas from the types of the views."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, TypeAlias

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from counterpoint._version import __version__
from counterpoint.explorer.page import PageEntry
from counterpoint.explorer.play.request import MASKS, MAX_TEXT, MODES, NUMBERS, TEXTS
from counterpoint.explorer.security import HEADER
from counterpoint.explorer.views import LabView

JsonSchema: TypeAlias = dict[str, Any]

MEDIA_TYPES: Mapping[str, str] = MappingProxyType(
    {
        ".json": "application/json",
        ".svg": "image/svg+xml",
        ".png": "image/png",
        ".webp": "image/webp",
        ".csv": "text/csv",
        ".jsonl": "application/x-ndjson",
        ".parquet": "application/vnd.apache.parquet",
    }
)
"""The media type of a path by its ending; all others are HTML."""

_PATH_PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")
_HEX = {"type": "string", "pattern": "^[0-9a-f]{16}$"}
_HIDDEN = ("/static", "/openapi.json", "/login", "/review/")
_REFERENCE = "#/components/schemas/{name}"
_ERRORS = {
    "400": "the request is malformed",
    "403": "the request was not sent by a page of this server",
    "404": "there is no such page or name",
    "413": "the body is too large",
    "415": "the body has another media type",
}


async def openapi(request: Request) -> Response:
    """GET /openapi.json: this document."""
    return JSONResponse(openapi_document(request.app.routes, request.app.state.pages))


def openapi_document(routes: Sequence[BaseRoute], pages: Sequence[PageEntry]) -> JsonSchema:
    """Describe all that can be requested of the server."""
    types = {entry.path: entry.view_type for entry in pages}
    references, schemas = msgspec.json.schema_components([LabView, *types.values()], ref_template=_REFERENCE)
    lab, *views = references
    twins = {path: {"allOf": [view, _object({"lab": lab})]} for path, view in zip(types, views, strict=True)}
    entries = {entry.path: entry for entry in pages}
    paths = {
        route.path: {"get": _operation(route, entries, twins)}
        for route in routes
        if isinstance(route, Route) and not route.path.startswith(_HIDDEN) and "GET" in (route.methods or ())
    }
    if any(isinstance(route, Route) and route.path == "/play" for route in routes):
        paths |= _play_operations()
    problem = _object({"problem": {"type": "string"}, "hint": {"type": "string"}})
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Counterpoint",
            "version": __version__,
            "description": "The pages of a lab and their JSON twins. Scores are from 0 to 1, ids are sixteen "
            "hexadecimal digits, and an address is a path on this server.",
        },
        "paths": paths,
        "components": {
            "schemas": {**dict(sorted(schemas.items())), "ErrorMessage": problem},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _object(properties: Mapping[str, JsonSchema]) -> JsonSchema:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}


def _operation(route: Route, entries: Mapping[str, PageEntry], twins: Mapping[str, JsonSchema]) -> JsonSchema:
    """Describe the GET request of a route."""
    ending = next((ending for ending in MEDIA_TYPES if route.path.endswith(ending)), "")
    path = route.path.removesuffix(ending)
    entry, media_type = entries.get(path), MEDIA_TYPES.get(ending, "text/html")
    parameters: Sequence[str] = entry.parameters if entry else ()
    if ending == ".webp":
        parameters = ("width",)
    if ending == ".png":
        parameters = (*TEXTS, *NUMBERS)
    schema = twins[path] if entry and ending == ".json" else None
    redirects = {"307": {"description": "a redirect to the first page"}} if path == "/" else {}
    return {
        "summary": entry.summary if entry else (route.endpoint.__doc__ or path).strip().partition("\n")[0],
        "operationId": re.sub(r"\W+", "_", f"get{route.path}"),
        "parameters": [*_path_parameters(route.path), *map(_query_parameter, parameters)],
        "responses": {
            "200": _response("the page, its JSON twin, or a file", media_type, schema),
            "304": {"description": "the copy of the browser is current"},
            **redirects,
            **dict(_errors(("400", "404"), html=media_type != "application/json")),
        },
    }


def _path_parameters(path: str) -> Iterator[JsonSchema]:
    for name in _PATH_PARAMETER.findall(path):
        schema = _HEX if name in ("query", "group") else {"type": "string", "minLength": 1}
        yield {"name": name, "in": "path", "required": True, "schema": schema}


def _query_parameter(name: str) -> JsonSchema:
    return {"name": name, "in": "query", "required": False, "schema": _parameter_schema(name)}


def _parameter_schema(name: str) -> JsonSchema:
    if name in NUMBERS and name != "page":
        least, most = NUMBERS[name]
        return {"type": "integer", "minimum": least, "maximum": most}
    if name in ("page", "width"):
        return {"type": "integer", "minimum": 1, "maximum": 10_000}
    if name in ("mode", "mask"):
        return {"type": "string", "enum": list(MODES if name == "mode" else MASKS)}
    return {"type": "string", "maxLength": MAX_TEXT}


def _response(description: str, media_type: str, schema: JsonSchema | None) -> JsonSchema:
    return {"description": description, "content": {media_type: {"schema": schema} if schema else {}}}


def _errors(statuses: Sequence[str], *, html: bool = True) -> Iterator[tuple[str, JsonSchema]]:
    """Describe errors: a page for people, JSON for programs that accept it."""
    content: JsonSchema = {"application/json": {"schema": {"$ref": _REFERENCE.format(name="ErrorMessage")}}}
    for status in statuses:
        yield status, {"description": _ERRORS[status], "content": {**content, **({"text/html": {}} if html else {})}}


@cache
def _play_operations() -> dict[str, JsonSchema]:
    """Describe what is posted to the page on which a model is tried."""
    fields = {name: _parameter_schema(name) for name in (*TEXTS, *NUMBERS)}
    inputs = {
        "type": "object",
        "properties": fields
        | {"visitor": {"type": "string", "maxLength": 64}, "turn": {"type": "integer", "minimum": 0}},
        "additionalProperties": False,
    }
    picture = {"type": "string", "format": "binary"}
    uploaded = _object({"dropped": {"type": "string"}, "picture": {"type": "string"}})
    return {
        "/play/answers": _post(
            "play_answers",
            "Ask the loaded models; the response has an event per line: asked, answer, end or stopped.",
            {"application/json": inputs},
            {"200": _response("one JSON object per line", "application/x-ndjson", None)},
        ),
        "/play/pictures": _post(
            "play_pictures",
            "Upload a picture to ask about; it is kept in memory for a while.",
            {"image/png": picture, "image/jpeg": picture},
            {"201": _response("its name and its address", "application/json", uploaded)},
        ),
    }


def _post(name: str, summary: str, bodies: Mapping[str, JsonSchema], response: JsonSchema) -> JsonSchema:
    """Describe a POST request, which needs the token of a page; bodies are by media type."""
    operation = {
        "summary": summary,
        "operationId": f"post_{name}",
        "parameters": [{"name": HEADER, "in": "header", "required": True, "schema": {"type": "string"}}],
        "requestBody": {"required": True, "content": {kind: {"schema": schema} for kind, schema in bodies.items()}},
        "responses": response | dict(_errors(("400", "403", "404", "413", "415"))),
    }
    return {"post": operation}
