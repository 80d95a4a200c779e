"""Texts without end: every page shows their beginning, and all of them after one click."""

import re
from html import unescape
from pathlib import Path

import pytest
from clients import local_client
from proving import prove
from starlette.testclient import TestClient

from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.ids import hex_id
from counterpoint.explorer.app import create_app
from counterpoint.explorer.site.export import SiteSelection, export_site
from counterpoint.reports.templating import LONGEST, LONGEST_REPLY, LongReply, TextLimit
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

LONG = "word " * LONGEST_REPLY
LONGISH = "name " * 80
CUT = f"({len(LONG) - LONGEST:,} more characters)"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> LabStore:
    """Four groups, of which one is long wherever it has a text."""
    lab = LabStore(tmp_path_factory.mktemp("long") / "lab")
    groups = []
    for number, text in enumerate((LONG, "short", "brief", LONGISH)):
        queries = tuple(Query(None, f"{text}{end}", choices=(text, "no"), context=text) for end in "?!")
        tags = ((("tag", text),), (("tag", text),))
        gold = (Gold.of(text), Gold.of(text))
        groups.append(("test", Group(Relation.SAME, queries, gold, proof=text, kind=f"{number}", tags=tags)))
    table = groups_table(groups, "order")
    lab.put_suite(Manifest.of(table, generator="x", seed=1, parameters={"p": LONG}), table)
    for run, model in enumerate(("careful", "hasty")):
        lab.put_run(RunRecord(str(run), model, model))
        with lab.answers(model, run=str(run)) as log:
            log.add((own.id, 0, Answer(own.text, "no", rule="x"), "", 0.1) for _, g in groups for own in g.queries)
    return lab


@pytest.fixture(scope="module")
def client(lab: LabStore, cache: Path) -> TestClient:
    return local_client(create_app(lab, cache=cache))


def _group(lab: LabStore) -> str:
    return f"/suites/order/groups/{hex_id(lab.suite('order').table['group_id'][0].as_py())}"


@pytest.mark.parametrize(
    "path", [prove("/browse"), "/browse?text=word", "group", prove("/suites/order"), "/suites/order/models/hasty"]
)
def test_a_page_shows_the_beginning_and_leads_to_the_whole(lab: LabStore, client: TestClient, path: str) -> None:
    path = _group(lab) if path == "group" else path
    page = client.get(path)
    assert page.status_code == 200
    assert len(page.text) < 150_000
    assert LONG[: LONGEST_REPLY + 1] not in page.text
    if CUT not in page.text:
        assert path.startswith("/suites/order"), "these two may show no text at all"
        return
    (link,) = re.findall(r'<a href="([^"]*)">Show them whole</a>', page.text)
    whole = client.get(unescape(link)).text
    assert LONG.strip() in whole
    assert "Show them whole" not in whole


def test_a_word_without_end_is_shown_by_its_beginning(cache: Path, tmp_path: Path) -> None:
    lab, word = LabStore(tmp_path / "lab"), "x" * 5 * LONGEST_REPLY
    queries = (Query(None, f"Is it {word}?"), Query(None, f"Is it not {word}?"))
    table = groups_table([(word, Group(Relation.DIFFERS, queries, (Gold.of(word), Gold.of("no")), kind=word))], "one")
    lab.put_suite(Manifest.of(table, generator="x", seed=1), table)
    lab.put_run(RunRecord("0", "hasty", "hasty"))
    with lab.answers("hasty", run="0") as log:
        log.add((query.id, 0, Answer(word, word, rule="x"), "", 0.1) for query in queries)
    client = local_client(create_app(lab, cache=cache))
    for path in ("/suites/one", "/suites/one/models/hasty", "/models/hasty", "/browse", "/overview"):
        page = client.get(path)
        assert page.status_code == 200
        assert len(page.text) < 150_000, path


def test_a_page_of_short_texts_says_nothing(client: TestClient) -> None:
    assert "Show them whole" not in client.get("/browse?text=brief").text


def test_the_twin_of_a_page_has_all(lab: LabStore, client: TestClient) -> None:
    assert LONG in str(client.get(f"{_group(lab)}.json").json())


@pytest.mark.prove
def test_the_static_site_has_both(lab: LabStore, cache: Path, tmp_path: Path) -> None:
    export_site(lab, tmp_path / "site", SiteSelection(), cache=cache)
    page = tmp_path / "site" / f"{_group(lab)[1:]}.html"
    (link,) = re.findall(r'<a href="([^"]*)">Show them whole</a>', page.read_text("utf-8"))
    assert LONG.strip() in (page.parent / link).read_text("utf-8")


def test_an_address_keeps_its_path_and_other_values_stay() -> None:
    limit = TextLimit(10)
    assert limit.cut("/browse?value=aaaaaaaaaa") == "/browse"
    assert limit.cut(12345678901) == 12345678901
    assert not limit.has_cut
    assert limit.cut("a" * 12) == f"{'a' * 10} … (2 more characters)"
    assert limit.has_cut
    assert limit.cut(LongReply("a" * 12)) == "a" * 12


def test_every_choice_of_a_filter_has_groups(client: TestClient) -> None:
    links = {unescape(link) for link in re.findall(r'href="(/browse\?(?:gold|tag)=[^"]*)"', client.get("/browse").text)}
    assert len(links) >= 2
    assert not [link[:40] for link in links if "No group fits" in client.get(link).text]
