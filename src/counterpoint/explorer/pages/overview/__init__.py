"""The overview: the leaderboard of the lab, over all suites or over the tests of one, and a chart of one metric."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import quote, urlencode

from counterpoint import catalog
from counterpoint.core.errors import UnknownName
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.pages.overview.query import COST, COSTS, LOWER_COSTS, TOKEN_COSTS, OverviewQuery
from counterpoint.explorer.score_cells import cost_figure, score_cell
from counterpoint.explorer.views import (
    ChartFigure,
    ColumnGroup,
    LinkChoice,
    MetricColumn,
    ScoreCell,
    ScoreRow,
    SelectBox,
    SelectOption,
    SliceCell,
    SuiteBlock,
)
from counterpoint.lab.leaderboard import data_set
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.leaderboard import Leaderboard, LeaderboardCell, LeaderboardColumn, LeaderboardRow
from counterpoint.reports.charts.dots import Dot, DotChart
from counterpoint.reports.leaderboard_charts import metric_chart_title
from counterpoint.store.lab import LabModel


@dataclass(frozen=True, slots=True)
class OverviewView(PageView):
    """Models and metrics."""

    heads: tuple[ColumnGroup, ...] = ()
    columns: tuple[MetricColumn, ...] = ()
    lines: tuple[ScoreRow, ...] = ()
    costs: tuple[MetricColumn, ...] = ()
    by_name: MetricColumn | None = None  # ordered by the names of the models
    suites: tuple[LinkChoice, ...] = ()
    boxes: tuple[SelectBox, ...] = ()  # of which several can be chosen
    kept: tuple[tuple[str, str], ...] = ()  # what the address says beside these
    notes: tuple[str, ...] = ()
    charts: tuple[ChartFigure, ...] = ()
    empty: str = ""


SENTENCE = (
    "In per cent, with 95 % intervals over pictures drawn below on a scale from 0 to 100. Bold values are "
    "statistically tied with the best of their column: a paired test at 5 % after Holm’s correction."
)

NO_ANSWERS = "No model has answered yet: start one with counterpoint run."

DEFAULT_METRIC = "comprehensive_accuracy"
"""The metric that the chart of an empty lab is about."""

SLICES = 12
"""How many tests or kinds of a suite are listed below an expanded model."""


def overview_view(reader: LabReader, request: PageRequest) -> OverviewView:
    """The models of the lab and their scores, over all suites or over the tests of one."""
    return build_overview(reader, OverviewQuery.read(request.query))


def overview_chart(reader: LabReader, request: PageRequest) -> DotChart:
    """Draw one metric of every model."""
    return metric_chart(reader, OverviewQuery.read(request.query))


def build_overview(reader: LabReader, query: OverviewQuery) -> OverviewView:
    """Return the leaderboard of a query."""
    board = _leaderboard(reader, query)
    columns, models = _columns(board, query), {model.name: model for model in reader.models()}
    rows, by_name = sorted_rows(board, query), query.direction("model", lower=True)
    figures = (ChartFigure(metric_chart(reader, query), query.address("/overview.svg")),)
    return OverviewView(
        title=f"Overview: {query.suite}" if query.suite else "Overview",
        sentence=SENTENCE,
        twin=query.address("/overview.json"),
        above=query.address(suites=()) if query.suite else "",
        heads=_column_groups(columns, linked=not query.suite),
        columns=columns,
        lines=tuple(_line(reader, board, query, row, models[row.model]) for row in rows),
        costs=_cost_columns(board, query),
        by_name=MetricColumn("", "", "", "Model", "", address=query.sorted_by("model"), sorted=by_name),
        suites=_suite_links(reader, query),
        boxes=(_suite_box(reader, query), _metric_box(reader, query)),
        kept=tuple(pair for pair in query.parameters() if pair[0] in ("sort", "open")),
        notes=_notes(board, query),
        charts=figures if rows and columns else (),
        empty=NO_ANSWERS if reader.suites() else "This lab has no suite yet.",
    )


def metric_chart(reader: LabReader, query: OverviewQuery) -> DotChart:
    """Draw one metric of every model, with a panel for each suite, or for each test of the chosen suite."""
    board = _leaderboard(reader, query)
    metric = _chart_metric(board, query)
    slugs = {model.name: model.slug for model in reader.models()}
    tests = reader.tests(query.suite) if query.suite else ()
    suites = dict.fromkeys(column.suite for column in board.columns)
    places = [(suite, test) for suite in suites for test in ("", *(tests if len(tests) > 1 else ()))]
    dots = [
        Dot(row.model, test or suite, score.value, score.low, score.high)
        for suite, test in places
        for row in sorted_rows(board, query)
        if (score := reader.score(suite, slugs[row.model], metric, test=test))
        if score.low is not None and score.high is not None
    ]
    return DotChart(metric_chart_title(dots, catalog.metric(metric)), tuple(dots))


def sorted_rows(board: Leaderboard, query: OverviewQuery) -> tuple[LeaderboardRow, ...]:
    """Return the rows in the order that was asked for, else in that of the leaderboard.

    A model without a value comes last in both directions.
    """
    if query.sort_key == "model":
        return tuple(sorted(board.rows, key=lambda row: row.model, reverse=query.is_reversed))
    column = next((column for column in board.columns if column.key == query.sort_key), None)
    suite, _, cost = query.sort_key.partition("/")
    if column is None and not (suite == COST and cost in query.costs):
        return board.rows
    lower = column.metric.lower_is_better if column else cost in LOWER_COSTS

    def rank(row: LeaderboardRow) -> tuple[bool, float]:
        value = row.cells[column.key].value if column else getattr(row.cost, cost)
        return value is None, 0.0 if value is None else value if lower != query.is_reversed else -value

    return tuple(sorted(sorted(board.rows, key=lambda row: row.model), key=rank))


def _leaderboard(reader: LabReader, query: OverviewQuery) -> Leaderboard:
    for suite in query.suites:
        reader.require_suite(suite)
    for metric in query.metric_names:
        if metric not in reader.metric_names():
            raise UnknownName("metric", metric, reader.metric_names())
    return reader.leaderboard(query.suites, query.metric_names)


def _chart_metric(board: Leaderboard, query: OverviewQuery) -> str:
    """Return the metric of the column that models are sorted by, else a chosen one, else that of most columns."""
    sorted_by = [column.metric.name for column in board.columns if column.key == query.sort_key]
    return next(iter([*sorted_by, *query.metric_names, *filter(None, [board.order]), DEFAULT_METRIC]))


def _columns(board: Leaderboard, query: OverviewQuery) -> tuple[MetricColumn, ...]:
    places = [(column.suite, column.test) for column in board.columns]
    has_groups = any(number > 1 for number in Counter(places).values())
    return tuple(
        MetricColumn(
            column.suite,
            column.test,
            metric.name,
            metric.title,
            metric.term,
            whole=f"{column.test or column.suite} · {metric.title}",
            starts=has_groups and place > 0 and places[place] != places[place - 1],
            lower=metric.lower_is_better,
            says=metric.description,
            address=query.sorted_by(column.key),
            sorted=query.direction(column.key, lower=metric.lower_is_better),
        )
        for place, column in enumerate(board.columns)
        for metric in [column.metric]
    )


def _cost_names(board: Leaderboard, query: OverviewQuery) -> list[str]:
    """Return the costs that are shown, those of tokens only where a model has any."""
    held = {name for name in TOKEN_COSTS if any(getattr(row.cost, name) is not None for row in board.rows)}
    return [name for name in query.costs if name in held or name not in TOKEN_COSTS]


def _cost_columns(board: Leaderboard, query: OverviewQuery) -> tuple[MetricColumn, ...]:
    return tuple(
        MetricColumn(
            COST,
            "",
            name,
            *COSTS[name],
            whole=COSTS[name][0],
            starts=place == 0,
            lower=name in LOWER_COSTS,
            address=query.sorted_by(f"{COST}/{name}"),
            sorted=query.direction(f"{COST}/{name}", lower=name in LOWER_COSTS),
        )
        for place, name in enumerate(_cost_names(board, query))
    )


def _column_groups(columns: Sequence[MetricColumn], *, linked: bool) -> tuple[ColumnGroup, ...]:
    """Return what the columns of a suite or test have in common; `linked` where it links to that suite alone."""
    return tuple(
        ColumnGroup(test or suite, len(list(members)), OverviewQuery((suite,)).address() if linked else "")
        for (suite, test), members in groupby(columns, key=lambda column: (column.suite, column.test))
    )


def _line(
    reader: LabReader, board: Leaderboard, query: OverviewQuery, row: LeaderboardRow, model: LabModel
) -> ScoreRow:
    opened = model.slug in query.opened
    return ScoreRow(
        model.name,
        model.name,
        " · ".join(filter(None, [model.detail, _format_errors(reader, model, board)])),
        tuple(_cell(reader, model, column, row.cells[column.key]) for column in board.columns),
        address=f"/models/{quote(model.slug)}",
        slug=model.slug,
        costs=tuple(cost_figure(row.cost, name) for name in _cost_names(board, query)),
        toggle=f"{query.toggled(model.slug)}#model-{model.slug}",
        opened=opened,
        blocks=tuple(_blocks(reader, board, model)) if opened else (),
    )


def _format_errors(reader: LabReader, model: LabModel, board: Leaderboard) -> str:
    """Return the shares of a model's answers that are unparsed, refused or hedged, in the suites that are shown."""
    states: Counter[str] = Counter()
    for suite in dict.fromkeys(column.suite for column in board.columns):
        states.update(reader.state_counts(suite, model.slug))
    answers = sum(states[state] for state in ("ok", "unparsed", "refused", "hedged"))
    return ", ".join(
        f"{states[state] / answers:.1%} {state}" for state in ("unparsed", "refused", "hedged") if states[state]
    )


