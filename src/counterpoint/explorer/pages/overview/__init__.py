"""The leaderboard: models and metrics, over all suites or over the tests of one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from counterpoint import catalog
from counterpoint.core.errors import UnknownName
from counterpoint.explorer import board_columns
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.pages.overview.query import COST, OverviewQuery
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
from counterpoint.reports.charts.dots import Dot, DotChart
from counterpoint.reports.tables import ResultTable, TableCell, percent_cell
from counterpoint.store.models import LabModel


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
    "In per cent, with 95 % intervals over pictures drawn below on a scale from 0 to 100. What is bold cannot be told "
    "apart from the best of its column by a paired test at 5 % after Holm’s correction."
)

DEFAULT_METRIC = "comprehensive_accuracy"
"""The metric that an empty lab is ordered by."""

_NOTE = (
    "Share of pairs, in per cent, with 95 % intervals over pictures. What is bold cannot be told apart from the best "
    "of its column by a paired test at 5 % after Holm’s correction."
)

SLICES = 12
"""How many tests or kinds of a suite are listed below an opened model."""


def overview_view(reader: LabReader, request: PageRequest) -> OverviewView:
    """The models of the lab and their scores, over all suites or over the tests of one."""
    return build_overview(reader, OverviewQuery.read(request.query))


def overview_chart(reader: LabReader, request: PageRequest) -> DotChart:
    """Draw one metric of every model."""
    return metric_chart(reader, OverviewQuery.read(request.query))


def build_overview(reader: LabReader, choice: OverviewQuery, *, live: bool = True) -> OverviewView:
    """Return the leaderboard of a query; `live` where its cells link to pages."""
    _check(reader, choice)
    columns, costs = board_columns.columns(reader, choice), board_columns.cost_columns(choice)
    order = rank_models(reader, choice)
    lines = tuple(_line(reader, choice, model, columns, costs, live=live) for model in order)
    return OverviewView(
        title=f"Overview: {choice.suite}" if choice.suite else "Overview",
        sentence=SENTENCE,
        twin=choice.address("/overview.json"),
        above=choice.address(suites=()) if choice.suite else "",
        heads=board_columns.heads(columns, live=live and not choice.suite),
        columns=columns,
        lines=lines,
        costs=costs,
        by_name=board_columns.name_column(choice),
        suites=_suites(reader, choice),
        boxes=(_suite_box(reader, choice), _measure_box(reader, choice)),
        kept=tuple(pair for pair in choice.said() if pair[0] in ("sort", "open")),
        notes=_notes(reader, choice, columns),
        charts=(ChartFigure(metric_chart(reader, choice), choice.address("/overview.svg")),)
        if lines and columns
        else (),
        empty=_empty(reader),
    )


def leaderboard_table(board: OverviewView) -> ResultTable:
    """The leaderboard for terminals and papers: per cent with intervals, ties with the best in bold."""
    rows: list[list[str | TableCell]] = [
        [
            line.model,
            *(percent_cell(cell.value, cell.low, cell.high, is_bold=cell.tie, hint=cell.reason) for cell in line.cells),
        ]
        for line in board.lines
    ]
    heads = ("Model", *(column.term or column.label for column in board.columns))
    return ResultTable(
        "Leaderboard", heads, rows, spans=[(head.label, head.columns) for head in board.heads], note=_NOTE
    )


def metric_chart(reader: LabReader, choice: OverviewQuery) -> DotChart:
    """One metric of every model, a panel for each suite, or for each test of the chosen suite."""
    _check(reader, choice)
    metric = chart_metric(reader, choice)
    found = _dots(reader, choice, metric)
    return DotChart(chart_title(found, metric), tuple(found))


def chart_title(found: Sequence[Dot], metric: str) -> str:
    """The sentence above a chart: who is best, where, and by how much.

    >>> finding([Dot("a", "x", 0.5, 0.4, 0.6), Dot("b", "x", 0.25, 0.2, 0.3)], "worst_case")
    'a has the highest worst case, 50.0 %, 25.0 points above b'
    """
    lower = catalog.metric(metric).lower_is_better
    columns: dict[str, list[Dot]] = {}
    for dot in sorted(found, key=lambda dot: dot.value if lower else -dot.value):
        columns.setdefault(dot.column, []).append(dot)
    leaders = [ranked[0].row for ranked in columns.values()]
    if not leaders:
        return catalog.metric(metric).phrase
    best = max(sorted(set(leaders)), key=leaders.count)
    says = f"{best} has the {'lowest' if lower else 'highest'} {catalog.metric(metric).phrase}"
    if len(columns) > 1:
        share = "everywhere" if len(set(leaders)) == 1 else f"in {leaders.count(best)} of {len(columns)}"
        return f"{says} {share}"
    (ranked,) = columns.values()
    lead = f"{says}, {100 * ranked[0].value:.1f} %"
    if len(ranked) == 1:
        return lead
    away = 100 * abs(ranked[0].value - ranked[1].value)
    return f"{lead}, {away:.1f} points {'below' if lower else 'above'} {ranked[1].row}"


def rank_models(reader: LabReader, choice: OverviewQuery) -> tuple[LabModel, ...]:
    """The models in the order that was asked for; else the best first by the mean of one metric over the suites.

    Whoever has no value comes last, whichever way the others are ordered.
    """
    name, back = choice.sort.removeprefix("-"), choice.sort.startswith("-")
    models = sorted(reader.models(), key=lambda model: (model.name, model.slug))
    if name == "model":
        return tuple(reversed(models) if back else models)
    columns = (*board_columns.columns(reader, choice), *board_columns.cost_columns(choice))
    column = next((one for one in columns if board_columns.key(one) == name), None)
    lower = column.lower if column else catalog.metric(chart_metric(reader, choice)).lower_is_better
    values = _values(reader, choice, column)

    def rank(model: LabModel) -> tuple[bool, float]:
        value = values[model.slug]
        return value is None, 0.0 if value is None else value if lower != back else -value

    return tuple(sorted(models, key=rank))


def chart_metric(reader: LabReader, choice: OverviewQuery) -> str:
    """The metric that a chart shows: that of the column which models are ordered by, else one that suites share."""
    columns = board_columns.columns(reader, choice)
    by = [column.metric for column in columns if board_columns.key(column) == choice.sort.removeprefix("-")]
    wanted = [name for name in choice.metrics if name != COST]
    suites = board_columns.chosen_suites(reader, choice)
    displayed = [name for suite in suites for name in reader.displayed_metrics(suite)]
    shared = sorted(dict.fromkeys(displayed), key=lambda name: (-displayed.count(name), catalog.metric(name).rank))
    return next(iter([*by, *wanted, *shared, *(column.metric for column in columns), DEFAULT_METRIC]))


def score_cell(
    reader: LabReader, suite: str, model: LabModel, metric: str, *, test: str = "", kind: str = "", address: str = ""
) -> ScoreCell:
    """A score as a cell of a table; without a score, the reason why there is none."""
    score = reader.score(suite, model.slug, metric, test=test, kind=kind)
    if score is None:
        return ScoreCell(reason=reason(reader, suite, model, metric, test=test, kind=kind))
    by = catalog.metric(metric).chance
    chance = reader.score(suite, model.slug, by, test=test, kind=kind) if by else None
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


def reason(reader: LabReader, suite: str, model: LabModel, metric: str, *, test: str = "", kind: str = "") -> str:
    """Why a model has no score."""
    if not reader.has_answers(suite, model.slug):
        return unasked(model.name, suite)
    return (
        reader.missing_reason(suite, model.slug, metric, test=test, kind=kind) or catalog.metric(metric).not_applicable
    )


def unasked(model: str, suite: str) -> str:
    """Why a model has no score on a suite."""
    return f"{model} has no answers to {suite}: it was not run, or lacks the capability"


def _check(reader: LabReader, choice: OverviewQuery) -> None:
    for suite in choice.suites:
        reader.require_suite(suite)
    for metric in choice.metrics:
        if metric != COST and metric not in reader.metric_names():
            raise UnknownName("metric", metric, reader.metric_names())


def _empty(reader: LabReader) -> str:
    if not reader.suites():
        return "This lab has no suite yet."
    return "No model has answered yet: start one with counterpoint run."


def _values(reader: LabReader, choice: OverviewQuery, column: MetricColumn | None) -> dict[str, float | None]:
    """What models are ordered by: their values in a column, else their means over the suites that are shown."""
    slugs = [model.slug for model in reader.models()]
    if column is not None and column.suite == COST:
        return {slug: getattr(reader.costs()[slug], column.metric) for slug in slugs}
    metric = column.metric if column else chart_metric(reader, choice)
    suites = [(column.suite, column.test)] if column else [(s, "") for s in board_columns.chosen_suites(reader, choice)]
    found: dict[str, float | None] = {}
    for slug in slugs:
        scores = [reader.score(suite, slug, metric, test=test) for suite, test in suites]
        values = [score.value for score in scores if score is not None]
        found[slug] = sum(values) / len(values) if values else None
    return found


def _line(
    reader: LabReader,
    choice: OverviewQuery,
    model: LabModel,
    columns: Sequence[MetricColumn],
    costs: Sequence[MetricColumn],
    *,
    live: bool,
) -> ScoreRow:
    opened = live and model.slug in choice.opened
    return ScoreRow(
        model.name,
        model.name,
        " · ".join(filter(None, [model.detail, _out_of_form(reader, model, columns)])),
        tuple(_cell(reader, model, column, live=live) for column in columns),
        address=f"/models/{quote(model.slug)}" if live else "",
        slug=model.slug,
        costs=board_columns.costs(reader, model, costs),
        toggle=f"{choice.toggled(model.slug)}#model-{model.slug}" if live else "",
        opened=opened,
        blocks=tuple(_blocks(reader, choice, model)) if opened else (),
    )


def _out_of_form(reader: LabReader, model: LabModel, columns: Sequence[MetricColumn]) -> str:
    """The share of a model's answers that no value could be taken from, in the suites that are shown."""
    found: Counter[str] = Counter()
    for suite in dict.fromkeys(column.suite for column in columns):
        found.update(reader.state_counts(suite, model.slug))
    given = sum(found[state] for state in ("ok", "unparsed", "refused"))
    return ", ".join(f"{found[state] / given:.1%} {state}" for state in ("unparsed", "refused") if found[state])


