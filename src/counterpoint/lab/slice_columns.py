"""Saved slices as columns of the leaderboard: the score that a gate holds with `accuracy[slice=NAME]`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pyarrow as pa

from counterpoint.lab.gating import RuleTarget, leading_ratio
from counterpoint.lab.saved_slices import read_slice
from counterpoint.lab.selection import load_answers
from counterpoint.metrics.accuracy import accuracy
from counterpoint.metrics.gates import GateRule
from counterpoint.metrics.leaderboard import Leaderboard, LeaderboardCell, LeaderboardColumn, missing_reason
from counterpoint.metrics.metric import Metric, applicable, columns_read, contents_by_suite
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.metrics.ties import find_ties
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import ModelVersion

NO_GROUP = "no group of these suites is in the slice"


def add_slices(
    store: LabStore,
    board: Leaderboard,
    slices: Sequence[str],
    suites: Sequence[str] = (),
    metrics: Sequence[Metric] = (),
    *,
    threshold: float = 0.5,
    seed: int = 0,
) -> Leaderboard:
    """The leaderboard with columns of saved slices at its end, each over the groups of some suites together."""
    models = {version.fingerprint: version for version in store.versions()}
    versions = {row.model: models[row.fingerprint] for row in board.rows}
    columns: dict[LeaderboardColumn, Mapping[str, LeaderboardCell]] = {}
    for name in dict.fromkeys(slices):
        target = RuleTarget(GateRule("", 0.0), "", accuracy, tuple(suites or store.suites()), read_slice(store, name))
        groups = target.groups(store)
        request = ScoreRequest((), metrics=tuple(metrics) or (_metric(groups),), threshold=threshold, seed=seed)
        columns |= _columns(store, name, groups, versions, request)
    rows = tuple(
        replace(row, cells={**row.cells, **{column.key: cells[row.model] for column, cells in columns.items()}})
        for row in board.rows
    )
    return replace(board, columns=(*board.columns, *columns), rows=rows)


def _metric(groups: pa.Table) -> Metric:
    """Accuracy where the groups of a slice have it, else the share that leads on them."""
    contents = next(iter(contents_by_suite(groups).values()), None)
    if contents is None or applicable(contents, (accuracy,)):
        return accuracy
    return leading_ratio(groups) or accuracy


def _columns(
    store: LabStore, name: str, groups: pa.Table, versions: Mapping[str, ModelVersion], request: ScoreRequest
) -> Iterator[tuple[LeaderboardColumn, dict[str, LeaderboardCell]]]:
    """The column of each metric on the groups of a slice, with the cell of each model."""
    columns = [LeaderboardColumn(metric, slice=name) for metric in request.metrics]
    if not groups.num_rows:
        yield from ((column, dict.fromkeys(versions, LeaderboardCell(reason=NO_GROUP))) for column in columns)
        return

    @cache
    def outcomes(title: str) -> Outcomes:
        answers = load_answers(store, versions[title], columns_read(request.metrics))
        return judge(groups, answers, request.threshold)

    rows = {
        (row["metric"], title): row | {"by": "suite", "test": "", "model": title}
        for title in versions
        for row in score_outcomes(outcomes(title), request).to_pylist()
    }
    ties = {
        (metric, title)
        for _, metric, title in find_ties(list(rows.values()), lambda title: [outcomes(title)], request.metrics)
    }
    for column in columns:
        keys = {title: (column.metric.name, title) for title in versions}
        yield column, {title: _cell(column, rows.get(key), key in ties) for title, key in keys.items()}


def _cell(column: LeaderboardColumn, row: Mapping[str, Any] | None, tie: bool) -> LeaderboardCell:
    if row is None or row["value"] is None:
        return LeaderboardCell(reason=missing_reason(column.metric, row))
    return LeaderboardCell(row["value"], row["low"], row["high"], row["n"], tie=tie, missing=row["missing"])
