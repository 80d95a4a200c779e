"""The routes of review: a person joins by a link, sees items one at a time, and sends votes."""

from hashlib import blake2b
from typing import Any

from msgspec import to_builtins
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from counterpoint.core.errors import PictureError, StoreError
from counterpoint.explorer.pages.review import QUESTIONS, ReviewProgressView, row_picture
from counterpoint.explorer.pages.review.voting import ReviewRoom, VotingServer, cookie_value, parse_cookie, parse_vote
from counterpoint.explorer.request_bodies import read_json
from counterpoint.explorer.responses import (
    MISSING_PICTURE,
    TEMPLATES,
    lab_view,
    page_navigation,
    parse_id,
    twin_content,
    with_etag,
)
from counterpoint.explorer.security import HEADER
from counterpoint.explorer.thumbnails import thumbnail_width

COOKIE = "counterpoint-voter"
"""The cookie that holds name and secret of a voter; it is sent to review pages alone."""
COOKIE_SECONDS = 90 * 86_400
_FRESH = {"Cache-Control": "no-store"}
_FORWARDED = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})  # headers of proxies
_MODULE = "counterpoint.explorer.pages.review"
_TEMPLATE = f"{_MODULE}/template.html"


async def progress_page(request: Request) -> Response:
    """GET /review and /review.json: how far people are with every task, for those who may read the lab."""
    voting: VotingServer = request.app.state.voting
    rooms = [await voting.room(task) for task in await run_in_threadpool(voting.tasks)]
    view = ReviewProgressView(
        title="Review",
        sentence="What people vote on, and how far they are; votes are counted when they are on disk.",
        twin="/review.json",
        tasks=tuple(room.progress() for room in rooms),
        voters=tuple(voter for room in rooms for voter in room.voters()),
    )
    lab = await run_in_threadpool(lab_view, request)
    if request.url.path.endswith(".json"):
        return JSONResponse(twin_content(view, lab), headers=_FRESH)
    template = TEMPLATES.get_template(f"{_MODULE}/progress.html")
    html = template.render(view=view, lab=lab, navigation=page_navigation(request, "Review"))
    return Response(html, headers=_FRESH, media_type="text/html")


async def join(request: Request) -> Response:
    """GET /review/join: the link of a voter, which sets a cookie and leads to the tasks."""
    voting: VotingServer = request.app.state.voting
    value = cookie_value(*(request.query_params.get(name, "") for name in ("voter", "secret")))
    if value.startswith(".") or await voting.voter(value) is None:
        return _problem("This link is no longer valid. Ask whoever sent it for a new one.", 403)
    tasks = await run_in_threadpool(voting.tasks)
    if not tasks:
        return _problem("There is nothing to vote on yet.", 404)
    answer = RedirectResponse(f"/review/{tasks[0]}", 303, _FRESH)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, value, COOKIE_SECONDS, path="/review", secure=secure, httponly=True, samesite="lax")
    return answer


async def review_page(request: Request) -> Response:
    """GET /review/TASK: the page on which a person votes; its script asks for the items."""
    task, voter = request.path_params["task"], await _voter(request)
    if voter is None:
        return _problem("This page needs the link that you were sent.", 401)
    voting: VotingServer = request.app.state.voting
    tasks = await run_in_threadpool(voting.tasks)
    if task not in tasks:
        return _problem(f"Nobody has set up the task {task}.", 404)
    html = TEMPLATES.get_template(_TEMPLATE).render(
        task=task, tasks=tasks, question=QUESTIONS[task], voter=voter, problem=""
    )
    return Response(html, headers=_FRESH, media_type="text/html")


async def review_state(request: Request) -> Response:
    """GET /review/TASK/items: the next items of a person, the latest votes, and the token that goes with a vote."""
    room, voter = await _room(request)
    return JSONResponse(_content(request, room, voter), headers=_FRESH)


async def review_vote(request: Request) -> Response:
    """POST /review/TASK/votes: one vote as a JSON object; the answer comes when the vote is on disk."""
    room, voter = await _room(request)
    request.app.state.keys.check(request, request.headers.get(HEADER))
    vote = parse_vote(room, voter, await read_json(request))
    try:
        room = await request.app.state.voting.add(vote)
    except StoreError as problem:
        raise HTTPException(503, f"the vote could not be saved: {problem}") from problem
    return JSONResponse({"saved": vote.vote, **_content(request, room, voter, history=False)}, 201, _FRESH)


async def review_picture(request: Request) -> Response:
    """GET /review/pictures/SUITE/QUERY.webp?width=N: the picture of an item, for those who vote on it."""
    if await _voter(request) is None:
        raise HTTPException(401, "this picture needs the link of a voter")
    state, suite = request.app.state, request.path_params["suite"]
    query, width = parse_id(request.path_params["query"]), request.query_params.get("width", "640")
    row = await state.voting.row(suite, query)
    if row is None:
        raise HTTPException(404, "no item has this picture")
    pixels = thumbnail_width(int(width) if width.isascii() and width.isdecimal() and len(width) < 6 else 640)
    try:
        content = await run_in_threadpool(lambda: state.thumbnails.webp(row_picture(row), pixels))
    except PictureError:
        return Response(MISSING_PICTURE, 404, _FRESH, "image/svg+xml")
    response = Response(content, headers={"Cache-Control": "private, max-age=86400"}, media_type="image/webp")
    return with_etag(request, response, blake2b(content, digest_size=8).hexdigest())


PROGRESS = (Route("/review", progress_page), Route("/review.json", progress_page))
"""The routes of the page for whoever set up a task."""
ROUTES = (
    Route("/review/join", join),
    Route("/review/pictures/{suite}/{query}.webp", review_picture),
    Route("/review/{task}", review_page),
    Route("/review/{task}/items", review_state),
    Route("/review/{task}/votes", review_vote, methods=["POST"]),
)
"""The routes of the pages on which people vote."""


async def _voter(request: Request) -> str | None:
    """Who votes; what a proxy passes on comes from elsewhere, also where the server listens on this machine alone."""
    cookie = request.cookies.get(COOKIE, "")
    if not parse_cookie(cookie)[0] and not _FORWARDED.isdisjoint(request.headers):
        return None
    voter: str | None = await request.app.state.voting.voter(cookie)
    return voter


async def _room(request: Request) -> tuple[ReviewRoom, str]:
    """The task of a request, and who votes."""
    voter = await _voter(request)
    if voter is None:
        raise HTTPException(401, "this needs the link of a voter")
    return await request.app.state.voting.room(request.path_params["task"]), voter


def _content(request: Request, room: ReviewRoom, voter: str, *, history: bool = True) -> dict[str, Any]:
    content: dict[str, Any] = to_builtins(room.view(voter, request.app.state.keys.page, history=history))
    return content


def _problem(sentence: str, status: int) -> Response:
    """A page without anything of the lab, for those who have no valid link."""
    html = TEMPLATES.get_template(_TEMPLATE).render(task="", tasks=(), question="", voter="", problem=sentence)
    return Response(html, status, _FRESH, "text/html")
