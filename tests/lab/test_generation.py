"""Suites from a request: several at once, names, options and errors."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.lab.generated_suites import GeneratedSuites
from counterpoint.lab.generation import GenerateRequest, generate
from counterpoint.lab.progress import ProgressEvent
from counterpoint.store.lab import LabStore
from counterpoint.world.source import World


def _generate(lab: Path, *suites: str, **request: Any) -> GeneratedSuites:
    return generate(LabStore(lab), GenerateRequest(suites, **request))


def test_several_suites_are_generated_at_once_each_as_alone(tmp_path: Path) -> None:
    both = _generate(tmp_path / "both", "order", "rephrase", items=10)
    assert [suite.name for suite in both] == ["order", "rephrase"]
    assert LabStore(tmp_path / "both").suites() == ["order", "rephrase"]
    for name in ("order", "rephrase"):
        alone = _generate(tmp_path / "alone", name, items=10)[name].manifest
        assert alone == both[name].manifest


def test_a_name_is_that_of_one_suite_or_the_prefix_of_several(tmp_path: Path) -> None:
    _generate(tmp_path / "lab", "order", items=5, name="mine")
    _generate(tmp_path / "lab", "order", "rephrase", items=5, name="more")
    assert LabStore(tmp_path / "lab").suites() == ["mine", "more-order", "more-rephrase"]


def test_names_are_looked_up_before_anything_is_generated(tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        _generate(tmp_path / "lab", "order", "ordr", items=5)
    assert not (tmp_path / "lab").exists()
    with pytest.raises(CounterpointError, match="no suite is named"):
        _generate(tmp_path / "lab")
    with pytest.raises(CounterpointError, match="dataclasses:field is no suite"):
        _generate(tmp_path / "lab", "dataclasses:field")
    with pytest.raises(CounterpointError, match="sys:maxsize is no source"):
        _generate(tmp_path / "lab", "order", source="sys:maxsize")


def test_an_option_reaches_the_suites_that_take_it_and_is_an_error_where_none_does(tmp_path: Path) -> None:
    _generate(tmp_path / "lab", "visual", "order", items=4, options={"means": (1, 2, 3)})
    lab = LabStore(tmp_path / "lab")
    assert lab.manifest("visual").parameters["means"] == [1, 2, 3]
    assert "means" not in lab.manifest("order").parameters
    with pytest.raises(CounterpointError, match="the suite order takes no option means"):
        _generate(tmp_path / "lab", "order", items=4, options={"means": (1, 2, 3)})


def test_a_source_may_know_an_option_and_a_required_one_is_never_guessed(tmp_path: Path) -> None:
    _generate(tmp_path / "lab", "counterpoint.suites.carets.visual:suite", items=4)
    lab = LabStore(tmp_path / "lab")
    assert lab.manifest("visual").parameters["means"] == list(World.means)
    assert all(check.holds for check in lab.verify())
    with pytest.raises(CounterpointError, match="needs the option means"):
        _generate(tmp_path / "lab", "visual", items=4, source=f"{__name__}:Colorless")


class Colorless:
    """Scenes of the world without their mean color."""

    def __init__(self, split: str, items: int) -> None:
        self._world = World(split, items)

    def scenes(self) -> Any:
        """The scenes of the world."""
        return self._world.scenes()


def test_progress_and_rewordings_without_a_question_are_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts = tmp_path / "texts.csv"
    texts.write_text("id,text\nno-such-question,What is it?\n", "utf-8")
    events: list[ProgressEvent] = []
    request = GenerateRequest(("plain",), source="world-vqa", items=2, texts=texts)
    with caplog.at_level(logging.WARNING, "counterpoint"):
        generate(LabStore(tmp_path / "lab"), request, events.append)
    assert events[-1].task == "reading"
    assert events[-1].done == len(events)
    assert "texts.csv: 1 id is not among the questions that were read" in caplog.text


def test_the_mean_color_can_be_measured_in_a_folder(tmp_path: Path) -> None:
    Image.fromarray(np.full((4, 4, 3), (1, 2, 3), np.uint8)).save(tmp_path / "a.png")
    _generate(tmp_path / "lab", "visual", items=4, options={"means": tmp_path})
    assert LabStore(tmp_path / "lab").manifest("visual").parameters["means"] == [1, 2, 3]


def test_the_result_is_a_table_and_plain_values(tmp_path: Path) -> None:
    generated = _generate(tmp_path / "lab", "order", items=6, limit=8)
    assert generated.groups == 8
    assert generated.to_dict()["suites"][0]["queries"] == 16
    assert repr(generated).endswith(f"8 groups of order (16 queries) are in {tmp_path / 'lab'}")
    assert "<table>" in generated._repr_html_()


def test_a_suite_that_was_not_made_is_named_beside_those_that_were(tmp_path: Path) -> None:
    generated = _generate(tmp_path, "order", items=20, limit=3, name="mine")
    assert generated["order"] is generated["mine"]
    with pytest.raises(UnknownName, match="no suite of this request is called 'mien'") as caught:
        generated["mien"]
    assert caught.value.hint == "did you mean mine?"


def test_a_sample_of_ones_own_questions_is_said_with_how_many_there_are(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = "".join(f"{n}.jpg,Is there a cat {n}?,yes\n" for n in range(30))
    (tmp_path / "own.csv").write_text(f"image,question,answer\n{rows}")
    request: dict[str, Any] = {"source": "plain", "data": tmp_path / "own.csv"}
    with caplog.at_level(logging.WARNING):
        sampled = _generate(tmp_path / "some", "plain", **request, items=20)
        assert "20 of 30 questions are read: --items 30 reads all" in caplog.text
        caplog.clear()
        whole = _generate(tmp_path / "all", "plain", **request, items=30)
    assert "are read" not in caplog.text
    assert [made["plain"].manifest.groups for made in (sampled, whole) if made["plain"].manifest] == [20, 30]