def _cell(reader: LabReader, model: LabModel, column: LeaderboardColumn, cell: LeaderboardCell) -> ScoreCell:
    """Return a cell of the leaderboard with its number of pictures and the method of its interval."""
    score = reader.score(column.suite, model.slug, column.metric.name, test=column.test)
    return ScoreCell(
        cell.value,
        cell.low,
        cell.high,
        cell.n,
        score.clusters if score else 0,
        score.method if score else "",
        tie=cell.tie,
        reason=cell.reason,
        address=_suite_address(column.suite, model, test=column.test) if cell.value is not None else "",
        chance=cell.chance,
    )


def _suite_address(suite: str, model: LabModel, **parameters: str) -> str:
    given = {name: value for name, value in parameters.items() if value}
    path = f"/suites/{quote(suite)}/models/{quote(model.slug)}"
    return f"{path}?{urlencode(given)}#groups" if given else path


def _blocks(reader: LabReader, board: Leaderboard, model: LabModel) -> Iterator[SuiteBlock]:
    """Yield what is below an expanded model: its suites by their first metric, each with its tests or kinds."""
    for suite, columns in groupby(board.columns, key=lambda column: column.suite):
        metric = next(columns).metric
        if reader.score(suite, model.slug, metric.name) is not None:
            cells, source = _slice_cells(reader, suite, model, metric.name), reader.lab.manifest(suite)
            address, more = _suite_address(suite, model), max(len(cells) - SLICES, 0)
            where = data_set(source, reader.tests(suite))
            yield SuiteBlock(suite, where, metric.title, address, tuple(cells[:SLICES]), more)


