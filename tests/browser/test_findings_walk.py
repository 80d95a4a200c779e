"""A visitor who has never seen the tool finds what a model does wrong, with an example, in two clicks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import PATIENCE, in_chromium, served
from playwright.sync_api import Browser, expect
from proving import prove

from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.explorer.app import create_app
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

NOUNS = ("glasses", "dogs", "hats", "bikes", "boats", "signs")
GROUPS = 24

pytestmark = in_chromium


def _negations() -> Iterator[Group]:
    for place in range(GROUPS):
        noun = f"{NOUNS[place % len(NOUNS)]} on shelf {place}"
        texts = (f"Do you see any {noun}?", f"Do you see no {noun}?")
        yield Group(Relation.DIFFERS, tuple(Query(None, text) for text in texts), (Gold.of("yes"), Gold.of("no")))


def _kinds() -> Iterator[Group]:
    for place in range(GROUPS):
        texts = (f"Is there a dog in yard {place}?", f"Is there an animal in yard {place}?")
        yield Group(Relation.SAME, tuple(Query(None, text) for text in texts), (Gold.of("yes"),) * 2)


def _lab(folder: Path, name: str, groups: list[Group], stumbles_at: str, says: str) -> LabStore:
    """A lab of one suite with a model that is right, and one that says the same whenever it reads a word."""
    lab, table = LabStore(folder), groups_table([(name, group) for group in groups], name)
    lab.put_suite(Manifest.of(table, generator="walk", seed=7), table)
    for model in ("steady", "hasty"):
        with lab.answers(model) as log:
            for group in groups:
                for query, gold in zip(group.queries, group.gold, strict=True):
                    assert gold
                    stumbles = model == "hasty" and stumbles_at in query.text.split()
                    log.add([(query.id, 0, Answer.of(says if stumbles else gold.best), "", 0.01)])
        lab.put_run(RunRecord(f"2026-{model}", model, model))
    return lab


@pytest.mark.parametrize(
    ("name", "word", "says"), [("negation", "no", "yes"), prove("ontology", "animal", "no")], ids=["no", "animal"]
)
def test_two_clicks_lead_from_the_first_page_to_the_word_that_a_model_ignores(
    browser: Browser, tmp_path: Path, name: str, word: str, says: str
) -> None:
    groups = list(_negations() if name == "negation" else _kinds())
    lab = _lab(tmp_path / "lab", name, groups, word, says)
    with (
        served(create_app(lab, cache=tmp_path / "cache")) as home,
        browser.new_context(viewport={"width": 1400, "height": 900}) as context,
    ):
        context.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        page = context.new_page()
        page.goto(home)
        finding = page.locator(".findings li").first
        expect(finding).to_contain_text("hasty")
        expect(finding).to_contain_text(f"{word}”")  # the word that it stumbles over
        expect(finding).to_contain_text(f"{GROUPS} of {GROUPS} pairs")
        finding.get_by_role("link", name="see all →").click()
        page.locator("[data-row]").first.click()
        expect(page.locator("mark", has_text=word).first).to_be_visible()
        expect(page.locator("tr.chosen .wrong").first).to_contain_text(says)
