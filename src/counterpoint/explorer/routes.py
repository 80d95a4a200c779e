"""Every page and its JSON twin: an address is read, a view is made, a template shows it."""

from dataclasses import replace
from hashlib import blake2b

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from counterpoint.core.errors import CounterpointError, PictureError, UnknownName
from counterpoint.explorer.board_choices import BoardChoice
from counterpoint.explorer.breakdowns import kinds_chart
from counterpoint.explorer.downloads import TYPES, download
from counterpoint.explorer.group_filters import (
    read_filter,
)
from counterpoint.explorer.pages.browse import find
from counterpoint.explorer.pages.group import group_view
from counterpoint.explorer.pages.overview import board_chart, leaderboard
from counterpoint.explorer.pages.suite_results import suite_of_model
from counterpoint.explorer.responses import TEMPLATES, asks_for, chart, id_of, page, tagged
from counterpoint.explorer.thumbnails import fitting
from counterpoint.explorer.views import LabView, Problem
from counterpoint.store.outcomes.selection import (
    select,
)


async def home(request: Request) -> Response:
    """GET /: the leaderboard is where everybody begins."""
    return RedirectResponse("/overview")


async def leaderboard_page(request: Request) -> Response:
    """GET /overview, /overview.json and /overview.svg."""
    choice = BoardChoice.read(request.query_params.multi_items())
    if asks_for(request, ".svg"):
        return await chart(request, lambda reader: board_chart(reader, choice))
    return await page(request, "leaderboard.html", lambda reader: leaderboard(reader, choice))


async def suite_page(request: Request) -> Response:
    """GET /suites/SUITE/models/MODEL, with the same endings: one suite of one model, and its groups."""
    suite, slug = request.path_params["suite"], request.path_params["model"]
    if asks_for(request, ".svg"):
        return await chart(request, lambda reader: kinds_chart(reader, suite, slug))
    query = dict(request.query_params)
    return await page(request, "suite.html", lambda reader: suite_of_model(reader, suite, slug, query))


async def group_page(request: Request) -> Response:
    """GET /suites/SUITE/groups/ID and its twin: one group, among those that fit the filter."""
    suite, group_id = request.path_params["suite"], id_of(request.path_params["group"])
    chosen = read_filter(request.query_params)
    return await page(request, "group.html", lambda reader: group_view(reader, suite, group_id, chosen))


async def find_page(request: Request) -> Response:
    """GET /browse and /browse.json: the groups that fit a filter."""
    query = dict(request.query_params)
    return await page(request, "find.html", lambda reader: find(reader, query))


async def find_rows(request: Request) -> Response:
    """GET /browse.csv, /browse.jsonl and /browse.parquet: the rows of all groups that fit, sent as they are made."""
    reader, ending = request.app.state.reader, f".{request.url.path.rpartition('.')[2]}"
    chosen = replace(read_filter(request.query_params), browse="1", focus="")
    await run_in_threadpool(reader.refresh)
    await run_in_threadpool(select, reader, chosen)  # refuses what the lab does not have
    headers = {"Content-Disposition": f'attachment; filename="found{ending}"'}
    return StreamingResponse(download(reader, chosen, ending), headers=headers, media_type=TYPES[ending])


async def picture(request: Request) -> Response:
    """GET /suites/SUITE/pictures/QUERY.png?width=N: the picture as it was shown with a query."""
    suite, query_id = request.path_params["suite"], id_of(request.path_params["query"])
    asked = request.query_params.get("width", "640")
    width = fitting(int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 6 else 640)
    state = request.app.state

    def made() -> bytes:
        state.reader.refresh()
        shown = state.reader.query(suite, query_id).picture
        if shown is None:
            raise UnknownName("picture", request.path_params["query"], [])
        content: bytes = state.thumbnails.png(shown, width)
        return content

    content = await run_in_threadpool(made)
    return tagged(request, Response(content, media_type="image/png"), blake2b(content, digest_size=8).hexdigest())


async def problem_page(request: Request, problem: Exception) -> Response:
    """What went wrong, as a page or as its twin: 404 for what is not there, 500 for a lab that cannot be read."""
    status = getattr(problem, "status_code", 404 if isinstance(problem, UnknownName | PictureError) else 500)
    said = str(problem) if isinstance(problem, CounterpointError) else str(getattr(problem, "detail", "")) or "Error"
    found = Problem(
        view="problem",
        title="There is no such page" if status == 404 else "This cannot be shown",
        sentence=f"{said[:1].upper()}{said[1:].rstrip('.')}.",
        twin="/overview.json",
        hint=getattr(problem, "hint", ""),
    )
    if asks_for(request, ".json") or "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"problem": found.sentence, "hint": found.hint}, status)
    empty = LabView(request.app.state.reader.name, 0, 0, bool(request.app.state.players))
    content = TEMPLATES.get_template("problem.html").render(view=found, lab=empty)
    headers = getattr(problem, "headers", None)
    return Response(content, status, headers, "text/html")
