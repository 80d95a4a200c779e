"""A part of a lab as files: the pages of the server, visited one after the other and kept, for readers without one."""

import asyncio
import posixpath
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Self
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from starlette.types import ASGIApp, Message

from counterpoint._version import __version__
from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.core.ids import hex_id
from counterpoint.core.ports import Pictures
from counterpoint.explorer.app import create_app
from counterpoint.explorer.openapi import ENDINGS
from counterpoint.explorer.pages.suite_results import PAGE
from counterpoint.explorer.site.group_list import static_list
from counterpoint.explorer.site.rewriting import PageRewriter
from counterpoint.explorer.templating import environment
from counterpoint.explorer.views import LabView
from counterpoint.lab.reader import LabReader
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import ModelVersion, select_versions

ASSETS = ("style.css", "icon.svg", "site.js")
"""What every page needs beside it."""
HOME = "/overview"
SITES: Mapping[str, tuple[str, ...]] = {
    r"/overview": ("suite",),
    r"/models/[^/]+": ("suite",),
    r"/compare": ("models", "suite", "with"),
    r"/suites": (),
    r"/suites/[^/]+": (),
    r"/suites/[^/]+/models/[^/]+": ("page",),
    r"/suites/[^/]+/groups/[0-9a-f]{16}": (),
    r"/samples/[0-9a-f]{16}": (),
    r"/browse": (),
}
"""The pages that are kept, and what of their addresses tells them apart; whatever else is asked is forgotten."""
ALIKE = ("open", "sort")
"""What changes a page so little that a link to it would lead to itself."""

_GROUP = re.compile(r"/suites/([^/]+)/groups/([0-9a-f]{16})")
_PICTURE = re.compile(r"/suites/[^/]+/pictures/[0-9a-f]{16}\.png")


@dataclass(frozen=True, slots=True)
class SiteSelection:
    """Which suites and models, all where none is named, and how many groups of each suite have a page."""

    suites: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    limit: int = 100


@dataclass(slots=True)
class SiteProgress:
    """What has been written so far."""

    pages: int = 0
    pictures: int = 0
    bytes: int = 0
    waiting: int = 0


class LabSubset(LabStore):
    """A lab of which only some suites and models are seen."""

    def __init__(self, lab: LabStore, chosen: SiteSelection) -> None:
        super().__init__(lab.folder)
        self._chosen = chosen
        self.versions()  # refuses models that the lab does not have
        for name in chosen.suites:
            if name not in (known := super().suites()):
                raise UnknownName("suite of this lab", name, known)

    def suites(self) -> list[str]:
        """The suites that are seen."""
        return [name for name in super().suites() if name in self._chosen.suites or not self._chosen.suites]

    def versions(self) -> tuple[ModelVersion, ...]:
        """The versions of the chosen models; all where none is named."""
        return tuple(select_versions(super().versions(), self._chosen.models))


@dataclass(frozen=True, slots=True)
class PageResponse:
    """What came back from the server."""

    status: int
    location: str
    content: bytes


