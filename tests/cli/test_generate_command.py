"""`counterpoint generate`: what it prints, and that it replaces nothing unasked."""

import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import counterpoint as cp
from counterpoint.cli.generate import command
from counterpoint.core.errors import CounterpointError, PictureError, SourceError, StoreError
from counterpoint.lab.importing import _listed_files
from counterpoint.store.lab import LabStore

ORDER = "counterpoint.suites.carets.order:suite"


def _generate(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def test_a_suite_is_written_into_a_new_lab_and_what_was_dropped_is_said(tmp_path: Path) -> None:
    lab = tmp_path / "lab"
    done = _generate(str(lab), "--suite", ORDER, "--items", "20")
    assert done.exit_code == 0, done.output
    assert "candidate rejected: it is annotated" in done.stdout
    stored = LabStore(lab).suite("order")
    said = dict(stored.manifest.parameters)
    assert said.pop("dropped")["action choice"]["nobody is annotated as doing anything"] == 7
    assert said == {"source": "world", "split": "test", "scenes": 20, "groups": None}
    assert stored.manifest.generator == ORDER
    assert f"{stored.manifest.groups} groups of order" in done.stdout
    assert all(check.holds for check in LabStore(lab).verify())


def test_the_same_command_makes_the_same_suite_and_json_says_so(tmp_path: Path) -> None:
    arguments = ("--suite", ORDER, "--items", "20", "--limit", "16", "--json")
    first, again = (json.loads(_generate(str(tmp_path / "lab"), *arguments).stdout) for _ in range(2))
    assert first == again
    (suite,) = first["suites"]
    assert suite["groups"] == 16
    assert suite["queries"] == 32
    assert sum(sum(answers.values()) for answers in suite["kept"].values()) == 16


def test_every_suite_that_is_named_is_generated(tmp_path: Path) -> None:
    done = _generate(str(tmp_path / "lab"), "--suite", ORDER, "--suite", "rephrase", "--items", "6")
    assert "groups of 2 suites" in done.stdout
    assert LabStore(tmp_path / "lab").suites() == ["order", "rephrase"]


def test_a_suite_that_differs_is_only_replaced_on_request(tmp_path: Path) -> None:
    lab = str(tmp_path / "lab")
    _generate(lab, "--suite", ORDER, "--items", "10")
    with pytest.raises(StoreError, match="another suite"):
        _generate(lab, "--suite", ORDER, "--items", "10", "--seed", "1")
    assert _generate(lab, "--suite", ORDER, "--items", "10", "--seed", "1", "--replace").exit_code == 0


def test_an_unknown_suite_is_answered_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(CounterpointError):
        _generate(str(tmp_path / "lab"), "--suite", "ordr")
    assert not (tmp_path / "lab").exists()


def test_pictures_that_are_found_are_counted_and_the_first_missing_one_is_named(workdir: Path) -> None:
    Path("photos").mkdir()
    Path("photos/a.png").write_bytes(b"a picture")
    Path("mine.csv").write_text("image,question,answer\na.png,Is it red?,yes\nb.png,Is it blue?,no\n")
    words = ("--suite", "plain", "--source", "plain", "--data", "mine.csv", "--pictures")
    first = _generate("lab", *words, "photos").stdout
    assert f"1 of 2 pictures found\n{Path('photos/b.png').resolve()} does not exist\n" in first
    Path("photos/b.png").write_bytes(b"another one")
    done = _generate("lab", *words, "photos", "--json")
    (location,) = json.loads(done.stdout)["pictures"]
    assert (location["pictures"], location["found"], location["missing"]) == (2, 2, "")
    assert LabStore("lab").roots == {"plain": Path("photos").resolve()}


def test_a_folder_without_any_of_the_pictures_is_an_error_and_nothing_is_stored(workdir: Path) -> None:
    Path("images").mkdir()
    Path("mine.csv").write_text("image,question,answer\na.png,Is it red?,yes\nb.png,Is it blue?,no\n")
    words = ("lab", "--suite", "questions", "--source", "plain", "--data", "mine.csv")
    for further in ((), ("--pictures", "images")):
        with pytest.raises(PictureError, match=r"^0 of 2 pictures found: is --pictures right\?$") as problem:
            _generate(*words, *further)
        assert problem.value.hint.endswith("a.png does not exist")
        assert not LabStore("lab").exists
    Path("images").rmdir()
    assert "0 of 2 pictures found: is --pictures right?" in _generate(*words).stdout  # needed by models, not by suites
    with pytest.raises(CounterpointError, match="has pictures of its own"):
        _generate("other", "--suite", "order", "--items", "4", "--pictures", ".")


def test_answers_that_are_not_listed_are_counted(tmp_path: Path) -> None:
    golds = ["red", "blue", "green", "black", "white", "pink"]
    for number, said in ((5, ", 1 other"), (6, ", 2 others")):
        groups = [cp.Group(cp.Relation.GOLD, (cp.Query(None, own),), (cp.Gold.of(own),)) for own in golds[:number]]
        (table,) = cp.Lab(tmp_path / "lab").add_groups(groups, f"mine-{number}").tables()
        assert str(table.rows[0][1]).endswith(said)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
def test_data_from_a_pipe_are_refused_with_what_to_do(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rows")
    with pytest.raises(SourceError, match="is a pipe or a device") as raised:
        cp.Lab(tmp_path / "lab").generate("plain", source="plain", data=tmp_path / "rows")
    with pytest.raises(SourceError, match="is a pipe or a device"):
        _listed_files(tmp_path / "rows")
    assert "write its lines to a file" in raised.value.hint
