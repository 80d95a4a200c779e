"""The pages for programs: an OpenAPI document made from the routes, and from what each view holds."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from inspect import cleandoc
from types import MappingProxyType, NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from counterpoint._version import __version__
from counterpoint.explorer.group_filters import PARAMETERS
from counterpoint.explorer.play.request import MASKS, MAX_TEXT, MODES, NUMBERS, TEXTS
from counterpoint.explorer.security import HEADER
from counterpoint.explorer.views import LabView

Schema: TypeAlias = dict[str, Any]
"""A JSON schema."""

_FILTER = PARAMETERS
VIEWS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "/overview": ("views:Leaderboard", ("suite", "metric", "sort", "open")),
        "/models/{model}": ("views_boards:ModelView", ("suite", "metric", "against", "chart")),
        "/suites": ("views_boards:SuitesView", ()),
        "/suites/{suite}": ("views_boards:SuiteView", ()),
        "/browse": ("views_find:Find", (*_FILTER, "after", "before")),
        "/suites/{suite}/models/{model}": ("views:SuiteOfModel", ("test", "kind", "verdict", "page")),
        "/suites/{suite}/groups/{group}": ("views_groups:GroupView", _FILTER),
        "/compare": ("views_groups:CompareView", ("suite", "models", "with", "first", "second", "page")),
        "/samples/{query}": ("views_groups:SampleView", ()),
        "/play": ("play.view:PlayView", (*TEXTS, *NUMBERS)),
    }
)
"""What the twin of each page holds, by the path of the page, and what its address may ask for."""

ENDINGS: Mapping[str, str] = MappingProxyType(
    {
        ".json": "application/json",
        ".svg": "image/svg+xml",
        ".png": "image/png",
        ".csv": "text/csv",
        ".jsonl": "application/x-ndjson",
        ".parquet": "application/vnd.apache.parquet",
    }
)
"""What comes back, by how the path ends; all else is a page."""

_NAMES = re.compile(r"\{(\w+)(?::\w+)?\}")
_HEX = {"type": "string", "pattern": "^[0-9a-f]{16}$"}
_UNLISTED = ("/static", "/openapi.json", "/login", "/play/answers", "/play/pictures")  # the last two by hand


async def openapi(request: Request) -> Response:
    """GET /openapi.json: this document."""
    return JSONResponse(document(request.app.routes))


def document(routes: Iterable[BaseRoute]) -> Schema:
    """All that can be asked of the server."""
    known: dict[str, Schema] = {}
    paths: dict[str, Schema] = {}
    for route in routes:
        if isinstance(route, Route) and not route.path.startswith(_UNLISTED):
            paths.setdefault(_NAMES.sub(r"{\1}", route.path), {"get": _read(route, known)})
    if "/play" in paths:
        paths |= _play()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Counterpoint",
            "version": __version__,
            "description": "The pages of a lab and their JSON twins. Shares are from 0 to 1, ids are sixteen "
            "hexadecimal digits, and an address is a path on this server.",
        },
        "paths": paths,
        "components": {
            "schemas": {
                **dict(sorted(known.items())),
                "Trouble": _object({"problem": {"type": "string"}, "hint": {"type": "string"}}),
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def schema(kind: Any, known: dict[str, Schema]) -> Schema:
    """The schema of a type; dataclasses are put into `known` under their names, and referred to.

    >>> schema(tuple[int, ...], {}), schema(str | None, {})
    ({'type': 'array', 'items': {'type': 'integer'}}, {'anyOf': [{'type': 'string'}, {'type': 'null'}]})
    """
    if is_dataclass(kind) and isinstance(kind, type):
        return _known(kind, known)
    if get_origin(kind) in (Union, UnionType):
        return {"anyOf": [schema(one, known) for one in get_args(kind)]}
    if get_origin(kind) in (tuple, list, Sequence):
        return _array(get_args(kind), known)
    if get_origin(kind) in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema(get_args(kind)[1], known)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"type": "string", "enum": [one.value for one in kind]}
    simple = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}
    return {"type": simple[kind]} if kind in simple else {}


def _array(of: tuple[Any, ...], known: dict[str, Schema]) -> Schema:
    if len(of) == 1 or of[1] is Ellipsis:
        return {"type": "array", "items": schema(of[0], known)}
    return {
        "type": "array",
        "prefixItems": [schema(one, known) for one in of],
        "minItems": len(of),
        "maxItems": len(of),
    }


def _known(kind: type, known: dict[str, Schema]) -> Schema:
    name = f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"
    if name not in known:
        known[name] = {}  # a view may hold views of its own kind
        hints = get_type_hints(kind)
        listed = {field.name: schema(hints[field.name], known) for field in fields(kind)}
        known[name] = {"description": cleandoc(kind.__doc__ or "").partition("\n")[0], **_object(listed)}
    return {"$ref": f"#/components/schemas/{name}"}


def _object(properties: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}


def _read(route: Route, known: dict[str, Schema]) -> Schema:
    """What can be read at a route."""
    stem, ending = _cut(_NAMES.sub(r"{\1}", route.path))
    view, asked = VIEWS.get(stem, ("", ()))
    if ending == ".png":
        asked = ("width",) if stem != "/play/picture" else (*TEXTS, *NUMBERS)
    twin = view and ending == ".json"
    held = _twin(view, known) if twin else {"type": "object"} if ENDINGS.get(ending) == "application/json" else None
    said = (route.endpoint.__doc__ or route.path).strip().partition("\n")[0]
    return {
        "summary": said,
        "operationId": re.sub(r"\W+", "_", f"get{route.path}"),
        "parameters": [*_places(route.path), *map(_parameter, asked)],
        "responses": {
            "200": _answer("what was asked for", ENDINGS.get(ending, "text/html"), held),
            "304": {"description": "what the browser has is still right"},
            **({"307": {"description": "it is elsewhere"}} if not view and not ending else {}),
            **dict(_troubles(("400", "404"), page=ENDINGS.get(ending) != "application/json")),
        },
    }


def _cut(path: str) -> tuple[str, str]:
    ending = next((one for one in ENDINGS if path.endswith(one)), "")
    return path.removesuffix(ending), ending


def _places(path: str) -> Iterator[Schema]:
    for name in _NAMES.findall(path):
        kind = _HEX if name in ("query", "group") else {"type": "string", "minLength": 1}
        yield {"name": name, "in": "path", "required": True, "schema": kind}


def _parameter(name: str) -> Schema:
    return {"name": name, "in": "query", "required": False, "schema": _field(name)}


def _field(name: str) -> Schema:
    if name in NUMBERS and name != "page":
        least, most = NUMBERS[name]
        return {"type": "integer", "minimum": least, "maximum": most}
    if name in ("page", "width"):
        return {"type": "integer", "minimum": 1, "maximum": 10_000}
    if name in ("mode", "mask"):
        return {"type": "string", "enum": list(MODES if name == "mode" else MASKS)}
    return {"type": "string", "maxLength": MAX_TEXT}


def _twin(view: str, known: dict[str, Schema]) -> Schema:
    """A view as its twin shows it, with the lab beside it."""
    module, _, name = view.partition(":")
    found = getattr(import_module(f"counterpoint.explorer.{module}"), name)
    return {"allOf": [schema(found, known), _object({"lab": schema(LabView, known)})]}


def _answer(said: str, kind: str, held: Schema | None) -> Schema:
    return {"description": said, "content": {kind: {"schema": held} if held else {}}}


def _troubles(statuses: Sequence[str], *, page: bool = True) -> Iterator[tuple[str, Schema]]:
    """What is said when something is wrong: a page for people, JSON for programs that accept it."""
    what = {
        "400": "it cannot be understood",
        "403": "it was not sent by a page of ours",
        "404": "there is no such thing",
        "413": "it is too much",
        "415": "it is of another kind",
    }
    told: Schema = {"application/json": {"schema": {"$ref": "#/components/schemas/Trouble"}}}
    for status in statuses:
        yield status, {"description": what[status], "content": {**told, **({"text/html": {}} if page else {})}}


@cache
def _play() -> dict[str, Schema]:
    """What is sent to Play."""
    token = {"name": HEADER, "in": "header", "required": True, "schema": {"type": "string"}}
    asked = {name: _field(name) for name in (*TEXTS, *NUMBERS)} | {"visitor": {"type": "string", "maxLength": 64}}
    body = {"type": "object", "properties": asked, "additionalProperties": False}
    picture = {"type": "string", "format": "binary"}
    made = _object({"dropped": {"type": "string"}, "picture": {"type": "string"}})
    troubles = dict(_troubles(("400", "403", "404", "413", "415")))
    return {
        "/play/answers": {
            "post": {
                "summary": "Ask the loaded models; an event comes in each line: asked, answer, end or stopped.",
                "operationId": "post_play_answers",
                "parameters": [token],
                "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
                "responses": {"200": _answer("events, one JSON object in each line", "application/x-ndjson", None)}
                | troubles,
            }
        },
        "/play/pictures": {
            "post": {
                "summary": "Send a picture to play with, which is kept in memory for a while.",
                "operationId": "post_play_pictures",
                "parameters": [token],
                "requestBody": {
                    "required": True,
                    "content": {kind: {"schema": picture} for kind in ("image/png", "image/jpeg")},
                },
                "responses": {"201": _answer("its name, and where it is", "application/json", made)} | troubles,
            }
        },
    }
