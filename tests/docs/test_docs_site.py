"""The documentation site: every page is in its navigation, and it is built without warnings and without the web."""

import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from proving import prove

from counterpoint import catalog

PROJECT = Path(__file__).parents[2]
DOCS = PROJECT / "docs"
SITE = runpy.run_path(str(PROJECT / "scripts" / "docs_site.py"))
NAVIGATION: list[Any] = SITE["navigation"]((DOCS / "index.md").read_text(encoding="utf-8"))


def _pages(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        for below in entry.values():
            if isinstance(below, str):
                yield below
            else:
                yield from _pages(below)


def test_every_page_and_notebook_is_in_the_navigation_once() -> None:
    written = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    executed = {f"notebooks/{path.stem}.md" for path in DOCS.glob("notebooks/*.ipynb")}
    pages = list(_pages(NAVIGATION))
    assert sorted(pages) == sorted(written | executed | set(SITE["OUTSIDE"].values()))


def test_the_tabs_are_the_four_kinds_of_pages() -> None:
    tabs = [title for entry in NAVIGATION for title in entry]
    assert tabs == ["Home", "Is this for me?", "Tutorial", "How-to", "Reference", "Explanation", "Changelog"]


def test_links_to_files_outside_the_docs_lead_to_their_pages() -> None:
    moved = SITE["_site_links"](
        "[a](../../CHANGELOG.md), [b](#here), [c](https://d.org/e.md)", "docs/how-to/x.md", "how-to/x.md"
    )
    assert moved == "[a](../changelog.md), [b](#here), [c](https://d.org/e.md)"


@pytest.mark.parametrize("name", [prove("mkdocs.yml")])
def test_the_site_is_built_without_warnings_and_loads_nothing_from_elsewhere(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    build = pytest.importorskip("mkdocs.commands.build")
    config = pytest.importorskip("mkdocs.config").load_config(str(PROJECT / name), site_dir=str(tmp_path))
    build.build(config)
    assert [record.getMessage() for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > len(list(DOCS.rglob("*.md")))
    for page in pages:
        loaded = re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(https?:[^"]*)"', page.read_text("utf-8"))
        assert loaded == [], f"{page.name} loads {loaded}"


def test_tables_of_results_are_put_at_their_places() -> None:
    results = runpy.run_path(str(PROJECT / "scripts" / "results.py"), run_name="results")
    page, names = results["PAGE"].read_text(encoding="utf-8"), list(results["FAMILIES"])
    changed = results["page_with"]({name: name.upper() for name in names}, page)
    for name in names:
        assert f"<!-- {name} -->\n\n{name.upper()}\n\n<!-- end -->" in changed
    assert changed.partition(f"<!-- {names[0]} -->")[0] == page.partition(f"<!-- {names[0]} -->")[0]


def test_the_results_have_every_suite_that_the_world_can_give() -> None:
    results = runpy.run_path(str(PROJECT / "scripts" / "results.py"), run_name="results")
    page = results["PAGE"].read_text(encoding="utf-8")
    missing = [name for name in catalog.rows("suites") if f"`{name}`" not in page]
    assert missing == [], "a suite is in a table, or the page says why it is not"
