"""Families of suites on a leaderboard: a mean for each family, and one over families."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from counterpoint.metrics.leaderboard import (
    NOT_ASKED,
    Leaderboard,
    LeaderboardCell,
    LeaderboardColumn,
    LeaderboardRow,
    mean_cell,
    order_rows,
)

OVERALL = "overall"
"""The key of the mean over families; a leaderboard has none where of every family less is better."""


def fold_families(board: Leaderboard, families: Mapping[str, str], opened: Collection[str] = ()) -> Leaderboard:
    """A leaderboard of suites with a mean for each family in the place of its suites, and one over families in front.

    The mean of a family is unweighted, over the first metric of each of its suites; the overall mean is over those
    families of which more is better. Suites of `opened` families follow their mean. A mean over fewer suites than
    other models have is shown and not ranked.
    """
    folded: dict[str, list[LeaderboardColumn]] = {}
    for column in board.columns:
        folded.setdefault(families[column.suite], []).append(column)
    means = {family: _mean_column(f"family/{family}", family, own) for family, own in folded.items()}
    better = [family for family, own in folded.items() if not any(column.metric.lower_is_better for column in own)]
    summed = [column for family in better for column in folded[family]]
    overall = [_mean_column(OVERALL, OVERALL, summed)] if summed else []
    suites = (c for family, own in folded.items() for c in (means[family], *(own if family in opened else ())))
    rows = [
        _fold_row(row, {family: (means[family], own) for family, own in folded.items()}, better) for row in board.rows
    ]
    most = {column.key: max(row.cells[column.key].data_sets for row in rows) for column in (*overall, *means.values())}
    rows = [_whole_means(row, most) for row in rows]
    if overall:
        rows = order_rows(rows, {row.model: row.cells[OVERALL] for row in rows}, "a mean of")
    return replace(board, columns=(*overall, *suites), rows=tuple(rows))


def _mean_column(name: str, title: str, columns: Sequence[LeaderboardColumn]) -> LeaderboardColumn:
    metrics = {column.metric for column in columns}
    description = f"the unweighted mean of {', '.join(column.suite for column in columns)}"
    metric = min(metrics, key=lambda own: own.rank)
    return LeaderboardColumn(replace(metric, title=title, term="mean", description=description), name=name, title=title)


def _fold_row(
    row: LeaderboardRow,
    families: Mapping[str, tuple[LeaderboardColumn, Sequence[LeaderboardColumn]]],
    better: Sequence[str],
) -> LeaderboardRow:
    means = {mean.key: _mean_of([row.cells[column.key] for column in own]) for mean, own in families.values()}
    summed = [means[families[family][0].key] for family in better]
    data_sets, partial = sum(cell.data_sets for cell in summed), any(cell.partial for cell in summed)
    overall = replace(_mean_of(summed), data_sets=data_sets, partial=partial)
    return replace(row, cells={**row.cells, **means, OVERALL: overall})


def _mean_of(cells: Sequence[LeaderboardCell]) -> LeaderboardCell:
    valued = [cell for cell in cells if cell.value is not None]
    if not valued:
        return LeaderboardCell(reason=next((cell.reason for cell in cells if cell.reason), NOT_ASKED))
    return replace(mean_cell(valued), n=sum(cell.n for cell in valued))


def _whole_means(row: LeaderboardRow, most: Mapping[str, int]) -> LeaderboardRow:
    """A row whose means say over how many suites any model has one."""
    return replace(row, cells={**row.cells, **{key: replace(row.cells[key], of=of) for key, of in most.items()}})
