"""The overview and the page of a model in a real Chromium: ordered, opened, and chosen from boxes."""

import re
from io import BytesIO
from typing import Any

import pytest
from browsing import PATIENCE, WINDOWS, in_chromium
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

VIEWS = ("/overview?open=hasty", "/models/careful?against=hasty", "/suites/plain", "/suites")

pytestmark = in_chromium


@pytest.fixture(scope="session")
def base_url(small_home: str) -> str:
    return small_home


def test_a_click_on_a_head_orders_and_another_turns_the_order(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/overview?suite=plain")
    head = page.get_by_role("columnheader", name=re.compile("Comprehensive")).first
    head.get_by_role("link").click()
    expect(page.locator("tbody tr th[scope=row]").first).to_contain_text("careful")
    sorted_by = page.locator("th[aria-sort=descending]")
    expect(sorted_by).to_have_count(1)
    sorted_by.get_by_role("link").click()
    expect(page.locator("th[aria-sort=ascending]")).to_have_count(1)
    expect(page.locator("tbody tr th[scope=row]").last).to_contain_text("careful")


@pytest.mark.prove
def test_a_model_is_opened_and_closed_with_the_keyboard(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/overview")
    page.get_by_role("button", name="Open hasty").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".blocks")).to_be_visible()
    expect(page).to_have_url(re.compile("open=hasty"))
    page.get_by_role("button", name="Close hasty").click()
    expect(page.locator(".blocks")).to_have_count(0)


@pytest.mark.prove
def test_a_wide_table_is_shaded_on_the_side_to_which_it_can_be_scrolled(browser: Browser, base_url: str) -> None:
    with browser.new_context(viewport={"width": 800, "height": 900}, color_scheme="light") as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(f"{base_url}/overview")
        table = page.locator(".scroll").first
        assert _last_grey(table) < 240
        table.evaluate("one => { one.scrollLeft = one.scrollWidth }")
        assert _last_grey(table) == 255


def _last_grey(table: Locator) -> int:
    """The grey of the last pixel at the head of a table, where there is no text: 255 is paper."""
    with Image.open(BytesIO(table.screenshot())) as image:
        return image.convert("L").crop((image.width - 1, 3, image.width, 4)).tobytes()[0]


def test_confused_answers_can_be_hit_and_terms_are_in_one_piece(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/models/hasty?suite=plain")
    heights = page.eval_on_selector_all(".confused dt a", "all => all.map(one => one.getBoundingClientRect().height)")
    assert heights
    assert min(heights) >= 31
    term = page.locator(".block dt .unknown", has_text="C-ACC").first
    assert term.evaluate("one => one.getClientRects().length") == 1


@pytest.mark.parametrize("view", ["/models/careful", "/overview"])
def test_a_printed_page_begins_where_its_head_begins(page: Page, base_url: str, view: str) -> None:
    page.goto(f"{base_url}{view}")
    page.emulate_media(media="print")
    left, right = (page.locator(one).bounding_box() for one in (".top .name", "h1"))
    assert left
    assert right
    assert left["x"] == right["x"]
    assert right["y"] >= left["y"] + left["height"] + 8


def test_columns_are_chosen_by_ticks(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/overview")
    page.get_by_text("Choose suites and columns").click()
    page.get_by_role("checkbox", name="Worst case").check()
    page.get_by_role("button", name="Show these").click()
    expect(page).to_have_url(re.compile("metric=worst_case"))
    expect(page.get_by_role("columnheader", name=re.compile("Worst case")).first).to_be_visible()


@pytest.mark.prove
def test_the_boxes_of_a_model_change_its_charts(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/models/careful")
    page.get_by_label("Suite").select_option("odd")
    expect(page).to_have_url(re.compile("suite=odd"))
    page.get_by_label("Beside").select_option("hasty")
    expect(page.locator("figcaption", has_text="is higher than hasty")).to_be_visible()
    expect(page.locator(".chart svg").first).to_be_visible()


@pytest.mark.prove
@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_nothing_moves_sideways(browser: Browser, base_url: str, width: int, scheme: Any) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(PATIENCE)
    for address in VIEWS:
        page.goto(base_url + address)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
    page.close()
