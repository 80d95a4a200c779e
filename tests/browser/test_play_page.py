"""Try a model in a real Chromium: a visitor moves a slider, draws a mask, drops a picture, and the answers follow."""

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import PATIENCE, WINDOWS, in_chromium, served
from PIL import Image
from playwright.sync_api import Browser, FilePayload, Locator, Page, Request, expect

from counterpoint.core.groups import Answer, Query
from counterpoint.core.ports import Floats, Model, Pictures, PlacedAnswer, Scale
from counterpoint.explorer.app import create_app
from counterpoint.store.lab import LabStore

PASSWORD = "correct horse"

pytestmark = in_chromium


class Shade:
    """Says how light the picture is on the whole, and fits captions by their length."""

    fingerprint, scale = "shade", Scale.PROBABILITY

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            level = float(self._pictures.pixels(query.picture).mean()) if query.picture else 0.0
            says = "light" if level > 100 else "dark"
            yield place, Answer.of(says, top=((says, 0.75), ("other", 0.25)))

    def score(self, queries: Sequence[Query]) -> Floats:
        return np.array([len(query.text) / 100 for query in queries], np.float32)


def _models(pictures: Pictures) -> list[tuple[str, Model]]:
    return [("shade", Shade(pictures))]


@pytest.fixture(scope="session")
def base_url(lab: LabStore, cache: Path) -> Iterator[str]:
    with served(create_app(lab, cache=cache, models=_models)) as home:
        yield home


@pytest.fixture
def home(base_url: str) -> str:
    return base_url


@pytest.fixture(scope="module")
def locked(lab: LabStore, cache: Path) -> Iterator[str]:
    with served(create_app(lab, cache=cache, models=_models, password=PASSWORD)) as home:
        yield home


def _said(page: Page, row: str) -> Locator:
    return page.get_by_role("row", name=re.compile(row)).get_by_role("cell")


def _move(page: Page, slider: str, to: int) -> None:
    page.get_by_role("slider", name=slider).fill(str(to))


def test_a_visitor_moves_a_slider_and_the_answer_follows(page: Page, home: str, complaints: list[str]) -> None:
    page.goto(f"{home}/play?suite=plain")
    expect(page.get_by_role("navigation", name="Main").get_by_role("link", name="Try a model")).to_be_visible()
    expect(page.locator("[data-pick]").nth(9)).to_be_visible()
    page.wait_for_load_state("load")  # where the page of a server that still builds its tables came first
    page.locator("[data-pick]").nth(9).click()
    expect(page.get_by_role("textbox", name="Question")).to_have_value("Is shade 9 light or dark?")
    expect(_said(page, "as typed")).to_contain_text("light")
    expect(_said(page, "as typed")).to_contain_text("light 75 %")
    before = page.get_by_alt_text("the picture as the models").get_attribute("src")
    _move(page, "darker", 5)
    expect(_said(page, "as typed")).to_contain_text("dark")
    expect(_said(page, "no edits")).to_contain_text("≠ light")
    assert page.get_by_alt_text("the picture as the models").get_attribute("src") != before
    expect(page.get_by_text("brightness(30)")).to_be_visible()
    page.get_by_role("button", name="Undo all edits").click()
    expect(_said(page, "as typed")).to_contain_text("light")


@pytest.mark.prove
def test_the_address_says_what_is_shown(page: Page, browser: Browser, home: str, complaints: list[str]) -> None:
    turns = list[int]()

    def note_turn(request: Request) -> None:
        if request.url.endswith("/play/answers"):
            turns.append((request.post_data_json or {})["turn"])

    page.on("request", note_turn)
    page.goto(f"{home}/play?suite=plain")
    page.get_by_role("textbox", name="Question").fill("What color is the car?")
    _move(page, "gaussian", 2)
    expect(page).to_have_url(re.compile(r"gaussian=2"))
    expect(page).to_have_url(re.compile(r"question=What\+color"))
    expect(_said(page, "SEAR · what-which")).to_contain_text("dark")
    expect(page.locator("[data-status]")).to_have_text("")  # it says "asking …" until every model has answered
    assert turns == sorted(set(turns))  # a request that was overtaken on its way is known by its turn
    there = browser.new_page()
    there.set_default_timeout(PATIENCE)
    there.goto(page.url)
    expect(there.get_by_role("textbox", name="Question")).to_have_value("What color is the car?")
    expect(_said(there, "SEAR · what-which")).to_contain_text("dark")
    expect(there.locator("[data-status]")).to_have_text("")
    assert there.get_by_role("table").inner_text() == page.get_by_role("table").inner_text()
    there.close()


