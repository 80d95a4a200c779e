"""Charts of the leaderboard: one metric of every model, a panel for each suite or test."""

from collections.abc import Sequence

from counterpoint.metrics.leaderboard import Leaderboard
from counterpoint.metrics.metric import Metric
from counterpoint.reports.charts.dots import Dot, DotChart

MAX_CHARTS = 3
"""Metrics that are drawn; the table has all."""


def leaderboard_charts(board: Leaderboard) -> list[DotChart]:
    """A chart for each of the first metrics of a leaderboard."""
    metrics = list(dict.fromkeys(column.metric for column in board.columns))[:MAX_CHARTS]
    charts = []
    for metric in metrics:
        dots = [
            Dot(row.model, column.test or column.suite, cell.value, cell.low, cell.high)
            for column in board.columns
            if column.metric == metric
            for row in board.rows
            for cell in [row.cells[column.key]]
            if cell.value is not None and cell.low is not None and cell.high is not None
        ]
        charts.append(DotChart(metric_chart_title(dots, metric), tuple(dots)))
    return charts


def metric_chart_title(dots: Sequence[Dot], metric: Metric) -> str:
    """The finding of a chart: which model is best, in how many panels, and in a single panel by how much.

    >>> from counterpoint.metrics.accuracy import worst_case
    >>> metric_chart_title([Dot("a", "x", 0.5, 0.4, 0.6), Dot("b", "x", 0.25, 0.2, 0.3)], worst_case)
    'a has the highest worst case, 50.0 %, 25.0 points above b'
    """
    panels: dict[str, list[Dot]] = {}
    for dot in sorted(dots, key=lambda dot: dot.value if metric.lower_is_better else -dot.value):
        panels.setdefault(dot.column, []).append(dot)
    if not panels:
        return metric.phrase
    leaders = [ranked[0].row for ranked in panels.values()]
    best = max(sorted(set(leaders)), key=leaders.count)
    title = f"{best} has the {'lowest' if metric.lower_is_better else 'highest'} {metric.phrase}"
    if len(panels) > 1:
        return f"{title} {'everywhere' if len(set(leaders)) == 1 else f'in {leaders.count(best)} of {len(panels)}'}"
    (ranked,) = panels.values()
    title = f"{title}, {100 * ranked[0].value:.1f} %"
    if len(ranked) == 1:
        return title
    difference = 100 * abs(ranked[0].value - ranked[1].value)
    return f"{title}, {difference:.1f} points {'below' if metric.lower_is_better else 'above'} {ranked[1].row}"
