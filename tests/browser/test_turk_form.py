"""The form for Mechanical Turk in a real Chromium: the site fills it in, and it sends votes where the site says."""

from urllib.parse import parse_qs

import pytest
from browsing import in_chromium
from playwright.sync_api import Page, Route, expect

from counterpoint.exports.turk_form import turk_form

pytestmark = in_chromium

CELLS = {"image": "data:,", "question": "Is it &lt;b&gt;red&lt;/b&gt;?", "choices": "yes | no | ambiguous"}
FORM = "https://form.example/task"


@pytest.fixture(scope="module")
def base_url() -> str:
    """The site that shows the form, which the tests answer for."""
    return FORM


def _opened(page: Page, query: str, choices: str) -> None:
    """Open the form as the site shows it, in a frame whose address has the assignment."""
    form = turk_form("answer", "Answer the question.", ["question"], {})
    for name, cell in (CELLS | {"choices": choices}).items():
        form = form.replace(f"${{{name}}}", cell)
    page.route(f"{FORM}**", lambda route: route.fulfill(body=form, content_type="text/html"))
    page.goto(f"{FORM}?{query}")


def test_a_worker_chooses_and_the_vote_goes_to_the_sandbox_with_its_assignment(page: Page) -> None:
    sent: list[tuple[str, dict[str, list[str]]]] = []

    def accept(route: Route) -> None:
        sent.append((route.request.url, parse_qs(route.request.post_data or "")))
        route.fulfill(body="thanks", content_type="text/html")

    page.route("https://workersandbox.mturk.com/**", accept)
    _opened(page, "assignmentId=3XY&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com", CELLS["choices"])
    expect(page.get_by_text("Is it <b>red</b>?")).to_be_visible()
    assert page.get_by_role("radio").count() == 3
    page.get_by_label("no", exact=True).check()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("thanks")).to_be_visible()
    assert sent == [
        ("https://workersandbox.mturk.com/mturk/externalSubmit", {"assignmentId": ["3XY"], "choice": ["no"]})
    ]


def test_a_preview_cannot_be_sent_and_an_open_question_has_a_field(page: Page) -> None:
    _opened(page, "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&turkSubmitTo=https%3A%2F%2Fevil.example", "ambiguous")
    expect(page.get_by_role("button", name="Submit")).to_be_disabled()
    expect(page.get_by_role("textbox")).to_be_visible()
    assert page.locator("form").get_attribute("action") == "https://www.mturk.com/mturk/externalSubmit"
