"""The report on paper: everything is open, and nothing is cut."""

from pathlib import Path

from browsing import PATIENCE, in_chromium
from playwright.sync_api import Browser

from counterpoint.lab.reader import LabReader
from counterpoint.reports.lab_report import render_lab_report
from counterpoint.store.lab import LabStore

PAPER = 1032
"""Pixels of a sheet of A4 on its side between the margins."""

WIDE = """all => all.filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => one.outerHTML.slice(0, 99))"""

pytestmark = in_chromium


def test_a_printed_report_shows_what_is_folded_and_fits_the_paper(
    browser: Browser, lab: LabStore, cache: Path, tmp_path: Path
) -> None:
    report = tmp_path / "report.html"
    report.write_text(render_lab_report(LabReader(lab, cache)), "utf-8")
    with browser.new_context(viewport={"width": PAPER, "height": 720}) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(report.as_uri())
        visible = "all => all.map(one => one.checkVisibility())"
        folded = "details:not([open]) table"
        assert set(page.eval_on_selector_all(folded, visible)) == {False}
        page.emulate_media(media="print")
        assert set(page.eval_on_selector_all(folded, visible)) == {True}
        assert page.eval_on_selector_all("table, svg, img", WIDE) == []
