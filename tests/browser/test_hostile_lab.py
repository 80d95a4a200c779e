"""Every view over a lab that means harm, in a real Chromium: no text runs, breaks out, or pushes the page sideways."""

import re
from collections.abc import Iterator
from urllib.parse import quote_plus

import pytest
from browsing import in_chromium, served
from hostile_labs import LONG, SCRIPT, hostile_lab
from playwright.sync_api import Page, expect
from proving import scaled

import counterpoint as cp
from counterpoint.core.ports import Model, Pictures
from counterpoint.explorer.app import create_app
from counterpoint.models.builtin.sanity import constant

EACH = scaled(2, 1)
"""Pages of each kind that are visited."""
WIDTHS = (390, 1400)[:EACH]
SAMPLE = {"/overview", "/play", "/review/judge", "/models/*", "/suites/*/models/*", "/suites/*/groups/*", "/browse"}
"""The kinds of pages that `make test` visits; `make prove` visits all."""

TASKS = ("judge", "answer", "audit")

pytestmark = in_chromium


def _models(pictures: Pictures) -> list[tuple[str, Model]]:
    return [(SCRIPT, constant(pictures)), (LONG, constant(pictures))]


@pytest.fixture(scope="session")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real server over the hostile lab, on a free port."""
    lab = hostile_lab(tmp_path_factory.mktemp("lab"))
    for task in TASKS:
        cp.Lab(lab.folder).review(task)
    app = create_app(lab, cache=tmp_path_factory.mktemp("cache"), models=_models)
    with served(app) as home:
        yield home


@pytest.fixture
def home(base_url: str) -> str:
    return base_url


def _kind(address: str) -> str:
    """What sort of page an address is: names and ids left out."""
    return re.sub(r"/(suites|models|groups|samples)/[^/]+", r"/\1/*", address.partition("?")[0])


def test_no_view_lets_a_text_do_harm(page: Page, home: str) -> None:
    complaints, found = list[str](), list[tuple[str, str]]()
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda problem: complaints.append(str(problem)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    waiting, seen = ["/overview", "/play", "/review", *(f"/review/{task}" for task in TASKS)], dict[str, list[str]]()
    while waiting:
        address = waiting.pop(0)
        kind = _kind(address)
        if address in seen.get(kind, []) or len(seen.get(kind, [])) >= EACH or (EACH == 1 and kind not in SAMPLE):
            continue
        seen.setdefault(kind, []).append(address)
        page.goto(home + address)
        expect(page.locator("meta[http-equiv=refresh]")).to_have_count(0)  # else it loads again on its own
        if kind.startswith(("/play", "/review")):  # they fetch more when they are there
            page.wait_for_load_state("networkidle")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("window.harmed") is None, address
            assert page.locator("main script, main img[src=x], main [onerror]").count() == 0, address
            wide = page.evaluate("document.documentElement.scrollWidth")
            found += [(address, f"{wide} pixels wide in {width}")] if wide > width else []
        found += [(address, complaint) for complaint in complaints]
        complaints.clear()
        links = page.eval_on_selector_all("a[href]", "all => all.map(one => one.getAttribute('href'))")
        assert not [link for link in links if not link.startswith(("/", "#"))], address
        waiting += [link.partition("#")[0] for link in links if link.startswith("/") and not _is_file(link)]
    assert not found, "\n".join(f"{address}: {problem}" for address, problem in found)
    assert set(seen) >= SAMPLE


def _is_file(link: str) -> bool:
    return link.partition("?")[0].endswith((".json", ".csv", ".jsonl", ".parquet", ".svg", ".png", ".webp"))


@pytest.mark.prove
def test_what_a_visitor_types_into_play_does_no_harm(page: Page, home: str) -> None:
    page.goto(f"{home}/play")
    for text in (SCRIPT, "\"'><img src=x onerror=window.harmed=1>"):
        page.get_by_role("textbox", name="Question").fill(f"What color is {text}?")
        page.get_by_label("Swap the word").fill("color")
        page.get_by_label("for", exact=True).fill(text)
        expect(page).to_have_url(re.compile(re.escape(f"into={quote_plus(text)}")))
        expect(page.locator("[data-status]")).to_have_text("")  # every model has answered
        assert page.evaluate("window.harmed") is None
        assert page.locator("main script, main img[src=x]").count() == 0
