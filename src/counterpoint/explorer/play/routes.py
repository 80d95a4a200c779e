"""The routes of "Try a model": loaded models answer while a visitor edits picture and text; nothing is saved."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from io import BytesIO
from secrets import token_hex
from threading import Event
from typing import Any

from msgspec import to_builtins
from PIL import Image
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from counterpoint.core.errors import CounterpointError, PictureError
from counterpoint.core.groups import Answer, Query
from counterpoint.core.pictures import Picture
from counterpoint.explorer.play.model_threads import ModelThreads, RequestCancelled
from counterpoint.explorer.play.request import MalformedRequest, PlayRequest, apply_request
from counterpoint.explorer.play.rewordings import swappable_words
from counterpoint.explorer.play.uploads import MAX_BYTES, PlayPictures
from counterpoint.explorer.play.view import (
    PlayView,
    answer_notes,
    answer_rows,
    answer_view,
    capable_models,
    edited_picture,
    play_queries,
    play_view,
    source_picture,
    with_defaults,
)
from counterpoint.explorer.request_bodies import read_body, read_form, read_json
from counterpoint.explorer.responses import TEMPLATES, json_bytes, lab_view, page_navigation, twin_content, with_etag
from counterpoint.explorer.security import HEADER, AccessKeys
from counterpoint.lab.reader import LabReader

MAX_WIDTH = 640
"""Pixels of a picture on the page; models see all of it."""
FORM_TIMEOUT = 120.0
"""Seconds for which a form without a script waits for its answers."""

_FRESH = {"Cache-Control": "no-store"}


async def play_page(request: Request) -> Response:
    """GET /play and /play.json: all inputs as they stand. POST /play: the same with answers, for forms."""
    state = request.app.state
    if request.method == "POST":
        return await _answer_form(request)
    await run_in_threadpool(state.reader.refresh)
    play = PlayRequest.read(dict(request.query_params))
    view = await run_in_threadpool(
        lambda: play_view(state.reader, state.model_threads, with_defaults(state.reader, play))
    )
    if request.url.path.endswith(".json"):
        return JSONResponse(twin_content(view, await run_in_threadpool(lab_view, request)), headers=_FRESH)
    return await run_in_threadpool(_render, request, view)


async def play_answers(request: Request) -> Response:
    """POST /play/answers: the inputs as a JSON object; the answers come one by one, as lines of JSON."""
    state = request.app.state
    state.keys.check(request, request.headers.get(HEADER))
    inputs = await read_json(request)
    visitor = inputs.pop("visitor", "")
    if not isinstance(visitor, str) or len(visitor) > 64:
        raise MalformedRequest("visitor is not a short text", hint="it says whose older requests are cancelled")
    turn = inputs.pop("turn", 0)
    if not isinstance(turn, int) or turn < 0:
        raise MalformedRequest("turn is no whole number from 0", hint="it counts the requests of a visitor")
    play = PlayRequest.read(inputs, strict=True)
    await run_in_threadpool(state.reader.refresh)
    header, queries = await run_in_threadpool(_prepare, state.reader, state.model_threads, play)
    stream = _stream(state.model_threads, visitor or token_hex(8), turn, header, queries)
    return StreamingResponse(stream, media_type="application/x-ndjson", headers={**_FRESH, "X-Accel-Buffering": "no"})


async def play_upload(request: Request) -> Response:
    """POST /play/pictures: the bytes of a picture, which is held in memory under the name that is returned."""
    request.app.state.keys.check(request, request.headers.get(HEADER))
    pictures: PlayPictures = request.app.state.play_pictures
    content = await read_body(request, MAX_BYTES)
    try:
        name = await run_in_threadpool(pictures.uploads.add, content)
    except PictureError as problem:
        raise MalformedRequest(str(problem), hint=problem.hint) from problem
    return JSONResponse({"dropped": name, "picture": PlayRequest(dropped=name).picture_address()}, 201, _FRESH)


async def play_picture(request: Request) -> Response:
    """GET /play/picture.png: the picture with its edits, as models are shown it."""
    state, play = request.app.state, PlayRequest.read(dict(request.query_params))

    def render() -> bytes:
        shown = apply_request(source_picture(state.reader, play).picture, play)
        if shown is None:
            raise PictureError("no picture is chosen")
        return _png(state.play_pictures, shown)

    content = await run_in_threadpool(render)
    response = Response(content, headers={"Cache-Control": "private, no-cache"}, media_type="image/png")
    return with_etag(request, response, blake2b(content, digest_size=8).hexdigest())


ROUTES = (
    Route("/play", play_page, methods=["GET", "POST"]),
    Route("/play.json", play_page),
    Route("/play/answers", play_answers, methods=["POST"]),
    Route("/play/pictures", play_upload, methods=["POST"]),
    Route("/play/picture.png", play_picture),
)
"""The routes of the page."""


async def _answer_form(request: Request) -> Response:
    """The page with its answers, for browsers without scripts: the response waits for all answers."""
    state = request.app.state
    keys: AccessKeys = state.keys
    keys.check_origin(request)
    inputs = {"words": "0", **await read_form(request, partial(keys.check, request), MAX_BYTES)}
    await run_in_threadpool(state.reader.refresh)
    file = inputs.pop("file", None)
    problems: list[str] = []
    if isinstance(file, bytes):
        try:
            name = await run_in_threadpool(state.play_pictures.uploads.add, file)
            inputs["dropped"] = name
        except PictureError as problem:
            problems.append(f"{problem}.")
    play = PlayRequest.read(inputs)
    view = await run_in_threadpool(_wait_for_answers, state.reader, state.model_threads, play, problems)
    return await run_in_threadpool(_render, request, view)


def _wait_for_answers(reader: LabReader, threads: ModelThreads, play: PlayRequest, problems: list[str]) -> PlayView:
    """The page once every model has answered, or the time is up."""
    queries = [query.query for query in play_queries(threads, play, source_picture(reader, play).picture)]
    answers: dict[tuple[int, str], Answer] = {}
    ends = {model.slug: Event() for model in capable_models(threads, play)} if queries else {}

    def on_end(slug: str, problem: Exception | None) -> None:
        if problem is not None and not isinstance(problem, RequestCancelled):
            problems.append(f"{slug}: {_reason(problem)}.")
        ends[slug].set()

    cancel = threads.ask(
        token_hex(8),
        dict.fromkeys(ends, queries),
        lambda slug, place, answer: answers.__setitem__((place, slug), answer),
        on_end,
    )
    if not all(end.wait(FORM_TIMEOUT) for end in ends.values()):
        problems.append(f"Not all was answered within {FORM_TIMEOUT:.0f} seconds.")
    cancel()
    return play_view(reader, threads, play, dict(answers), problems)


def _prepare(
    reader: LabReader, threads: ModelThreads, play: PlayRequest
) -> tuple[dict[str, Any], dict[str, list[Query]]]:
    """The first event of the stream, and the queries to each model by slug."""
    source, models = source_picture(reader, play), capable_models(threads, play)
    queries = play_queries(threads, play, source.picture)
    header = {
        "event": "asked",
        "mode": play.mode,
        "shown": to_builtins(edited_picture(play, source)),
        "models": to_builtins(models),
        "rows": to_builtins(answer_rows(queries, (), {})),
        "words": to_builtins(swappable_words(play.question)) if play.mode == "question" else [],
        "notes": list(answer_notes(threads, play, models)),
    }
    return header, {model.slug: [query.query for query in queries] for model in models} if queries else {}


async def _stream(
    threads: ModelThreads, visitor: str, turn: int, header: Mapping[str, Any], queries: Mapping[str, list[Query]]
) -> AsyncIterator[bytes]:
    """One event per line, until every model has ended; the jobs are cancelled when the visitor disconnects."""
    loop, events = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any]]()

    def put(event: dict[str, Any]) -> None:
        with suppress(RuntimeError):  # the server may have ended meanwhile
            loop.call_soon_threadsafe(events.put_nowait, event)

    def on_answer(slug: str, place: int, answer: Answer) -> None:
        view = to_builtins(answer_view(answer, queries[slug][place].mode))
        put({"event": "answer", "model": slug, "row": place, "answer": view})

    def on_end(slug: str, problem: Exception | None) -> None:
        event = "stopped" if isinstance(problem, RequestCancelled) else "end"
        put({"event": event, "model": slug, "problem": _reason(problem)})

    yield json_bytes(header) + b"\n"
    cancel = threads.ask(visitor, queries, on_answer, on_end, turn)
    try:
        unfinished = len(queries)
        while unfinished:
            event = await events.get()
            unfinished -= event["event"] != "answer"
            yield json_bytes(event) + b"\n"
    finally:
        cancel()


def _reason(problem: Exception | None) -> str:
    """Why a model failed; of an unexpected exception only its class is told."""
    if problem is None or isinstance(problem, RequestCancelled):
        return ""
    if isinstance(problem, CounterpointError):
        return str(problem)
    return f"the model failed: {type(problem).__name__}"


def _png(pictures: PlayPictures, shown: Picture) -> bytes:
    image = Image.fromarray(pictures.pixels(shown))
    image.thumbnail((MAX_WIDTH, 2 * MAX_WIDTH))
    file = BytesIO()
    image.save(file, "PNG", compress_level=1)
    return file.getvalue()


def _render(request: Request, view: PlayView) -> Response:
    keys: AccessKeys = request.app.state.keys
    content = TEMPLATES.get_template("counterpoint.explorer.play/play.html").render(
        view=view, lab=lab_view(request), navigation=page_navigation(request, "Try a model"), token=keys.page
    )
    return Response(content, headers=_FRESH, media_type="text/html")
