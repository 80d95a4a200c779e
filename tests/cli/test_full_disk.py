"""A full disk: every command says what could not be written and what is safe, and the lab stays whole."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import MutableMapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from full_disk import full_disk
from proving import sample

import counterpoint as cp
from counterpoint.cli.main import commands
from counterpoint.core.errors import CounterpointError
from counterpoint.core.votes import Vote
from counterpoint.store.votes import append_votes

LINES = """
run lab --model random
rescore lab --rule choice
generate lab --suite negation --items 12
export lab --suite order --layout datasets --out exported
export lab --suite order --layout lmms-eval --out exported
export lab --suite order --layout vlmevalkit --out exported
export lab --suite order --layout inspect --out exported
export-site lab --out site --limit 1
augment lab --out training --items 12 --layout vqa
review lab --suite order --sheet sheet.csv
review lab --task answer --no-serve
check lab --suite order
report lab --out report.html
verify lab --write-digests lab.sha256
pictures lab world=pictures
import lab predictions.jsonl --name mine
import lab unmatched.jsonl --name mine --out notes.csv
baseline lab constant
gate lab --model constant --rule accuracy>=0 --junit gate.xml
check lab --suite order --out rejected.jsonl
data world --items 3 --out data.html
words lab --out charts
world --out world --items 2
init --yes --out counterpoint.toml
demo --out demo
export lab --suite order --layout label-studio --out exported
export lab --suite order --layout mturk --out exported
export lab --suite order --layout form --out exported
""".strip().splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lab = cp.Lab(tmp_path_factory.mktemp("full") / "lab")
    lab.generate("order", source="world", items=12, limit=4)
    lab.run("constant")
    texts = [(f"There are {number} cars.", f"There are {number + 1} cars.") for number in (1, 3, 5)]
    foils = [tuple(cp.Query(None, text, cp.Mode.SCORE) for text in pair) for pair in texts]
    lab.add_groups([cp.Group(cp.Relation.RANKS, queries, (None, None)) for queries in foils], "foils")
    return lab.folder


@pytest.fixture
def lab(workdir: Path, folder: Path, environ: MutableMapping[str, str]) -> cp.Lab:
    environ["XDG_CACHE_HOME"] = str(workdir / "cache")
    shutil.copytree(folder, workdir / "lab")
    (workdir / "pictures").mkdir()
    query = f"{cp.Lab(folder).groups('order').to_arrow()['query'][0].as_py():016x}"
    (workdir / "predictions.jsonl").write_text(json.dumps({"id": query, "answer": "yes"}))
    (workdir / "unmatched.jsonl").write_text(json.dumps({"id": "of nobody", "answer": "yes"}))
    return cp.Lab(workdir / "lab")


@pytest.mark.parametrize("line", sample(LINES, 4))
def test_a_command_says_what_could_not_be_written(lab: cp.Lab, line: str) -> None:
    with full_disk():
        result = CliRunner().invoke(commands, line.split())
    assert isinstance(result.exception, CounterpointError), f"{result.exception!r} {result.output}"
    assert "cannot be written: " in str(result.exception)
    assert result.exception.hint
    assert cp.verify_folder(lab.folder).holds
    assert not [path for path in lab.folder.rglob("*.draft") if path.is_file()]
    assert not (lab.folder.parent / "exported").exists() or not any((lab.folder.parent / "exported").iterdir())


@pytest.mark.parametrize("line", [LINES[0], LINES[1], "import lab predictions.jsonl --name mine"])
def test_a_disk_without_room_for_a_lock_is_named(lab: cp.Lab, line: str) -> None:
    with full_disk(0):
        result = CliRunner().invoke(commands, line.split())
    assert isinstance(result.exception, CounterpointError), f"{result.exception!r} {result.output}"
    assert ".lock cannot be locked" in str(result.exception)
    assert "whole" in result.exception.hint


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("report lab --out before", "before"),
        ("gate lab --model constant --rule accuracy>=0 --junit before", "before"),
        ("data world --items 3 --out before", "before"),
        ("import lab unmatched.jsonl --name mine --out before", "before"),
        ("world --out . --items 1", "test/000000.png"),
        ("init --yes --replace --out before", "before"),
        ("init --yes --schema --out evaluation.toml", "evaluation.schema.json"),
    ],
)
def test_a_file_that_is_written_again_stays_as_it_was(lab: cp.Lab, line: str, file: str) -> None:
    path = lab.folder.parent / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("of last week")
    with full_disk():
        result = CliRunner().invoke(commands, line.split())
    assert isinstance(result.exception, CounterpointError), f"{result.exception!r} {result.output}"
    assert path.read_text() == "of last week"
    assert not list(path.parent.glob(".*.draft"))


def test_a_sheet_and_its_pictures_are_written_whole_or_not_at_all(lab: cp.Lab) -> None:
    sheet, pictures = lab.folder.parent / "sheet.csv", lab.folder.parent / "sheet-pictures"
    with full_disk(), pytest.raises(CounterpointError, match="cannot be written"):
        lab.write_sheet(sheet, ["order"])
    assert not any(pictures.iterdir())  # half a picture would be taken for the picture later
    lab.write_sheet(sheet, ["foils"], sample=1)
    before = sheet.read_bytes()
    with full_disk(), pytest.raises(CounterpointError, match=r"sheet.csv cannot be written"):
        lab.write_sheet(sheet, ["foils"])
    assert sheet.read_bytes() == before
    assert not list(sheet.parent.glob(".*.draft"))


def test_errata_that_are_written_again_stay_as_they_were(lab: cp.Lab) -> None:
    group, time = lab.groups("foils").to_arrow()["group_id"][0].as_py(), datetime(2026, 11, 17, tzinfo=UTC)
    votes = [Vote(f"{n:032x}", "judge", "foils", group, None, f"voter {n}", "caption", time) for n in range(2)]
    append_votes(lab.store.storage, votes)
    corrected = lab.correct("foils", "valid")
    path = lab.folder.parent / "errata.json"
    path.write_text("of last week")
    with full_disk(), pytest.raises(CounterpointError, match=r"errata.json cannot be written"):
        corrected.write_errata(path)
    assert path.read_text() == "of last week"
    corrected.write_errata(path)
    assert lab.correct("foils", errata=path, name="again").groups == corrected.groups == 1


def test_an_output_that_cannot_be_written_is_one_sentence_and_a_hint() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "counterpoint", "list", "suites"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    fact, hint = done.stderr.splitlines()
    assert fact == "counterpoint: the output cannot be written: No space left on device"
    assert "free space" in hint


def test_a_working_directory_that_was_deleted_is_no_hindrance(lab: cp.Lab, tmp_path: Path) -> None:
    script = f"mkdir gone && cd gone && rmdir ../gone && exec {sys.executable} -m counterpoint ls {lab.folder}"
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


def test_a_run_says_what_is_kept_and_goes_on(lab: cp.Lab) -> None:
    with full_disk(), pytest.raises(CounterpointError, match="cannot be written") as problem:
        lab.run("random", suites=["order"])
    assert "0 answers of this run are stored and whole" in problem.value.hint
    report = lab.run("random", suites=["order"])
    assert report.outcome.asked == len(lab.answers("constant"))
    assert cp.verify_folder(lab.folder).holds
