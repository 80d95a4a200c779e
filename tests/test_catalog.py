"""The catalog: names become things here, and nowhere else."""

import sys
from collections.abc import Iterator
from contextlib import chdir
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.ports import Answerer, Model, Scorer
from counterpoint.world.source import World


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that brings a source of its own, and one under a name that is taken."""
    points = {
        "counterpoint.sources": [
            EntryPoint("boxes", "counterpoint.core.pictures:Box", "counterpoint.sources"),
            EntryPoint("world", "somebody.else:World", "counterpoint.sources"),
        ]
    }
    monkeypatch.setattr(catalog, "entry_points", lambda group: points.get(group, []))
    catalog.rows.cache_clear()
    yield
    catalog.rows.cache_clear()


@pytest.mark.parametrize("table", catalog.TABLES)
def test_every_row_leads_to_something_that_says_what_it_is(table: str) -> None:
    for name in catalog.TABLES[table]:
        assert catalog.find(table, name).__doc__


def test_a_name_with_a_colon_is_itself_a_place() -> None:
    assert catalog.resolve("sources", "counterpoint.world.source:World") is World
    assert catalog.resolve("sources", "counterpoint.world.source:World.pixels") is World.pixels


def test_only_what_a_user_typed_is_imported_from_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text("raise SystemExit('imported')", "utf-8")
    (tmp_path / "mine.py").write_text("import helper\nvalue = helper.value", "utf-8")
    (tmp_path / "helper.py").write_text("value = 7", "utf-8")
    known = list(sys.path)
    with chdir(tmp_path):
        assert catalog.resolve("models", "mine:value") == 7
        with pytest.raises(UnknownName, match="no metric is called 'planted:value'"):
            catalog.metric("planted:value")
        with pytest.raises(UnknownName, match="no suite is called 'planted:value'"):
            catalog.find("suites", "planted:value")
    assert sys.path == known


def test_a_module_of_one_folder_is_not_taken_for_its_namesake_in_another(tmp_path: Path) -> None:
    for name, value in (("first", 1), ("second", 2)):
        package = tmp_path / name / "own_models"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("", "utf-8")
        (package / "best.py").write_text(f"value = {value}", "utf-8")
        with chdir(tmp_path / name):
            assert catalog.resolve("models", "own_models.best:value") == value
            assert sys.modules["own_models.best"].value == value


@pytest.mark.usefixtures("plugged")
def test_other_packages_add_rows_but_never_take_ours() -> None:
    assert {"boxes", "world"} < set(catalog.rows("sources"))
    assert catalog.find("sources", "world") is World


def test_a_broken_plug_in_is_left_out_of_a_list_and_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "plug_a.py").write_text("def (", "utf-8")
    (tmp_path / "plug_b.py").write_text("import os\n1 / 0", "utf-8")
    places = {"a": "plug_a:x", "b": "plug_b:x", "c": "plug_c:x"}
    points = [EntryPoint(name, place, "counterpoint.metrics") for name, place in places.items()]
    monkeypatch.setattr(catalog, "entry_points", lambda group: points)
    monkeypatch.syspath_prepend(tmp_path)
    catalog.rows.cache_clear()
    try:
        found = [name for name, _ in catalog.find_all("metrics", catalog.metric)]
        with pytest.raises(CounterpointError, match="plug_b:x cannot be loaded: ZeroDivisionError") as caught:
            catalog.metric("b")
    finally:
        catalog.rows.cache_clear()
    assert found == sorted(catalog.TABLES["metrics"])
    assert [message.partition(" is left out")[0] for message in caplog.messages] == [f"the plug-in {n}" for n in "abc"]
    assert "plug_a.py, line 1" in caplog.messages[0]
    assert str(caught.value).endswith("(plug_b.py, line 2)")


def test_an_unknown_name_or_table_is_answered_with_known_ones() -> None:
    with pytest.raises(UnknownName) as caught:
        catalog.find("sources", "wrold")
    assert (str(caught.value), caught.value.hint) == ("no source is called 'wrold'", "did you mean world?")
    with pytest.raises(UnknownName, match="no table of the catalog is called 'model'"):
        catalog.rows("model")


@pytest.mark.parametrize("name", catalog.TABLES["models"])
def test_every_model_in_the_catalog_answers_or_scores(name: str, tmp_path: Path) -> None:
    (tmp_path / "captions.txt").write_text("A cat on a mat.", "utf-8")
    settings = {"captions": str(tmp_path / "captions.txt")} if name == "ngram" else {}
    if name == "trigram":
        pytest.importorskip("pocketsphinx")
    model = catalog.model(name, World(scenes=0), settings)
    assert isinstance(model, Model)
    assert isinstance(model, Answerer | Scorer)
    assert model.fingerprint == catalog.model(name, World(scenes=0), settings).fingerprint
