"""Every page and its JSON twin: an address is read, a view is made, a template shows it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any, TypeAlias

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from counterpoint._version import __version__
from counterpoint.core.errors import CounterpointError, PictureError, UnknownName
from counterpoint.explorer.board_choices import BoardChoice
from counterpoint.explorer.breakdowns import kinds_chart
from counterpoint.explorer.charts import Spec, svg, vega
from counterpoint.explorer.choices import Filter
from counterpoint.explorer.downloads import TYPES, download
from counterpoint.explorer.find import find
from counterpoint.explorer.groups import THRESHOLD, group_view
from counterpoint.explorer.leaderboards import board_chart, leaderboard
from counterpoint.explorer.listings import suite_of_model
from counterpoint.explorer.reading import Reading
from counterpoint.explorer.selections import selection
from counterpoint.explorer.thumbnails import fitting
from counterpoint.explorer.views import Boxed, LabView, Page, Problem, plain

Endpoint: TypeAlias = Callable[[Request], Any]


def environment() -> Environment:
    """The templates: whatever they show is escaped, and a name that does not exist is an error."""
    made = Environment(
        loader=PackageLoader("counterpoint.explorer"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"thousands": thousands, "counted": counted, "label": label}
    made.globals |= {"threshold": THRESHOLD, "live": True}
    return made


def thousands(number: int) -> str:
    """A whole number as it is read.

    >>> thousands(41220)
    '41,220'
    """
    return f"{number:,}"


def counted(number: int, one: str, many: str = "") -> str:
    """So many of something.

    >>> counted(1, "model"), counted(2, "model")
    ('1 model', '2 models')
    """
    return f"{thousands(number)} {one if number == 1 else many or f'{one}s'}"


def label(box: Boxed, width: int, height: int) -> dict[str, float]:
    """Where the name of a box goes: above it, or inside where there is no room, and never out of the picture."""
    font = max(width / 30, 7)
    long, tall = font * (0.56 * len(box.name) + 0.8), font * 1.45
    x = min(max(box.x, 0), max(width - long, 0))
    y = box.y - tall if box.y >= tall else min(box.y, max(height - tall, 0))
    found = {"x": x, "y": y, "width": long, "height": tall, "font": font, "text": long - font * 0.8}
    return {name: round(value, 2) for name, value in found.items()}


_TEMPLATES = environment()


async def home(request: Request) -> Response:
    """GET /: the leaderboard is where everybody begins."""
    return RedirectResponse("/leaderboard")


async def leaderboard_page(request: Request) -> Response:
    """GET /leaderboard, /leaderboard.json, /leaderboard.vl.json and /leaderboard.svg."""
    choice = BoardChoice.read(request.query_params.multi_items())
    if _asks_for(request, ".vl.json", ".svg"):
        return await _chart(request, lambda reading: board_chart(reading, choice))
    return await _page(request, "leaderboard.html", lambda reading: leaderboard(reading, choice))


async def suite_page(request: Request) -> Response:
    """GET /suites/SUITE/models/MODEL, with the same endings: one suite of one model, and its groups."""
    suite, slug = request.path_params["suite"], request.path_params["model"]
    if _asks_for(request, ".vl.json", ".svg"):
        return await _chart(request, lambda reading: kinds_chart(reading, suite, slug))
    query = dict(request.query_params)
    return await _page(request, "suite.html", lambda reading: suite_of_model(reading, suite, slug, query))


async def group_page(request: Request) -> Response:
    """GET /suites/SUITE/groups/ID and its twin: one group, among those that fit the filter."""
    suite, group_id = request.path_params["suite"], _id(request.path_params["group"])
    chosen = Filter.read(request.query_params)
    return await _page(request, "group.html", lambda reading: group_view(reading, suite, group_id, chosen))


async def find_page(request: Request) -> Response:
    """GET /find and /find.json: the groups that fit a filter."""
    query = dict(request.query_params)
    return await _page(request, "find.html", lambda reading: find(reading, query))


async def find_rows(request: Request) -> Response:
    """GET /find.csv, /find.jsonl and /find.parquet: the rows of all groups that fit, sent as they are made."""
    reading, ending = request.app.state.reading, f".{request.url.path.rpartition('.')[2]}"
    chosen = replace(Filter.read(request.query_params), find="1", of="")
    await run_in_threadpool(reading.refresh)
    await run_in_threadpool(selection, reading, chosen)  # refuses what the lab does not have
    headers = {"Content-Disposition": f'attachment; filename="found{ending}"'}
    return StreamingResponse(download(reading, chosen, ending), headers=headers, media_type=TYPES[ending])


async def picture(request: Request) -> Response:
    """GET /suites/SUITE/pictures/QUERY.png?width=N: the picture as it was shown with a query."""
    suite, query_id = request.path_params["suite"], _id(request.path_params["query"])
    asked = request.query_params.get("width", "640")
    width = fitting(int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 6 else 640)
    state = request.app.state

    def made() -> bytes:
        state.reading.refresh()
        shown = state.reading.query(suite, query_id).picture
        if shown is None:
            raise UnknownName("picture", request.path_params["query"], [])
        content: bytes = state.thumbnails.png(shown, width)
        return content

    content = await run_in_threadpool(made)
    return _tagged(request, Response(content, media_type="image/png"), blake2b(content, digest_size=8).hexdigest())


async def vega_script(request: Request) -> Response:
    """GET /static/vega.js: the script that draws charts, made on first use."""
    content = await run_in_threadpool(vega, request.app.state.cache)
    return _tagged(request, Response(content, media_type="text/javascript"), str(len(content)))


async def problem_page(request: Request, problem: Exception) -> Response:
    """What went wrong, as a page or as its twin: 404 for what is not there, 500 for a lab that cannot be read."""
    status = getattr(problem, "status_code", 404 if isinstance(problem, UnknownName | PictureError) else 500)
    said = str(problem) if isinstance(problem, CounterpointError) else str(getattr(problem, "detail", "")) or "Error"
    found = Problem(
        view="problem",
        title="There is no such page" if status == 404 else "This cannot be shown",
        sentence=f"{said[:1].upper()}{said[1:].rstrip('.')}.",
        twin="/leaderboard.json",
        hint=getattr(problem, "hint", ""),
    )
    if _asks_for(request, ".json") or "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"problem": found.sentence, "hint": found.hint}, status)
    empty = LabView(request.app.state.reading.name, 0, 0, bool(request.app.state.players))
    content = _TEMPLATES.get_template("problem.html").render(view=found, lab=empty)
    headers = getattr(problem, "headers", None)
    return Response(content, status, headers, "text/html")


def lab_view(request: Request) -> LabView:
    """The line at the top of a page."""
    reading: Reading = request.app.state.reading
    return LabView(reading.name, len(reading.models()), reading.answered(), bool(request.app.state.players))


def _id(text: str) -> int:
    if len(text) != 16 or not set(text) <= set("0123456789abcdef"):
        raise UnknownName("id", text, [])
    return int(text, 16)


def _asks_for(request: Request, *endings: str) -> bool:
    return request.url.path.endswith(endings)


async def _page(request: Request, template: str, make: Callable[[Reading], Page]) -> Response:
    reading: Reading = request.app.state.reading
    version = await run_in_threadpool(reading.refresh)
    tag = blake2b(f"{version} {__version__} {request.url}".encode(), digest_size=8).hexdigest()
    if _known(request, tag):
        return _unchanged(tag)
    twin, recent = _asks_for(request, ".json"), request.app.state.recent

    def made() -> bytes:
        """The page, which is the same for everybody until the lab changes."""
        with request.app.state.makers:
            view, lab = make(reading), lab_view(request)
            if twin:
                content = bytes(_json({"lab": plain(lab), **plain(view)}).body)
            else:
                content = (
                    _TEMPLATES.get_template(template).render(view=view, lab=lab).encode("utf-8", "backslashreplace")
                )
        recent.put(tag, content)
        return content

    content = recent.get(tag) or await run_in_threadpool(made)
    return _tagged(request, Response(content, media_type="application/json" if twin else "text/html"), tag)


async def _chart(request: Request, make: Callable[[Reading], Spec]) -> Response:
    reading: Reading = request.app.state.reading
    await run_in_threadpool(reading.refresh)
    spec = await run_in_threadpool(make, reading)
    if _asks_for(request, ".json"):
        return _json(spec)
    return Response(await run_in_threadpool(svg, spec, light=True), media_type="image/svg+xml")


def _json(content: Mapping[str, Any]) -> Response:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "backslashreplace"), media_type="application/json")


def _known(request: Request, tag: str) -> bool:
    return request.headers.get("if-none-match", "").removeprefix("W/") == f'"{tag}"'


def _unchanged(tag: str) -> Response:
    return Response(status_code=304, headers={"ETag": f'"{tag}"', "Cache-Control": "no-cache"})


def _tagged(request: Request, response: Response, tag: str) -> Response:
    """The answer with its tag: a browser that has it already is told so, and asks again each time."""
    if _known(request, tag):
        return _unchanged(tag)
    response.headers.update({"ETag": f'"{tag}"', "Cache-Control": "no-cache"})
    return response
