"""How an address is answered: a view is made of the lab, few at a time, and shown as a page, its twin, or a chart."""

import json
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from counterpoint._version import __version__
from counterpoint.core.errors import UnknownName
from counterpoint.explorer.templating import environment
from counterpoint.explorer.views import LabView, PageView, to_json_value
from counterpoint.lab.reader import LabReader
from counterpoint.reports.charts.svg import Chart

TEMPLATES = environment()
"""Those of all pages."""


def lab_view(request: Request) -> LabView:
    """The line at the top of a page."""
    reader: LabReader = request.app.state.reader
    return LabView(reader.name, len(reader.models()), reader.answer_count(), bool(request.app.state.model_threads))


def parse_id(text: str) -> int:
    """The number of a query or a group, which an address has as sixteen digits."""
    if len(text) != 16 or not set(text) <= set("0123456789abcdef"):
        raise UnknownName("id", text, [])
    return int(text, 16)


def has_ending(request: Request, *endings: str) -> bool:
    """Whether an address has one of these endings, which say in what form it is answered."""
    return request.url.path.endswith(endings)


async def page(request: Request, template: str, make: Callable[[LabReader], PageView]) -> Response:
    """A view by its template, or as JSON; whoever has it already is only told so."""
    reader: LabReader = request.app.state.reader
    version = await run_in_threadpool(reader.refresh)
    tag = blake2b(f"{version} {__version__} {request.url}".encode(), digest_size=8).hexdigest()
    if _known(request, tag):
        return _unchanged(tag)
    twin, recent = has_ending(request, ".json"), request.app.state.recent

    def made() -> bytes:
        """The page, which is the same for everybody until the lab changes."""
        view, lab = make(reader), lab_view(request)
        if twin:
            content = bytes(_json({"lab": to_json_value(lab), **to_json_value(view)}).body)
        else:
            shown = TEMPLATES.get_template(template).render(view=view, lab=lab)
            content = shown.encode("utf-8", "backslashreplace")
        recent.put(tag, content)
        return content

    content = recent.get(tag)
    if content is None:
        async with request.app.state.makers:
            content = recent.get(tag) or await run_in_threadpool(made)
    return with_etag(request, Response(content, media_type="application/json" if twin else "text/html"), tag)


async def chart(request: Request, make: Callable[[LabReader], Chart]) -> Response:
    """A chart as an SVG file."""
    reader: LabReader = request.app.state.reader
    await run_in_threadpool(reader.refresh)
    async with request.app.state.makers:
        drawn = await run_in_threadpool(lambda: make(reader).svg())
    return Response(drawn.encode("utf-8"), media_type="image/svg+xml")


def _json(content: Mapping[str, Any]) -> Response:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "backslashreplace"), media_type="application/json")


def _known(request: Request, tag: str) -> bool:
    return request.headers.get("if-none-match", "").removeprefix("W/") == f'"{tag}"'


def _unchanged(tag: str) -> Response:
    return Response(status_code=304, headers={"ETag": f'"{tag}"', "Cache-Control": "no-cache"})


def with_etag(request: Request, response: Response, tag: str) -> Response:
    """The answer with its tag: a browser that has it already is told so, and asks again each time."""
    if _known(request, tag):
        return _unchanged(tag)
    response.headers.update({"ETag": f'"{tag}"', "Cache-Control": "no-cache"})
    return response
