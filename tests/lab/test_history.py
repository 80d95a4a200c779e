"""The history of a model: dates of its versions, where its scores changed, and slow declines."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from proving import prove
from version_labs import GROUPS, lab_of_versions

import counterpoint as cp
from benchmarks.history_alarms import count_alarms
from counterpoint.cli import history as history_command
from counterpoint.cli import ls as ls_command
from counterpoint.lab.contents import list_contents
from counterpoint.lab.history import ModelHistory, model_history
from counterpoint.metrics.paired_tests import holm
from counterpoint.store.versions import RunRecord

MODELS = ("vlm", "slow")
SLOW = [160 - 4 * step for step in range(9)]
"""Two points fewer at each version: no step is found, the whole is."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> cp.Lab:
    shares = {
        "vlm": {"cat": [60, 62, 160, 161, 120, 121], "dog": [100, -1, 101, 140, 141, 140]},
        "slow": {"cat": SLOW, "dog": [100 + 4 * step for step in range(9)]},
    }
    return cp.Lab(lab_of_versions(tmp_path_factory.mktemp("lab"), shares).folder)


def _changes(history: ModelHistory, suite: str) -> dict[str, float]:
    return {score.version: score.difference for score in history if score.suite == suite and score.is_change}


def test_the_history_tells_at_which_version_a_score_rose_and_fell(lab: cp.Lab) -> None:
    history = lab.history("vlm", metrics=["accuracy"])
    assert _changes(history, "cat") == pytest.approx({"step-300": 0.49, "step-500": -0.205})
    assert "step-500: accuracy on cat fell by 20.5 points" in history.notes()
    with pytest.raises(cp.CounterpointError, match="vml"):
        lab.history("vml")


def test_one_version_has_its_values_in_one_table_and_a_sentence(tmp_path: Path) -> None:
    lab = cp.Lab(lab_of_versions(tmp_path, {"vlm": {"cat": [60], "dog": [100]}}).folder)
    history = lab.history("vlm")
    (table,) = history.tables()
    assert "–" not in {str(cell) for row in table.rows for cell in row}
    assert len(table.rows) == len(history)
    assert "comprehensive accuracy" in history.text()
    assert "comprehensive_accuracy" not in history.text()
    assert history.notes() == ["vlm has one version with scores, step-100: there is nothing to compare it with"]


def test_tables_of_a_history_name_metrics_in_words(lab: cp.Lab) -> None:
    titles = [table.title for table in lab.history("vlm", metrics=["comprehensive_accuracy"]).tables()]
    assert titles == ["vlm on cat: comprehensive accuracy", "vlm on dog: comprehensive accuracy"]


@pytest.mark.parametrize(("model", "rows"), [("vlm", 250), *(prove(*own) for own in product(MODELS, (90, 7)))])
def test_blocks_give_the_history_of_the_whole(lab: cp.Lab, model: str, rows: int) -> None:
    whole, blocks = (model_history(lab.store, model, block_rows=size) for size in (10**6, rows))
    assert len(whole.scores) > 10
    assert [score.to_dict() for score in blocks] == [score.to_dict() for score in whole]


def test_a_version_that_was_not_asked_is_passed_over(lab: cp.Lab) -> None:
    scores = lab.history("vlm", suites=["dog"], metrics=["accuracy"]).scores
    assert [(score.version, score.before) for score in scores][:3] == [
        ("step-100", ""),
        ("step-300", "step-100"),
        ("step-400", "step-300"),
    ]
    assert [score.version for score in scores if score.is_change] == ["step-400"]


def test_a_slow_decline_is_held_against_the_best_and_a_slow_rise_against_the_lowest(lab: cp.Lab) -> None:
    history = lab.history("slow", metrics=["accuracy"])
    assert not any(score.is_change for score in history)
    fallen, risen = (history.series()[suite, "accuracy"][-1] for suite in ("cat", "dog"))
    assert (fallen.reference, risen.reference) == ("step-100", "step-100")
    assert fallen.reference_difference == pytest.approx((SLOW[-1] - SLOW[0]) / GROUPS)
    assert fallen.is_drift
    assert risen.is_drift
    told = [note for note in history.notes() if "no single step" in note]
    assert [("fell" in note, "since step-100" in note) for note in told] == [(True, True), (False, True)]


def test_a_baseline_is_what_all_versions_are_held_against(lab: cp.Lab) -> None:
    lab.set_baseline("slow@step-300")
    scores = lab.history("slow", suites=["cat"], metrics=["accuracy"]).scores
    assert {score.reference for score in scores} == {"step-300", ""}
    assert [score.version for score in scores if score.is_baseline] == ["step-300"]
    assert scores[0].reference_difference == pytest.approx(8 / GROUPS)
    shown = CliRunner().invoke(history_command.command, [str(lab.folder), "slow"], catch_exceptions=False).output
    assert "step-300 (baseline)" in shown
    listed = CliRunner().invoke(ls_command.command, [str(lab.folder)], catch_exceptions=False).output
    assert "step-300 (baseline)" in listed


def test_numbers_that_are_not_there_are_null_in_json(lab: cp.Lab) -> None:
    words = [str(lab.folder), "vlm", "--suite", "cat", "--json"]
    shown = CliRunner().invoke(history_command.command, words, catch_exceptions=False).output
    first = json.loads(shown, parse_constant=pytest.fail)["scores"][0]
    assert (first["version"], first["difference"], first["reference"]) == ("step-100", None, "")


def test_dates_of_runs_and_of_imports_are_listed(tmp_path: Path) -> None:
    store = lab_of_versions(tmp_path, {"vlm": {"cat": [10]}})
    store.put_run(RunRecord("20261120T000000-again", "vlm", "vlm 0", {}, "step-100"))
    store.put_run(RunRecord("20261117T000000-file", "other", "imported other", {}, "2026-11-17"))
    dated = {own.model.name: own for own in list_contents(store).models}
    assert dated["vlm"].model.dates_text == "run 2026-11-01 to 2026-11-20"
    assert dated["other"].model.dates_text == "imported 2026-11-17"
    plain = dated["vlm"].to_dict()
    assert (plain["first_run"], plain["last_run"], plain["imported"]) == ("2026-11-01", "2026-11-20", False)
    shown = list_contents(store).text()
    assert "1 import" in shown
    assert "2026-11-01  2026-11-20" in shown


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.data())
def test_what_is_chosen_after_a_look_is_never_corrected_less_than_with_the_whole_family(
    family: list[float], data: st.DataObject
) -> None:
    chosen = data.draw(st.lists(st.sampled_from(range(len(family))), unique=True))
    whole = holm(family)
    for place, corrected in zip(chosen, holm([family[own] for own in chosen], len(family)), strict=True):
        assert corrected >= whole[place] - 1e-12


@pytest.mark.parametrize(
    ("has_baseline", "repeats", "most"), [(False, 25, 5), prove(False, 400, 30), prove(True, 400, 30)]
)
def test_equal_versions_rarely_seem_to_differ(has_baseline: bool, repeats: int, most: int) -> None:
    """One history in twenty is expected at most."""
    assert count_alarms(np.random.default_rng(3), 8, 40, repeats, has_baseline=has_baseline) <= most
