"""The exported pages in a real Chromium, from the disk: no server, no complaint, and the same to see."""

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import WINDOWS, in_chromium
from playwright.sync_api import Page, expect
from proving import prove

from counterpoint.explorer.site.export import SiteSelection, export_site
from counterpoint.store.lab import LabStore

pytestmark = in_chromium


@pytest.fixture(scope="session")
def base_url(lab: LabStore, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the first page lies on the disk."""
    folder = tmp_path_factory.mktemp("site") / "out"
    export_site(lab, folder, SiteSelection(("plain",), limit=12), cache=cache)
    return (folder / "index.html").as_uri()


@pytest.fixture
def home(base_url: str) -> str:
    return base_url


@pytest.fixture
def complaints(page: Page, complaints: list[str]) -> list[str]:
    """What the browser has to complain about, and whatever it asks of a network: nothing."""
    page.on("request", lambda one: complaints.append(one.url) if not one.url.startswith(("file:", "data:")) else None)
    page.on("requestfailed", lambda one: complaints.append(one.url) if "ABORTED" not in str(one.failure) else None)
    return complaints


def test_a_reader_goes_from_the_leaderboard_to_one_group(page: Page, home: str, complaints: list[str]) -> None:
    page.goto(home)
    page.get_by_role("row", name=re.compile("hasty")).get_by_role("link").last.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("hasty")
    expect(page.locator("a[data-row]")).to_have_count(9)
    page.locator("a[data-row]").nth(1).click()
    expect(page.get_by_text("Every variant asks the same as the base")).to_be_visible()
    picture = page.locator(".shown img").first
    assert picture.evaluate("one => one.complete && one.naturalWidth > 0")
    page.keyboard.press("b")
    expect(page.locator(".shown svg").first).to_have_css("opacity", "1")
    first = page.url
    page.keyboard.press("j")
    page.wait_for_url(lambda url: url != first)
    page.keyboard.press("k")
    page.wait_for_url(first)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog")).to_be_hidden()


@pytest.mark.prove
def test_the_list_is_ordered_and_searched_in_place(page: Page, home: str, complaints: list[str]) -> None:
    page.goto(home)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Browse").click()
    expect(page.get_by_role("row")).to_have_count(13)
    page.get_by_role("columnheader", name="Kind").click()
    kinds = page.locator('td[data-label="kind"]').all_inner_texts()
    assert kinds == sorted(kinds)
    page.get_by_role("columnheader", name="Kind").press("Enter")
    assert page.locator('td[data-label="kind"]').all_inner_texts() == sorted(kinds, reverse=True)
    page.get_by_label("Search").fill("shade 7")
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("status")).to_have_text("1 of 12 groups")
    page.get_by_role("link", name=re.compile("shade 7")).click()
    expect(page.get_by_text("its number is 7")).to_be_visible()


@pytest.mark.prove
def test_scores_are_ordered_by_a_click(page: Page, home: str, complaints: list[str]) -> None:
    page.goto(home)
    table = page.get_by_role("table").first
    head = table.get_by_role("columnheader").filter(has_text=re.compile("ccuracy")).first
    head.click()
    values = [float(text) for text in table.locator("tbody tr td:nth-child(2) .value").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    head.click()
    values = [float(text) for text in table.locator("tbody tr td:nth-child(2) .value").all_inner_texts()]
    assert values == sorted(values)


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
@pytest.mark.parametrize("name", [prove("index.html"), prove("browse.html"), "suites/plain/models/hasty.html"])
def test_no_page_moves_sideways(
    page: Page, home: str, complaints: list[str], name: str, width: int, scheme: Any
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.goto(home.replace("index.html", name))
    expect(page.locator("body[data-ready]")).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
