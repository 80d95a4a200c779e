"""Browse in a real Chromium: the list follows the hand, the address follows the list, and a link shows the same."""

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import PATIENCE, WINDOWS, in_chromium, served
from labs import small_lab
from playwright.sync_api import Browser, Page, expect

from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.explorer.app import create_app
from counterpoint.store.groups import groups_table
from counterpoint.store.suites import Manifest

SCORED = "/browse?model=hasty&suite=plain&metric=accuracy"

pytestmark = in_chromium


@pytest.fixture(scope="session")
def base_url(small_home: str) -> str:
    return small_home


def _found(page: Page) -> Any:
    return page.get_by_role("status")


@pytest.mark.prove
def test_the_list_follows_the_slider_and_the_address_follows_the_list(
    page: Page, browser: Browser, complaints: list[str]
) -> None:
    page.goto(SCORED)
    expect(_found(page)).to_have_text("30 groups")
    handle = page.get_by_label("Highest score")
    handle.focus()
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    expect(_found(page)).to_have_text("22 groups")
    expect(page).to_have_url(re.compile(r"high=0\.7"))
    expect(handle).to_be_focused()
    expect(page.locator(".entry")).to_have_count(22)
    there = browser.new_page()
    there.goto(page.url)
    assert there.locator("#found").inner_text() == page.locator("#found").inner_text()
    assert there.get_by_label("Highest score").input_value() == "0.7"
    there.close()


@pytest.mark.prove
def test_the_slider_can_be_dragged_and_its_handles_do_not_pass_each_other(page: Page, complaints: list[str]) -> None:
    page.goto(SCORED)
    low = page.get_by_label("Lowest score")
    box = low.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2, steps=8)
    expect(_found(page)).to_have_text("8 groups")
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"low=0\.(75|8|85)(&|$)"))
    high = page.get_by_label("Highest score")
    high.focus()
    page.keyboard.press("Home")
    assert float(high.input_value()) == float(low.input_value()) > 0.7


@pytest.mark.prove
def test_what_another_model_made_of_it_can_be_let_go(page: Page, complaints: list[str]) -> None:
    page.goto("/browse?model=careful&suite=plain&also=hasty:right")
    expect(_found(page)).to_have_text("8 groups")
    page.get_by_role("link", name="Without hasty: all correct").click()
    expect(_found(page)).to_have_text("30 groups")
    expect(page).to_have_url(re.compile(r"/browse\?model=careful&suite=plain$"))


def test_typing_and_choosing_narrow_the_list_and_its_counts(page: Page, complaints: list[str]) -> None:
    page.goto("/browse?text=shade")
    page.keyboard.press("/")
    page.keyboard.press("End")
    page.keyboard.type(" 7 ")
    expect(_found(page)).to_have_text("1 group")
    expect(page.get_by_label("Model").locator("option[value=careful]")).to_have_text("careful (1)")
    page.get_by_label("Model").select_option("hasty")
    expect(page.locator(".entry .value")).to_have_count(2)  # the answers of the model that is chosen
    expect(page).to_have_url(re.compile(r"/browse\?text=shade\+7\+?&model=hasty"))
    page.locator(".entry").click()
    expect(page.get_by_text("1 of 1")).to_be_visible()
    page.keyboard.press("u")
    expect(page).to_have_url(re.compile("/browse"))
    expect(_found(page)).to_have_text("1 group")


@pytest.mark.prove
def test_a_facet_narrows_by_what_its_count_says_and_back_undoes_each_choice(page: Page, complaints: list[str]) -> None:
    page.goto("/browse?suite=plain")
    expect(_found(page)).to_have_text("30 groups")
    page.get_by_label("Facets").get_by_role("link", name=re.compile("^even")).click()
    expect(_found(page)).to_have_text("15 groups")
    page.get_by_label("Model").select_option("hasty")
    fails = page.get_by_label("Facets").get_by_role("link", name=re.compile("^fails"))
    expect(fails).to_have_text("fails7")
    page.get_by_role("searchbox", name="Text").fill("shade 1")
    expect(page).to_have_url(re.compile("text=shade"))
    page.go_back()
    expect(page.get_by_role("searchbox", name="Text")).to_have_value("")
    expect(fails).to_have_text("fails7")
    page.go_back()
    expect(page.get_by_label("Model")).to_have_value("")
    expect(page).to_have_url(re.compile(r"/browse\?suite=plain&kind=even$"))
    page.go_back()
    expect(_found(page)).to_have_text("30 groups")


@pytest.mark.prove
def test_pictures_are_a_switch_that_the_address_keeps(page: Page, complaints: list[str]) -> None:
    page.goto("/browse?suite=plain&model=hasty")
    page.get_by_role("link", name="pictures").click()
    expect(page.locator(".groups.grid .entry.card")).to_have_count(24)
    page.get_by_role("link", name="where they disagree").click()
    expect(page).to_have_url(re.compile("view=pictures"))
    expect(page.locator(".groups.grid .entry.card")).to_have_count(24)


@pytest.mark.prove
def test_keys_walk_through_the_list_and_through_the_groups_found(page: Page, complaints: list[str]) -> None:
    page.goto("/browse?model=hasty&verdict=broken")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("^1 of 24"))).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_text(re.compile("^2 of 24"))).to_be_visible()
    page.keyboard.press("u")
    expect(page).to_have_url(re.compile(r"/browse\?model=hasty&verdict=broken"))


def test_everything_works_without_scripts(browser: Browser, base_url: str) -> None:
    context = browser.new_context(java_script_enabled=False, base_url=base_url)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto("/browse")
    page.get_by_label("Model").select_option("hasty")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("model=hasty"))
    expect(page.locator(".entry")).to_have_count(24)
    page.get_by_role("link", name=re.compile("^passes")).click()
    page.get_by_role("link", name="Without passes").click()
    page.get_by_role("link", name="next →").click()
    expect(page.get_by_role("link", name="← previous")).to_be_visible()
    context.close()


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_nothing_moves_sideways_or_is_too_small_for_a_finger(
    page: Page, complaints: list[str], width: int, scheme: Any
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.goto(SCORED)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.evaluate(
        "[...document.querySelectorAll('nav a, button, select, input')].filter(e => e.offsetParent)"
        ".map(e => [e.name, e.getBoundingClientRect().height]).filter(([, high]) => high < 30)"
    )
    assert small == []


def test_a_long_gold_leaves_room_for_its_question(browser: Browser, tmp_path: Path) -> None:
    lab = small_lab(tmp_path / "lab", 1)
    question = "Which of these objects would have to be moved for the delivery van to leave?"
    gold = Gold.of("the bicycles at the corner of the street, and the van before it")
    table = groups_table([("open", Group(Relation.GOLD, (Query(Picture("toy:1.png"), question),), (gold,)))], "open")
    lab.put_suite(Manifest.of(table, generator="test", seed=0), table)
    with served(create_app(lab, cache=tmp_path / "cache")) as home, browser.new_context() as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        for width in (390, 820, 1400):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(f"{home}/browse?suite=open")
            text = page.locator(".says").first.get_by_text("Which of these")
            box = text.bounding_box()
            assert box
            assert box["width"] >= 120
            assert "base" not in page.locator(".entry").first.inner_text()