def _cell(reader: LabReader, model: LabModel, column: MetricColumn, *, live: bool) -> ScoreCell:
    address = _suite_address(column.suite, model, test=column.test) if live else ""
    cell = score_cell(reader, column.suite, model, column.metric, test=column.test, address=address)
    tie = model.slug in reader.ties(column.suite, column.metric, test=column.test)
    return replace(cell, tie=tie and cell.value is not None)


def _suite_address(suite: str, model: LabModel, **chosen: str) -> str:
    asked = {name: value for name, value in chosen.items() if value}
    path = f"/suites/{quote(suite)}/models/{quote(model.slug)}"
    return f"{path}?{urlencode(asked)}#groups" if asked else path


def _blocks(reader: LabReader, choice: OverviewQuery, model: LabModel) -> list[SuiteBlock]:
    """What is below an opened model: its suites, each with its data set and its tests or kinds."""
    found = []
    for suite in board_columns.chosen_suites(reader, choice):
        metric = next(iter(board_columns.shown(reader, choice, suite)), "")
        if not metric or reader.score(suite, model.slug, metric) is None:
            continue
        cut = _slices(reader, suite, model, metric)
        found.append(
            SuiteBlock(
                suite,
                data_set(reader.lab.manifest(suite), reader.tests(suite)),
                catalog.metric(metric).title,
                _suite_address(suite, model),
                tuple(cut[:SLICES]),
                max(len(cut) - SLICES, 0),
            )
        )
    return found


