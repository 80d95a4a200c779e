"""Every view under the eyes of axe-core in a real Chromium: wide and narrow, light and dark, no serious fault."""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from browsing import PATIENCE, in_chromium, serious_faults, served
from group_labs import base
from playwright.sync_api import Browser, Page, expect
from proving import prove

from counterpoint.core.groups import Answer, Query
from counterpoint.core.ports import Floats, Model, Pictures, PlacedAnswer, Scale
from counterpoint.explorer.app import create_app
from counterpoint.store.lab import LabStore

VIEWS = (
    ("small", "/overview?open=hasty"),
    ("small", "/models/careful?against=hasty"),
    ("small", "/models/hasty/findings"),
    ("small", "/models/hasty/findings/careful"),
    ("small", "/browse?model=hasty&suite=plain&metric=accuracy"),
    ("small", "/history?model=hasty"),
    ("small", "/agreement?suite=plain"),
    ("small", "/runs"),
    ("small", "/suites"),
    ("small", "/suites/plain"),
    ("small", "/suites/plain/map?model=hasty"),
    ("small", "/suites/plain/models/hasty"),
    ("small", "/suites/plain/models/hasty → group"),
    ("small", "/suites/odd/models/hasty?test=hostile → group"),
    ("small", "/play?suite=plain"),
    ("small", "/review"),
    ("small", "/no-such-page"),
    ("groups", "/compare?models=steady,shaky&suite=noise&first=right&second=broken"),
    ("groups", "/suites/noise/models/shaky → group"),
    ("groups", "/suites/swaps/models/shaky → group"),
    ("groups", "/suites/foils/models/shaky → group"),
    ("groups", f"/samples/{base(1).id:016x}"),
)
"""The lab and the address of each view; where an arrow follows, the first group that is listed there."""

pytestmark = in_chromium


class Certain:
    """Says yes to everything, and that every caption fits."""

    fingerprint, scale = "certain", Scale.PROBABILITY

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, _ in enumerate(queries):
            yield place, Answer.of("yes", top=(("yes", 0.75), ("no", 0.25)))

    def score(self, queries: Sequence[Query]) -> Floats:
        return np.ones(len(queries), np.float32)


def _models(pictures: Pictures) -> list[tuple[str, Model]]:
    return [("certain", Certain())]


@pytest.fixture(scope="module")
def homes(lab: LabStore, groups_lab: LabStore, cache: Path) -> Iterator[dict[str, str]]:
    """Real servers over two small labs, which together have everything that a page can show."""
    labs = {"small": lab, "groups": groups_lab}
    apps = {name: create_app(own, cache=cache, models=_models) for name, own in labs.items()}
    reader = apps["small"].state.reader
    reader.refresh()
    reader.features.suite("plain")
    reader.features.wait("plain")
    for against in ("", "careful"):
        reader.findings.find("hasty", against)
    reader.findings.wait()
    with ExitStack() as stack:
        yield {name: stack.enter_context(served(app)) for name, app in apps.items()}


@pytest.fixture(scope="module")
def open_page(browser: Browser) -> Iterator[Page]:
    """A page into which axe may put its script."""
    context = browser.new_context(bypass_csp=True, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def _open(page: Page, home: str, view: str) -> None:
    address, arrow, _ = view.partition(" → ")
    page.goto(home + address)
    if arrow:
        page.goto(home + str(page.locator("a.entry").first.get_attribute("href")))
    if address.startswith("/play"):
        expect(page.get_by_role("row", name=re.compile("as typed"))).to_contain_text("75 %")


@pytest.mark.parametrize(
    ("width", "scheme"), [(1400, "light"), prove(1400, "dark"), prove(390, "light"), prove(390, "dark")]
)
@pytest.mark.parametrize(
    ("name", "view"), [view if place % 12 == 0 else prove(*view) for place, view in enumerate(VIEWS)]
)
def test_no_view_has_a_serious_fault(
    open_page: Page, homes: dict[str, str], name: str, view: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    open_page.set_viewport_size({"width": width, "height": 900})
    open_page.emulate_media(color_scheme=scheme)
    _open(open_page, homes[name], view)
    assert serious_faults(open_page) == []


@pytest.mark.prove
@pytest.mark.parametrize(("name", "view"), [VIEWS[-1], VIEWS[0]])
def test_a_narrow_dark_view_has_no_serious_fault(open_page: Page, homes: dict[str, str], name: str, view: str) -> None:
    open_page.set_viewport_size({"width": 390, "height": 900})
    open_page.emulate_media(color_scheme="dark")
    _open(open_page, homes[name], view)
    assert serious_faults(open_page) == []


@pytest.mark.prove
def test_the_help_and_the_opened_choices_have_no_serious_fault(open_page: Page, homes: dict[str, str]) -> None:
    _open(open_page, homes["small"], "/overview")
    open_page.get_by_text("Choose suites and columns").click()
    assert serious_faults(open_page) == []
    open_page.keyboard.press("?")
    expect(open_page.get_by_role("dialog")).to_be_visible()
    assert serious_faults(open_page) == []


def test_a_fault_would_be_found(open_page: Page, homes: dict[str, str]) -> None:
    _open(open_page, homes["small"], "/suites")
    open_page.evaluate("document.querySelector('main').append(document.createElement('select'))")
    assert any(fault.startswith("select-name") for fault in serious_faults(open_page))
