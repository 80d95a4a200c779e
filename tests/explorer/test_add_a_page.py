"""The page of docs/how-to/add-a-page.md, added literally: it is in routes, navigation, OpenAPI and the static site."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients import local_client

from counterpoint.explorer.app import create_app
from counterpoint.explorer.page import PageEntry
from counterpoint.explorer.registry import PAGES
from counterpoint.explorer.site.export import SiteSelection, export_site
from counterpoint.store.lab import LabStore

DOC = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-page.md"
MODULE = "verdicts_from_the_docs"


@pytest.fixture(scope="module")
def blocks() -> list[str]:
    """The view, the template and the row."""
    return re.findall(r"```(?:python|html|py)\n(.*?)```", DOC.read_text("utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def pages(blocks: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[PageEntry, ...]]:
    view, template, row = blocks
    folder = tmp_path_factory.mktemp("page")
    (folder / MODULE).mkdir()
    (folder / MODULE / "__init__.py").write_text(view, "utf-8")
    (folder / MODULE / "template.html").write_text(template, "utf-8")
    call = ast.parse(row.strip(), mode="eval").body
    assert isinstance(call, ast.Call)
    path, name = (ast.literal_eval(argument) for argument in call.args)
    keywords = {keyword.arg or "": ast.literal_eval(keyword.value) for keyword in call.keywords}
    sys.path.insert(0, str(folder))
    yield (*PAGES, PageEntry(path, f"{MODULE}:{name.partition(':')[2]}", **keywords))
    sys.path.remove(str(folder))
    sys.modules.pop(MODULE, None)


def test_it_takes_two_files_one_row_and_at_most_sixty_lines(blocks: list[str]) -> None:
    view, template, row = blocks
    lines = [line for block in (view, template, row) for line in block.splitlines() if line.strip()]
    assert len(lines) <= 60
    assert len(row.strip().splitlines()) == 1


def test_the_page_its_twin_its_link_and_its_schema_are_there(
    lab: LabStore, cache: Path, pages: tuple[PageEntry, ...]
) -> None:
    client = local_client(create_app(lab, cache=cache, pages=pages))
    page = client.get("/verdicts")
    assert page.status_code == 200
    assert "plain · hasty" in page.text
    assert '<a href="/verdicts">Verdicts</a>' in client.get("/overview").text
    assert '<a href="/verdicts" aria-current="page">Verdicts</a>' in page.text
    rows = client.get("/verdicts.json").json()["rows"]
    assert {row["suite"] for row in rows} == {"odd", "plain"}
    document = client.get("/openapi.json").json()
    assert {"/verdicts", "/verdicts.json"} <= set(document["paths"])
    assert "rows" in document["components"]["schemas"]["VerdictsView"]["properties"]


def test_the_static_site_has_it(lab: LabStore, cache: Path, pages: tuple[PageEntry, ...], tmp_path: Path) -> None:
    export_site(lab, tmp_path / "site", SiteSelection(("plain",), ("hasty",), limit=1), cache=cache, pages=pages)
    assert "plain · hasty" in (tmp_path / "site" / "verdicts.html").read_text("utf-8")
    assert 'href="verdicts.html"' in (tmp_path / "site" / "index.html").read_text("utf-8")
