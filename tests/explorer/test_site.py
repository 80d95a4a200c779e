"""The pages as files: every link leads to a file, nothing asks for a server, and only the chosen part is there."""

import json
import re
from collections.abc import Iterator, MutableMapping
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner
from labs import GROUPS
from proving import prove, scaled

from benchmarks.crowded_lab import make_lab
from counterpoint import Lab
from counterpoint.cli.export_site import command
from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.explorer.site.export import SiteProgress, SiteSelection, export_site, file_name
from counterpoint.explorer.site.rewriting import LONGEST, PageRewriter
from counterpoint.lab.reader import LabReader
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.selection import GroupFilter, list_groups

FEW = scaled(GROUPS, 6)
"""Groups of a suite that a site shows."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home") / "counterpoint"


@pytest.fixture(scope="module")
def whole(lab: LabStore, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site") / "whole"
    export_site(lab, out, SiteSelection(limit=FEW), cache=cache)
    return out


def _pages(site: Path) -> Iterator[tuple[Path, str]]:
    yield from ((path, path.read_text("utf-8")) for path in sorted(site.rglob("*.html")))


def _links(page: str) -> Iterator[str]:
    yield from (unescape(link) for link in re.findall(r'(?:href|src)="([^"#]+)', page))


def test_every_link_of_every_page_leads_to_a_file(whole: Path) -> None:
    checked = 0
    for path, page in _pages(whole):
        for link in _links(page):
            assert not link.startswith(("/", "http:", "https:", "file:")), f"{path.name}: {link}"
            target = (path.parent / unquote(link)).resolve()
            assert target.is_relative_to(whole.resolve())
            assert target.is_file(), f"{path.relative_to(whole)}: {link}"
            checked += 1
    assert checked > 40 * FEW


def test_nothing_asks_for_a_server(whole: Path) -> None:
    for path, page in _pages(whole):
        assert "<form" not in page.replace('<form method="dialog">', ""), path
        assert "fetch(" not in page, path
        assert len(re.findall("<script", page)) == 1, path
    assert "fetch" not in (whole / "static" / "site.js").read_text("utf-8")


def test_charts_are_drawn_in_the_page_in_its_own_colours(whole: Path) -> None:
    results = (whole / "suites" / "plain" / "models" / "hasty.html").read_text("utf-8")
    assert re.search(r'<div class="chart"[^>]*>\s*<svg', results)
    assert "var(--" in results


def test_texts_stay_escaped(whole: Path) -> None:
    seen = False
    for path, page in _pages(whole):
        assert "<script>alert" not in page, path
        assert "<b>bold" not in page, path
        seen |= "&lt;script&gt;alert" in page
    assert seen


def test_each_suite_has_as_many_groups_as_were_asked_for(whole: Path) -> None:
    assert len(list((whole / "suites" / "plain" / "groups").glob("*.html"))) == FEW
    found = (whole / "browse.html").read_text("utf-8")
    assert len(re.findall(r'<tr><th scope="row">', found)) == FEW + min(FEW, 8)


def test_the_results_of_a_model_list_the_groups_that_fail(whole: Path, lab: LabStore, cache: Path) -> None:
    listing = (whole / "suites" / "plain" / "models" / "hasty.html").read_text("utf-8")
    reader = LabReader(lab, cache)
    reader.refresh()
    fails = {f"{row.group_id:016x}" for row in list_groups(reader, GroupFilter("hasty", "plain", verdict="fails"), 25)}
    paged = {path.stem for path in (whole / "suites" / "plain" / "groups").glob("*.html")}
    assert set(re.findall(r'groups/(\w{16})\.html"[^>]*data-row', listing)) == fails & paged != set()


def test_a_part_shows_nothing_of_the_rest(lab: LabStore, cache: Path, tmp_path: Path) -> None:
    told: list[SiteProgress] = []
    chosen = SiteSelection(("plain",), ("careful", "hasty"), limit=FEW)
    written = export_site(lab, tmp_path / "part", chosen, cache=cache, report=told.append)
    text = "".join(page for _, page in _pages(tmp_path / "part"))
    assert "hasty" in text
    assert "bold-b" not in text
    assert "bold&lt;" not in text
    assert not (tmp_path / "part" / "suites" / "odd").exists()
    assert len(list((tmp_path / "part" / "suites" / "plain" / "groups").glob("*.html"))) == FEW
    assert written.pages == len(told) == len(list(_pages(tmp_path / "part")))
    assert written.pictures == len(list((tmp_path / "part" / "pictures").iterdir()))


def test_what_is_there_is_not_written_over(lab: LabStore, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match="not empty"):
        export_site(lab, tmp_path, SiteSelection(), cache=cache)
    with pytest.raises(StoreError, match="not empty"):
        export_site(lab, tmp_path / "notes.txt", SiteSelection(), cache=cache)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_site_is_there_whole_or_not_at_all(lab: LabStore, cache: Path, tmp_path: Path) -> None:
    def stop(written: SiteProgress) -> None:
        assert not (tmp_path / "site").exists()
        if written.pages == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_site(lab, tmp_path / "site", SiteSelection(limit=1), cache=cache, report=stop)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_not_in_the_lab_is_said(lab: LabStore, tmp_path: Path) -> None:
    for chosen in (SiteSelection(suites=("nowhere",)), SiteSelection(models=("nobody",))):
        with pytest.raises(UnknownName):
            export_site(lab, tmp_path / "out", chosen)
    assert not (tmp_path / "out").exists()


def test_the_command_says_what_it_wrote(
    lab: LabStore, cache: Path, tmp_path: Path, environ: MutableMapping[str, str]
) -> None:
    environ["XDG_CACHE_HOME"] = str(cache.parent)
    words = [str(lab.folder), "--out", str(tmp_path / "site"), "--suite", "odd", "--limit", "1", "--json"]
    found = CliRunner().invoke(command, words, catch_exceptions=False)
    assert json.loads(found.stdout)["pages"] == len(list(_pages(tmp_path / "site")))


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("/overview?suite=plain", "overview-suite-plain.html"),
        ("/samples/00", "samples/00.html"),
    ],
)
def test_a_file_is_named_as_its_page(address: str, name: str) -> None:
    assert file_name(address) == name


def test_names_that_differ_by_more_than_files_can_say_stay_apart() -> None:
    names = ["/models/a.b", "/models/a-b", "/models/A-b", "/models/a%2Fb", "/models/..", "/models/a%20b"]
    made = {file_name(name).lower() for name in names}
    assert len(made) == len(names)
    assert all(re.fullmatch(r"models/[a-z0-9_-]+\.html", name) for name in made)


def test_a_fold_that_held_a_form_goes_with_it_and_others_stay() -> None:
    page = "<details><summary>Choose</summary><form><input></form></details><details><summary>More</summary>x</details>"
    made = PageRewriter(lambda address: "").rewrite(page)
    assert made == "<details><summary>More</summary>x</details>"


def test_an_answer_that_is_its_reply_is_not_folded() -> None:
    fold = '<details class="reply brief" data-terse><summary><b>yes</b></summary><small>0.1 s</small></details>'
    page = f"<td>{fold}<small>70 %</small></td><details><summary>More</summary><small>x</small></details>"
    kept = "<td><b>yes</b><small>70 %</small></td><details><summary>More</summary><small>x</small></details>"
    assert PageRewriter(lambda address: "").rewrite(page) == kept


def test_a_long_reply_is_cut_and_says_how_much_is_missing() -> None:
    reply = "&lt;" * 10 + "x" * LONGEST
    made = PageRewriter(lambda address: "").rewrite(f"<p>{reply}</p><pre>{reply}</pre><pre>short</pre>")
    cut = "&lt;" * 10 + "x" * (LONGEST - 10)
    assert made == f"<p>{reply}</p><pre>{cut}… (10 more characters)</pre><pre>short</pre>"


@pytest.mark.parametrize(("models", "groups", "most"), [prove(3, 3, 3_000_000), prove(40, 50, 20_000_000)])
def test_a_site_of_photographs_is_light(models: int, groups: int, most: int, tmp_path: Path) -> None:
    suites = ("noise", "visual", "existence", "negation")
    lab = make_lab(tmp_path / "lab", models, suites[: scaled(4, 2)], groups, pictures=4 * groups)
    export_site(lab, tmp_path / "site", SiteSelection(limit=groups), cache=tmp_path / "cache")
    files = [path for path in (tmp_path / "site").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < most
    for page in (tmp_path / "site").glob("suites/*/groups/*.html"):
        shown = {(page.parent / unquote(link)).resolve() for link in re.findall(r'src="([^"]+webp)', page.read_text())}
        assert page.stat().st_size + sum(path.stat().st_size for path in shown) < 300_000, page


def test_every_page_says_what_it_is_a_copy_of(whole: Path, lab: LabStore) -> None:
    for path, page in _pages(whole):
        assert f"A copy of {lab.folder.name}" in page, path


def test_a_link_that_leads_nowhere_is_text_and_an_entry_is_left_out() -> None:
    page = '<ul><li><a href="/a" data-row>A</a></li><li><a href="/b" data-row>B &amp; b</a></li></ul><a href="/a">x</a>'
    made = PageRewriter(lambda address: "b.html" if address == "/b" else "").rewrite(page)
    assert made == '<ul><li><a href="b.html" data-row>B &amp; b</a></li></ul><a>x</a>'


@pytest.mark.prove
def test_a_suite_whose_name_ends_as_a_download_does_is_linked(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "lab")
    lab.generate("order", items=3, name="answers.json")
    lab.run("constant")
    export_site(LabStore(tmp_path / "lab"), tmp_path / "site", SiteSelection(limit=2), cache=tmp_path / "cache")
    suites = (tmp_path / "site" / "suites.html").read_text("utf-8")
    (page,) = (tmp_path / "site" / "suites").glob("answers-json-*.html")
    assert f"suites/{page.name}" in _links(suites)


def test_in_the_place_of_a_picture_that_is_missing_there_is_a_drawing(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("image,question,answer\n1.jpg,Is it?,yes\n2.jpg,Is it?,yes\n", "utf-8")
    (tmp_path / "1.jpg").write_bytes(b"no picture")
    lab = Lab(tmp_path / "lab")
    lab.generate("plain", source="plain", data=tmp_path / "q.csv")
    lab.run("constant")
    done = export_site(LabStore(tmp_path / "lab"), tmp_path / "site", SiteSelection(limit=2), cache=tmp_path / "cache")
    (drawing,) = (tmp_path / "site" / "pictures").iterdir()
    assert "picture not found" in drawing.read_text("utf-8")
    assert done.pictures == 0
    for path, page in _pages(tmp_path / "site"):
        assert "<img>" not in page, path
        assert all("src=" in tag for tag in re.findall(r"<img [^>]*>", page)), path
