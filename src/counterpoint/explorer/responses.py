"""Responses of pages: a view is built from the lab, few at a time, and sent as HTML, as JSON, or as a chart."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from gzip import compress
from hashlib import blake2b
from importlib.resources import files
from typing import Any
from urllib.parse import quote, unquote

from jinja2 import ChoiceLoader, Environment, FunctionLoader, PackageLoader
from msgspec import to_builtins
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from counterpoint._version import __version__
from counterpoint.core.errors import CounterpointError, PictureError, UnknownName
from counterpoint.explorer.group_parts import THRESHOLD, BoxView
from counterpoint.explorer.page import PageEntry, PageRequest, PageView, load
from counterpoint.explorer.thumbnails import thumbnail_width
from counterpoint.explorer.views import BuildProgress, LabView, LinkChoice
from counterpoint.lab.reader import LabReader
from counterpoint.reports import templating
from counterpoint.store.groups import read_queries
from counterpoint.store.votes import votes_version

WHOLE = "whole"
"""The parameter of a page that shows long texts whole."""
_RENDERED_AS = {".svg": "image/svg+xml", ".json": "application/json"}  # by the ending of a path; others are HTML


def _environment() -> Environment:
    """Return the templates of reports, those that pages share, and those beside the modules of pages."""
    templates = templating.environment(PackageLoader("counterpoint.explorer"))
    assert templates.loader, "an environment has templates"
    templates.loader = ChoiceLoader([FunctionLoader(_read_template), templates.loader])
    templates.filters["label"] = _box_label
    templates.globals["threshold"] = THRESHOLD
    return templates


def _read_template(name: str) -> str | None:
    """Return the text of a template beside a module, by a name such as `package.module/template.html`."""
    module, _, file = name.partition("/")
    return files(module).joinpath(file).read_text("utf-8") if file else None


def _box_label(box: BoxView, width: int, height: int) -> dict[str, float]:
    """Return the place of a box's name: above it, or inside where there is no room, and within the picture."""
    font = max(width / 30, 7)
    long, tall = font * (0.56 * len(box.name) + 0.8), font * 1.45
    x = min(max(box.x, 0), max(width - long, 0))
    y = box.y - tall if box.y >= tall else min(box.y, max(height - tall, 0))
    label = {"x": x, "y": y, "width": long, "height": tall, "font": font, "text": long - font * 0.8}
    return {name: round(value, 2) for name, value in label.items()}


MISSING_PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240" width="320" height="240">'
    '<rect width="320" height="240" fill="#8883"/><g fill="none" stroke="#888" stroke-width="3">'
    '<path d="M112 150l34-44 26 30 18-20 30 34z"/><circle cx="190" cy="94" r="9"/></g>'
    '<text x="160" y="190" fill="#888" font-family="sans-serif" font-size="15" text-anchor="middle">'
    "picture not found</text></svg>"
)
"""What is shown in the place of a picture whose file is missing."""

TEMPLATES = _environment()
"""The templates of all pages."""


@dataclass(frozen=True, slots=True)
class ProblemView(PageView):
    """Why there is nothing to show, and what may have been meant."""

    hint: str = ""
    links: tuple[LinkChoice, ...] = ()


def lab_view(request: Request) -> LabView:
    """Return the line at the top of a page."""
    reader: LabReader = request.app.state.reader
    plays, progress = bool(request.app.state.model_threads), build_progress(reader)
    try:
        reader.refresh()
        lost = reader.missing_picture()
        shown = len(reader.models()), reader.answer_count()
        return LabView(reader.name, *shown, plays, progress, lost, reader.failure)
    except CounterpointError:  # which the page itself is about
        return LabView(reader.name, plays=plays, progress=progress)


def build_progress(reader: LabReader) -> BuildProgress | None:
    """Return how far the tables are that are built in the background."""
    step = reader.step
    if step is None:
        return None
    of_suites = len(reader.lab.suites())
    return BuildProgress(step.about, (step.number - 1) / step.total, len(reader.shown_suites), of_suites)


def twin_content(view: PageView, lab: LabView) -> dict[str, Any]:
    """Return what the JSON twin of a page holds."""
    return {"lab": to_builtins(lab), **to_builtins(view)}


def navigation(pages: Sequence[PageEntry], section: str, *, has_models: bool = False) -> tuple[LinkChoice, ...]:
    """Return the links at the top of a page of a section."""
    return tuple(
        LinkChoice(entry.label, entry.path, entry.label == section)
        for entry in pages
        if entry.label and (has_models or not entry.needs_models)
    )


