"""Scores and costs as cells of tables, the same on every page."""

from collections.abc import Iterable

from counterpoint import catalog
from counterpoint.core.costs import format_milliseconds, format_price, format_rate
from counterpoint.explorer.group_filters import failures_address
from counterpoint.explorer.views import CostFigure, MetricColumn, ScoreCell
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.leaderboard import NOT_ASKED, ModelCost
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.selection import GroupFilter

_UNKNOWN = {
    "tokens_per_query": "its answers state no tokens",
    "price_per_1000": "no table with its prices was named",
}


def metric_columns(reader: LabReader, suite: str, names: Iterable[str]) -> tuple[MetricColumn, ...]:
    """Return a column for each metric of a suite."""
    return tuple(
        MetricColumn(
            suite,
            "",
            metric.name,
            metric.title,
            metric.term,
            lower=metric.lower_is_better,
            chance=reader.chance(suite, metric.name),
        )
        for metric in map(catalog.metric, names)
    )


def score_failures(
    reader: LabReader, suite: str, model: LabModel, metric: str, *, test: str = "", kind: str = ""
) -> str:
    """Return where Browse lists the groups behind a score that do not pass by its metric.

    A metric that a single group has no score by leads to the groups that fail.
    """
    known = metric in reader.group_metrics()
    chosen = GroupFilter(model.slug, suite, test, kind, metric=metric if known else "")
    return failures_address(chosen, lower_is_better=catalog.metric(metric).lower_is_better)


def score_cell(
    reader: LabReader, suite: str, model: LabModel, metric: str, *, test: str = "", kind: str = ""
) -> ScoreCell:
    """Return a score as a cell that leads to the failures behind it, or the reason why there is none."""
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
        address=score_failures(reader, suite, model, metric, test=test, kind=kind),
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
        return CostFigure(value, format_rate(value))
    return CostFigure(value, format_milliseconds(value))


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
