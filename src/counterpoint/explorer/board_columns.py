"""The columns of the leaderboard: for each suite the metrics that mean something there, and what models cost."""

from collections.abc import Callable, Sequence
from itertools import groupby

from counterpoint import catalog
from counterpoint.core.groups import Relation
from counterpoint.explorer.pages.overview.query import COST, COSTS, OverviewQuery
from counterpoint.explorer.views import ColumnGroup, CostFigure, MetricColumn
from counterpoint.lab.reader import LabReader
from counterpoint.store.models import LabModel

FEW = 4
"""Suites up to which each shows all its main metrics; where there are more, each shows the first."""

HEADS = {
    "parameters": ("Parameters", "fewer first"),
    "queries_per_second": ("Queries a second", "whole runs"),
    "seconds_per_query": ("Milliseconds", "a query"),
}
"""Label and term of each column of cost."""

_LESS = ("parameters", "seconds_per_query")  # is better


def columns(reader: LabReader, choice: OverviewQuery) -> tuple[MetricColumn, ...]:
    """The columns of metrics, each of which has a value for at least one model."""
    cut = [(suite, test, shown(reader, choice, suite, test)) for suite, test in places(reader, choice)]
    apart = any(len(names) > 1 for _, _, names in cut)
    return tuple(
        _column(choice, suite, test, metric, starts=apart and place > 0 and number == 0)
        for place, (suite, test, names) in enumerate(cut)
        for number, metric in enumerate(names)
    )


def cost_columns(choice: OverviewQuery) -> tuple[MetricColumn, ...]:
    """The columns that say what a model costs, unless others were chosen."""
    if choice.metrics and COST not in choice.metrics:
        return ()
    return tuple(
        MetricColumn(
            COST,
            "",
            name,
            *HEADS[name],
            whole=HEADS[name][0],
            starts=name == COSTS[0],
            lower=name in _LESS,
            address=choice.sorting(f"{COST}/{name}"),
            sorted=_sorted(choice, f"{COST}/{name}", lower=name in _LESS),
        )
        for name in COSTS
    )


def name_column(choice: OverviewQuery) -> MetricColumn:
    """The column of names, by which models can be ordered too."""
    return MetricColumn(
        "", "", "", "Model", "", address=choice.sorting("model"), sorted=_sorted(choice, "model", lower=True)
    )


def chosen_suites(reader: LabReader, choice: OverviewQuery) -> tuple[str, ...]:
    """The suites that are shown: first those of answers, then of captions, last of exchanged inputs."""
    return tuple(sorted(choice.suites or reader.suites(), key=lambda suite: _family(reader, suite)))


def places(reader: LabReader, choice: OverviewQuery) -> list[tuple[str, str]]:
    """Each suite as (suite, test), without a test; of one suite alone the whole of it and its tests."""
    if not choice.suite:
        return [(suite, "") for suite in chosen_suites(reader, choice)]
    tests = reader.tests(choice.suite)
    return [(choice.suite, test) for test in (["", *tests] if len(tests) > 1 else tests)]


def shown(reader: LabReader, choice: OverviewQuery, suite: str, test: str = "") -> tuple[str, ...]:
    """The metrics that are shown of a suite or test: those that were chosen, else the main ones."""
    applying = reader.applicable_metrics(suite, test=test)
    wanted = [name for name in choice.metrics if name != COST]
    if wanted:
        return tuple(name for name in wanted if name in applying)
    found = reader.displayed_metrics(suite, test=test)
    return found if len(places(reader, choice)) <= FEW or choice.suite else found[:1]


def key(column: MetricColumn) -> str:
    """The name of a column in addresses."""
    return "/".join(filter(None, [column.suite, column.test, column.metric]))


def heads(found: Sequence[MetricColumn], *, live: bool) -> tuple[ColumnGroup, ...]:
    """What the columns of a suite or test have in common; `live` where it leads to that suite alone."""
    return tuple(
        ColumnGroup(test or suite, len(list(members)), OverviewQuery((suite,)).address() if live else "")
        for (suite, test), members in groupby(found, key=lambda column: (column.suite, column.test))
    )


def costs(reader: LabReader, model: LabModel, found: Sequence[MetricColumn]) -> tuple[CostFigure, ...]:
    """What a model costs, as the columns ask."""
    own = reader.costs()[model.slug] if found else None
    texts: dict[str, Callable[[float], str]] = {
        "parameters": large,
        "queries_per_second": lambda value: f"{value:,.0f}" if value >= 10 else f"{value:.2g}",
        "seconds_per_query": lambda value: f"{1000 * value:,.1f}" if value < 1 else f"{1000 * value:,.0f}",
    }
    figures = []
    for column in found:
        value = getattr(own, column.metric)
        reason = own.reasons.get(column.metric, "") if own else ""
        figures.append(CostFigure(reason=reason) if value is None else CostFigure(value, texts[column.metric](value)))
    return tuple(figures)


def large(number: float) -> str:
    """A large number in few signs.

    >>> large(1_312_000), large(71_000), large(7_200_000_000), large(12)
    ('1.3 M', '71 k', '7.2 G', '12')
    """
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            value = number / size
            return f"{value:.1f} {sign}" if value < 10 else f"{value:,.0f} {sign}"
    return f"{number:.0f}"


def _column(choice: OverviewQuery, suite: str, test: str, metric: str, *, starts: bool) -> MetricColumn:
    column = MetricColumn(suite, test, metric, catalog.metric(metric).title, catalog.metric(metric).term)
    lower = catalog.metric(metric).lower_is_better
    return MetricColumn(
        suite,
        test,
        metric,
        column.label,
        column.term,
        whole=f"{test or suite} · {column.label}",
        starts=starts,
        lower=lower,
        says=catalog.metric(metric).description,
        address=choice.sorting(key(column)),
        sorted=_sorted(choice, key(column), lower=lower),
    )


def _sorted(choice: OverviewQuery, name: str, *, lower: bool) -> str:
    """Which way a column goes, from the first model to the last, if models are ordered by it."""
    if choice.sort.removeprefix("-") != name:
        return ""
    return "ascending" if choice.sort.startswith("-") != lower else "descending"


def _family(reader: LabReader, suite: str) -> tuple[int, str]:
    relations = reader.contents(suite).relations
    return (Relation.RANKS in relations) + 2 * (Relation.SWAP in relations), suite
