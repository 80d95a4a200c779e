"""Export of the static site: the pages of a server without a network are visited, rewritten and written as files."""

import asyncio
import posixpath
import re
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

import httpx2
from starlette.types import ASGIApp

from counterpoint._version import __version__
from counterpoint.core.errors import StoreError, UnknownName, write_error
from counterpoint.core.ids import hex_id
from counterpoint.core.ports import Pictures
from counterpoint.core.quantities import counted
from counterpoint.explorer.app import create_app
from counterpoint.explorer.openapi import MEDIA_TYPES
from counterpoint.explorer.page import PageEntry
from counterpoint.explorer.registry import PAGES
from counterpoint.explorer.responses import TEMPLATES, WHOLE, navigation
from counterpoint.explorer.site.group_list import group_list_view
from counterpoint.explorer.site.rewriting import PageRewriter
from counterpoint.explorer.views import LabView
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.verdicts import FAILS
from counterpoint.store.folder import atomic_folder
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.files import BuildCallback
from counterpoint.store.outcomes.queries import first_groups
from counterpoint.store.versions import ModelVersion, select_versions

ASSETS = (
    ("counterpoint.reports", "style.css"),
    ("counterpoint.explorer", "icon.svg"),
    ("counterpoint.explorer", "site.js"),
)
"""The static files that every page needs, by package."""

BROWSE = "/browse"
"""The page that is replaced by a list of all groups, which is searched and sorted in place."""

VIEW_STATE = ("open", "sort")
"""Parameters that change a page so little that a link to it would lead to itself."""

CHOICES = 16
"""Files that the choices of a page's parameters may have."""

_GROUP = re.compile(r"/suites/([^/]+)/groups/([0-9a-f]{16})")
_RESULTS = re.compile(r"/suites/[^/]+/models/[^/?]+")
_PICTURE_ENDINGS = {"image/webp": ".webp", "image/svg+xml": ".svg"}  # the latter says that a picture is missing
_PICTURE = re.compile(r"/suites/[^/]+/pictures/[0-9a-f]{16}\.webp")


@dataclass(frozen=True, slots=True)
class SiteSelection:
    """Which suites and models, all where none is named, and how many groups of each suite have a page."""

    suites: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    limit: int = 100


