"""Every page and its JSON twin: an address is read, a view is made, a template shows it."""

from dataclasses import replace
from hashlib import blake2b

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from counterpoint.core.errors import CounterpointError, PictureError, UnknownName
from counterpoint.explorer.board_choices import OverviewQuery
from counterpoint.explorer.breakdowns import verdicts_by_kind
from counterpoint.explorer.downloads import TYPES, stream_rows
from counterpoint.explorer.group_filters import (
    read_filter,
)
from counterpoint.explorer.pages.browse import browse_view
from counterpoint.explorer.pages.group import group_view
from counterpoint.explorer.pages.overview import overview_chart, overview_view
from counterpoint.explorer.pages.suite_results import suite_results_view
from counterpoint.explorer.responses import TEMPLATES, chart, has_ending, page, parse_id, with_etag
from counterpoint.explorer.thumbnails import thumbnail_width
from counterpoint.explorer.views import LabView, ProblemView
from counterpoint.store.outcomes.selection import (
    select,
)


async def home(request: Request) -> Response:
    """GET /: the leaderboard is where everybody begins."""
    return RedirectResponse("/overview")


async def leaderboard_page(request: Request) -> Response:
    """GET /overview, /overview.json and /overview.svg."""
    choice = OverviewQuery.read(request.query_params.multi_items())
    if has_ending(request, ".svg"):
        return await chart(request, lambda reader: overview_chart(reader, choice))
    return await page(request, "leaderboard.html", lambda reader: overview_view(reader, choice))


async def suite_page(request: Request) -> Response:
    """GET /suites/SUITE/models/MODEL, with the same endings: one suite of one model, and its groups."""
    suite, slug = request.path_params["suite"], request.path_params["model"]
    if has_ending(request, ".svg"):
        return await chart(request, lambda reader: verdicts_by_kind(reader, suite, slug))
    query = dict(request.query_params)
    return await page(request, "suite.html", lambda reader: suite_results_view(reader, suite, slug, query))


async def group_page(request: Request) -> Response:
    """GET /suites/SUITE/groups/ID and its twin: one group, among those that fit the filter."""
    suite, group_id = request.path_params["suite"], parse_id(request.path_params["group"])
    chosen = read_filter(request.query_params)
    return await page(request, "group.html", lambda reader: group_view(reader, suite, group_id, chosen))


async def find_page(request: Request) -> Response:
    """GET /browse and /browse.json: the groups that fit a filter."""
    query = dict(request.query_params)
    return await page(request, "find.html", lambda reader: browse_view(reader, query))


async def find_rows(request: Request) -> Response:
    """GET /browse.csv, /browse.jsonl and /browse.parquet: the rows of all groups that fit, sent as they are made."""
    reader, ending = request.app.state.reader, f".{request.url.path.rpartition('.')[2]}"
    chosen = replace(read_filter(request.query_params), browse="1", focus="")
    await run_in_threadpool(reader.refresh)
    await run_in_threadpool(select, reader, chosen)  # refuses what the lab does not have
    headers = {"Content-Disposition": f'attachment; filename="found{ending}"'}
    return StreamingResponse(stream_rows(reader, chosen, ending), headers=headers, media_type=TYPES[ending])


async def picture(request: Request) -> Response:
    """GET /suites/SUITE/pictures/QUERY.png?width=N: the picture as it was shown with a query."""
    suite, query_id = request.path_params["suite"], parse_id(request.path_params["query"])
    asked = request.query_params.get("width", "640")
    width = thumbnail_width(int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 6 else 640)
    state = request.app.state

    def made() -> bytes:
        state.reader.refresh()
        shown = state.reader.query(suite, query_id).picture
        if shown is None:
            raise UnknownName("picture", request.path_params["query"], [])
        content: bytes = state.thumbnails.png(shown, width)
        return content

    content = await run_in_threadpool(made)
    return with_etag(request, Response(content, media_type="image/png"), blake2b(content, digest_size=8).hexdigest())


async def problem_page(request: Request, problem: Exception) -> Response:
    """What went wrong, as a page or as its twin: 404 for what is not there, 500 for a lab that cannot be read."""
    status = getattr(problem, "status_code", 404 if isinstance(problem, UnknownName | PictureError) else 500)
    said = str(problem) if isinstance(problem, CounterpointError) else str(getattr(problem, "detail", "")) or "Error"
    found = ProblemView(
        view="problem",
        title="There is no such page" if status == 404 else "This cannot be shown",
        sentence=f"{said[:1].upper()}{said[1:].rstrip('.')}.",
        twin="/overview.json",
        hint=getattr(problem, "hint", ""),
    )
    if has_ending(request, ".json") or "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"problem": found.sentence, "hint": found.hint}, status)
    empty = LabView(request.app.state.reader.name, 0, 0, bool(request.app.state.model_threads))
    content = TEMPLATES.get_template("problem.html").render(view=found, lab=empty)
    headers = getattr(problem, "headers", None)
    return Response(content, status, headers, "text/html")
