"""Scores and costs as cells of tables, the same on every page."""

from collections.abc import Iterable

from counterpoint import catalog
from counterpoint.core.costs import format_price
from counterpoint.explorer.views import CostFigure, MetricColumn, ScoreCell
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.leaderboard import NOT_ASKED, ModelCost
from counterpoint.store.lab import LabModel

_UNKNOWN = {
    "tokens_per_query": "its answers state no tokens",
    "price_per_1000": "no table with its prices was named",
}


def metric_columns(suite: str, names: Iterable[str]) -> tuple[MetricColumn, ...]:
    """Return a column for each metric of a suite."""
    metrics = map(catalog.metric, names)
    return tuple(MetricColumn(suite, "", metric.name, metric.title, metric.term) for metric in metrics)


def score_cell(
    reader: LabReader, suite: str, model: LabModel, metric: str, *, test: str = "", kind: str = "", address: str = ""
) -> ScoreCell:
    """Return a score as a cell, or the reason why there is none."""
    score = reader.score(suite, model.slug, metric, test=test, kind=kind)
    if score is None:
        known = reader.missing_reason(suite, model.slug, metric, test=test, kind=kind)
        asked = reader.has_answers(suite, model.slug)
        return ScoreCell(reason=(known or catalog.metric(metric).not_applicable) if asked else NOT_ASKED)
    by_chance = catalog.metric(metric).chance
    chance = reader.score(suite, model.slug, by_chance, test=test, kind=kind) if by_chance else None
    return ScoreCell(
        score.value,
        score.low,
        score.high,
        score.n,
        score.clusters,
        score.method,
        address=address,
        chance=chance.value if chance else None,
    )


def cost_figure(cost: ModelCost, name: str) -> CostFigure:
    """Return one figure of a model's cost, or the reason why it is unknown."""
    value = getattr(cost, name)
    if value is None:
        return CostFigure(reason=cost.reasons.get(name, _UNKNOWN.get(name, "")))
    if name == "tokens_per_query":
        return CostFigure(value, f"{value:,.0f}")
    if name == "price_per_1000":
        return CostFigure(value, f"{format_price(value)} {cost.currency}")
    if name == "parameters":
        return CostFigure(value, with_unit(value))
    if name == "queries_per_second":
        return CostFigure(value, f"{value:,.0f}" if value >= 10 else f"{value:.2g}")
    return CostFigure(value, f"{1000 * value:,.1f}" if value < 1 else f"{1000 * value:,.0f}")


def with_unit(number: float) -> str:
    """Return a large number with k, M or G.

    >>> with_unit(1_312_000), with_unit(71_000), with_unit(7_200_000_000), with_unit(12)
    ('1.3 M', '71 k', '7.2 G', '12')
    """
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            value = number / size
            return f"{value:.1f} {sign}" if value < 10 else f"{value:,.0f} {sign}"
    return f"{number:.0f}"
