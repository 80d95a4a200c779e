"""Real sets of L-ConVQA, whose answers follow from each other."""

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from real_data import real

from counterpoint.cli.main import commands
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.convqa import l_convqa
from counterpoint.store.lab import LabStore


@pytest.fixture
def folder() -> Path:
    return real("convqa")


def test_every_question_and_set_is_read(folder: Path) -> None:
    source = Source(l_convqa, folder, "test")
    questions = list(source.questions())
    raw = json.loads((folder / "cleaned_Logical_ConVQA_test.json").read_text("utf-8"))
    assert not source.skips.total, source.skips.lines()
    assert len({question.picture for question in questions}) == len(raw) == 725
    assert len({question.id for question in questions}) == len(questions) == 6751
    assert len({dict(question.tags)["set"] for question in questions}) == sum(map(len, raw.values())) == 2003
    for one in questions:
        image, place, number = one.id.split("-")
        pair = raw[image][int(place)][int(number)]
        assert (one.text, one.gold.best) == (pair["question"], pair["answer"])
        assert one.picture.address == f"vg:VG_100K/{image}.jpg"


def test_kinds_are_told_by_the_answer(folder: Path) -> None:
    kinds = Counter(question.kind for question in Source(l_convqa, folder, "test").questions())
    assert set(kinds) <= {"yes/no", "number", "other"}
    assert kinds["yes/no"] > kinds["other"] > 0


def test_a_suite_is_made_of_it_and_keeps_the_sets_as_a_tag(folder: Path, tmp_path: Path) -> None:
    lab = tmp_path / "lab"
    made = ["generate", lab, "--suite", "plain", "--source", "l-convqa", "--data", folder, "--items", 500]
    done = CliRunner().invoke(commands, list(map(str, made)))
    assert done.exit_code == 0, done.output
    groups = LabStore(lab).suite("plain").groups
    assert groups.num_rows == 500
    assert all({"question", "set"} <= dict(tags).keys() for tags in groups["tags"].to_pylist())
