"""People vote in a real Chromium with keys alone: by links, on a phone, across a reload, and back again."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import PATIENCE, in_chromium, served
from full_disk import full_disk
from playwright.sync_api import Browser, Page, Route, expect
from proving import prove
from review_labs import review_lab

import counterpoint as cp
from counterpoint.explorer.app import create_app
from counterpoint.store.lab import LabStore
from counterpoint.store.votes import all_votes, read_votes

pytestmark = in_chromium

Choose = Callable[[int], str]
GOLD = 4  # groups of the suite on which people qualify
RIGHT, BOTH, CANNOT_TELL = "right", "3", "5"


@pytest.fixture
def home(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[str, LabStore]]:
    """A server over a lab with so many foils."""
    store = review_lab(tmp_path / "lab", getattr(request, "param", 4))
    with served(create_app(store, cache=tmp_path / "cache")) as address:
        yield address, store


@pytest.fixture
def arrive(browser: Browser, home: tuple[str, LabStore]) -> Iterator[Callable[..., Page]]:
    """A person opens the link that the author sent, in a browser of their own."""
    contexts = []

    def opened(name: str, width: int = 1400) -> Page:
        address, store = home
        context = browser.new_context(viewport={"width": width, "height": 844}, bypass_csp=True)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.goto(cp.Lab(store.folder).invite(name).link(address))
        page.wait_for_selector("body[data-voting]")
        return page

    yield opened
    for context in contexts:
        context.close()


def _number(page: Page) -> int:
    """Which item is on the screen: caption and foil of item n have the numbers 2n and 2n + 1."""
    text = page.locator("[data-texts] li").first.inner_text()
    return int(re.findall(r"exactly (\d+)", text)[0]) // 2


def _key(page: Page, choice: str) -> str:
    """The key of a choice; the right one is that of the even number."""
    first = page.locator("[data-texts] li").first.inner_text()
    is_caption = int(re.findall(r"exactly (\d+)", first)[0]) % 2 == 0
    return ("1" if is_caption else "2") if choice == RIGHT else choice


def _press(page: Page, choice: str) -> None:
    """Choose, and wait for the next item: by then this one is off the screen, saved or not."""
    before = page.locator("[data-texts]").inner_text()
    page.keyboard.press(_key(page, choice))
    texts = "document.querySelector('[data-texts]').innerText"
    page.wait_for_function(f"before => document.querySelector('[data-item]').hidden || {texts} !== before", arg=before)
    page.wait_for_function("!document.querySelector('[data-item]').hidden || document.body.dataset.waiting === '0'")


def _judge(page: Page, choose: Choose, most: int = 1000) -> int:
    """Vote on what comes until nothing comes, and return how many votes that were."""
    for count in range(most):
        page.wait_for_function("document.body.dataset.waiting === '0' || !document.querySelector('[data-item]').hidden")
        if page.locator("[data-item]").is_hidden():
            return count
        known = "trucks" in page.locator("[data-texts]").inner_text()
        _press(page, RIGHT if known else choose(_number(page)))
    return most


def _careless(number: int) -> str:
    return BOTH if number % 3 == 0 else RIGHT


@pytest.mark.parametrize("home", [4, prove(30)], indirect=True)
def test_three_people_qualify_and_judge_with_keys_alone(
    home: tuple[str, LabStore], arrive: Callable[..., Page]
) -> None:
    _, store = home
    count = store.manifest("foils").groups
    cp.Lab(store.folder).review("judge", suites=["foils"], gold_suite="known")
    _judge(arrive("ann"), lambda number: RIGHT)

    bob = arrive("bob")
    assert _judge(bob, _careless, most=GOLD + 2) == GOLD + 2
    bob.reload()
    bob.wait_for_selector("body[data-voting]")
    _judge(bob, _careless)

    cid = arrive("cid", width=390)
    assert _judge(cid, lambda number: CANNOT_TELL if number == 3 else RIGHT, most=GOLD + 1) == GOLD + 1
    first = cid.locator("[data-texts]").inner_text()
    cid.keyboard.press("ArrowLeft")
    expect(cid.locator("[data-choices] [aria-pressed=true]")).to_have_count(1)
    changed = _number(cid)
    cid.keyboard.press(BOTH)
    expect(cid.locator("[data-texts]")).to_have_text(first, use_inner_text=True)
    _judge(cid, lambda number: CANNOT_TELL if number == 3 else RIGHT)
    assert cid.evaluate("document.documentElement.scrollWidth") == 390

    chosen: dict[str, dict[int, str]] = {"ann": {}, "bob": {}, "cid": {}}
    numbers = {row["group_id"]: row["text"] for row in store.suite("foils").groups.to_pylist() if row["role"] == 0}
    for vote in read_votes(store.storage, "judge").to_pylist():
        number = int(re.findall(r"\d+", numbers[vote["group_id"]])[0]) // 2
        assert number not in chosen[vote["voter"]]
        chosen[vote["voter"]][number] = vote["choice"]
        assert 0 < vote["seconds"] < 600
    everything = range(count)
    assert chosen["ann"] == dict.fromkeys(everything, "caption")
    assert chosen["bob"] == {number: "caption" if number % 3 else "both" for number in everything}
    by_hand = {number: "cannot-tell" if number == 3 else "caption" for number in everything}
    assert chosen["cid"] == by_hand | {changed: "both"}
    units = [tuple(chosen[name][number] for name in chosen) for number in everything]
    _figures_are_those_counted_by_hand(cp.Lab(store.folder), units)
    golds = [vote for vote in all_votes(store.storage) if vote.is_gold_item]
    assert Counter(vote.voter for vote in golds)["ann"] == GOLD + count // 10
    assert {vote.choice for vote in golds} == {"caption"}


def _figures_are_those_counted_by_hand(lab: cp.Lab, units: list[tuple[str, ...]]) -> None:
    """Validity, unanimity and alpha of the votes by their definitions, and the suite of what is valid."""
    valid = [unit.count("caption") >= 2 for unit in units]
    (count,) = lab.votes("foils", task="judge")
    assert (count.items, count.votes, count.accepted) == (len(units), 3 * len(units), sum(valid))
    assert count.unanimous == sum(unit == ("caption",) * 3 for unit in units)
    total = Counter(choice for unit in units for choice in unit)
    number = sum(total.values())
    observed = sum(first != second for unit in units for first, second in permutations(unit, 2)) / 2 / number
    expected = 1 - sum(n * (n - 1) for n in total.values()) / number / (number - 1)
    assert count.agreement.alpha.value == pytest.approx(1 - observed / expected)
    lab.correct("foils", "valid", name="foils-valid")
    assert lab.store.manifest("foils-valid").groups == sum(valid)


def test_votes_wait_in_the_browser_while_the_server_is_away(
    home: tuple[str, LabStore], arrive: Callable[..., Page]
) -> None:
    _, store = home
    cp.Lab(store.folder).review("judge", suites=["foils"])
    page = arrive("ann")

    def away(route: Route) -> None:
        route.abort()

    page.route("**/votes", away)
    for _ in range(2):
        _press(page, BOTH)
    expect(page.locator("[data-saved]")).to_contain_text("kept in this browser: 2 votes")
    assert all_votes(store.storage) == []
    page.reload()  # as after a crash
    page.wait_for_selector("body[data-voting]")
    expect(page.locator("[data-count]")).to_have_text(re.compile("of 4"))
    page.unroute("**/votes")
    expect(page.locator("body")).to_have_attribute("data-waiting", "0")
    _judge(page, lambda number: RIGHT)
    assert Counter(vote.choice for vote in all_votes(store.storage)) == {"both": 2, "caption": 2}


def test_the_next_item_is_on_the_screen_at_once_and_without_a_page_load(
    home: tuple[str, LabStore], arrive: Callable[..., Page]
) -> None:
    _, store = home
    cp.Lab(store.folder).review("judge", suites=["foils"])
    page = arrive("ann")
    page.evaluate("window.same = true")
    page.wait_for_load_state("networkidle")  # the pictures of the next items are there
    page.route("**/votes", lambda route: route.abort())  # the server does not answer
    drawn = page.evaluate("""() => {
        const texts = document.querySelector("[data-texts]"), before = texts.innerText;
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
        const image = document.querySelector("[data-picture] img");
        return [texts.innerText !== before, image.complete && image.naturalWidth > 0];
    }""")
    assert drawn == [True, True], "the next item and its picture are drawn before anything else happens"
    assert page.evaluate("window.same")


@pytest.mark.prove
def test_answers_are_chosen_or_typed_and_golds_audited_with_keys(
    home: tuple[str, LabStore], arrive: Callable[..., Page]
) -> None:
    address, store = home
    lab = cp.Lab(store.folder)
    lab.review("answer", suites=["questions"], per_item=1)
    page = arrive("ann")
    for number in range(1, 7):
        expect(page.locator("[data-count]")).to_have_text(f"{number} of 6")
        if page.locator("[data-free]").is_visible():
            page.keyboard.type("a shade 2")
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("1")
    expect(page.locator("body")).to_have_attribute("data-waiting", "0")
    assert Counter(vote.choice for vote in all_votes(store.storage)) == {"yes": 2, "gray": 2, "a shade 2": 2}
    lab.review("audit", suites=["questions"], per_item=1)
    page.goto(f"{address}/review/audit")
    page.wait_for_selector("body[data-voting]")
    expect(page.locator("[data-texts]")).to_contain_text("people:")
    page.keyboard.press("2")
    page.keyboard.press("4")
    for answer in ("dark", "light"):
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.type(answer)
    page.keyboard.press("Enter")
    expect(page.locator("[data-count]")).to_have_text("2 of 3")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("2")
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("1")
    expect(page.locator("body")).to_have_attribute("data-waiting", "0")
    audits = [vote for vote in all_votes(store.storage) if vote.task == "audit"]
    assert [(vote.choice, vote.reason) for vote in audits] == [("wrong", "wrong-annotation"), ("right", "")]
    assert [[own.answer for own in vote.corrections] for vote in audits] == [["dark", "light"], []]


@pytest.mark.parametrize("width", [prove(1400), prove(390)])
def test_no_page_of_a_voter_has_a_serious_fault(
    home: tuple[str, LabStore], arrive: Callable[..., Page], width: int
) -> None:
    address, store = home
    lab = cp.Lab(store.folder)
    for task, suite in (("judge", "foils"), ("answer", "questions"), ("audit", "questions")):
        lab.review(task, suites=[suite])
    page = arrive("ann", width=width)
    page.emulate_media(color_scheme="dark" if width < 1000 else "light")
    for task in ("judge", "answer", "audit"):
        page.goto(f"{address}/review/{task}")
        page.wait_for_selector("body[data-voting]")
        if task == "audit":
            page.keyboard.press("2")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [fault["id"] for fault in found if fault["impact"] in ("serious", "critical")] == [], task


def test_a_full_disk_is_told_and_the_vote_is_sent_again(
    home: tuple[str, LabStore], arrive: Callable[..., Page]
) -> None:
    _, store = home
    cp.Lab(store.folder).review("judge", suites=["foils"])
    page = arrive("ann")
    with full_disk():
        _press(page, BOTH)
        expect(page.locator("[data-problem]")).to_contain_text("could not be saved")
        expect(page.locator("[data-saved]")).to_contain_text("kept in this browser: 1 vote")
    expect(page.locator("body")).to_have_attribute("data-waiting", "0")
    expect(page.locator("[data-problem]")).to_be_hidden()
    assert [vote.choice for vote in all_votes(store.storage)] == ["both"]
