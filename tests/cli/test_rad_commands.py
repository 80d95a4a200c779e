"""The commands of RAD: suites from files and worlds, RAD of a lab, coverage, and the study."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from counterpoint.cli.main import commands
from counterpoint.core.errors import CounterpointError
from counterpoint.store.lab import LabStore
from counterpoint.studies.rad_prediction import POOL, RadCounts, counts_text


def _run(*arguments: object, path: str = os.environ["PATH"]) -> str:
    done = CliRunner(env={"PATH": path}).invoke(
        commands, [str(argument) for argument in arguments], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return done.stdout


def test_rad_of_a_lab_is_scored_by_augmentation_with_its_rules_and_threshold(tmp_path: Path) -> None:
    lab = tmp_path / "lab"
    _run("generate", lab, "--suite", "rad-counterfactuals", "--source", "world-vqa", "--items", 12)
    _run("generate", lab, "--suite", "rad-rephrasings", "--source", "world-vqa", "--items", 4)
    _run("generate", lab, "--suite", "rad-open-dialogues", "--items", 4)
    assert {name: LabStore(lab).suite(name).manifest.rules for name in LabStore(lab).suites()} == {
        "rad-counterfactuals": "vqa",
        "rad-open-dialogues": "vqa-short",
        "rad-rephrasings": "vqa",
    }
    _run("run", lab, "--model", "constant")
    words = ("--metric", "rad_forward", "--metric", "rad_backward", "--by", "tag:augmentation", "--json")
    rows = json.loads(_run("score", lab, *words))["scores"]
    undefined = [row for row in rows if row["value"] is None]
    assert {row["tag:augmentation"] for row in rows} >= {"color", "how-many", "rephrase"}
    assert all(row["n"] == 0 for row in undefined)
    assert any(row["metric"] == "rad_forward" for row in undefined), "who always says one word is right on no color"
    assert {(row["rules"], row["threshold"]) for row in rows} == {("vqa", 0.5), ("vqa-short", 0.5)}


def test_back_translations_come_from_a_file_with_ids_and_texts(tmp_path: Path) -> None:
    questions = tmp_path / "mine.csv"
    questions.write_text("id,question,answer,image\n1,Is it a dog?,yes,a.png\n2,Is it big?,no,a.png\n")
    texts = tmp_path / "texts.csv"
    texts.write_text("id,text\n1,Is that a dog?\n2,Is it big?\n7,Who?\n")
    lab = tmp_path / "lab"
    words = ("--source", "plain", "--data", questions, "--split", "test", "--texts", texts)
    done = CliRunner().invoke(
        commands, ["generate", str(lab), "--suite", "rad-back-translations", *map(str, words)], catch_exceptions=False
    )
    assert "texts.csv: 1 id is not among the questions that were read" in done.output
    assert "says it in the same words" in done.output
    assert LabStore(lab).suite("rad-back-translations").table["text"].to_pylist() == ["Is it a dog?", "Is that a dog?"]


def _translator(folder: Path, lines: str) -> None:
    program = folder / "apertium"
    program.write_text(f"#!/bin/sh\n{lines}\n")
    program.chmod(0o755)


def test_a_translation_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = f"{tmp_path}:{os.environ['PATH']}"
    out = tmp_path / "bt.csv"
    words = ("translate", "--out", out, "--items", 2, "--there", "apertium/eng-spa", "--back", "apertium/spa-eng")
    _translator(tmp_path, 'if [ "$1" = spa-eng ]; then echo "no dictionary" >&2; exit 1; fi; cat')
    with pytest.raises(CounterpointError, match="no dictionary"):
        _run(*words, path=path)
    assert [one.name for one in tmp_path.iterdir()] == ["apertium"]
    _translator(tmp_path, "sed 's/^/Well, /'")
    assert _run(*words, path=path).startswith("10 of 10 questions")
    assert out.read_text().startswith('id,text\ntest-000000-vqa-00-0,"Well, Well, ')


def test_a_file_of_texts_without_its_columns_is_one_sentence(tmp_path: Path) -> None:
    texts = tmp_path / "texts.csv"
    texts.write_text("id,words\n1,Is that a dog?\n")
    with pytest.raises(CounterpointError, match="no column 'text'"):
        _run(
            *("generate", tmp_path / "lab", "--suite", "rad-back-translations", "--source", "world-vqa"),
            *("--items", 2, "--texts", texts),
        )


def test_coverage_stands_beside_the_table_of_the_paper() -> None:
    words = _run("study", "rad-coverage", "--items", 12)
    assert "12,835" in words
    found = json.loads(_run("study", "rad-coverage", "--items", 12, "--json"))
    assert found["questions"] == 180
    assert found["paper"][0] == 214354
    assert set(found["made"]) == {"color", "how-many", "what-kind"}
    talks = json.loads(_run("study", "rad-coverage", "--source", "world", "--items", 12, "--dialogues", "--json"))
    assert set(talks["made"]) == {"color", "how-many"}


def _table(path: Path) -> Path:
    rng = np.random.default_rng(0)
    counts = []
    for number in range(8):
        for name in POOL:
            base, variant = rng.random(50), rng.random(50)
            counts.append(RadCounts.of(f"i{number}", name, base, variant, 0.5))
    path.write_text(counts_text(counts))
    return path


def test_the_study_reads_a_table_and_prints_both_equations(tmp_path: Path) -> None:
    table = _table(tmp_path / "counts.csv")
    words = _run("study", "rad", table, "--targets")
    assert "R² over 8 instances" in words
    assert "as printed: R²" in words
    assert "with intercept: leave-one-out R²" in words
    found = json.loads(_run("study", "rad", table, "--json"))
    assert len(found["fits"]) == 32


def test_the_study_reads_a_lab_and_says_what_is_missing(tmp_path: Path) -> None:
    lab = tmp_path / "lab"
    _run("generate", lab, "--suite", "rad-counterfactuals", "--source", "world-vqa", "--items", 6)
    _run("run", lab, "--model", "constant")
    with pytest.raises(CounterpointError, match="0 instances have answers to all of color"):
        _run("study", "rad", lab)