def page_navigation(request: Request, section: str = "") -> tuple[LinkChoice, ...]:
    """Return the links at the top of a page of a server."""
    return navigation(request.app.state.pages, section, has_models=bool(request.app.state.model_threads))


def parse_id(text: str) -> int:
    """Return the id of a query or a group, which an address has as sixteen hexadecimal digits."""
    if len(text) != 16 or not set(text) <= set("0123456789abcdef"):
        raise UnknownName("id", text, [])
    return int(text, 16)


def page_routes(entry: PageEntry) -> tuple[Route, ...]:
    """Return the routes of a page: its chart, its JSON twin, and itself."""
    if entry.routes:
        return tuple(load(entry.routes))
    endings = (".svg", ".json", "") if entry.chart else (".json", "")
    return tuple(Route(f"{entry.path}{ending}", partial(_page_response, entry, ending)) for ending in endings)


async def _page_response(entry: PageEntry, ending: str, request: Request) -> Response:
    """Send a page by its template, its JSON twin, or its chart; each is rendered once until the lab changes.

    A live page is rendered for every request.
    """
    state = request.app.state
    version = await run_in_threadpool(state.reader.refresh)
    step = state.reader.step.number if state.reader.step else 0
    version += state.reader.features.version if state.reader.features else ""
    version += state.reader.findings.version + state.keys.page  # which forms of a page hold
    version += await run_in_threadpool(votes_version, state.reader.lab.storage)
    etag = blake2b(f"{version} {step} {__version__} {request.url}".encode(), digest_size=8).hexdigest()
    if _is_known(request, etag) and not entry.live:
        return _not_modified(etag)
    path, ending = await run_in_threadpool(_named_suite, entry, ending, request)
    asked = PageRequest(path, tuple(request.query_params.multi_items()))

    def render() -> bytes:
        if ending == ".svg":
            content: bytes = load(entry.chart)(state.reader, asked).svg().encode("utf-8")
        elif ending == ".json":
            content = json_bytes(twin_content(load(entry.view)(state.reader, asked), lab_view(request)))
        else:
            view, links = load(entry.view)(state.reader, asked), page_navigation(request, entry.label or entry.section)
            with templating.text_limit(_text_limit(request)):
                template = TEMPLATES.get_template(entry.template)
                html = template.render(view=view, lab=lab_view(request), navigation=links, token=state.keys.page)
            content = html.encode("utf-8", "backslashreplace")
        return content

    if entry.live:
        live = await run_in_threadpool(render)
        etag = blake2b(live, digest_size=8).hexdigest()
        return with_etag(request, _compressed(request, live, _RENDERED_AS.get(ending, "text/html")), etag)
    content = state.rendered.get(etag)
    if content is None:
        async with state.render_slots:
            content = state.rendered.get(etag) or await run_in_threadpool(render)
        state.rendered.put(etag, content)
    return with_etag(request, _compressed(request, content, _RENDERED_AS.get(ending, "text/html")), etag)


def _named_suite(entry: PageEntry, ending: str, request: Request) -> tuple[Mapping[str, str], str]:
    """Return the names in a path, and its ending; a suite may be called `answers.json`, like the twin of another."""
    path: Mapping[str, str] = request.path_params
    if (
        ending
        and entry.path.endswith("{suite}")
        and (name := path["suite"] + ending) in request.app.state.reader.suites()
    ):
        return {**path, "suite": name}, ""
    return path, ending


def _text_limit(request: Request) -> templating.TextLimit:
    """Return how much of a text a page shows: all of it with `whole=1`."""
    if request.query_params.get(WHOLE):
        return templating.TextLimit(sys.maxsize)
    address = request.url.include_query_params(**{WHOLE: "1"})
    return templating.TextLimit(whole_address=f"{address.path}?{address.query}")


