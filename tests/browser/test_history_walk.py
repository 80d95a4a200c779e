"""The history of a model in a real browser: wide and narrow, light and dark."""

from collections.abc import Iterator
from typing import Literal

import pytest
from browsing import PATIENCE, WINDOWS, in_chromium, serious_faults, served
from playwright.sync_api import Browser, expect
from proving import scaled
from version_labs import lab_of_versions

import counterpoint as cp
from counterpoint.explorer.app import create_app

VERSIONS = scaled(12, least=5)

pytestmark = in_chromium


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over a lab with a model of so many versions."""
    cats, dogs = [60, 62, 160, 161, *range(120, 128)], range(100, 112)
    shares = {"vlm": {"cat": cats[:VERSIONS], "dog": dogs[:VERSIONS]}}
    store = lab_of_versions(tmp_path_factory.mktemp("lab"), shares)
    cp.Lab(store.folder).set_baseline("vlm@step-300")
    with served(create_app(store, cache=tmp_path_factory.mktemp("cache"))) as address:
        yield address


@pytest.mark.prove
@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_a_visitor_follows_a_change_to_the_groups_that_flipped(
    browser: Browser, home: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(bypass_csp=True, viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(home)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="History").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"vlm over {VERSIONS} versions")
    expect(page.locator(".figures svg")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page does not scroll sideways"
    assert serious_faults(page) == []
    page.get_by_role("link", name="Flips of cat from step-400 to step-500").click()
    expect(page.get_by_role("heading", name="Flipped from step-400 to step-500: 41 lost, 0 won")).to_be_visible()
    assert serious_faults(page) == []
    page.get_by_role("link", name="All 41 in Browse").click()
    expect(page.get_by_text("41 groups").first).to_be_visible()
    context.close()
