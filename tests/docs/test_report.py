"""The technical report: its figures stand on the pages that it names, and it is printed by one command."""

import re
import runpy
from pathlib import Path

import pytest
from browsing import in_chromium
from playwright.sync_api import Page

PROJECT = Path(__file__).parents[2]
REPORT = PROJECT / "docs" / "report" / "counterpoint.md"
TEXT = REPORT.read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", TEXT, re.MULTILINE))
FIGURE = re.compile(r"(?<![\w.,])(?:\d[\d,]*\d|\d)?(?:\.\d+)?(?![\w])")
CODE = re.compile(r"`[^`]*`|\]\([^)]*\)|\((?:Korn|Waudby)[^)]*\)")
"""What has numbers that are no figures: commands, links, and the years of papers."""
TOOL = runpy.run_path(str(PROJECT / "scripts" / "report_pdf.py"), run_name="report_pdf")


def _figures(text: str) -> set[str]:
    """Numbers of two characters or more."""
    return {found for found in FIGURE.findall(text) if len(found) > 1}


def _missing(section: str) -> set[str]:
    """The figures of a section that none of the pages has that it links."""
    links = re.findall(r"\]\(([^)#\s]+\.md)", section)
    pages = [(REPORT.parent / link).read_text(encoding="utf-8") for link in links]
    return _figures(CODE.sub(" ", section)) - {figure for page in pages for figure in _figures(page)}


@pytest.mark.parametrize("title", [title for title in SECTIONS if title != "References"])
def test_the_figures_of_a_section_stand_on_the_pages_that_it_links(title: str) -> None:
    assert _missing(SECTIONS[title]) == set()


def test_a_figure_that_no_page_has_is_found() -> None:
    link = "[scale](../explanation/scale.md)"
    assert _missing(f"9,999,997 answers took 36.4 s and .6 of 3,999,997 ({link})") == {".6", "3,999,997"}


def test_the_printed_report_has_its_tables_and_no_links_to_files() -> None:
    document = TOOL["printable"](TEXT, "")
    assert document.count("<table>") == len(re.findall(r"^\|[-:| ]+\|$", TEXT, re.MULTILINE)) > 0
    assert "href" not in document
    assert "explanation/metrics" in document
    assert "186&nbsp;of&nbsp;200" in document
    assert TOOL["page_count"](b"<< /Type /Pages /Count 2 >> << /Type /Page\n>> << /Type/Page >>") == 2


@pytest.fixture(scope="module")
def base_url() -> str:
    """No server: the document is given to the browser as it is."""
    return ""


@pytest.mark.prove
@in_chromium
def test_the_report_has_at_most_ten_pages(page: Page) -> None:
    pdf = TOOL["print_document"](page, TOOL["printable"](TEXT, TOOL["STYLE"].read_text(encoding="utf-8")))
    assert pdf.startswith(b"%PDF")
    assert 5 <= TOOL["page_count"](pdf) <= TOOL["MOST_PAGES"]