@dataclass(slots=True)
class SiteProgress:
    """How much has been written so far."""

    pages: int = 0
    pictures: int = 0
    bytes: int = 0
    waiting: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return how much was written."""
        return {"pages": self.pages, "pictures": self.pictures, "bytes": self.bytes}


class LabSubset(LabStore):
    """A lab of which only some suites and models are visible."""

    def __init__(self, lab: LabStore, selection: SiteSelection) -> None:
        super().__init__(lab.address)
        self._selection = selection
        self.versions()  # refuses models that the lab does not have
        for name in selection.suites:
            if name not in (known := super().suites()):
                raise UnknownName("suite of this lab", name, known)

    def suites(self) -> list[str]:
        """Return the visible suites."""
        return [name for name in super().suites() if name in self._selection.suites or not self._selection.suites]

    def versions(self) -> tuple[ModelVersion, ...]:
        """Return the versions of the visible models."""
        return tuple(select_versions(super().versions(), self._selection.models))


class InProcessClient:
    """Requests pages of the server without a network, in a thread of its own, where no other event loop runs."""

    def __init__(self, app: ASGIApp) -> None:
        transport = httpx2.ASGITransport(app=app)
        self._client = httpx2.AsyncClient(transport=transport, base_url="http://localhost", follow_redirects=True)
        self._thread, self._runner = ThreadPoolExecutor(1), asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    def get(self, address: str) -> httpx2.Response:
        """Request one page, and follow redirects."""
        return self._thread.submit(lambda: self._runner.run(self._client.get(address))).result()


@dataclass(slots=True)
class SiteWriter:
    """Fills a folder: pages wait in a queue until each was visited, and equal pictures are written once."""

    folder: Path
    reader: LabReader
    client: InProcessClient
    limit: int
    groups: Mapping[str, frozenset[str]]  # those that have a page, by suite
    pages: Sequence[PageEntry] = PAGES
    progress: SiteProgress = field(default_factory=SiteProgress)
    names: dict[str, str] = field(default_factory=dict)
    choices: Counter[str] = field(default_factory=Counter)  # files of a page with parameters, by its path
    pictures: dict[str, str] = field(default_factory=dict)
    queue: deque[str] = field(default_factory=deque)

    def write(self, report: Callable[[SiteProgress], None]) -> None:
        """Write the pages of the navigation and all that can be reached from there."""
        for package, name in ASSETS:
            self._put(f"static/{name}", files(package).joinpath(f"static/{name}").read_bytes())
        for entry in self.pages:
            if entry.label:
                self.file_of(entry.path)
        while self.queue:
            address = self.queue.popleft()
            page = self._group_list() if address == BROWSE else self._page(address)
            self._put(self.names[address], self._rewrite(page, self.names[address]).encode("utf-8", "replace"))
            self.progress.pages += 1
            self.progress.waiting = len(self.queue)
            report(self.progress)

    def file_of(self, address: str) -> str:
        """Return the file that a page will be in, or nothing if it is not part of the site."""
        canonical = self.canonical(address)
        if canonical and canonical not in self.names and self._has_room(canonical):
            self.names[canonical] = "index.html" if canonical == self.pages[0].path else file_name(canonical)
            self.choices[canonical.partition("?")[0]] += "?" in canonical
            self.queue.append(canonical)
        return self.names.get(canonical, "")

    def canonical(self, address: str) -> str:
        """Return an address with only the parameters that tell files apart, or nothing if the site has no such page."""
        parts = urlsplit(_results_address(address))
        given = [(name, value) for name, value in parse_qsl(parts.query) if value]
        parameters = self._static_parameters(parts.path)
        if parts.scheme or parts.netloc or parameters is None or self._is_download(parts.path):
            return ""
        if any(name in VIEW_STATE for name, _ in given):
            return ""
        group = _GROUP.fullmatch(parts.path)
        if group and group[2] not in self.groups.get(unquote(group[1]), ()):
            return ""
        if any(name == "page" and value != "1" for name, value in given):
            return ""
        kept = sorted((name, value) for name, value in given if name in parameters)
        if len(kept) > 6:
            return ""
        path = quote(unquote(parts.path))  # templates and functions escape different characters
        return f"{path}?{urlencode(kept)}" if kept else path

    def _is_download(self, path: str) -> bool:
        """Return whether an address is the JSON or the chart of a page, not the page of a suite that is named so."""
        return path.endswith(tuple(MEDIA_TYPES)) and unquote(path.rpartition("/")[2]) not in self.groups

    def _has_room(self, canonical: str) -> bool:
        """Return whether a page may have one more choice of its parameters: pairs of forty models would be 1,560."""
        path, _, query = canonical.partition("?")
        return not query or self.choices[path] < CHOICES

    def _static_parameters(self, path: str) -> tuple[str, ...] | None:
        for entry in self.pages:
            if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", entry.path), path):
                return None if entry.static is None else (*entry.static, WHOLE)
        return None

    def _page(self, address: str) -> str:
        results = _RESULTS.fullmatch(address)
        response = self.client.get(f"{address}?verdict={FAILS}" if results else address)  # the others are in Browse
        if response.is_server_error:
            raise StoreError(f"the page {address} cannot be rendered", hint="counterpoint serve shows why")
        return response.content.decode("utf-8", "replace")

    def _group_list(self) -> str:
        view = group_list_view(self.reader, self.limit)
        lab = LabView(self.reader.name, len(self.reader.models()), self.reader.answer_count())
        links = navigation(self.pages, "Browse")
        template = TEMPLATES.get_template("counterpoint.explorer.site/group_list.html")
        return template.render(view=view, lab=lab, navigation=links)

    def _rewrite(self, page: str, name: str) -> str:
        here = posixpath.dirname(name)

        def relative(address: str) -> str:
            target, fragment = self._target(address), urlsplit(address).fragment
            path = quote(posixpath.relpath(target, here or ".")) if target else ""
            return f"{path}#{quote(fragment)}" if path and fragment else path

        return PageRewriter(relative, self._colophon()).rewrite(page)

    def _colophon(self) -> str:
        """Say at the foot of a page what it is a copy of."""
        shown = f"the first {counted(self.limit, 'group', 'have')} a page, of each suite"
        return f"A copy of {self.reader.name}, written by Counterpoint {__version__}: {shown}."

    def _target(self, address: str) -> str:
        path = address.partition("?")[0]
        if path.startswith("/static/"):
            return path[1:] if path.removeprefix("/static/") in [name for _, name in ASSETS] else ""
        return self._picture(address) if _PICTURE.fullmatch(path) else self.file_of(address)

    def _picture(self, address: str) -> str:
        """Return the file of a picture, which is written when it is first seen; a closer look has the same file."""
        address = address.replace("width=1920", "width=640")
        if address not in self.pictures:
            response = self.client.get(address)
            digest = blake2b(response.content, digest_size=12).hexdigest()
            ending = _PICTURE_ENDINGS.get(response.headers.get("content-type", ""))
            name = f"pictures/{digest}{ending}" if ending else ""
            if name and not (self.folder / name).exists():
                self._put(name, response.content)
                self.progress.pictures += response.is_success
            self.pictures[address] = name
        return self.pictures[address]

    def _put(self, name: str, content: bytes) -> None:
        path = self.folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as problem:
            raise write_error(path, problem) from problem
        self.progress.bytes += len(content)


def export_site(
    lab: LabStore,
    out: Path,
    selection: SiteSelection,
    *,
    cache: Path | None = None,
    extra: Mapping[str, Pictures] | None = None,
    report: Callable[[SiteProgress], None] = lambda progress: None,
    progress: BuildCallback = lambda step: None,
    pages: Sequence[PageEntry] = PAGES,
) -> SiteProgress:
    """Write the pages of a part of a lab to a new or empty folder, which is there when all of them are.

    `report` is called after each page.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise StoreError(f"{out} is not empty", hint="name a new folder; nothing is overwritten")
    pages = [entry for entry in pages if entry.static is not None]  # others are not in the navigation of files
    subset = LabSubset(lab.opened(), selection)
    app = create_app(subset, cache=cache, extra=extra, progress=progress, pages=pages, background=False)
    reader: LabReader = app.state.reader
    reader.refresh()
    groups = {
        suite: frozenset(hex_id(base["group_id"]) for base in first_groups(reader, suite, selection.limit))
        for suite in reader.suites()
    }
    with InProcessClient(app) as client, atomic_folder(out) as draft:
        site = SiteWriter(draft, reader, client, selection.limit, groups, pages)
        site.write(report)
    return site.progress


