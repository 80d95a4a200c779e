"""The leaderboard of a lab: its suites by data set, and what each model made of them.

A data set is a split of a source, as the manifests of suites name both; so the three splits of GQA-OOD count singly.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from counterpoint.core.errors import StoreError
from counterpoint.metrics.bootstrap import RESAMPLES
from counterpoint.metrics.leaderboard import COLUMNS, TESTS, Board, Column, Entry, bases, board, stacked
from counterpoint.metrics.metric import Metric, columns_read
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.relabeling import distinct_values, keep_rows, rename_values
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

CANNOT = {
    "answers": "it scores texts, and answers no questions",
    "features": "it does not let its features be changed",
    "samples": "it has no stochastic passes",
}
"""Why a measure does not apply to a model that lacks an ability."""
NOT_ASKED = "it was not asked this"
FURTHER = columns_read(column.measure for column in COLUMNS)
"""Columns of the answers that the measures need beside the usual ones."""

_SAID = ("query", "trial", "raw", "value", "state", "score")
Scores = Mapping[tuple[str, str, str], Mapping[str, Any]]
"""Rows of scores by data set, test and measure."""


def read_board(lab: LabStore, models: Mapping[str, RunRecord], *, threshold: float = 0.5, seed: int = 0) -> Board:
    """The leaderboard of some models of a lab, each under its title."""
    tables = data_sets(lab)
    if not tables:
        hint = f"counterpoint generate {lab.folder} --suite beyond-accuracy makes all of them"
        raise StoreError(f"{lab.folder} has none of the tests {', '.join(TESTS)}", hint=hint)
    return board({title: entries(lab, info, tables, threshold, seed) for title, info in models.items()})


def data_sets(lab: LabStore) -> dict[str, Any]:
    """For each data set the groups of all tests of the leaderboard, under its name in the place of the suite's."""
    found: dict[str, list[Any]] = {}
    for name in lab.suites():
        suite = lab.suite(name)
        table = keep_rows(suite.groups.replace_schema_metadata(), "test", TESTS)
        if table.num_rows:
            title = data_set(suite.manifest)
            found.setdefault(title, []).append(rename_values(table, "suite", {name: title}))
    return {title: stacked(tables) for title, tables in sorted(found.items())}


def data_set(manifest: Manifest) -> str:
    """The source and the split that a suite was made from; the suite itself where its manifest names none."""
    source, split = (str(manifest.parameters.get(key, "")) for key in ("source", "split"))
    return f"{source} {split}".strip() or manifest.suite


def entries(
    lab: LabStore, info: RunRecord, tables: Mapping[str, Any], threshold: float = 0.5, seed: int = 0
) -> dict[str, dict[str, Entry]]:
    """Each measure of one model on each data set that has its test."""
    answers = lab.read_answers(info.fingerprint, (*_SAID, *FURTHER))
    found: dict[str, dict[str, Entry]] = {}
    for title, table in tables.items():
        rows = [*_scores(bases(table), answers, threshold, seed), *_scores(table, answers, threshold, seed)]
        scores: Scores = {(row["suite"], row["test"], row["metric"]): row for row in rows}
        tests = {row["test"] for row in rows}
        found[title] = {column.name: _entry(column, title, scores, info) for column in COLUMNS if column.test in tests}
    return found


def _scores(groups: Any, answers: Any, threshold: float, seed: int) -> list[dict[str, Any]]:
    """The scores by the measures of the leaderboard that are taken on these groups."""
    tests = {test for (test,) in distinct_values(groups, "test")}
    columns = [column for column in COLUMNS if column.test in tests]
    outcomes = judge(groups, answers, threshold) if columns else None
    rows: list[dict[str, Any]] = []
    for taken, resamples in (([column.measure for column in columns], RESAMPLES), (_chances(columns), 1)):
        if taken and outcomes:  # of chance levels no interval is shown
            measures = tuple(dict.fromkeys(taken))
            request = ScoreRequest(("test",), metrics=measures, threshold=threshold, resamples=resamples, seed=seed)
            rows += score_outcomes(outcomes, request).to_pylist()
    return rows


def _chances(columns: Sequence[Column]) -> list[Metric]:
    return [column.chance for column in columns if column.chance]


def _entry(column: Column, title: str, scores: Scores, info: RunRecord) -> Entry:
    row = scores[title, column.test, column.measure.name]
    missing = float(row["missing"])
    if column.name == "uncertainty" and row["n"] and row["n"] < row["answers"]:
        missing = max(missing, 1 - row["n"] / row["answers"])  # passes were made over some of the bases
    if row["value"] is None:
        return Entry(reason=_reason(column, row, info), missing=missing)
    chance = scores[title, column.test, column.chance.name]["value"] if column.chance else None
    return Entry(row["value"], row["low"], row["high"], row["n"], "", missing, chance)


def _reason(column: Column, row: Mapping[str, Any], info: RunRecord) -> str:
    abilities = info.details.get("abilities")
    if isinstance(abilities, Sequence):
        for need in dict.fromkeys(("answers", column.needs)):
            if need not in abilities:
                return CANNOT[need]
    return str(row["reason"]) or (NOT_ASKED if row["missing"] else "nothing of it counts")