def _slices(reader: LabReader, suite: str, model: LabModel, metric: str) -> list[SliceCell]:
    """The tests of a suite where there are several, else its kinds, each that has a score; else the whole."""
    whole = reader.slices(suite)
    tests = [(test, kind) for test, kind in whole if test and not kind]
    cut = tests if len(tests) > 1 else [(test, kind) for test, kind in whole if kind]
    found = []
    for test, kind in cut or tests:
        address = _suite_address(suite, model, test=test, kind=kind)
        cell = score_cell(reader, suite, model, metric, test=test, kind=kind, address=address)
        if cell.value is not None:
            found.append(SliceCell(kind or test, cell))
    return found


def _suites(reader: LabReader, choice: OverviewQuery) -> tuple[LinkChoice, ...]:
    named = [("all suites", ()), *((suite, (suite,)) for suite in reader.suites())]
    return tuple(LinkChoice(label, choice.address(suites=value), choice.suites == value) for label, value in named)


def _suite_box(reader: LabReader, choice: OverviewQuery) -> SelectBox:
    options = (SelectOption(suite, suite, suite in choice.suites) for suite in reader.suites())
    return SelectBox("suite", "Suites", tuple(options))


def _measure_box(reader: LabReader, choice: OverviewQuery) -> SelectBox:
    """The metrics that have a value on any suite that is shown, and cost."""
    suites = board_columns.chosen_suites(reader, choice)
    applying = {name for suite in suites for name in reader.applicable_metrics(suite)} - {
        metric.chance for metric in reader.metrics
    }
    known = [name for name in reader.metric_names() if name in applying]
    options = [SelectOption(name, catalog.metric(name).title, name in choice.metrics) for name in known]
    return SelectBox("metric", "Columns", (*options, SelectOption(COST, "Cost", COST in choice.metrics)))


def _notes(reader: LabReader, choice: OverviewQuery, columns: Sequence[MetricColumn]) -> tuple[str, ...]:
    measured = dict.fromkeys(column.metric for column in columns)
    says = " ".join(f"{catalog.metric(name).title}: {catalog.metric(name).description}" for name in measured)
    ordered = "" if choice.sort or not columns else f"Models are ordered by their mean {_lead(reader, choice)}."
    cost = "Cost is that of the runs in this lab, on whatever machine they ran." if not choice.metrics else ""
    return tuple(filter(None, [says, " ".join(filter(None, [ordered, cost]))]))


def _lead(reader: LabReader, choice: OverviewQuery) -> str:
    return catalog.metric(chart_metric(reader, choice)).phrase


def _dots(reader: LabReader, choice: OverviewQuery, metric: str) -> list[Dot]:
    found, order = [], rank_models(reader, choice)
    for suite, test in board_columns.places(reader, choice):
        for model in order:
            score = reader.score(suite, model.slug, metric, test=test)
            if score is not None and score.n:
                found.append(Dot(model.name, test or suite, score.value, score.low, score.high))
    return found
