"""From a run to the measures of captions against foils: what the scores are is kept with the run."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import counterpoint as cp
from counterpoint.cli.main import commands
from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest


def _run(*words: object) -> str:
    result = CliRunner().invoke(commands, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.stdout


def _scores(lab: Path, *words: object) -> dict[str, dict[str, object]]:
    return {row["metric"]: row for row in json.loads(_run("score", lab, "--json", *words))["scores"]}


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    groups = [
        Group(
            Relation.RANKS,
            tuple(
                Query(Picture(f"world:test/{n:06}.png"), f"{n} {side}.", mode=Mode.SCORE) for side in ("cats", "dogs")
            ),
            (None, None),
            test="relations",
        )
        for n in range(30)
    ]
    table = groups_table([("relations", group) for group in groups], "released")
    LabStore(tmp_path / "lab").put_suite(Manifest.of(table, generator="here", seed=0), table)
    return tmp_path / "lab"


def test_a_constant_scorer_gets_half_the_area_no_ranking_and_its_ties_reported(lab: Path) -> None:
    _run("run", lab, "--model", "constant")
    found = {name: row["value"] for name, row in _scores(lab).items()}
    assert (found["auroc"], found["acc_r"], found["ties"]) == (0.5, 0.0, 1.0)
    assert (found["acc"], found["p_c"], found["p_f"], found["min_p"]) == (0.5, 0.0, 1.0, 0.0)
    heads = _run("score", lab).splitlines()[2]
    assert [title in heads for title in ("ranking accuracy", "ROC")] == [True, True]
    assert _scores(lab, "--threshold", "0.4")["p_c"]["value"] == 1.0


def test_a_lab_of_old_learns_what_its_scores_are_when_the_model_is_run_again(lab: Path) -> None:
    _run("run", lab, "--model", "constant")
    opened = LabStore(lab)
    (info,) = opened.runs()
    opened.put_run(replace(info, details={key: one for key, one in info.details.items() if key != "scale"}))
    row = _scores(lab)["p_c"]
    assert row["value"] is None
    assert "not recorded" in str(row["reason"])
    assert "constant has no min_p, acc, p_c, p_f: it is not recorded" in _run("score", lab)
    assert _run("run", lab, "--model", "constant").startswith("constant: 0 answers in")
    assert _scores(lab)["p_c"]["reason"] == ""
    _run("run", lab, "--model", "constant")
    assert len(opened.runs()) == 2


def test_imported_scores_are_what_one_says_they_are(lab: Path, tmp_path: Path) -> None:
    table = LabStore(lab).suite("released").table
    rows = zip(table["query"].to_pylist(), table["role"].to_pylist(), strict=True)
    lines = [json.dumps({"query_id": f"{query:016x}", "score": 0.3 + 0.4 * (role == 0)}) for query, role in rows]
    (tmp_path / "said.jsonl").write_text("\n".join(lines))
    given = ("import", lab, tmp_path / "said.jsonl", "--name", "theirs")
    _run(*given)
    assert "--scores" in str(_scores(lab)["acc"]["reason"])
    _run(*given, "--scores", "similarity")
    assert _scores(lab)["acc"]["reason"] == "its scores are similarities, not probabilities"
    _run(*given, "--scores", "probability")
    assert _scores(lab)["acc"]["value"] == 1.0


@pytest.mark.parametrize("scores", [(70.0, 30.0), (0.4, -0.4)])
def test_per_cent_and_logits_are_no_probabilities(lab: Path, tmp_path: Path, scores: tuple[float, float]) -> None:
    """Every foil would be above the threshold of one half, or every caption below it."""
    table = LabStore(lab).suite("released").table
    rows = zip(table["query"].to_pylist(), table["role"].to_pylist(), strict=True)
    lines = [json.dumps({"query_id": f"{query:016x}", "score": scores[role]}) for query, role in rows]
    (tmp_path / "said.jsonl").write_text("\n".join(lines))
    theirs = cp.Lab(lab)
    with pytest.raises(SourceError, match="of 60 scores lie outside 0 to 1"):
        theirs.import_predictions(tmp_path / "said.jsonl", name="theirs", scores="probability")
    assert not theirs.models
    theirs.import_predictions(tmp_path / "said.jsonl", name="theirs")
    assert _scores(lab)["acc_r"]["value"] == 1.0


def test_a_measure_of_all_pairs_is_compared_too(lab: Path) -> None:
    for model in ("constant", "random"):
        _run("run", lab, "--model", model)
    assert "acc_r" in _run("compare", lab, "constant", "random", "--metric", "acc_r", "--json")
    assert "auroc" in _run("compare", lab, "constant", "random", "--metric", "auroc", "--json")
