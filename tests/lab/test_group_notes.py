"""Notes on groups: written from Python and on the page of a group, and listed."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from clients import local_client
from labs import small_lab

import counterpoint as cp
from counterpoint.cli.main import commands
from counterpoint.core.ids import hex_id
from counterpoint.explorer.app import create_app


def test_notes_are_written_on_the_page_of_a_group_and_listed(tmp_path: Path) -> None:
    lab = cp.Lab(small_lab(tmp_path / "lab").folder)
    group = hex_id(lab.store.suite("plain").groups["group_id"][0].as_py())
    assert lab.add_note("plain", group, " too <b>dark</b> ", author="ann").text == "too <b>dark</b>"
    client = local_client(create_app(lab.store, cache=tmp_path / "cache"), follow_redirects=False)
    address = f"/suites/plain/groups/{group}"
    page = client.get(address).text
    assert "too &lt;b&gt;dark&lt;/b&gt;" in page
    assert client.post(f"{address}/notes", data={"note": "no token"}).status_code == 403
    (token,) = re.findall(r'name="token" value="([^"]+)"', page)
    answer = client.post(f"{address}/notes", data={"note": "a shadow", "token": token})
    assert (answer.status_code, answer.headers["location"]) == (303, address)
    assert "a shadow" in client.get(address).text
    assert [note["text"] for note in client.get(f"{address}.json").json()["notes"]] == ["too <b>dark</b>", "a shadow"]
    (facet,) = [own for own in client.get("/browse.json").json()["facets"] if own["name"] == "note"]
    assert [(value["label"], value["count"]) for value in facet["values"]] == [("too <b>dark</b>", 1), ("a shadow", 1)]
    found = client.get("/browse.json?note=SHADOW").json()
    assert (found["found"], [group in hit["entry"]["address"] for hit in found["hits"]]) == (1, [True])
    assert client.get("/browse.json?note=bright").json()["found"] == 0
    rows = [json.loads(line) for line in client.get("/browse.jsonl?suite=plain").text.splitlines()]
    assert {row["note"] for row in rows if row["group"] == group} == {"too <b>dark</b> / a shadow"}
    assert {row["note"] for row in rows if row["group"] != group} == {None}
    listed = CliRunner().invoke(commands, ["votes", str(lab.folder), "--task", "note", "--json"])
    assert [own["author"] for own in json.loads(listed.output)["entries"]] == ["ann", "author"]
    assert len(lab.notes("odd")) == 0
    with pytest.raises(cp.UnknownName):
        lab.add_note("plain", "0" * 16, "nothing")
    with pytest.raises(cp.UnknownName, match="no group is called '7'"):
        lab.add_note("plain", 7, "nothing")  # type: ignore[arg-type]
    with pytest.raises(cp.CounterpointError, match="without a text"):
        lab.add_note("plain", group, " ")
    with pytest.raises(cp.CounterpointError, match="3 is no text"):
        lab.add_note("plain", group, 3)  # type: ignore[arg-type]


def test_notes_that_begin_alike_are_counted_as_the_filter_finds_them(tmp_path: Path) -> None:
    lab = cp.Lab(small_lab(tmp_path / "lab").folder)
    groups = dict.fromkeys(map(hex_id, lab.store.suite("plain").groups["group_id"].to_pylist()))
    for end, group in zip("abc", groups, strict=False):
        lab.add_note("plain", group, "the shadow of the lamp hides it, " * 4 + end, author="ann")
    client = local_client(create_app(lab.store, cache=tmp_path / "cache"))
    (facet,) = [own for own in client.get("/browse.json").json()["facets"] if own["name"] == "note"]
    (value,) = facet["values"]
    assert value["count"] == 3
    assert client.get(value["address"].replace("/browse", "/browse.json")).json()["found"] == 3