def _compressed(request: Request, content: bytes, media_type: str) -> Response:
    """Return a page, compressed where the browser takes that, since names and answers repeat."""
    headers = {"Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        content, headers = compress(content, 5, mtime=0), {**headers, "Content-Encoding": "gzip"}
    return Response(content, headers=headers, media_type=media_type)


async def picture(request: Request) -> Response:
    """GET /suites/SUITE/pictures/QUERY.webp?width=N: the picture that was shown with a query.

    In the place of one that is missing there is a drawing that says so.
    """
    suite, query_id = request.path_params["suite"], parse_id(request.path_params["query"])
    given = request.query_params.get("width", "640")
    width = thumbnail_width(int(given) if given.isascii() and given.isdecimal() and len(given) < 6 else 640)
    state = request.app.state

    def draw() -> bytes:
        state.reader.refresh()
        address = read_queries(state.reader.query_row(suite, query_id))[0].picture
        if address is None:
            raise UnknownName("picture", request.path_params["query"], [])
        try:
            content: bytes = state.thumbnails.webp(address, width)
        except UnknownName as problem:  # of a lab that was told of no folder with its pictures
            raise PictureError(str(problem)) from problem
        return content

    try:
        content = await run_in_threadpool(draw)
    except PictureError:
        return Response(MISSING_PICTURE, 404, {"Cache-Control": "no-store"}, "image/svg+xml")
    return with_etag(request, Response(content, media_type="image/webp"), blake2b(content, digest_size=8).hexdigest())


async def problem_page(request: Request, problem: Exception) -> Response:
    """Send an error as a page or as JSON: 404 for what does not exist, 500 for a lab that cannot be read."""
    status = getattr(problem, "status_code", 404 if isinstance(problem, UnknownName | PictureError) else 500)
    if status == 404 and (address := await run_in_threadpool(_address_of_named_model, request)):
        return RedirectResponse(address)
    fact = str(problem) if isinstance(problem, CounterpointError) else str(getattr(problem, "detail", "")) or "Error"
    view = ProblemView(
        title="Page not found" if status == 404 else "This page cannot be shown",
        sentence=templating.as_sentence(fact),
        twin="/overview.json",
        hint=getattr(problem, "hint", ""),
        links=tuple(_near_links(problem)) if isinstance(problem, UnknownName) else (),
    )
    if _wants_json(request):
        return JSONResponse({"problem": view.sentence, "hint": view.hint}, status)
    html = TEMPLATES.get_template("problem.html").render(
        view=view, lab=await run_in_threadpool(lab_view, request), navigation=page_navigation(request)
    )
    return Response(html, status, getattr(problem, "headers", None), "text/html")


def _address_of_named_model(request: Request) -> str:
    """Return the address of a page of a model that an address has by its name, such as `org/vlm`; else nothing."""
    before, mark, after = request.url.path.rpartition("/models/")
    try:
        names = {model.name: model.slug for model in request.app.state.reader.models() if model.name != model.slug}
    except CounterpointError:
        return ""
    for name in sorted(names, key=len, reverse=True) if mark else ():
        path = unquote(after)
        if path.startswith(name) and (not (rest := path.removeprefix(name)) or rest[0] in "/."):
            query = f"?{request.url.query}" if request.url.query else ""
            address = f"{before}{mark}{quote(names[name])}{quote(rest)}{query}"
            return f"/{address.lstrip('/')}"  # two slashes at the start would name another host
    return ""


def _wants_json(request: Request) -> bool:
    """Whether a script or a program asks; voters, whose paths begin with /review/, see no page of the lab."""
    path = request.url.path
    return path.endswith(".json") or path.startswith("/review/") or "json" in request.headers.get("accept", "")


def _near_links(problem: UnknownName) -> Iterator[LinkChoice]:
    """Yield links to the suites or models whose names are near to one that is not known."""
    folder = next((folder for folder in ("suite", "model") if problem.what.startswith(folder)), "")
    for name in problem.near if folder else ():
        yield LinkChoice(name, f"/{folder}s/{quote(name)}")


async def waiting_page(request: Request, problem: Exception) -> Response:
    """Send how far the tables of a lab are, none of whose suites can be shown yet: 503, and the page asks again."""
    state = request.app.state
    view = PageView("The tables are being made", "", "/overview.json")
    headers = {"Retry-After": "2", "Cache-Control": "no-store"}
    if _wants_json(request):
        return JSONResponse({"problem": str(problem), "hint": "ask again in some seconds"}, 503, headers)
    lab = LabView(state.reader.name, plays=bool(state.model_threads), progress=build_progress(state.reader))
    html = TEMPLATES.get_template("waiting.html").render(view=view, lab=lab, navigation=page_navigation(request))
    return Response(html, 503, headers, "text/html")


def json_bytes(content: Mapping[str, Any]) -> bytes:
    """Return JSON as bytes, whatever characters its texts have."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def _is_known(request: Request, etag: str) -> bool:
    return request.headers.get("if-none-match", "").removeprefix("W/") == f'"{etag}"'


def _not_modified(etag: str) -> Response:
    return Response(status_code=304, headers={"ETag": f'"{etag}"', "Cache-Control": "no-cache"})


def with_etag(request: Request, response: Response, etag: str) -> Response:
    """Return the response with its ETag, or 304 for a browser that has it already."""
    if _is_known(request, etag):
        return _not_modified(etag)
    response.headers["ETag"] = f'"{etag}"'
    response.headers.setdefault("Cache-Control", "no-cache")
    return response
