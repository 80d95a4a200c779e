"""The explorer: a small server over one lab, which writes votes, notes and slices alone, and reads what suites name."""

from asyncio import Semaphore
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from counterpoint.core.errors import CounterpointError
from counterpoint.core.ports import Model, Pictures
from counterpoint.explorer.openapi import openapi
from counterpoint.explorer.page import PageEntry
from counterpoint.explorer.pages.browse import downloads, saving
from counterpoint.explorer.pages.group import notes
from counterpoint.explorer.pages.review import routes as review
from counterpoint.explorer.pages.review.voting import VotingServer
from counterpoint.explorer.play.model_threads import ModelThreads
from counterpoint.explorer.play.uploads import PlayPictures, UploadedPictures
from counterpoint.explorer.registry import PAGES
from counterpoint.explorer.responses import page_routes, picture, problem_page, waiting_page
from counterpoint.explorer.security import AccessKeys, PasswordGate, log_in
from counterpoint.explorer.thumbnails import Thumbnails
from counterpoint.lab.feature_index import ENCODER, FeatureIndex
from counterpoint.lab.reader import LabReader
from counterpoint.store.cache import FileCache, LRUCache, user_cache
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.files import BuildCallback
from counterpoint.store.outcomes.snapshots import TablesNotReady

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        ),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
)
"""The security headers of every response: the browser runs and loads nothing but our own files."""

RENDER_SLOTS = 2
"""Pages that are rendered at the same time; others wait."""

RENDERED_BYTES = 32_000_000
"""Capacity of the cache of rendered pages."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Hosts that only this machine can reach."""


class SecurityHeaders:
    """Middleware that adds the security headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = ((name.lower().encode(), value.encode()) for name, value in HEADERS.items())
                message["headers"] = [*message.get("headers", []), *headers]
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def create_app(
    lab: LabStore,
    *,
    host: str = "127.0.0.1",
    cache: Path | None = None,
    extra: Mapping[str, Pictures] | None = None,
    progress: BuildCallback = lambda step: None,
    models: Callable[[Pictures], Sequence[tuple[str, Model]]] = lambda pictures: (),
    password: str = "",
    pages: Sequence[PageEntry] = PAGES,
    encoder: str = ENCODER,
    background: bool = True,
) -> Starlette:
    """Return the application over a lab; `host` is where it will listen, `cache` the folder for tables and thumbnails.

    `extra` draws pictures that are no files, by namespace, such as those of the built-in world. `progress` is told what
    is built for a large lab, while its pages show the suites that are ready. `models` loads those that visitors may
    try, by name. With a `password`, every page asks for it. `pages` are the rows of the registry.
    Similar groups are found by the features of the model `encoder`. Without `background`, a page waits for its tables.
    """
    # other host names are refused on a loopback address, against DNS rebinding
    hosts = [*LOOPBACK, "[::1]", host] if host in LOOPBACK else ["*"]
    keys, pictures = AccessKeys(password), lab.opened().pictures(extra)
    play_pictures = PlayPictures(pictures, UploadedPictures())
    app = Starlette(
        routes=[
            Route("/", _redirect_home),
            *(route for entry in pages for route in page_routes(entry)),
            *downloads.ROUTES,
            *saving.ROUTES,
            *notes.ROUTES,
            *review.ROUTES,
            Route("/suites/{suite}/pictures/{query}.webp", picture),
            Route("/openapi.json", openapi),
            Route("/login", log_in, methods=["GET", "POST"]),
            Mount(
                "/static",
                StaticFiles(packages=[("counterpoint.explorer", "static"), ("counterpoint.reports", "static")]),
            ),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(TrustedHostMiddleware, allowed_hosts=hosts),
            Middleware(PasswordGate, keys=keys),
        ],
        lifespan=_lifespan,
        exception_handlers={
            TablesNotReady: waiting_page,
            CounterpointError: problem_page,
            HTTPException: problem_page,
        },
    )
    state = app.state
    state.pages, state.reader = tuple(pages), LabReader(lab.opened(), cache, progress, background=background)
    state.reader.features = FeatureIndex(state.reader, pictures, cache or user_cache(), encoder)
    state.rendered, state.render_slots = LRUCache[str, bytes](RENDERED_BYTES), Semaphore(RENDER_SLOTS)
    state.thumbnails = Thumbnails(pictures, FileCache(cache or user_cache()))
    state.voting = VotingServer(lab, cache or user_cache(), is_local=host in LOOPBACK)
    state.keys, state.play_pictures, state.model_threads = keys, play_pictures, ModelThreads(models(play_pictures))
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    """Merge the parts of votes when the server ends; a killed one leaves more of them, and loses nothing."""
    yield
    await run_in_threadpool(app.state.voting.close)


async def _redirect_home(request: Request) -> Response:
    """GET /: the first page."""
    return RedirectResponse(request.app.state.pages[0].path)
