"""`counterpoint leaderboard` over the suites of Beyond Accuracy: models with known behavior come out right."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from counterpoint.cli.main import commands


def _run(*words: str) -> str:
    result = CliRunner().invoke(commands, list(words))
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("beyond") / "lab"
    words = ("generate", str(folder), "--suite", "beyond-accuracy", "--items", "6", "--variants", "2")
    _run(*words, "--limit", "6")
    _run(*words, "--limit", "4", "--split", "shifted", "--name", "shifted")
    for model in ("question-only", "constant"):
        _run("run", str(folder), "--model", model)
    _run("run", str(folder), "--model", "question-only", "--suite", "plain", "--trials", "3")
    _run("run", str(folder), "--model", "random", "--suite", "question-bias", "--suite", "plain")
    return folder


@pytest.fixture(scope="module")
def rows(folder: Path) -> dict[str, Any]:
    return {
        row["model"]: row
        for row in json.loads(_run("leaderboard", str(folder), "--layout", "datasets", "--json"))["rows"]
    }


def test_a_model_that_never_looks_has_a_question_bias_of_exactly_one(rows: dict[str, Any]) -> None:
    blind = rows["question-only"]["cells"]
    assert blind["question_bias"]["value"] == 1.0
    assert blind["pixel_noise"]["value"] == 1.0
    assert blind["picture_features"]["value"] == 1.0
    assert blind["question_features"]["value"] < 1.0
    assert blind["picture_bias"]["value"] < 1.0
    assert {mean["data_sets"] for mean in blind.values() if mean["value"] is not None} <= {1, 2}


def test_a_constant_has_both_biases_and_is_moved_by_nothing(rows: dict[str, Any]) -> None:
    constant = rows["constant"]["cells"]
    for name in ("question_bias", "picture_bias", "pixel_noise", "word_noise"):
        assert constant[name]["value"] == 1.0
    assert constant["picture_features"]["value"] is None
    assert constant["picture_features"]["reason"] == "it does not let its features be changed"
    assert constant["uncertainty"]["reason"] == "it has no stochastic passes"


def test_means_over_data_sets_are_unweighted_and_those_over_fewer_are_not_ranked(rows: dict[str, Any]) -> None:
    parts = rows["question-only"]["data_sets"]
    assert set(parts) == {"world test", "shifted"}
    accuracy = rows["question-only"]["cells"]["accuracy"]
    assert accuracy["value"] == pytest.approx(sum(own["accuracy"]["value"] for own in parts.values()) / 2)
    assert (accuracy["data_sets"], accuracy["of"]) == (2, 2)
    assert accuracy["rank"] is not None
    half = rows["random"]["cells"]["question_bias"]
    assert (half["data_sets"], half["of"], half["rank"]) == (1, 2, None)
    assert rows["question-only"]["cells"]["uncertainty"]["data_sets"] == 1


def test_costs_stand_beside_each_model(rows: dict[str, Any]) -> None:
    assert rows["question-only"]["cost"]["parameters"] == 431_809
    assert rows["question-only"]["cost"]["queries_per_second"] > 1
    assert rows["constant"]["cost"]["parameters"] is None
    assert "parameters" in rows["constant"]["cost"]["reasons"]


def test_tables_say_why_cells_are_blank_and_expand_to_data_sets(folder: Path) -> None:
    text = _run("leaderboard", str(folder), "--layout", "datasets")
    assert "constant, random: picture features, question features: it does not let its features be changed" in text
    assert "431,809" in text
    assert "over 1 of 2 data sets, so not ranked" in text
    expanded = _run("leaderboard", str(folder), "--expand", "question-only")
    assert "by chance" in expanded
    assert [line.split("  ")[0] for line in expanded.splitlines()[4:7]] == ["all", "shifted", "world test"]


@pytest.mark.prove
@pytest.mark.parametrize(("form", "shown"), [("--markdown", "**Per cent"), ("--latex", "tabular")])
def test_means_over_data_sets_are_printed_for_pages_and_papers(folder: Path, form: str, shown: str) -> None:
    assert shown in _run("leaderboard", str(folder), "--layout", "datasets", form)


def test_by_default_the_columns_are_those_that_lead_on_each_suite(folder: Path) -> None:
    board = json.loads(_run("leaderboard", str(folder), "--suite", "plain", "--suite", "sears", "--json"))
    assert [column["key"] for column in board["columns"]] == [
        "plain/answer_accuracy",
        "sears/robustness",
        "sears/accuracy",
    ]
    assert board["columns"][0]["title"] == "Accuracy of answers"
    cells = {row["model"]: row["cells"] for row in board["rows"]}
    assert cells["constant"]["sears/robustness"]["value"] == 1.0
    assert cells["random"]["sears/robustness"]["reason"] == "it was not asked this"
    text = _run("leaderboard", str(folder), "--suite", "plain")
    assert "accuracy of answers" in text
    assert "random" in text


def test_a_lab_without_the_tests_of_data_sets_says_how_to_make_them(tmp_path: Path) -> None:
    _run("generate", str(tmp_path / "lab"), "--suite", "order", "--items", "3")
    _run("run", str(tmp_path / "lab"), "--model", "constant")
    result = CliRunner().invoke(commands, ["leaderboard", str(tmp_path / "lab"), "--layout", "datasets"])
    assert "has none of the tests plain" in str(result.exception)
    assert "order C-ACC" in _run("leaderboard", str(tmp_path / "lab"))