def _results_address(address: str) -> str:
    """Return the results of a model on a suite in the place of the groups that Browse would filter by both.

    >>> _results_address("/browse?model=fusion&suite=order&verdict=fails"), _results_address("/browse?suite=order")
    ('/suites/order/models/fusion', '/browse?suite=order')
    """
    parts = urlsplit(address)
    given = dict(parse_qsl(parts.query)) if parts.path == BROWSE else {}
    if "model" not in given or "suite" not in given:
        return address
    return f"/suites/{quote(given['suite'])}/models/{quote(given['model'])}"


def file_name(address: str) -> str:
    """Return the name of the file of a page, which works on every file system.

    >>> file_name("/suites/order/models/fusion?page=2")
    'suites/order/models/fusion-page-2.html'
    """
    path, _, query = address.partition("?")
    parts = [_safe_name(unquote(part)) for part in path.strip("/").split("/")]
    values = [_safe_name(word) for pair in parse_qsl(query) for word in pair]
    return f"{'/'.join([*parts[:-1], '-'.join([parts[-1], *values])])}.html"


def _safe_name(word: str) -> str:
    """Return a word as part of a file name; one that had to be changed carries a digest, so that names differ."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", word)[:60]
    if plain == word and word.lower() == word:
        return plain
    return f"{plain.strip('-')}-{blake2b(word.encode('utf-8', 'surrogatepass'), digest_size=3).hexdigest()}".lstrip("-")
