"""The explorer in a real Chromium: a visitor looks around with hands on the keyboard, in the light and in the dark."""

import re
from typing import Any

import pytest
from browsing import WINDOWS, in_chromium
from playwright.sync_api import Browser, Page, expect
from proving import sample

VIEWS = {
    "leaderboard": "/overview",
    "suite": "/suites/plain/models/hasty",
    "group": "/suites/plain/models/hasty?verdict=broken",
}

pytestmark = in_chromium


@pytest.fixture(scope="session")
def base_url(small_home: str) -> str:
    return small_home


@pytest.mark.prove
def test_a_visitor_goes_from_the_leaderboard_to_one_failure_and_back(page: Page, complaints: list[str]) -> None:
    page.goto("/overview")
    expect(page).to_have_title(re.compile("Overview"))
    page.get_by_role("row", name=re.compile("hasty")).locator("a[href^='/browse']").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Browse")
    assert "hasty" in page.url
    page.locator("a[href*='/groups/']").first.click()
    expect(page.get_by_role("row", name=re.compile("^hasty"))).to_contain_text("✗")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Browse")


def test_everything_can_be_done_with_keys(page: Page, complaints: list[str]) -> None:
    page.goto(VIEWS["suite"])
    page.keyboard.press("j")
    page.keyboard.press("j")
    focused = page.evaluate("document.activeElement.getAttribute('href')")
    assert focused == page.get_by_role("listitem").nth(1).get_by_role("link").get_attribute("href")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/groups/"))
    first = page.url
    page.keyboard.press("j")
    page.wait_for_url(lambda url: url != first)
    page.keyboard.press("k")
    page.wait_for_url(first)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("u")
    expect(page).to_have_url(re.compile("/models/hasty"))


@pytest.mark.prove
def test_a_key_counts_as_soon_as_the_help_is_closed(page: Page, complaints: list[str]) -> None:
    page.goto(_one_group(page))
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.evaluate(
        """() => {
          const focused = document.activeElement;
          document.querySelector("#help").close();
          focused.dispatchEvent(new KeyboardEvent("keydown", { key: "u", bubbles: true }));
        }"""
    )
    expect(page).to_have_url(re.compile("/models/hasty"))


@pytest.mark.prove
def test_boxes_appear_on_hover_and_with_a_key(page: Page, complaints: list[str]) -> None:
    page.goto(_one_group(page))
    boxes = page.locator(".shown svg")
    expect(boxes).to_have_css("opacity", "0")
    page.locator(".shown").hover()
    expect(boxes).to_have_css("opacity", "1")
    page.mouse.move(0, 0)
    expect(boxes).to_have_css("opacity", "0")
    page.keyboard.press("b")
    expect(boxes).to_have_css("opacity", "1")
    expect(page.locator(".shown text")).to_have_text("shade")


def test_focus_can_be_seen(page: Page, complaints: list[str]) -> None:
    page.goto("/overview")
    for _ in range(3):
        page.keyboard.press("Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_charts_are_drawn_without_a_script_in_the_colours_of_the_page(page: Page, complaints: list[str]) -> None:
    page.goto("/models/careful")
    expect(page.locator(".chart svg").first).to_be_visible()
    mark = page.locator('.chart g[data-name="careful"]').first
    assert "careful: confidence" in str(mark.locator("title").text_content())
    fills = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        fills.append(mark.locator("circle").evaluate("element => getComputedStyle(element).fill"))
    assert fills == ["rgb(0, 114, 178)", "rgb(86, 180, 233)"]


@pytest.mark.prove
def test_a_shared_link_shows_the_same(page: Page, browser: Browser, complaints: list[str]) -> None:
    page.goto(VIEWS["group"])
    there = browser.new_page()
    there.goto(page.url)
    assert there.locator("main").inner_text() == page.locator("main").inner_text()
    there.close()


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
@pytest.mark.parametrize("view", sample(VIEWS, 1))
def test_no_view_moves_sideways_or_hides_text(
    page: Page, complaints: list[str], view: str, width: int, scheme: Any
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.goto(_one_group(page) if view == "group" else VIEWS[view])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.evaluate(
        "[...document.querySelectorAll('nav a, button, select')].filter(e => e.offsetParent)"
        ".map(e => [e.innerText, e.getBoundingClientRect().height]).filter(([, high]) => high < 30)"
    )
    assert small == []


def _one_group(page: Page) -> str:
    page.goto(VIEWS["group"])
    address = page.get_by_role("listitem").first.get_by_role("link").get_attribute("href")
    assert address is not None
    return address
