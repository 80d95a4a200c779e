"""Play: a loaded model answers while a visitor changes the picture and the words. Nothing of it is written anywhere."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from io import BytesIO
from secrets import token_hex
from threading import Event
from typing import Any

from PIL import Image
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from counterpoint.core.answers import Answer
from counterpoint.core.errors import CounterpointError, PictureError
from counterpoint.core.groups import Query
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
from counterpoint.explorer.request_bodies import MAX_BODY_BYTES, read_body, read_form, read_json
from counterpoint.explorer.responses import TEMPLATES, lab_view
from counterpoint.explorer.security import HEADER, AccessKeys
from counterpoint.explorer.views import to_json_value
from counterpoint.lab.reader import LabReader

WIDEST = 640
"""Pixels of a picture as it is shown, at most; models see all of it."""
PATIENCE = 120.0
"""Seconds for which a form without a script waits for its answers."""

_FRESH = {"Cache-Control": "no-store"}


async def play_page(request: Request) -> Response:
    """GET /play and /play.json: everything that can be moved. POST /play: the same with answers, for forms."""
    state = request.app.state
    await run_in_threadpool(state.reader.refresh)
    if request.method == "POST":
        return await _answered_form(request)
    given = dict(request.query_params)

    def made() -> PlayView:
        asked = PlayRequest.read(given)
        return play_view(state.reader, state.players, with_defaults(state.reader, asked))

    view = await run_in_threadpool(made)
    if request.url.path.endswith(".json"):
        return JSONResponse(
            {"lab": to_json_value(await run_in_threadpool(lab_view, request)), **to_json_value(view)}, headers=_FRESH
        )
    return await run_in_threadpool(_shown, request, view)


async def play_answers(request: Request) -> Response:
    """POST /play/answers: what is asked, as a JSON object; the answers come one by one, a JSON object in each line."""
    state = request.app.state
    state.keys.check(request, request.headers.get(HEADER))
    given = await read_json(request)
    visitor = given.pop("visitor", "")
    if not isinstance(visitor, str) or len(visitor) > 64:
        raise MalformedRequest("visitor is no short text", hint="it tells whose older requests are stopped")
    asked = PlayRequest.read(given, strict=True)
    await run_in_threadpool(state.reader.refresh)
    begun = await run_in_threadpool(_begun, state.reader, state.players, asked)
    stream = _stream(state.players, visitor or token_hex(8), *begun)
    return StreamingResponse(stream, media_type="application/x-ndjson", headers={**_FRESH, "X-Accel-Buffering": "no"})


async def play_drop(request: Request) -> Response:
    """POST /play/pictures: a picture as it is, which is kept in memory for a while, under the name that comes back."""
    request.app.state.keys.check(request, request.headers.get(HEADER))
    pictures: PlayPictures = request.app.state.play_pictures
    content = await read_body(request, MAX_BYTES)
    try:
        name = await run_in_threadpool(pictures.dropped.keep, content)
    except PictureError as problem:
        raise MalformedRequest(str(problem), hint=problem.hint) from problem
    return JSONResponse({"dropped": name, "picture": PlayRequest(dropped=name).shown()}, 201, _FRESH)


async def play_picture(request: Request) -> Response:
    """GET /play/picture.png: the picture with its edits, as the models are shown it."""
    state, asked = request.app.state, PlayRequest.read(dict(request.query_params))

    def made() -> bytes:
        shown = apply_request(source_picture(state.reader, asked).picture, asked)
        if shown is None:
            raise PictureError("no picture is chosen")
        return _png(state.play_pictures, shown)

    content = await run_in_threadpool(made)
    tag = f'"{blake2b(content, digest_size=8).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match", "").removeprefix("W/") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type="image/png")


ROUTES = (
    Route("/play", play_page, methods=["GET", "POST"]),
    Route("/play.json", play_page),
    Route("/play/answers", play_answers, methods=["POST"]),
    Route("/play/pictures", play_drop, methods=["POST"]),
    Route("/play/picture.png", play_picture),
)
"""All that belongs to Play."""


async def _answered_form(request: Request) -> Response:
    """The page with its answers, for whoever has no script: the form waits until all are there."""
    state = request.app.state
    given = await read_form(request, MAX_BYTES + MAX_BODY_BYTES)
    state.keys.check(request, given.get("token"))
    file = given.pop("file", None)
    asked = PlayRequest.read({"words": "0", **given})
    problems: list[str] = []
    if isinstance(file, bytes):
        try:
            name = await run_in_threadpool(state.play_pictures.dropped.keep, file)
            asked = PlayRequest.read({"words": "0", **given, "dropped": name})
        except PictureError as problem:
            problems.append(f"{problem}.")
    view = await run_in_threadpool(_waited, state.reader, state.players, asked, problems)
    return await run_in_threadpool(_shown, request, view)


def _waited(reader: LabReader, players: ModelThreads, asked: PlayRequest, problems: list[str]) -> PlayView:
    """The page once every model has said all that it says."""
    asked_for = [line.query for line in play_queries(players, asked, source_picture(reader, asked).picture)]
    given: dict[tuple[int, str], Answer] = {}
    ends = {known.slug: Event() for known in capable_models(players, asked)} if asked_for else {}

    def done(slug: str, problem: Exception | None) -> None:
        if problem is not None and not isinstance(problem, RequestCancelled):
            problems.append(f"{slug}: {_reason(problem)}.")
        ends[slug].set()

    stop = players.ask(
        token_hex(8),
        dict.fromkeys(ends, asked_for),
        lambda slug, place, answer: given.__setitem__((place, slug), answer),
        done,
    )
    if not all(end.wait(PATIENCE) for end in ends.values()):
        problems.append(f"Not all was answered within {PATIENCE:.0f} seconds.")
    stop()
    return play_view(reader, players, asked, dict(given), problems)


def _begun(
    reader: LabReader, players: ModelThreads, asked: PlayRequest
) -> tuple[dict[str, Any], dict[str, list[Query]]]:
    """What the page is told first, and what each model is asked."""
    picked, models = source_picture(reader, asked), capable_models(players, asked)
    asked_for = play_queries(players, asked, picked.picture)
    shown = edited_picture(asked, picked)
    told = {
        "event": "asked",
        "mode": asked.mode,
        "shown": to_json_value(shown) if shown else None,
        "models": [to_json_value(one) for one in models],
        "rows": [to_json_value(row) | {"cells": []} for row in answer_rows(asked_for, models, {})],
        "words": [to_json_value(one) for one in swappable_words(asked.question)] if asked.mode == "question" else [],
        "notes": list(answer_notes(players, asked, models)),
    }
    queries = [line.query for line in asked_for]
    return told, {one.slug: queries for one in models} if queries else {}


async def _stream(
    players: ModelThreads, visitor: str, told: Mapping[str, Any], asked: Mapping[str, list[Query]]
) -> AsyncIterator[bytes]:
    """Every event in a line of its own; a visitor who goes away, or asks anew, is no longer answered."""
    loop, events = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any]]()

    def put(event: dict[str, Any]) -> None:
        with suppress(RuntimeError):  # the server may have ended meanwhile
            loop.call_soon_threadsafe(events.put_nowait, event)

    def heard(slug: str, place: int, answer: Answer) -> None:
        mode = asked[slug][place].mode
        put({"event": "answer", "model": slug, "row": place, "answer": to_json_value(answer_view(answer, mode))})

    def done(slug: str, problem: Exception | None) -> None:
        stopped = isinstance(problem, RequestCancelled)
        put({"event": "stopped" if stopped else "end", "model": slug, "problem": _reason(problem)})

    yield _line(told)
    stop = players.ask(visitor, asked, heard, done)
    try:
        left = len(asked)
        while left:
            event = await events.get()
            left -= event["event"] != "answer"
            yield _line(event)
    finally:
        stop()


def _reason(problem: Exception | None) -> str:
    """Why a model could not be asked, in a sentence; what is not meant for people is only named."""
    if problem is None or isinstance(problem, RequestCancelled):
        return ""
    if isinstance(problem, CounterpointError):
        return str(problem)
    return f"the model failed: {type(problem).__name__}"


def _line(event: Mapping[str, Any]) -> bytes:
    text = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _png(pictures: PlayPictures, shown: Picture) -> bytes:
    image = Image.fromarray(pictures.pixels(shown))
    image.thumbnail((WIDEST, 2 * WIDEST))
    file = BytesIO()
    image.save(file, "PNG", compress_level=1)
    return file.getvalue()


def _shown(request: Request, view: PlayView) -> Response:
    keys: AccessKeys = request.app.state.keys
    content = TEMPLATES.get_template("play.html").render(view=view, lab=lab_view(request), token=keys.page)
    return Response(content, headers=_FRESH, media_type="text/html")
