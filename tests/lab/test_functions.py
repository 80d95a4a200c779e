"""Public functions that need no lab, and the methods of a lab that call them."""

import json
from pathlib import Path

import click
import pytest

import counterpoint as cp
from counterpoint.cli.export import command as export
from counterpoint.cli.paper import _SUBSETS
from counterpoint.lab.exporting import EXPORT_LAYOUTS
from counterpoint.studies.foil_words import SUBSETS


def test_a_source_is_described_by_a_function_and_by_a_lab(tmp_path: Path) -> None:
    described = cp.describe_data("world", items=2, kinds=("scenes", "captions"))
    assert [row["kind"] for row in described.records()] == ["scenes", "captions"]
    assert (
        described.to_dict() == cp.Lab(tmp_path / "lab").data("world", items=2, kinds=("scenes", "captions")).to_dict()
    )
    expected = cp.describe_data("gqa")
    assert "val_sceneGraphs.json" in {row["file"] for row in expected.records()}
    with pytest.raises(cp.CounterpointError, match="a report needs files"):
        expected.write_html(tmp_path / "gqa.html")


def test_studies_run_by_name_and_one_that_needs_a_lab_says_so(tmp_path: Path) -> None:
    plain = cp.study("plain", models=("constant",), items=3)
    assert "constant" in plain.text()
    assert plain.to_dict()["models"][0]["model"] == "constant"
    with pytest.raises(cp.CounterpointError, match="the study blind needs a lab"):
        cp.study("blind")
    with pytest.raises(cp.UnknownName, match="no study is called 'plane'"):
        cp.Lab(tmp_path / "lab").study("plane")


def test_training_questions_and_the_world_are_written_without_a_lab(tmp_path: Path) -> None:
    written = cp.augment(tmp_path / "lessons", "chat", suites=("order",), items=2, pictures=False)
    manifest = json.loads((tmp_path / "lessons" / "manifest.json").read_text("utf-8"))
    assert written.to_dict()["questions"] == manifest["questions"] == sum(row["questions"] for row in written.records())
    folder = cp.write_world(tmp_path / "world", items=1)
    assert (folder / "test" / "000000.png").is_file()
    cp.draw_contact_sheet(tmp_path / "sheet.png", scenes=2, columns=2)
    assert (tmp_path / "sheet.png").is_file()


def test_progress_is_reported_to_the_callback() -> None:
    events: list[cp.ProgressEvent] = []
    cp.describe_data("world", items=2, kinds=("scenes",), progress=events.append)
    assert events[-1].done == 2


def test_choices_of_commands_are_those_of_the_lab_layer() -> None:
    choice = next(option.type for option in export.params if option.name == "layout")
    assert isinstance(choice, click.Choice)
    listed = [entry["name"] for entry in cp.list_catalog("layouts") if entry["for"] == "export"]
    assert list(choice.choices) == list(EXPORT_LAYOUTS) == listed
    assert set(_SUBSETS) == set(SUBSETS)
