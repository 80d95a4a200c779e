"""Pages of a lab as a working group has it: long names, long answers, other scripts, pictures of every shape."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal
from urllib.request import urlopen

import pytest
from browsing import PATIENCE, in_chromium, serious_faults, served
from playwright.sync_api import Browser, Page, expect
from proving import prove, scaled

from benchmarks.crowded_lab import SUITES, make_lab
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.explorer.app import create_app
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

FEW = ("negation", "visual", "existence", "our-returns-desk-photographs-of-damaged-parcels-2026")
WIDTHS = (prove(1400), prove(1000), 390)
VIEWS = (
    "/overview",
    "/overview?family=all",
    "/overview?suite=negation",
    "/compare",
    "/agreement",
    "/browse",
    "/browse?suite=visual&model={long}&verdict=fails",
    "/browse?suite=visual&view=pictures",
    "/suites",
    "/suites/negation",
    "/suites/negation/models/{long}",
    "/models/{long}",
    "/history",
    "/runs",
    "{negation}",
    "{visual}",
    "{existence}",
    "{sample}",
    "/nowhere",
)
IS_WHOLE = scaled(len(VIEWS)) == len(VIEWS)
"""Whether `make prove` runs, which looks at every view."""
LISTS = ("/browse", "/suites", "/history", "/runs")
"""Views of which a phone, too, shows all in a few screens."""
LETTERS = """() => [...document.querySelectorAll('main *')].filter((one) => {
  const own = [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join('');
  const box = one.getBoundingClientRect();
  return own.length > 24 && box.width > 0 && box.width < 36 && box.height > 60 && !one.closest('svg');
}).map((one) => one.outerHTML.slice(0, 120))"""
"""Texts that have room for one letter in a line."""
CLIPPED = """() => [...document.querySelectorAll('main th:has(.pin), main .apart-table tbody th')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => `cut off: ${one.textContent.trim()}`)"""
"""Names of models, suites and metrics that are wider than their column and end in an ellipsis."""
HEADS = """() => [...document.querySelectorAll('thead th small')]
  .filter((one) => Math.round(one.clientHeight / parseFloat(getComputedStyle(one).lineHeight)) > 3)
  .map((one) => `more than three lines below a head: ${one.textContent}`)"""
"""Notes below the heads of columns that push the table down."""

pytestmark = in_chromium


@pytest.fixture(scope="session")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real server over a crowded lab."""
    suites = SUITES if IS_WHOLE else FEW
    lab = make_lab(tmp_path_factory.mktemp("lab"), scaled(40), suites, scaled(60), pictures=scaled(40, 10))
    cache = tmp_path_factory.mktemp("cache")
    with served(create_app(lab, cache=cache, background=False)) as home:
        yield home


@pytest.fixture(scope="session")
def places(base_url: str) -> dict[str, str]:
    """The slug of the model with the longest name, and a group with a refusal in each of three suites."""

    def read(address: str) -> dict[str, Any]:
        with urlopen(base_url + address) as answer:
            content: dict[str, Any] = json.load(answer)
            return content

    models = [str(line["slug"]) for line in read("/overview.json")["lines"]]
    options = read("/browse.json?suite=negation&verdict=refused")["models"]
    refusing = max(options["options"], key=lambda option: option["count"] or 0)["value"]
    places = {"long": max(models, key=len), "refusing": str(refusing)}
    for suite in ("negation", "visual", "existence"):
        refused = read(f"/browse.json?suite={suite}&verdict=refused")["hits"]
        hits = refused or read(f"/browse.json?suite={suite}")["hits"]  # nobody refuses to score
        places[suite] = str(hits[0]["entry"]["address"])
    places["sample"] = str(read(places["negation"].replace("?", ".json?", 1))["sample"])
    return places


def test_every_control_and_picture_has_a_name(page: Page, base_url: str) -> None:
    for view in ("/browse?suite=visual", "/overview"):
        page.goto(base_url + view)
        assert _nameless(page) == []


def _nameless(page: Page) -> list[str]:
    """The roles of controls and pictures that the accessibility tree has without a name."""
    roles = {"link", "button", "checkbox", "combobox", "textbox", "searchbox", "image", "region", "dialog"}
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    shown = [node for node in nodes if not node["ignored"] and node["role"]["value"] in roles]
    return [node["role"]["value"] for node in shown if not node["name"]["value"]]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_view_breaks(browser: Browser, base_url: str, places: dict[str, str], width: int) -> None:
    found = []
    with browser.new_context(viewport={"width": width, "height": 900}) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        for view in VIEWS if IS_WHOLE else VIEWS[::3]:
            page.goto(base_url + view.format(**places))
            wide, high = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
            found += [f"{view}: {wide} pixels wide in {width}"] if wide > width else []
            is_short = width == 1400 or (width == 390 and view in LISTS)
            found += [f"{view}: {high} pixels high in {width}"] if is_short and high > 6000 else []
            faults = [page.evaluate(script) for script in (LETTERS, CLIPPED, *([HEADS] if width > 390 else []))]
            found += [f"{view}: {text}" for texts in faults for text in texts]
            weight = len(page.content().encode())
            found += [f"{view}: {weight} bytes"] if view.startswith("/browse") and weight > 150_000 else []
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("width", "scheme"),
    [prove(width, scheme) for width in (1400, 1000, 390) for scheme in ("light", "dark")],
)
def test_no_view_has_a_serious_fault(
    browser: Browser, base_url: str, places: dict[str, str], width: int, scheme: Literal["light", "dark"]
) -> None:
    found = []
    with browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce"
    ) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        for view in VIEWS:
            page.goto(base_url + view.format(**places))
            found += [f"{view}: {fault}" for fault in serious_faults(page)]
    assert not found, "\n".join(found)