@pytest.mark.prove
def test_words_can_be_swapped_and_a_rewrite_can_be_used(page: Page, home: str, complaints: list[str]) -> None:
    page.goto(f"{home}/play?suite=plain")
    page.get_by_role("textbox", name="Question").fill("Is the door open?")
    page.get_by_label("Swap the word").fill("open")
    expect(page.locator("#others option").first).to_have_attribute("value", "closed")
    page.get_by_label("for", exact=True).fill("closed")
    row = page.get_by_role("row", name=re.compile("open → closed"))
    expect(row.locator("mark")).to_have_text("closed")
    row.get_by_role("button", name="use").click()
    expect(page.get_by_role("textbox", name="Question")).to_have_value("Is the door closed?")


def test_a_mask_is_drawn_by_hand_and_by_the_box_of_an_object(page: Page, home: str, complaints: list[str]) -> None:
    page.goto(f"{home}/play?suite=plain")
    page.get_by_label("What it does").select_option("hide")
    page.locator("[data-stage]").scroll_into_view_if_needed()
    place = page.locator("[data-stage]").bounding_box()
    assert place
    page.mouse.move(place["x"] + place["width"] * 0.1, place["y"] + place["height"] * 0.2)
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] * 0.5, place["y"] + place["height"] * 0.7, steps=4)
    page.mouse.up()
    numbers = [int(page.get_by_label(f"{side} %").input_value()) for side in ("left", "top", "width", "height")]
    assert np.allclose(numbers, [10, 20, 40, 50], atol=2)
    expect(page.get_by_text("mean-around")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"w={numbers[2]}&h={numbers[3]}"))
    expect(page.locator("[data-status]")).to_have_text("")  # the answers to it have replaced this part of the page
    page.get_by_role("button", name="shade").click()
    expect(page.get_by_label("left %")).to_have_value("12")


@pytest.mark.prove
def test_a_picture_of_ones_own_can_be_chosen(page: Page, home: str, complaints: list[str]) -> None:
    page.goto(f"{home}/play?suite=plain")
    file = BytesIO()
    Image.new("RGB", (64, 48), (250, 250, 250)).save(file, "PNG")
    mine: FilePayload = {"name": "mine.png", "mimeType": "image/png", "buffer": file.getvalue()}
    page.get_by_label("Drop a picture here").set_input_files(mine)
    expect(page.get_by_text("an uploaded picture")).to_be_visible()
    expect(_said(page, "as typed")).to_contain_text("light")


@pytest.mark.prove
def test_a_file_that_is_no_picture_is_said(page: Page, home: str) -> None:
    page.goto(f"{home}/play?suite=plain")
    mine: FilePayload = {"name": "mine.png", "mimeType": "image/png", "buffer": b"nothing"}
    page.get_by_label("Drop a picture here").set_input_files(mine)
    expect(page.get_by_role("status")).to_contain_text("The upload cannot be read as a picture")


@pytest.mark.prove
def test_two_captions_are_compared(page: Page, home: str, complaints: list[str]) -> None:
    page.goto(f"{home}/play?suite=plain")
    page.get_by_label("two captions").check()
    page.get_by_label("First caption").fill("A dog.")
    page.get_by_label("Second caption").fill("A very long caption.")
    expect(page.get_by_role("row", name=re.compile("caption · second"))).to_contain_text("0.200")
    expect(_said(page, "fits better")).to_have_text("the second")


@pytest.mark.prove
def test_everything_can_be_reached_by_keys(page: Page, home: str, complaints: list[str]) -> None:
    page.goto(f"{home}/play?suite=plain")
    page.get_by_role("slider", name="gaussian").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("gaussian=2"))
    page.get_by_role("textbox", name="Question").focus()
    page.keyboard.press("End")
    page.keyboard.type("!")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("%21"))


@pytest.mark.prove
def test_a_plain_form_works_without_scripts(browser: Browser, home: str) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.set_default_timeout(PATIENCE)
    page.goto(f"{home}/play?suite=plain&darker=5")
    page.get_by_role("textbox", name="Question").fill("Is it light?")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("row", name=re.compile("as typed"))).to_contain_text("dark")
    page.close()


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_play_never_moves_sideways(page: Page, home: str, complaints: list[str], width: int, scheme: Any) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{home}/play?suite=plain&gaussian=3&mask=keep")
    expect(_said(page, "as typed")).to_contain_text("75 %")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.evaluate(
        "[...document.querySelectorAll('main a, main button:not(.use), main select, main label.slider')]"
        ".filter(e => e.offsetParent).map(e => [e.innerText, e.getBoundingClientRect().height])"
        ".filter(([, high]) => high < 30)"
    )
    assert small == []


@pytest.mark.prove
def test_a_visitor_logs_in_once(page: Page, locked: str) -> None:
    page.goto(f"{locked}/play?suite=plain")
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    page.get_by_label("Password").fill("wrong password")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_contain_text("not the password")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url(re.compile(r"/play\?"))
    expect(_said(page, "as typed")).to_contain_text("dark")
    assert PASSWORD not in str(page.context.cookies())
