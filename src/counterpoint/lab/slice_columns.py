"""Saved slices as columns of the leaderboard: the score that a gate holds with `accuracy[slice=NAME]`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from counterpoint.lab.gating import leading_ratio
from counterpoint.lab.saved_slices import read_slice, slice_filter
from counterpoint.lab.scores import judged_models
from counterpoint.lab.selection import ANSWER_COLUMNS
from counterpoint.metrics.accuracy import accuracy
from counterpoint.metrics.leaderboard import Leaderboard, LeaderboardCell, LeaderboardColumn, missing_reason
from counterpoint.metrics.metric import Contents, Metric, applicable, columns_read, whole_suites
from counterpoint.metrics.scoring import ScoreRequest, ScoreTotals
from counterpoint.metrics.ties import find_ties
from counterpoint.store.blocks import BLOCK_ROWS, SuiteBlocks, open_blocks
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
    block_rows: int = BLOCK_ROWS,
) -> Leaderboard:
    """The leaderboard with columns of saved slices at its end, each over the groups of some suites together."""
    models = {version.fingerprint: version for version in store.versions()}
    versions = {row.model: models[row.fingerprint] for row in board.rows}
    columns: dict[LeaderboardColumn, Mapping[str, LeaderboardCell]] = {}
    names = tuple(suites or store.suites())
    for name in dict.fromkeys(slices):
        inside = slice_filter(read_slice(store, name))
        with open_blocks(store, names, pool=len(names) > 1, inside=inside, rows=block_rows) as blocks:
            chosen = tuple(metrics) or (_metric(whole_suites(blocks.contents)),)
            request = ScoreRequest((), metrics=chosen, threshold=threshold, seed=seed)
            columns |= _columns(blocks, name, versions, request)
    rows = tuple(
        replace(row, cells={**row.cells, **{column.key: cells[row.model] for column, cells in columns.items()}})
        for row in board.rows
    )
    return replace(board, columns=(*board.columns, *columns), rows=rows)


def _metric(contents: Mapping[str, Contents]) -> Metric:
    """Accuracy where the groups of a slice have it, else the share that leads on them."""
    own = next(iter(contents.values()), None)
    if own is None or applicable(own, (accuracy,)):
        return accuracy
    return leading_ratio(own) or accuracy


def _columns(
    blocks: SuiteBlocks, name: str, versions: Mapping[str, ModelVersion], request: ScoreRequest
) -> dict[LeaderboardColumn, dict[str, LeaderboardCell]]:
    """The column of each metric on the groups of a slice, with the cell of each model."""
    columns = [LeaderboardColumn(metric, slice=name) for metric in request.metrics]
    if not blocks.contents:
        return {column: dict.fromkeys(versions, LeaderboardCell(reason=NO_GROUP)) for column in columns}
    read = (*ANSWER_COLUMNS, *columns_read(request.metrics))
    answers = {title: blocks.answers(version.fingerprint, read) for title, version in versions.items()}
    outcomes = judged_models(blocks, answers, request.threshold)
    rows = {
        (row["metric"], title): row | {"by": "suite", "test": "", "model": title}
        for title in versions
        for row in ScoreTotals.of(outcomes(title), request, blocks.contents).table().to_pylist()
    }
    ties = {(metric, title) for _, metric, title in find_ties(list(rows.values()), outcomes, request.metrics)}
    return {
        column: {
            title: _cell(column, rows.get(key), key in ties)
            for title, key in ((title, (column.metric.name, title)) for title in versions)
        }
        for column in columns
    }


def _cell(column: LeaderboardColumn, row: Mapping[str, Any] | None, tie: bool) -> LeaderboardCell:
    if row is None or row["value"] is None:
        return LeaderboardCell(reason=missing_reason(column.metric, row))
    value, low, high, n, missing, failed = (row[name] for name in ("value", "low", "high", "n", "missing", "failed"))
    return LeaderboardCell(value, low, high, n, tie=tie, missing=missing, failed=failed)
