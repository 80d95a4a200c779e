"""The overview: what fails in the lab, and its leaderboard, over all suites or over the tests of one."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from urllib.parse import quote

from counterpoint import catalog
from counterpoint.core.errors import UnknownName
from counterpoint.explorer.group_filters import browse_address
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.pages.overview.examples import FailingExample, failing_examples
from counterpoint.explorer.pages.overview.query import (
    ALL_FAMILIES,
    COST,
    COSTS,
    LOWER_COSTS,
    OverviewQuery,
)
from counterpoint.explorer.score_cells import cost_figure, score_cell, score_failures
from counterpoint.explorer.views import (
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
from counterpoint.lab.failing_suites import is_plain
from counterpoint.lab.leaderboard import data_set
from counterpoint.lab.reader import LabReader
from counterpoint.lab.saved_slices import list_slices, read_slice
from counterpoint.lab.slice_columns import add_slices
from counterpoint.metrics.families import fold_families
from counterpoint.metrics.leaderboard import (
    FEW_SUITES,
    NOT_ASKED,
    Leaderboard,
    LeaderboardCell,
    LeaderboardColumn,
    LeaderboardRow,
    detectable_difference,
)
from counterpoint.metrics.scoring import ALL_FAILED
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.selection import GroupFilter

SENTENCE = (
    "Each test asks a model the same thing twice, or two things that must not be answered alike. A group is one "
    "question with its variants; a model passes where its answers fit together and are right."
)

PLAIN_SENTENCE = "Each model is asked questions about pictures, and passes where its answer is the gold one."

SCALE = (
    "In per cent, with 95 % intervals over pictures; higher is better unless a column says otherwise, and chance is "
    "what guessing would score. Bold values are statistically tied with the best of their column: a paired test at 5 % "
    "after Holm’s correction. Where most models are tied, none is bold: “ties below 12” says that its groups "
    "cannot tell smaller differences than 12 points."
)
"""What the numbers of the leaderboard are."""


@dataclass(frozen=True, slots=True)
class OverviewView(PageView):
    """Models and metrics."""

    heading: str = ""
    scale: str = SCALE
    heads: tuple[ColumnGroup, ...] = ()
    columns: tuple[MetricColumn, ...] = ()
    lines: tuple[ScoreRow, ...] = ()
    costs: tuple[MetricColumn, ...] = ()
    by_name: MetricColumn | None = None  # ordered by the names of the models
    suites: tuple[LinkChoice, ...] = ()
    boxes: tuple[SelectBox, ...] = ()  # of which several can be chosen
    kept: tuple[tuple[str, str], ...] = ()  # what the address says beside these
    notes: tuple[str, ...] = ()
    examples: tuple[FailingExample, ...] = ()
    dense: bool = False  # too many columns for intervals
    floor: tuple[ScoreRow, ...] = ()  # models that do not look, or do not think, apart
    folds: tuple[LinkChoice, ...] = ()  # families with their suites shown or not, and versions
    empty: str = ""


MEANS = (
    "Overall is the unweighted mean of the families of which more is better, and a family that of its suites, each by "
    "its first metric. A mean in italics lacks suites that other models have. Models are ordered by the overall mean."
)
"""What the columns of families are."""

NO_ANSWERS = "No model has answered yet: start one with counterpoint run."

FOLDED = 9
"""Suites from which a family of suites has one column, which opens."""

SLICES = 12
"""How many tests or kinds of a suite are listed below an expanded model."""


def overview_view(reader: LabReader, request: PageRequest) -> OverviewView:
    """The models of the lab and their scores, over all suites or over the tests of one."""
    return build_overview(reader, OverviewQuery.read(request.query))


def build_overview(reader: LabReader, query: OverviewQuery) -> OverviewView:
    """Return the leaderboard of a query."""
    board = _shown_leaderboard(reader, query)
    columns, models = _columns(reader, board, query), {model.name: model for model in reader.models()}
    rows, by_name = _chosen_rows(reader, board, query, models), query.direction("model", lower=True)
    dense = is_dense(board)
    lines = [_line(reader, board, query, row, models[row.model]) for row in rows]
    return OverviewView(
        title=f"Overview: {query.suite}" if query.suite else "Overview",
        sentence=PLAIN_SENTENCE if is_plain(reader) else SENTENCE,
        heading=f"Overview: {query.suite}" if query.suite else _heading(len(models)),
        twin=query.address("/overview.json"),
        above=query.address(suites=()) if query.suite else "",
        heads=() if dense else _column_groups(columns, linked=not query.suite),
        columns=columns,
        lines=tuple(line for line, row in zip(lines, rows, strict=True) if not row.is_floor),
        floor=tuple(line for line, row in zip(lines, rows, strict=True) if row.is_floor),
        dense=dense,
        folds=tuple(_folds(reader, query)) if is_folded(reader, query) else (),
        costs=_cost_columns(board, query),
        by_name=MetricColumn("", "", "", "Model", "", address=query.sorted_by("model"), sorted=by_name),
        suites=_suite_links(reader, query),
        boxes=(_suite_box(reader, query), _metric_box(reader, query), *_slice_box(reader, query)),
        kept=tuple(pair for pair in query.parameters() if pair[0] not in ("suite", "metric", "slice")),
        notes=_notes(board, query),
        examples=() if query.suites else failing_examples(reader, tuple(reader.baselines())),
        empty=NO_ANSWERS if reader.suites() else "This lab has no suite yet.",
    )


def _heading(models: int) -> str:
    return (
        "What a model does and does not understand" if models == 1 else f"What {models} models do and do not understand"
    )


def sorted_rows(board: Leaderboard, query: OverviewQuery) -> tuple[LeaderboardRow, ...]:
    """Return the rows in the order that was asked for, else in that of the leaderboard.

    A model without a value comes last in both directions.
    """
    if query.sort_key == "model":
        return tuple(sorted(board.rows, key=lambda row: natural_key(row.model), reverse=query.is_reversed))
    column = next((column for column in board.columns if column.key == query.sort_key), None)
    suite, _, cost = query.sort_key.partition("/")
    if column is None and not (suite == COST and cost in query.costs):
        return board.rows
    lower = column.metric.lower_is_better if column else cost in LOWER_COSTS

    def rank(row: LeaderboardRow) -> tuple[bool, float]:
        value = row.cells[column.key].value if column else getattr(row.cost, cost)
        return value is None, 0.0 if value is None else value if lower != query.is_reversed else -value

    return tuple(sorted(sorted(board.rows, key=lambda row: row.model), key=rank))


def natural_key(name: str) -> list[str | int]:
    """Return a key that orders names as people do: without regard to case, and by the value of their numbers.

    >>> sorted(["vlm@step-1000", "Zoom", "vlm@step-500"], key=natural_key)
    ['vlm@step-500', 'vlm@step-1000', 'Zoom']
    """
    parts = re.split(r"([0-9]+)", name.casefold())  # every second one is a number
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def is_dense(board: Leaderboard) -> bool:
    """Return whether there are too many suites for intervals below the numbers."""
    suites = {column.suite for column in board.columns if not column.slice}
    return len(suites) > FEW_SUITES or "" in suites


def is_folded_board(board: Leaderboard) -> bool:
    """Return whether a leaderboard has means over families."""
    return any(not column.suite and not column.slice for column in board.columns)


def is_folded(reader: LabReader, query: OverviewQuery) -> bool:
    """Return whether families of suites have one column each."""
    return len(query.suites or reader.suites()) >= FOLDED and not query.metric_names


def _shown_leaderboard(reader: LabReader, query: OverviewQuery) -> Leaderboard:
    """Return the leaderboard with the means of families, where suites are many."""
    board = _leaderboard(reader, query)
    if board.columns and is_folded(reader, query):
        families = {column.suite: reader.family(column.suite) for column in board.columns}
        shown = families.values() if ALL_FAMILIES in query.families else query.families
        board = fold_families(board, families, shown)
    return _with_slices(reader, query, board) if query.slices else board


def _with_slices(reader: LabReader, query: OverviewQuery, board: Leaderboard) -> Leaderboard:
    """Return the leaderboard with the columns of the saved slices that were asked for."""
    metrics = [catalog.metric(name) for name in query.metric_names]
    suites = query.suites or reader.suites()
    saved = tuple((name, *sorted(read_slice(reader.lab, name).filter.items())) for name in query.slices)
    key = ("slice columns", saved, suites, query.metric_names, query.families)
    return reader.cached(key, lambda: add_slices(reader.lab, board, query.slices, suites, metrics))


def _chosen_rows(
    reader: LabReader, board: Leaderboard, query: OverviewQuery, models: Mapping[str, LabModel]
) -> list[LeaderboardRow]:
    """Return the rows in their order, pinned ones first, of each model only the latest version if that is chosen."""
    old = (
        {own.fingerprint for own in reader.lab.versions() if not own.is_latest} if query.versions == "latest" else set()
    )
    rows = [row for row in sorted_rows(board, query) if row.fingerprint not in old]
    return sorted(rows, key=lambda row: models[row.model].slug not in query.pinned)


def _folds(reader: LabReader, query: OverviewQuery) -> Iterator[LinkChoice]:
    yield LinkChoice("families", query.address(families=()), not query.families)
    suites = len(query.suites or reader.suites())
    yield LinkChoice(f"all {suites} suites", query.address(families=(ALL_FAMILIES,)), ALL_FAMILIES in query.families)
    latest = query.versions == "latest"
    if any(not own.is_latest for own in reader.lab.versions()):
        yield LinkChoice("latest versions only", query.address(versions="" if latest else "latest"), latest)


def _leaderboard(reader: LabReader, query: OverviewQuery) -> Leaderboard:
    for suite in query.suites:
        reader.require_suite(suite)
    for metric in query.metric_names:
        if metric not in reader.metric_names():
            raise UnknownName("metric", metric, reader.metric_names())
    return reader.leaderboard(query.suites, query.metric_names)


def _columns(reader: LabReader, board: Leaderboard, query: OverviewQuery) -> tuple[MetricColumn, ...]:
    places = [(column.suite, column.place) for column in board.columns]
    has_groups = any(number > 1 for number in Counter(places).values())
    dense, undecided = is_dense(board), [column.key for column in board.columns if board.is_undecided(column.key)]
    cells = {column.key: [row.cells[column.key] for row in board.rows] for column in board.columns}
    detectable = {key: detectable_difference(cells[key]) for key in undecided}
    return tuple(
        MetricColumn(
            column.suite,
            column.place if column.slice else column.test,
            metric.name,
            column.title or (column.place if dense else metric.title),
            f"n {max((cell.n for cell in cells[column.key]), default=0):,}" if dense else metric.term,
            whole=f"{column.place} · {metric.title}" if column.place else column.heading,
            fold=query.toggled(column.title, "families") if column.name.startswith("family/") else "",
            opened=column.title in query.families or ALL_FAMILIES in query.families,
            starts=has_groups and place > 0 and places[place] != places[place - 1],
            lower=metric.lower_is_better,
            chance=reader.chance(column.suite, metric.name),
            undecided=_undecided(detectable[column.key]) if column.key in undecided else "",
            detectable=detectable.get(column.key),
            says=metric.description,
            address=query.sorted_by(column.key),
            sorted=query.direction(column.key, lower=metric.lower_is_better),
        )
        for place, column in enumerate(board.columns)
        for metric in [column.metric]
    )


def _undecided(detectable: float | None) -> str:
    """Return why a column ranks nobody, with the difference that it could tell."""
    difference = f" models that differ by less than {100 * detectable:.0f} points" if detectable else ""
    return f"too few groups to rank{difference}"


def _cost_names(board: Leaderboard, query: OverviewQuery) -> list[str]:
    """Return the costs that any model has, and none beside many columns."""
    if is_dense(board) and COST not in query.metrics:
        return []
    return [name for name in query.costs if any(getattr(row.cost, name) is not None for row in board.rows)]


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
        ColumnGroup(test or suite, len(list(members)), OverviewQuery((suite,)).address() if linked and suite else "")
        for (suite, test), members in groupby(columns, key=lambda column: (column.suite, column.test))
    )


def _line(
    reader: LabReader, board: Leaderboard, query: OverviewQuery, row: LeaderboardRow, model: LabModel
) -> ScoreRow:
    opened = model.slug in query.opened
    cells = [(column, row.cells[column.key]) for column in board.columns]
    return ScoreRow(
        model.name,
        model.name,
        " · ".join(filter(None, [model.detail, row.part, _format_errors(reader, model, board, query)])),
        tuple(
            _cell(reader, model, column, replace(cell, tie=board.is_best(row, column.key))) for column, cell in cells
        ),
        address=f"/models/{quote(model.slug)}",
        slug=model.slug,
        costs=tuple(cost_figure(row.cost, name) for name in _cost_names(board, query)),
        toggle=f"{query.toggled(model.slug)}#model-{model.slug}",
        pin=query.toggled(model.slug, "pinned") if is_dense(board) else "",
        pinned=model.slug in query.pinned,
        opened=opened,
        blocks=tuple(_blocks(reader, board, model)) if opened else (),
        dates=model.dates,
        last_date=model.last_date,
    )


def _format_errors(reader: LabReader, model: LabModel, board: Leaderboard, query: OverviewQuery) -> str:
    """Return the shares of a model's answers that are unparsed, refused or hedged, in the suites that are shown.

    A mean over families is one of all their suites.
    """
    states: Counter[str] = Counter()
    columns = dict.fromkeys(column.suite for column in board.columns if not column.slice)
    for suite in (query.suites or reader.suites()) if is_folded_board(board) else columns:
        states.update(reader.state_counts(suite, model.slug))
    answers = sum(states[state] for state in ("ok", "unparsed", "refused", "hedged"))
    return ", ".join(
        f"{states[state] / answers:.1%} {state}" for state in ("unparsed", "refused", "hedged") if states[state]
    )


def _cell(reader: LabReader, model: LabModel, column: LeaderboardColumn, cell: LeaderboardCell) -> ScoreCell:
    """Return a cell of the leaderboard with its number of pictures and the method of its interval."""
    if column.slice:
        shown = {name: getattr(cell, name) for name in ("value", "low", "high", "n", "tie", "reason")}
        filter_ = read_slice(reader.lab, column.slice).filter
        return ScoreCell(**shown, address=browse_address(GroupFilter(model.slug, **filter_)))
    if not column.suite:  # a mean over suites
        counts = f"over {cell.data_sets} of {cell.of} suites{', in part' * cell.partial}"
        over = "" if cell.whole or cell.value is None else counts
        method = over or f"mean of {cell.data_sets} suites"
        return ScoreCell(cell.value, cell.low, cell.high, cell.n, 0, method, reason=cell.reason, partial=bool(over))
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
        address=score_failures(reader, column.suite, model, column.metric.name, test=column.test) if score else "",
        chance=cell.chance,
    )


def _blocks(reader: LabReader, board: Leaderboard, model: LabModel) -> Iterator[SuiteBlock]:
    """Yield what is below an expanded model: its suites by their first metric, each with its tests or kinds."""
    own = [column for column in board.columns if not column.slice]
    for suite, columns in groupby(own, key=lambda column: column.suite):
        metric = next(columns).metric
        if reader.score(suite, model.slug, metric.name) is not None:
            cells, source = _slice_cells(reader, suite, model, metric.name), reader.lab.manifest(suite)
            address = f"/suites/{quote(suite)}/models/{quote(model.slug)}"
            more = max(len(cells) - SLICES, 0)
            where = data_set(source, reader.tests(suite))
            yield SuiteBlock(suite, where, metric.title, address, tuple(cells[:SLICES]), more)


def _slice_cells(reader: LabReader, suite: str, model: LabModel, metric: str) -> list[SliceCell]:
    """Return the tests of a suite that have a score, if there are several, else its kinds, else the whole."""
    slices = reader.slices(suite)
    tests = [(test, kind) for test, kind in slices if test and not kind]
    shown = tests if len(tests) > 1 else [(test, kind) for test, kind in slices if kind]
    cells = []
    for test, kind in shown or tests:
        cell = score_cell(reader, suite, model, metric, test=test, kind=kind)
        if cell.value is not None:
            cells.append(SliceCell(kind or test, cell))
    return cells


def _suite_links(reader: LabReader, query: OverviewQuery) -> tuple[LinkChoice, ...]:
    suites = [("all suites", ()), *((suite, (suite,)) for suite in reader.suites())]
    return tuple(LinkChoice(label, query.address(suites=value), query.suites == value) for label, value in suites)


def _suite_box(reader: LabReader, query: OverviewQuery) -> SelectBox:
    options = (SelectOption(suite, suite, suite in query.suites) for suite in reader.suites())
    return SelectBox("suite", "Suites", tuple(options))


def _slice_box(reader: LabReader, query: OverviewQuery) -> Iterator[SelectBox]:
    """Yield the box of the saved slices, if there are any."""
    options = [SelectOption(own.name, own.name, own.name in query.slices) for own in list_slices(reader.lab)]
    if options:
        yield SelectBox("slice", "Saved slices", tuple(options))


def _metric_box(reader: LabReader, query: OverviewQuery) -> SelectBox:
    """Return the metrics that have a value on any suite that is shown, and cost."""
    suites = query.suites or reader.suites()
    applicable = {name for suite in suites for name in reader.applicable_metrics(suite)}
    applicable -= {metric.chance for metric in reader.metrics}
    names = [name for name in reader.metric_names() if name in applicable]
    options = [SelectOption(name, catalog.metric(name).title, name in query.metrics) for name in names]
    return SelectBox("metric", "Columns", (*options, SelectOption(COST, "Cost", COST in query.metrics)))


def _later_sentence(rows: Sequence[LeaderboardRow]) -> str:
    """Say why models come after the others: they have scores on a part of what these have scores on."""
    cells = [list(row.cells.values()) for row in rows]
    failed = [any(cell.failed or cell.reason == ALL_FAILED for cell in own) for own in cells]
    asked_less = [any(cell.missing or cell.reason == NOT_ASKED for cell in own) for own in cells]
    if not rows:
        return ""
    if any(asked_less) or not all(failed):
        return f" Those that were asked less than others{' or failed on queries' * any(failed)} come after them."
    return " Those that failed on queries come after the others."


def _notes(board: Leaderboard, query: OverviewQuery) -> tuple[str, ...]:
    later = "" if query.sort else _later_sentence([row for row in board.rows if row.part])
    if is_folded_board(board):
        return (f"{MEANS}{later}",)
    metrics = dict.fromkeys(column.metric for column in board.columns)
    definitions = " ".join(f"{metric.title}: {metric.description}" for metric in metrics)
    lead = catalog.metric(board.order).phrase if board.order and not query.sort else ""
    order = f"Models are ordered by their mean {lead}.{later}" if lead else ""
    has_costs = bool(_cost_names(board, query))
    cost = "Cost is that of the runs in this lab, on whatever machine they ran." if has_costs else ""
    return tuple(filter(None, [definitions, " ".join(filter(None, [order, cost]))]))
