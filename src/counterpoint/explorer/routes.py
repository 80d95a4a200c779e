"""Every page and its JSON twin: an address is read, a view is made, a template shows it."""

from dataclasses import replace
from hashlib import blake2b

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from counterpoint.core.errors import CounterpointError, PictureError, UnknownName
from counterpoint.explorer.board_choices import BoardChoice
from counterpoint.explorer.breakdowns import kinds_chart
from counterpoint.explorer.choices import Filter
from counterpoint.explorer.downloads import TYPES, download
from counterpoint.explorer.pages.browse import find
from counterpoint.explorer.pages.group import group_view
from counterpoint.explorer.pages.overview import board_chart, leaderboard
from counterpoint.explorer.pages.suite_results import suite_of_model
from counterpoint.explorer.responses import TEMPLATES, asks_for, chart, id_of, page, tagged
from counterpoint.explorer.selections import selection
from counterpoint.explorer.thumbnails import fitting
from counterpoint.explorer.views import LabView, Problem


async def home(request: Request) -> Response:
    """GET /: the leaderboard is where everybody begins."""
    return RedirectResponse("/leaderboard")


async def leaderboard_page(request: Request) -> Response:
    """GET /leaderboard, /leaderboard.json and /leaderboard.svg."""
    choice = BoardChoice.read(request.query_params.multi_items())
    if asks_for(request, ".svg"):
        return await chart(request, lambda reading: board_chart(reading, choice))
    return await page(request, "leaderboard.html", lambda reading: leaderboard(reading, choice))


async def suite_page(request: Request) -> Response:
    """GET /suites/SUITE/models/MODEL, with the same endings: one suite of one model, and its groups."""
    suite, slug = request.path_params["suite"], request.path_params["model"]
    if asks_for(request, ".svg"):
        return await chart(request, lambda reading: kinds_chart(reading, suite, slug))
    query = dict(request.query_params)
    return await page(request, "suite.html", lambda reading: suite_of_model(reading, suite, slug, query))


async def group_page(request: Request) -> Response:
    """GET /suites/SUITE/groups/ID and its twin: one group, among those that fit the filter."""
    suite, group_id = request.path_params["suite"], id_of(request.path_params["group"])
    chosen = Filter.read(request.query_params)
    return await page(request, "group.html", lambda reading: group_view(reading, suite, group_id, chosen))


async def find_page(request: Request) -> Response:
    """GET /find and /find.json: the groups that fit a filter."""
    query = dict(request.query_params)
    return await page(request, "find.html", lambda reading: find(reading, query))


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
    suite, query_id = request.path_params["suite"], id_of(request.path_params["query"])
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
    return tagged(request, Response(content, media_type="image/png"), blake2b(content, digest_size=8).hexdigest())


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
    if asks_for(request, ".json") or "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"problem": found.sentence, "hint": found.hint}, status)
    empty = LabView(request.app.state.reading.name, 0, 0, bool(request.app.state.players))
    content = TEMPLATES.get_template("problem.html").render(view=found, lab=empty)
    headers = getattr(problem, "headers", None)
    return Response(content, status, headers, "text/html")
