"""Models of people's own on the command line: found in the folder where the command is given, warned of in one line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from proving import prove

from counterpoint import Lab

MODEL = """
def bright(picture, text):
    return picture.mean() > 60
"""


def _ask(folder: Path, model: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "counterpoint", "ask", model, "world:test/000001.png", "Is it bright?"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def test_a_function_in_the_folder_is_a_model_and_its_missing_fingerprint_is_one_plain_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MODEL)
    done = _ask(tmp_path, "mine:bright")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == "yes"
    (line,) = done.stderr.splitlines()
    assert line.startswith("counterpoint: mine:bright has no fingerprint; its file is used")


def test_what_is_wrong_with_it_is_one_sentence_and_a_hint(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("number = 7\n")
    done = _ask(tmp_path, "mine:number")
    assert done.returncode == 1
    fact, hint = done.stderr.splitlines()
    assert fact == "counterpoint: mine:number gave int, which neither answers nor scores"
    assert hint.startswith("  a model is made by")


COMMANDS = {
    "ls lab": 0,
    "verify lab": 1,  # it tells
    "run lab --model constant": 0,
    "run lab --model random --workers 2": 0,
    "score lab": 0,
    "augment lab --source world --layout gqa --out new": 1,
}
"""What is typed, and the exit code."""


@pytest.mark.parametrize("typed", [list(COMMANDS)[2::3], prove(list(COMMANDS))], ids=["few", "all"])
def test_modules_in_the_working_directory_are_imported_only_when_typed(tmp_path: Path, typed: list[str]) -> None:
    Lab(tmp_path / "lab").generate("order", source="world", items=3)
    for name in ("pandas", "polars", "IPython", "torch", "wave", "multiprocessing", "planted"):
        (tmp_path / f"{name}.py").write_text("open(__file__ + '.executed', 'w').close()", "utf-8")
    (manifest,) = (tmp_path / "lab").rglob("manifest.json")
    changed = json.loads(manifest.read_text("utf-8")) | {"generator": "planted:suite"}
    del changed["$digest"]  # with it, the manifest would be refused
    manifest.write_text(json.dumps(changed), "utf-8")
    results = {}
    for line in typed:
        words = [sys.executable, "-m", "counterpoint", *line.split()]
        results[line] = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not list(tmp_path.glob("*.executed"))
    assert {line: done.returncode for line, done in results.items()} == {line: COMMANDS[line] for line in typed}
    assert any("no suite is called 'planted:suite'" in done.stderr for done in results.values())
