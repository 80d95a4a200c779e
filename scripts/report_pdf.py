"""Print the technical report, docs/report/counterpoint.md, to build/counterpoint.pdf: `make report-pdf`.

Needs Chromium, which prints the page with docs/assets/print.css. More than ten pages are an error.
"""

import re
import shutil
import sys
from pathlib import Path

import markdown
from playwright.sync_api import Page, sync_playwright

from scripts.screenshots import FLAGS

PROJECT = Path(__file__).parents[1]
REPORT = PROJECT / "docs" / "report" / "counterpoint.md"
STYLE = PROJECT / "docs" / "assets" / "print.css"
PDF = PROJECT / "build" / "counterpoint.pdf"
MOST_PAGES = 10
PAGE_LINK = re.compile(r'<a href="(?!https?:)[^"]*">(.*?)</a>', re.DOTALL)
UNBROKEN = re.compile(r"\d %|\d of \d")
"""Figures that a line does not break."""
PAGE_OBJECT = re.compile(rb"/Type\s*/Page\b")
FOOTER = """<div style="font: 7pt sans-serif; color: #4b5666; width: 100%; text-align: center">
<span class="pageNumber"></span> of <span class="totalPages"></span></div>"""


def printable(text: str, style: str) -> str:
    """A page of the docs as one HTML document; links to other pages keep their text alone, as paper has no folder."""
    body = PAGE_LINK.sub(r"\1", markdown.markdown(text, extensions=["tables", "sane_lists"]))
    body = UNBROKEN.sub(lambda found: found[0].replace(" ", "&nbsp;"), body)
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{style}</style><body>{body}</body></html>'


def print_document(page: Page, document: str) -> bytes:
    """The document as a PDF with numbered pages."""
    page.set_content(document)
    return page.pdf(
        prefer_css_page_size=True, display_header_footer=True, header_template="<span></span>", footer_template=FOOTER
    )


def page_count(pdf: bytes) -> int:
    """The number of pages of a PDF that Chromium wrote."""
    return len(PAGE_OBJECT.findall(pdf))


def main() -> int:
    """Write the PDF; 1 if it has too many pages."""
    document = printable(REPORT.read_text(encoding="utf-8"), STYLE.read_text(encoding="utf-8"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        pdf = print_document(browser.new_page(), document)
        browser.close()
    PDF.parent.mkdir(exist_ok=True)
    PDF.write_bytes(pdf)
    pages = page_count(pdf)
    sys.stdout.write(f"{PDF.relative_to(PROJECT)}: {pages} pages, at most {MOST_PAGES}\n")
    return int(not 1 <= pages <= MOST_PAGES)


if __name__ == "__main__":
    sys.exit(main())
