"""The explorer: a small server over one lab, which only reads, and only what the lab's suites name."""

from asyncio import Semaphore
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from counterpoint.core.errors import CounterpointError
from counterpoint.core.ports import Model, Pictures
from counterpoint.explorer import board_pages, pair_pages
from counterpoint.explorer import routes as pages
from counterpoint.explorer.downloads import TYPES
from counterpoint.explorer.openapi import openapi
from counterpoint.explorer.play import routes as play
from counterpoint.explorer.play.model_threads import ModelThreads
from counterpoint.explorer.play.uploads import PlayPictures, UploadedPictures
from counterpoint.explorer.security import AccessKeys, PasswordGate, log_in
from counterpoint.explorer.thumbnails import Thumbnails
from counterpoint.lab.reader import LabReader
from counterpoint.store.cache import FileCache, LRUCache, user_cache
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.files import Progress

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
"""What every answer says to the browser: run no script and load nothing but ours."""

MAKERS = 2
"""Pages that are made at the same time; others wait their turn, first come, first served."""

PAGES = 32_000_000
"""Bytes of the pages that are kept in memory until the lab changes."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Hosts that only this machine can reach."""

_GROUP = "/suites/{suite}/groups/{group}"
_MODEL = "/suites/{suite}/models/{model}"


class SecurityHeaders:
    """Adds the headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = ((name.lower().encode(), value.encode()) for name, value in HEADERS.items())
                message["headers"] = [*message.get("headers", []), *named]
            await send(message)

        await self._app(scope, receive, sent if scope["type"] == "http" else send)


def create_app(
    lab: LabStore,
    *,
    host: str = "127.0.0.1",
    cache: Path | None = None,
    extra: Mapping[str, Pictures] | None = None,
    told: Progress = lambda line: None,
    models: Callable[[Pictures], Sequence[tuple[str, Model]]] = lambda pictures: (),
    password: str = "",
) -> Starlette:
    """The application over a lab; `host` is where it will listen, and `cache` the folder for tables and thumbnails.

    `extra` draws pictures that are no files, by namespace, such as those of the built-in world. `told` hears what is
    made of a large lab before its first page can be shown. `models` loads those that visitors may play with, by name;
    with a `password`, nothing is shown to whoever does not have it.
    """
    hosts = [*LOOPBACK, "[::1]", "testserver", host] if host in LOOPBACK else ["*"]  # a stranger's name is refused
    keys, drawn = AccessKeys(password), lab.opened().pictures(extra)
    shown = PlayPictures(drawn, UploadedPictures())
    app = Starlette(
        routes=[
            Route("/", pages.home),
            *(Route(f"/overview{ending}", pages.leaderboard_page) for ending in (".svg", ".json", "")),
            *(Route(f"/browse{ending}", pages.find_page) for ending in (".json", "")),
            *(Route(f"/browse{ending}", pages.find_rows) for ending in TYPES),
            *(Route(f"{_MODEL}{ending}", pages.suite_page) for ending in (".svg", ".json", "")),
            *(Route(f"{_GROUP}{ending}", pages.group_page) for ending in (".json", "")),
            Route("/suites/{suite}/pictures/{query}.png", pages.picture),
            *board_pages.ROUTES,
            *pair_pages.ROUTES,
            *play.ROUTES,
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
        exception_handlers={CounterpointError: pages.problem_page, HTTPException: pages.problem_page},
    )
    app.state.reader = LabReader(lab.opened(), cache, told)
    app.state.cache, app.state.recent = FileCache(cache or user_cache()), LRUCache[str, bytes](PAGES)
    app.state.makers = Semaphore(MAKERS)
    app.state.thumbnails = Thumbnails(drawn, app.state.cache)
    app.state.keys, app.state.play_pictures, app.state.model_threads = keys, shown, ModelThreads(models(shown))
    return app
