"""Released files on their whole way: read, made a suite, answered elsewhere, scored by the paper's definitions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from carets_files import pairs, write
from click.testing import CliRunner

from counterpoint.cli.main import commands
from counterpoint.store.lab import LabStore

SAME, DIFFERS = {"t": "rephrase", "s": "order", "h": "ontology"}, {"n": "negation", "a": "antonym"}


def _run(*arguments: object) -> str:
    done = CliRunner().invoke(commands, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """Every test in two files, so that the last one alone would give other figures."""
    for place, letter in enumerate([*SAME, *DIFFERS]):
        write(tmp_path / "questions", letter, pairs(letter, 8, first=100 * place))
        write(tmp_path / "questions", letter, pairs(letter, 4, first=100 * place + 50), "z_more")
    _run("generate", tmp_path / "lab", "--suite", "released", "--source", "carets", "--data", tmp_path)
    return tmp_path


def _scores(lab: Path, said: Callable[[dict[str, Any]], str]) -> dict[tuple[str, str], float]:
    """The scores of predictions made elsewhere, under the ids of the files, by test and measure."""
    records = [record for path in sorted((lab / "questions").iterdir()) for record in json.loads(path.read_text())]
    told = [{"question_id": record["question_id"], "answer": said(record)} for record in records]
    (lab / "said.json").write_text(json.dumps(told))
    _run("import", lab / "lab", lab / "said.json", "--name", "mine", "--rule", "exact", "--strict")
    rows = json.loads(_run("score", lab / "lab", "--json"))["scores"]
    assert {row["n"] for row in rows if row["unit"] == "pair"} == {12}, "the pairs of both files of each test count"
    return {(row["test"], row["metric"]): row["value"] for row in rows}


def test_the_suite_has_the_tests_of_the_paper_and_holds_what_it_promises(lab: Path) -> None:
    stored = LabStore(lab / "lab").suite("released")
    assert set(stored.table["test"].to_pylist()) == {*SAME.values(), *DIFFERS.values()}
    assert stored.manifest.groups == 60
    assert all(check.holds for check in LabStore(lab / "lab").verify())


def test_who_always_says_yes_is_consistent_on_invariance_tests_and_never_on_directional_ones(lab: Path) -> None:
    scores = _scores(lab, lambda record: "yes")
    for test in DIFFERS.values():
        assert scores[test, "accuracy"] == 0.5
        assert scores[test, "self_consistency"] == scores[test, "comprehensive_accuracy"] == 0
    for test in SAME.values():
        assert scores[test, "self_consistency"] == 1
        assert scores[test, "comprehensive_accuracy"] == scores[test, "accuracy"] == 0.5


def test_right_originals_with_junk_variants_are_never_comprehensively_right(lab: Path) -> None:
    scores = _scores(lab, lambda one: "junk" if one["question_id"][-1].isalpha() else next(iter(one["label"])))
    for test in (*SAME.values(), *DIFFERS.values()):
        assert scores[test, "base_accuracy"] == 1
        assert scores[test, "variant_accuracy"] == scores[test, "comprehensive_accuracy"] == 0
        assert scores[test, "self_consistency"] == (1 if test in DIFFERS.values() else 0)


def test_who_knows_the_labels_has_everything(lab: Path) -> None:
    scores = _scores(lab, lambda one: next(iter(one["label"])))
    assert {value for (_, metric), value in scores.items() if metric != "gap"} == {1.0}


def test_data_describes_the_pairs_before_anything_is_made_of_them(lab: Path) -> None:
    said = _run("data", "carets", "--data", lab)
    assert "60" in said
    assert "rephrase" in said
    assert "conjunctive verification" in said
