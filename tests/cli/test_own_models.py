"""Models of people's own on the command line: found in the folder where the command is given, warned of in one line."""

import subprocess
import sys
from pathlib import Path

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
