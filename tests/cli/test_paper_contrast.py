"""`counterpoint paper contrast`: the tables of contrast sets from a lab."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from counterpoint.cli.main import commands


def _run(*words: str) -> str:
    result = CliRunner().invoke(commands, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contrast") / "lab"
    _run("generate", str(folder), "--suite", "contrast", "--items", "30")
    _run("run", str(folder), "--model", "constant")
    return folder


def test_the_tables_hold_originals_contrasts_and_the_drop_between_them(lab: Path) -> None:
    tables = {
        table["table"]: table["rows"] for table in json.loads(_run("paper", "contrast", str(lab), "--json"))["tables"]
    }
    assert set(tables) == {"2", "4", "6"}
    for row in tables["2"]:
        assert row["drop"]["value"] == pytest.approx(row["originals"]["value"] - row["contrasts"]["value"])
        if row["template"].startswith(("are there", "do you", "is X relation Y: r")):
            assert 0 <= row["originals"]["value"] <= 1
    changed = {row["template"]: row for row in tables["6"]}
    questions = sum(row["questions"] for name, row in changed.items() if name != "overall")
    assert changed["overall"]["questions"] <= questions


def test_consistency_falls_with_k_and_saying_yes_always_is_never_consistent(lab: Path) -> None:
    [table] = json.loads(_run("paper", "contrast", str(lab), "--table", "4", "--k", "1", "--k", "2", "--json"))[
        "tables"
    ]
    assert [row["k"] for row in table["rows"]] == ["1", "2"]
    assert all(row["consistency"]["value"] == 0 for row in table["rows"])
    assert table["rows"][0]["sets"] == table["rows"][1]["sets"]
    assert table["rows"][0]["such sets"] >= table["rows"][1]["such sets"]


def test_the_score_command_knows_the_measure_and_slices_by_template_and_atom(lab: Path) -> None:
    found = json.loads(_run("score", str(lab), "--by", "tag:template", "--metric", "contrast_consistency_3", "--json"))[
        "scores"
    ]
    assert {row["metric"] for row in found} == {"contrast_consistency_3"}
    assert json.loads(_run("score", str(lab), "--by", "tag:atom", "--metric", "variant_accuracy", "--json"))["scores"]


def test_a_lab_without_contrast_sets_says_how_to_make_them(tmp_path: Path) -> None:
    _run("generate", str(tmp_path / "lab"), "--suite", "plain", "--items", "2")
    _run("run", str(tmp_path / "lab"), "--model", "constant")
    result = CliRunner().invoke(commands, ["paper", "contrast", str(tmp_path / "lab")])
    assert "no contrast sets" in str(result.exception)


def test_sets_can_be_larger_than_five_and_other_suites_have_none(tmp_path: Path) -> None:
    _run("generate", str(tmp_path / "lab"), "--suite", "contrast", "--items", "20", "--contrasts", "8")
    result = CliRunner().invoke(
        commands, ["generate", str(tmp_path / "lab"), "--suite", "plain", "--items", "2", "--contrasts", "2"]
    )
    assert "the suite plain takes no option contrasts" in str(result.exception)
