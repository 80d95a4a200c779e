"""One group, one sample and several models in a real Chromium, by keyboard alone, wide and narrow, light and dark."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import WINDOWS, in_chromium, served
from group_labs import base
from playwright.sync_api import Page, expect

from counterpoint.explorer.app import create_app
from counterpoint.store.lab import LabStore

COMPARED = "/compare?models=steady,shaky&suite=noise"
VIEWS = {
    "sample": f"/samples/{base(1).id:016x}",
    "compare": f"{COMPARED}&first=right&second=broken",
    "noise": "/suites/noise/models/shaky",
    "swaps": "/suites/swaps/models/shaky",
    "foils": "/suites/foils/models/shaky",
}

pytestmark = in_chromium


@pytest.fixture(scope="session")
def base_url(groups_lab: LabStore, cache: Path) -> Iterator[str]:
    """A real server over a lab of groups, on a free port."""
    with served(create_app(groups_lab, cache=cache)) as home:
        yield home


def _open(page: Page, view: str) -> None:
    page.goto(VIEWS[view])
    if view in ("noise", "swaps", "foils"):
        page.goto(str(page.locator("a.entry").nth(1).get_attribute("href")))


def test_a_visitor_goes_through_groups_boxes_and_a_sample_by_keys_alone(page: Page, complaints: list[str]) -> None:
    _open(page, "noise")
    first = page.url
    page.keyboard.press("j")
    page.wait_for_url(lambda url: url != first)
    page.keyboard.press("k")
    page.wait_for_url(first)
    boxes = page.locator(".shown svg").first
    expect(boxes).to_have_css("opacity", "0")
    page.keyboard.press("b")
    expect(boxes).to_have_css("opacity", "1")
    onward = page.get_by_role("link", name=re.compile("Related tests of"))
    for _ in range(30):
        page.keyboard.press("Tab")
        if onward.evaluate("one => one === document.activeElement"):
            break
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/samples/"))
    page.keyboard.press("j")
    expect(page.locator(".card h3 a").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/groups/"))


@pytest.mark.prove
def test_a_field_of_the_table_leads_to_its_groups_by_keys_alone(page: Page, complaints: list[str]) -> None:
    page.goto(COMPARED)
    cell = page.locator(".fields-table a").first
    cell.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("first=right&second="))
    expect(page.locator("a.entry")).to_have_count(10)
    page.locator("a.entry").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/groups/"))


@pytest.mark.prove
def test_models_are_chosen_by_keys_and_the_address_says_them(page: Page, complaints: list[str]) -> None:
    page.goto(COMPARED)
    page.keyboard.press("/")
    page.keyboard.type("silen")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("add=silen"))
    expect(page.locator(".compared li")).to_have_count(3)
    expect(page.get_by_role("heading", name="Differences")).to_be_visible()


@pytest.mark.prove
def test_groups_like_one_are_fetched_when_they_are_opened_and_lead_on(page: Page, complaints: list[str]) -> None:
    _open(page, "noise")
    page.get_by_text("Groups like this one").click()
    near = page.locator(".similar .gallery a")
    expect(near).to_have_count(12)
    near.first.click()
    page.wait_for_url(re.compile("/groups/"))
    page.goto("/suites/noise/map?model=shaky")
    page.locator(".picture-map a").first.focus()
    expect(page.locator(".map-preview img")).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/groups/"))


@pytest.mark.prove
@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
@pytest.mark.parametrize("view", VIEWS)
def test_no_page_moves_sideways_and_hands_find_their_targets(
    page: Page, complaints: list[str], view: str, width: int, scheme: Any
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    _open(page, view)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.evaluate(
        "[...document.querySelectorAll('nav a, button, .chip, .fields-table a, .onward')].filter(e => e.offsetParent)"
        ".map(e => [e.innerText, e.getBoundingClientRect().height]).filter(([, high]) => high < 30)"
    )
    assert small == []
