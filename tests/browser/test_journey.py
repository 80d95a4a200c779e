"""One visit in a real Chromium: from the leaderboard down to one answer, by hand and by keys alone."""

import re

import pytest
from browsing import in_chromium
from playwright.sync_api import Browser, Page, expect

FEW = 40  # presses of a key that a visitor bears

pytestmark = in_chromium


@pytest.fixture(scope="session")
def base_url(small_home: str) -> str:
    return small_home


def _tab_to(page: Page, words: str) -> None:
    """Press Tab until what is in focus says these words."""
    for _ in range(FEW):
        page.keyboard.press("Tab")
        said = page.evaluate("(one => one.getAttribute('aria-label') || one.innerText)(document.activeElement)")
        if re.search(words, said or ""):
            return
    raise AssertionError(f"{words!r} was not reached by {FEW} presses of Tab")


def _same(page: Page, browser: Browser) -> None:
    """A visitor who opens the address anew sees the same."""
    there = browser.new_page()
    there.goto(page.url)
    assert there.locator("#found").inner_text() == page.locator("#found").inner_text()
    for handle in ("Lowest score", "Highest score"):
        assert there.get_by_label(handle).input_value() == page.get_by_label(handle).input_value()
    there.close()


def test_a_visitor_goes_from_the_leaderboard_to_one_answer_and_shares_the_list(
    page: Page, browser: Browser, complaints: list[str]
) -> None:
    page.goto("/overview?suite=plain")
    page.get_by_role("columnheader", name=re.compile("Self-consistency")).first.get_by_role("link").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_count(1)
    noisiest = page.locator("tr:has(th[scope=row])").last
    expect(noisiest).to_contain_text("hasty")
    noisiest.locator("td a").first.click()
    expect(page).to_have_url(re.compile(r"/browse\?model=hasty&suite=plain&(test=\w+&)?metric=\w+&high=0\.95"))
    page.locator("#facets a[href*='kind=odd']").click()
    expect(page).to_have_url(re.compile("kind=odd"))
    page.locator(".entry").first.click()
    expect(page.get_by_role("row", name=re.compile("^hasty"))).to_contain_text("✗ maybe")
    page.keyboard.press("u")
    page.get_by_role("link", name="Without odd").click()
    page.get_by_label("Score by").select_option("accuracy")
    page.get_by_label("Highest score").fill("1")
    expect(page).not_to_have_url(re.compile("high="))
    before = page.locator(".entry").count()
    page.get_by_label("Highest score").fill("0.7")
    expect(page).to_have_url(re.compile(r"high=0\.7"))
    assert 0 < page.locator(".entry").count() < before
    _same(page, browser)


@pytest.mark.prove
def test_the_same_is_done_with_keys_alone(page: Page, browser: Browser, complaints: list[str]) -> None:
    page.goto("/overview")
    _tab_to(page, "^Browse$")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/browse"))
    page.keyboard.press("/")
    page.keyboard.type("shade 1")
    expect(page).to_have_url(re.compile("text=shade"))
    complaints.clear()  # the picture of one group of the lab is missing
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("Acc")
    expect(page.get_by_label("Highest score")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"low=0\.05"))
    _same(page, browser)
    _tab_to(page, "link to this filter")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/groups/"))
    expect(page.get_by_text(re.compile("^1 of "))).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_text(re.compile("^2 of "))).to_be_visible()
    page.keyboard.press("u")
    expect(page).to_have_url(re.compile(r"/browse\?.*low=0\.05"))
