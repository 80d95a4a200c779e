"""Public functions that need no lab, and the methods of a lab that call them."""

import json
from pathlib import Path

import click
import numpy as np
import pytest

import counterpoint as cp
from counterpoint.cli.export import command as export
from counterpoint.cli.paper import _SUBSETS
from counterpoint.core.errors import PictureError
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


def test_a_picture_in_memory_is_refused_with_what_to_do() -> None:
    with pytest.raises(PictureError, match="a ndarray is no picture") as raised:
        cp.ask("constant", np.zeros((8, 8, 3), np.uint8), "Is it red?")  # type: ignore[arg-type]
    assert "save it to a file" in raised.value.hint


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


def test_a_sample_of_nothing_has_no_items_and_without_a_number_all_are_read() -> None:
    assert list(cp.open_source("world", items=0).scenes()) == []
    assert len(cp.open_source("world")) == 1000


def test_settings_of_a_model_that_is_asked_are_plain_values_as_for_a_run(workdir: Path) -> None:
    (workdir / "shouter.py").write_text(
        "import counterpoint as cp\n\n\n"
        "class Shouter:\n    fingerprint = 'shouter'\n\n"
        "    def __init__(self, pictures, *, loud: bool = False, times: int = 1):\n"
        "        self.word = ('YES' if loud else 'yes') * times\n\n"
        "    def answer(self, queries):\n        yield from enumerate([cp.Answer(raw=self.word)] * len(queries))\n",
        "utf-8",
    )
    picture, question = "world:test/000007.png", "Is there a dog?"
    assert cp.ask("shouter:Shouter", picture, question, model_args={"loud": True, "times": 2}).raw == "YESYES"
    assert cp.ask("shouter:Shouter", picture, question, loud=True).raw == "YES"
    with pytest.raises(cp.UnknownName, match="no setting of shouter:Shouter is called 'load'"):
        cp.ask("shouter:Shouter", picture, question, load=True)