@pytest.mark.prove
def test_forty_models_on_one_suite_are_no_long_way_on_a_phone(page: Page, base_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{base_url}/overview?suite=negation")
    assert page.evaluate("document.documentElement.scrollHeight") < 4000


@pytest.mark.prove
def test_all_columns_of_a_group_are_in_sight_beside_long_answers(
    page: Page, base_url: str, places: dict[str, str]
) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto(base_url + places["negation"])
    for head in ("base", "variant 1", "consistent"):
        box = page.get_by_role("columnheader", name=head, exact=True).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 1400


def test_a_click_shows_the_whole_answer_as_text(page: Page, base_url: str, places: dict[str, str]) -> None:
    page.goto(base_url + places["negation"])
    reply = page.locator("details.reply:not(.brief)").first
    expect(reply.locator("pre")).to_be_hidden()
    reply.locator("summary").click()
    expect(reply.locator("pre")).to_be_visible()
    assert reply.locator("pre b, pre table").count() == 0


def test_a_picture_is_never_larger_than_it_is_and_a_click_shows_it_closer(
    page: Page, base_url: str, places: dict[str, str]
) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto(base_url + places["visual"])
    page.wait_for_load_state("networkidle")
    sizes = page.eval_on_selector_all(
        ".shown img", "all => all.map(one => [one.width, one.naturalWidth, one.height, innerHeight])"
    )
    assert all(width <= natural and height <= 0.7 * window for width, natural, height, window in sizes)
    page.locator("[data-zoom]").first.click()
    closer = page.locator("#zoom")
    expect(closer).to_be_visible()
    page.keyboard.press("+")
    expect(closer.locator("img")).to_have_attribute("style", "transform: translate(0px, 0px) scale(1.2);")
    page.keyboard.press("Escape")
    expect(closer).to_be_hidden()


@pytest.mark.prove
def test_two_clicks_lead_from_the_first_page_to_an_example_of_what_a_model_fails(page: Page, base_url: str) -> None:
    page.goto(f"{base_url}/overview")
    finding = page.locator(".findings li").first
    model = finding.locator("b").inner_text()
    finding.get_by_role("link", name="see all →").click()
    page.locator("[data-row]").first.click()
    expect(page.locator("tr.chosen th").first).to_contain_text(model[:12])
    expect(page.locator("tr.chosen .wrong").first).to_be_visible()


@pytest.mark.prove
def test_a_long_answer_leaves_room_for_the_texts_beside_it_on_a_phone(
    page: Page, base_url: str, places: dict[str, str]
) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{base_url}/browse?suite=negation&verdict=refused&model={places['refusing']}")
    assert page.locator(".entry .state").count() > 0  # some refuse
    narrow = page.eval_on_selector_all(".entry .says > :nth-child(3n + 2)", "all => all.map(one => one.clientWidth)")
    assert min(narrow) > 100


@pytest.mark.prove
def test_the_squares_of_all_models_fit_beside_a_group_and_differ_in_more_than_color(page: Page, base_url: str) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto(f"{base_url}/browse")
    strip = page.locator(".entry .marks").first
    tops = strip.locator("i").evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert len(tops) == scaled(40)
    assert len(set(tops)) == 1
    assert re.fullmatch(r".+: [a-z ,]+", str(strip.locator("i").first.get_attribute("title")))
    shapes = page.locator(".legend i").evaluate_all(
        "all => all.map((one) => getComputedStyle(one, '::after').content + getComputedStyle(one).backgroundImage"
        " + getComputedStyle(one).boxShadow)"
    )
    assert len(set(shapes)) == len(shapes) == 5


@pytest.mark.prove
def test_long_names_and_answers_leave_room_for_numbers(browser: Browser, tmp_path: Path) -> None:
    suite, answer, lab = "name-" * 16 + "end", "W" * 300, LabStore(tmp_path / "lab")
    groups = [
        (
            f"a test with a long name {place % 2}",
            Group(Relation.SAME, (Query(None, f"Is {place}?"),) * 2, (Gold.of("a"),) * 2),
        )
        for place in range(12)
    ]
    table = groups_table(groups, suite)
    lab.put_suite(Manifest.of(table, generator="test", seed=7), table)
    with lab.answers("one 1") as log:
        told = Answer.of(answer, top=((answer, 0.9), ("no", 0.1)))
        log.add((query.id, 0, told, "", 0.01) for _, group in groups for query in group.queries[:1])
    lab.put_run(RunRecord("0", "one", "one 1"))
    inside = """selector => [...document.querySelectorAll(selector)].filter(one => one.getBoundingClientRect().width)
      .map(one => one.getBoundingClientRect().right <= one.closest('td').getBoundingClientRect().right + 1)"""
    with served(create_app(lab, cache=tmp_path / "cache", background=False)) as home:
        for width in (390, 1200):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto(f"{home}/overview")
            if width == 390:
                assert set(page.evaluate(inside, ".board td .value")) == {True}
                rights = page.evaluate(
                    "[...document.querySelectorAll('.board td')].map(one => one.getBoundingClientRect().right)"
                )
                assert max(rights) <= width
            page.goto(f"{home}/samples/{groups[0][1].base.id:016x}")
            assert set(page.evaluate(inside, "td .bars")) == {True}
            page.close()