class InProcessClient:
    """Asks the server without a network, in a thread of its own, where no other loop is running."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._thread, self._runner = app, ThreadPoolExecutor(1), asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    def get(self, address: str) -> PageResponse:
        """One page."""
        return self._thread.submit(lambda: self._runner.run(self._get(address))).result()

    async def _get(self, address: str) -> PageResponse:
        path, _, query = address.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(b"host", b"localhost")],
            "client": ("127.0.0.1", 0),
            "server": ("localhost", 80),
        }
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        headers = {name.lower(): value.decode() for name, value in sent[0]["headers"]}
        content = b"".join(message.get("body", b"") for message in sent[1:])
        return PageResponse(sent[0]["status"], headers.get(b"location", ""), content)


@dataclass(slots=True)
class SiteWriter:
    """The folder that is filled: pages wait until each was visited, and pictures are kept once for all their pages."""

    folder: Path
    reader: LabReader
    visitor: InProcessClient
    limit: int
    groups: Mapping[str, frozenset[str]]  # those that have a page, by suite
    written: SiteProgress = field(default_factory=SiteProgress)
    names: dict[str, str] = field(default_factory=dict)
    pictures: dict[str, str] = field(default_factory=dict)
    waiting: deque[str] = field(default_factory=deque)

    def fill(self, told: Callable[[SiteProgress], None]) -> None:
        """Visit the leaderboard, and whatever can be reached from there."""
        for name in ASSETS:
            package = "counterpoint.reports" if name == "style.css" else "counterpoint.explorer"
            content = files(package).joinpath(f"static/{name}").read_bytes()
            self._put(f"static/{name}", content)
        self.file_of(HOME)
        while self.waiting:
            address = self.waiting.popleft()
            page = self._list() if address == "/browse" else self._page(address)
            self._put(self.names[address], self._rewritten(page, self.names[address]).encode("utf-8", "replace"))
            self.written.pages += 1
            self.written.waiting = len(self.waiting)
            told(self.written)

    def file_of(self, address: str) -> str:
        """The file that a page will be in; nothing where it is not part of the site."""
        known = self.canonical(address)
        if known and known not in self.names:
            self.names[known] = file_name(known)
            self.waiting.append(known)
        return self.names.get(known, "")

    def canonical(self, address: str) -> str:
        """An address with nothing but what tells pages of the site apart; nothing for what is not part of it."""
        parts = urlsplit(address)
        asked = [(name, value) for name, value in parse_qsl(parts.query) if value]
        kept = next((keys for path, keys in SITES.items() if re.fullmatch(path, parts.path)), None)
        if parts.scheme or parts.netloc or kept is None or parts.path.endswith(tuple(ENDINGS)):
            return ""
        if any(name in ALIKE for name, _ in asked):
            return ""
        group = _GROUP.fullmatch(parts.path)
        if group and group[2] not in self.groups.get(unquote(group[1]), ()):
            return ""
        said = sorted((name, value) for name, value in asked if name in kept and (name, value) != ("page", "1"))
        if not all(_fits(name, value, self.limit) for name, value in said) or len(said) > 6:
            return ""
        return f"{parts.path}?{urlencode(said)}" if said else parts.path

    def _page(self, address: str) -> str:
        found = self.visitor.get(address)
        for _ in range(3):
            if found.status not in (302, 303, 307, 308):
                break
            found = self.visitor.get(found.location)
        if found.status >= 500:
            raise StoreError(f"the page {address} cannot be made", hint="counterpoint serve shows why")
        return found.content.decode("utf-8", "replace")

    def _list(self) -> str:
        view = static_list(self.reader, self.limit)
        lab = LabView(self.reader.name, len(self.reader.models()), self.reader.answer_count())
        return environment().get_template("static_list.html").render(view=view, lab=lab, live=False)

    def _rewritten(self, page: str, name: str) -> str:
        here = posixpath.dirname(name)

        def file(address: str) -> str:
            target, at = self._target(address), urlsplit(address).fragment
            return quote(posixpath.relpath(target, here or ".")) + (f"#{quote(at)}" if at else "") if target else ""

        return PageRewriter(file, self._about()).made(page)

    def _about(self) -> str:
        """What a reader should know of pages that are files."""
        shown = f"the first {self.limit:,} groups of each suite have a page"
        return f"A copy of {self.reader.name}, written by Counterpoint {__version__}: {shown}."

    def _target(self, address: str) -> str:
        path = address.partition("?")[0]
        if path.startswith("/static/"):
            return path[1:] if path.removeprefix("/static/") in ASSETS else ""
        return self._picture(address) if _PICTURE.fullmatch(path) else self.file_of(address)

    def _picture(self, address: str) -> str:
        """The file of a picture, written when it is first seen; pictures with the same content share one."""
        if address not in self.pictures:
            found = self.visitor.get(address)
            name = f"pictures/{blake2b(found.content, digest_size=12).hexdigest()}.png" if found.status == 200 else ""
            if name and name not in self.pictures.values():
                self._put(name, found.content)
                self.written.pictures += 1
            self.pictures[address] = name
        return self.pictures[address]

    def _put(self, name: str, content: bytes) -> None:
        path = self.folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as problem:
            raise StoreError(f"{path} cannot be written: {problem.strerror or problem}") from problem
        self.written.bytes += len(content)


def export_site(
    lab: LabStore,
    out: Path,
    chosen: SiteSelection,
    *,
    cache: Path | None = None,
    extra: Mapping[str, Pictures] | None = None,
    told: Callable[[SiteProgress], None] = lambda written: None,
    line: Callable[[str], None] = lambda line: None,
) -> SiteProgress:
    """Write the pages of a part of a lab into an empty folder; `told` hears after each page how far it is."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise StoreError(f"{out} is not empty", hint="name a new folder; nothing is written over")
    app = create_app(LabSubset(lab.opened(), chosen), cache=cache, extra=extra, told=line)
    reader: LabReader = app.state.reader
    reader.refresh()
    groups = {suite: frozenset(first_groups(reader, suite, chosen.limit)) for suite in reader.suites()}
    with InProcessClient(app) as visitor:
        site = SiteWriter(out, reader, visitor, chosen.limit, groups)
        site.fill(told)
    return site.written


def first_groups(reader: LabReader, suite: str, limit: int) -> Iterator[str]:
    """The ids of the groups of a suite that come first, as its lists show them."""
    asked = reader.database.source("bases", suite=suite)
    sql = f"SELECT group_id FROM {asked} ORDER BY place LIMIT ?"
    yield from (hex_id(row["group_id"]) for row in reader.database.rows(sql, [limit]))


def file_name(address: str) -> str:
    """The name of the file of a page, which says what it is and works on every machine.

    >>> file_name("/overview"), file_name("/suites/order/models/fusion?page=2")
    ('index.html', 'suites/order/models/fusion-page-2.html')
    """
    if address == HOME:
        return "index.html"
    path, _, query = address.partition("?")
    parts = [_plain(unquote(part)) for part in path.strip("/").split("/")]
    said = [_plain(word) for pair in parse_qsl(query) for word in pair]
    return f"{'/'.join([*parts[:-1], '-'.join([parts[-1], *said])])}.html"


def _plain(word: str) -> str:
    """A word as the name of a file; one that had to be changed carries a digest, so that no two become the same."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", word)[:60]
    if plain == word and word.lower() == word:
        return plain
    return f"{plain.strip('-')}-{blake2b(word.encode('utf-8', 'surrogatepass'), digest_size=3).hexdigest()}".lstrip("-")


def _fits(name: str, value: str, limit: int) -> bool:
    """Whether a page of a list has any of the groups that are shown."""
    return name != "page" or (value.isdecimal() and len(value) < 7 and (int(value) - 1) * PAGE < limit)