def _slice_cells(reader: LabReader, suite: str, model: LabModel, metric: str) -> list[SliceCell]:
    """Return the tests of a suite that have a score, if there are several, else its kinds, else the whole."""
    slices = reader.slices(suite)
    tests = [(test, kind) for test, kind in slices if test and not kind]
    shown = tests if len(tests) > 1 else [(test, kind) for test, kind in slices if kind]
    cells = []
    for test, kind in shown or tests:
        address = _suite_address(suite, model, test=test, kind=kind)
        cell = score_cell(reader, suite, model, metric, test=test, kind=kind, address=address)
        if cell.value is not None:
            cells.append(SliceCell(kind or test, cell))
    return cells


def _suite_links(reader: LabReader, query: OverviewQuery) -> tuple[LinkChoice, ...]:
    suites = [("all suites", ()), *((suite, (suite,)) for suite in reader.suites())]
    return tuple(LinkChoice(label, query.address(suites=value), query.suites == value) for label, value in suites)


def _suite_box(reader: LabReader, query: OverviewQuery) -> SelectBox:
    options = (SelectOption(suite, suite, suite in query.suites) for suite in reader.suites())
    return SelectBox("suite", "Suites", tuple(options))


def _metric_box(reader: LabReader, query: OverviewQuery) -> SelectBox:
    """Return the metrics that have a value on any suite that is shown, and cost."""
    suites = query.suites or reader.suites()
    applicable = {name for suite in suites for name in reader.applicable_metrics(suite)}
    applicable -= {metric.chance for metric in reader.metrics}
    names = [name for name in reader.metric_names() if name in applicable]
    options = [SelectOption(name, catalog.metric(name).title, name in query.metrics) for name in names]
    return SelectBox("metric", "Columns", (*options, SelectOption(COST, "Cost", COST in query.metrics)))


def _notes(board: Leaderboard, query: OverviewQuery) -> tuple[str, ...]:
    metrics = dict.fromkeys(column.metric for column in board.columns)
    definitions = " ".join(f"{metric.title}: {metric.description}" for metric in metrics)
    lead = catalog.metric(board.order).phrase if board.order and not query.sort else ""
    order = f"Models are ordered by their mean {lead}." if lead else ""
    cost = "Cost is that of the runs in this lab, on whatever machine they ran." if not query.metrics else ""
    return tuple(filter(None, [definitions, " ".join(filter(None, [order, cost]))]))
