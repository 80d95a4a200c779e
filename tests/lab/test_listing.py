"""Listings of the catalog: every name with what it is and needs, without importing models."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from counterpoint import catalog
from counterpoint.cli.list import TABLES
from counterpoint.cli.main import commands
from counterpoint.core.errors import UnknownName
from counterpoint.lab.listing import LISTED, first_line, list_catalog


@pytest.mark.parametrize("table", LISTED)
def test_every_name_of_a_table_is_listed_with_what_it_is(table: str) -> None:
    listing = list_catalog(table)
    if table in catalog.TABLES:
        assert set(catalog.rows(table)) <= {entry["name"] for entry in listing}
    assert all(entry["description"] for entry in listing)
    printed = CliRunner().invoke(commands, ["list", table, "--json"], catch_exceptions=False).stdout
    assert json.loads(printed) == listing.to_dict()


def test_entries_say_what_they_need() -> None:
    suites = {entry["name"]: entry for entry in list_catalog("suites")}
    assert suites["contrast"]["options"] == ["contrasts"]
    assert "questions" in suites["plain"]["takes"]
    sources = {entry["name"]: entry for entry in list_catalog("sources")}
    assert sources["gqa"]["kinds"] == ["scenes", "questions"]
    assert sources["gqa"]["needs"].startswith("files")
    assert sources["world"]["splits"] == ["train", "validation", "test", "shifted"]


def test_the_command_offers_every_table() -> None:
    assert TABLES == LISTED


def test_an_unknown_table_is_a_usage_error(tmp_path: Path) -> None:
    assert CliRunner().invoke(commands, ["list", "modles"]).exit_code == 2
    with pytest.raises(UnknownName):
        list_catalog("modles")


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("own_models:Ruler", "Scores a sentence by its length."),
        ("own_models:Absent", "own_models:Absent"),
        ("no_such.module:Model", "no_such.module:Model"),
        ("counterpoint.models:Model", "counterpoint.models:Model"),
        ("counterpoint.no_such:Model", "counterpoint.no_such:Model"),
    ],
)
def test_a_model_is_described_by_its_docstring_without_being_imported(workdir: Path, place: str, line: str) -> None:
    source = 'class Ruler:\n    """Scores a sentence by its length."""\n\nraise RuntimeError\n'
    (workdir / "own_models.py").write_text(source)
    assert first_line(place) == line


def test_models_are_described_in_words_and_not_by_their_place() -> None:
    assert [entry["name"] for entry in list_catalog("models") if entry["description"] == entry["place"]] == []
