"""The leaderboard of a lab: its models by the metrics of its suites, or by means over its data sets."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from typing import Any

import pyarrow as pa

from counterpoint import catalog
from counterpoint.core.costs import format_milliseconds, format_price, format_rate
from counterpoint.core.errors import CounterpointError, StoreError, UnknownName
from counterpoint.core.quantities import counted
from counterpoint.lab.data_set_scores import picture_overlaps, score_data_set
from counterpoint.lab.model_costs import explain_missing_costs, lab_costs
from counterpoint.lab.results import LabResult
from counterpoint.lab.scores import judged_models
from counterpoint.lab.selection import ANSWER_COLUMNS, load_answers, load_groups, select_models
from counterpoint.lab.slice_columns import add_slices
from counterpoint.metrics.data_set_leaderboard import (
    DATA_SET_COLUMNS,
    DATA_SET_TESTS,
    data_set_cell,
    data_set_name,
    data_sets_leaderboard,
)
from counterpoint.metrics.leaderboard import (
    Competitor,
    DataSetCells,
    Layout,
    Leaderboard,
    LeaderboardCell,
    LeaderboardColumn,
    LeaderboardRow,
    ModelCost,
    ScoreKey,
    row_notes,
    suites_leaderboard,
)
from counterpoint.metrics.metric import Contents, Metric, applicable, columns_read, contents_by_suite, whole_suites
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.scoring import ScoreRequest, ScoreTotals
from counterpoint.metrics.ties import OutcomesOf, find_ties
from counterpoint.reports.tables import ResultTable, TableCell, percent, percent_cell
from counterpoint.store.blocks import BLOCK_ROWS, open_blocks, read_contents
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import ModelVersion

_TITLES = {
    Layout.SUITES: "Per cent with 95 % intervals over pictures; bold or * is tied with the best of its column",
    Layout.DATASETS: "Per cent, means over data sets with 95 % intervals; * is the best of its column",
}
FLOORS = frozenset({"constant", "random", "question-only", "picture-only", "ngram", "trigram"})
"""The built-in models that do without the picture, without the text, or without both."""
FLOOR = "what can be had without looking, or without thinking"
_COSTS = {
    "parameters": "parameters",
    "queries_per_second": "queries/s",
    "seconds_per_query": "ms/query",
    "tokens_per_query": "tokens/query",
    "price_per_1000": "price/1,000 queries",
}


@dataclass(frozen=True, slots=True, repr=False)
class LeaderboardResult(LabResult[dict[str, Any]]):
    """A leaderboard with its tables; `expand` names models that are shown data set by data set."""

    board: Leaderboard
    expand: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Columns, rows and notes."""
        return self.board.to_dict()

    def records(self) -> list[dict[str, Any]]:
        """One row per model and column."""
        return [
            {"model": row.model, "fingerprint": row.fingerprint, "column": key, "value": cell.value}
            | {"low": cell.low, "high": cell.high, "n": cell.n, "tie": cell.tie, "rank": cell.rank}
            | {"is_best": self.board.is_best(row, key), "chance": cell.chance, "reason": cell.reason}
            for row in self.board.rows
            for key, cell in row.cells.items()
        ]

    def tables(self) -> list[ResultTable]:
        """One line per model, with its cost at the end, or one line per data set of each expanded model."""
        if self.expand:
            return [_expanded_table(self.board, row) for row in self._shown_rows()]
        return [_leaderboard_table(self.board)]

    def cost_table(self) -> ResultTable:
        """The costs alone, one line per model."""
        names = _cost_heads(self.board)
        rows = [(row.model, *(_cost_text(row.cost, name) for name in names)) for row in self.board.rows]
        return ResultTable("", ("model", *names.values()), rows)

    def notes(self) -> list[str]:
        """What is not marked as the best, why cells and costs are missing, and which means are not ranked."""
        costs = () if self.expand else explain_missing_costs({row.model: row.cost for row in self.board.rows})
        floors = [row.model for row in self._shown_rows() if row.is_floor]
        never = [f"{', '.join(floors)}: {FLOOR}, so never marked as the best"] if floors else []
        if any(self.board.is_undecided(column.key) for column in self.board.columns):
            never.append("where most models are tied with the best, none is marked")
        return [*never, *row_notes(self.board, self._shown_rows()), *costs]

    def _shown_rows(self) -> list[LeaderboardRow]:
        return [row for row in self.board.rows if not self.expand or row.model in self.expand]


def leaderboard(
    store: LabStore,
    *,
    models: Sequence[str] = (),
    suites: Sequence[str] = (),
    metrics: Sequence[Metric] = (),
    layout: str = Layout.SUITES,
    expand: Sequence[str] = (),
    slices: Sequence[str] = (),
    threshold: float = 0.5,
    seed: int = 0,
    block_rows: int = BLOCK_ROWS,
) -> LeaderboardResult:
    """The leaderboard of the named models on the named suites, or of all.

    In the layout `suites` the columns are the metrics that lead on each suite, or the named ones; of one suite alone
    also those of its tests; those of saved slices follow. In the layout `datasets` they are means over data sets.
    Where the suites have more than `block_rows` rows, they are judged in blocks of about so many.
    """
    if layout not in set(Layout):
        raise UnknownName("layout", layout, Layout)
    if slices and layout == Layout.DATASETS:
        raise CounterpointError("means over data sets have no columns of slices", hint="leave out the slices or layout")
    names = (*models, *expand) if models else ()
    chosen = select_models(store, names)
    costs = lab_costs(store, fingerprints={model.fingerprint for model in chosen.values()})
    competitors = {
        title: competitor(model, costs.get(model.fingerprint, ModelCost())) for title, model in chosen.items()
    }
    if layout == Layout.DATASETS:
        data_sets = _data_sets(store, suites)
        cells = _data_set_cells(store, chosen, data_sets, threshold, seed, block_rows)
        board = data_sets_leaderboard(competitors, cells, picture_overlaps(store, data_sets))
    else:
        board = _suites_board(store, chosen, competitors, suites, metrics, threshold, seed, block_rows)
        if slices:
            board = add_slices(
                store, board, slices, suites, metrics, threshold=threshold, seed=seed, block_rows=block_rows
            )
    return LeaderboardResult(board, tuple(select_models(store, expand)) if expand else ())


def data_set(manifest: Manifest, tests: Sequence[str]) -> str:
    """The data set of a suite, from its name, its tests and the source and split it was made from."""
    source, split = (str(manifest.parameters.get(key, "")) for key in ("source", "split"))
    return data_set_name(manifest.suite, tests, f"{source} {split}".strip())


def competitor(model: ModelVersion, cost: ModelCost) -> Competitor:
    """A version of a model as leaderboards take it."""
    return Competitor(model.fingerprint, cost, model_abilities(model), is_floor(model))


def is_floor(model: ModelVersion) -> bool:
    """Whether a model is one of those that do not look, or do not think."""
    return model.details.get("settings", {}).get("model", "") in FLOORS


def model_abilities(model: ModelVersion) -> frozenset[str] | None:
    """What the latest run of a model says that it can do."""
    abilities = model.runs[-1].details.get("abilities") if model.runs else None
    return frozenset(abilities) if isinstance(abilities, list | tuple) else None


def _suites_board(
    store: LabStore,
    models: Mapping[str, ModelVersion],
    competitors: Mapping[str, Competitor],
    suites: Sequence[str],
    metrics: Sequence[Metric],
    threshold: float,
    seed: int,
    block_rows: int,
) -> Leaderboard:
    known = tuple(dict.fromkeys([*catalog.metrics(), *metrics]))
    names = tuple(suites) or tuple(store.suites())
    scores: dict[ScoreKey, Mapping[str, Any]] = {}
    ties: set[ScoreKey] = set()
    contents: dict[tuple[str, str], Contents] = {}
    answers = {title: cache(partial(load_answers, store, model)) for title, model in models.items()}
    is_small = sum(store.manifest(name).rows for name in names) <= block_rows
    for suite in names:
        opened = _read_suite(store, suite, answers) if is_small else _partition_suite(store, suite, models, block_rows)
        with opened as judged:
            places = _places(suite, judged.contents, by_test=len(names) == 1)
            contents |= places
            computed = _computed(places, known, metrics)
            outcomes = judged.open(columns_read(computed), threshold)
            rows = [
                row
                for title in models
                for row in _suite_scores(outcomes(title), title, [*places], computed, threshold, seed)
            ]
            scores |= {(suite, row["test"], row["metric"], row["model"]): row for row in rows}
            ties |= {(suite, *tie) for tie in find_ties(rows, outcomes, computed)}
    return suites_leaderboard(
        competitors, scores, contents, known, ties=ties, chosen=[metric.name for metric in metrics]
    )


@dataclass(frozen=True, slots=True)
class _JudgedSuite:
    """The contents of a suite by test, and what opens the outcomes of models with some columns, by a threshold."""

    contents: Mapping[tuple[str, ...], Contents]
    open: Callable[[Sequence[str], float], OutcomesOf]


@contextmanager
def _read_suite(
    store: LabStore, suite: str, answers: Mapping[str, Callable[[tuple[str, ...]], pa.Table]]
) -> Iterator[_JudgedSuite]:
    """A suite in memory, with answers that are read once for all suites."""
    groups = load_groups(store, [suite])

    def open_outcomes(columns: Sequence[str], threshold: float) -> OutcomesOf:
        return cache(lambda title: [judge(groups, answers[title](tuple(columns)), threshold)])

    yield _JudgedSuite(contents_by_suite(groups, "test"), open_outcomes)


@contextmanager
def _partition_suite(
    store: LabStore, suite: str, models: Mapping[str, ModelVersion], rows: int
) -> Iterator[_JudgedSuite]:
    """A suite and the answers to it in blocks on disk."""
    with open_blocks(store, [suite], rows=rows) as blocks:

        def open_outcomes(columns: Sequence[str], threshold: float) -> OutcomesOf:
            read = (*ANSWER_COLUMNS, *columns)
            answers = {title: blocks.answers(model.fingerprint, read) for title, model in models.items()}
            return judged_models(blocks, answers, threshold)

        yield _JudgedSuite(blocks.contents, open_outcomes)


def _places(
    suite: str, contents: Mapping[tuple[str, ...], Contents], *, by_test: bool
) -> dict[tuple[str, str], Contents]:
    """The whole suite, and its tests where they are shown and several, with the contents of each."""
    tests = {(name, test): own for (name, test), own in contents.items()} if by_test else {}
    whole = whole_suites(contents).get(suite, Contents())
    return {(suite, ""): whole} | (tests if len(tests) > 1 else {})


def _computed(
    places: Mapping[tuple[str, str], Contents], known: Sequence[Metric], named: Sequence[Metric]
) -> tuple[Metric, ...]:
    """The metrics that a leaderboard may show of a suite, and their chance levels."""
    chosen: dict[Metric, None] = dict.fromkeys(named)
    if not named:
        for contents in places.values():
            candidates = applicable(contents, known)
            chosen |= dict.fromkeys([metric for metric in candidates if metric.leads(contents)] or candidates)
    chances = {metric.chance for metric in chosen}
    return (*chosen, *(metric for metric in known if metric.name in chances and metric not in chosen))


def _suite_scores(
    blocks: Iterable[Outcomes],
    title: str,
    places: Sequence[tuple[str, str]],
    metrics: Sequence[Metric],
    threshold: float,
    seed: int,
) -> list[dict[str, Any]]:
    """The scores of a whole suite and of its tests, with the intervals that pages show."""
    (suite, _), tests = places[0], {test for _, test in places if test}
    by = {"suite": (), "test": ("test",)} if tests else {"suite": ()}
    requests = {name: ScoreRequest(own, metrics=metrics, threshold=threshold, seed=seed) for name, own in by.items()}
    totals = {name: ScoreTotals(request, {(suite,): Contents()}) for name, request in requests.items()}
    for outcomes in blocks:
        for own in totals.values():
            own.add(outcomes)
    return [
        row | {"by": name, "test": row.get("test", ""), "model": title}
        for name, own in totals.items()
        for row in own.table().to_pylist()
        if name == "suite" or row["test"] in tests
    ]


def _data_set_cells(
    store: LabStore,
    models: Mapping[str, ModelVersion],
    data_sets: Mapping[str, Mapping[str, Sequence[str]]],
    threshold: float,
    seed: int,
    block_rows: int,
) -> Mapping[str, DataSetCells]:
    """The cells of each model on each data set that has the test of a column."""
    if not data_sets:
        hint = f"counterpoint generate {store.address} --suite beyond-accuracy makes all of them"
        raise StoreError(f"{store.address} has none of the tests {', '.join(DATA_SET_TESTS)}", hint=hint)
    cells: dict[str, dict[str, Mapping[str, LeaderboardCell]]] = {title: {} for title in models}
    for name, own in data_sets.items():
        scores = score_data_set(store, name, own, models, threshold=threshold, seed=seed, block_rows=block_rows)
        for title, model in models.items():
            cells[title][name] = dict(_model_cells(scores[title], model_abilities(model)))
    return cells


def _data_sets(store: LabStore, suites: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """The data sets that have a test of the layout: their suites, with the tests of each."""
    data_sets: dict[str, dict[str, list[str]]] = {}
    for suite in suites or store.suites():
        tests = sorted(test for _, test in read_contents(store, suite))
        if not {*DATA_SET_TESTS}.isdisjoint(tests):
            data_sets.setdefault(data_set(store.manifest(suite), tests), {})[suite] = tests
    return dict(sorted(data_sets.items()))


def _model_cells(
    rows: Mapping[tuple[str, str], Mapping[str, Any]], abilities: frozenset[str] | None
) -> Iterator[tuple[str, LeaderboardCell]]:
    """The cell of each column of which there is a score, from scores by test and metric."""
    for column in DATA_SET_COLUMNS:
        if row := rows.get((column.test, column.metric.name)):
            chance = rows.get((column.test, column.metric.chance), {}).get("value")
            yield column.key, data_set_cell(column, row, chance, abilities)


def _leaderboard_table(board: Leaderboard) -> ResultTable:
    costs = _cost_heads(board)
    cells = [
        (
            row.model,
            *(_cell(board, row, column.key) for column in board.columns),
            *(_cost_text(row.cost, name) for name in costs),
        )
        for row in board.rows
    ]
    spans = [(name, len([*own])) for name, own in groupby(column.place for column in board.columns)]
    heads = ("model", *(column.heading for column in board.columns), *costs.values())
    short = ("model", *_short_heads(board), *costs.values())
    title = _TITLES[board.layout]
    if board.layout is Layout.DATASETS:
        title += f". {counted(len(board.data_sets), 'data set')}: {', '.join(board.data_sets)}"
    above = [*spans, ("", len(costs))] if board.layout is Layout.SUITES else ()
    return ResultTable(title, heads, cells, spans=above, plain_heads=short)


def _cost_heads(board: Leaderboard) -> dict[str, str]:
    """The columns of cost that any model has."""
    return {
        name: head for name, head in _COSTS.items() if any(getattr(row.cost, name) is not None for row in board.rows)
    }


def _short_heads(board: Leaderboard) -> list[str]:
    """The columns by the terms of papers, such as C-ACC, unless two metrics of the leaderboard share one."""
    metrics = {column.metric for column in board.columns}
    terms = Counter(metric.term for metric in metrics if metric.term)
    return [
        column.metric.term if terms[column.metric.term] == 1 and not column.title else column.heading
        for column in board.columns
    ]


def _expanded_table(board: Leaderboard, row: LeaderboardRow) -> ResultTable:
    """One line per data set, as in Figure 2 of the paper, below the means; beside each bias its chance level."""
    heads, means = ["data set"], ["all"]
    for column in board.columns:
        heads += [column.heading, *(["by chance"] if column.metric.chance else [])]
        means += [_mean_text(board, row, column.key), *([""] if column.metric.chance else [])]
    rows = [means] + [
        [name, *(text for column in board.columns for text in _data_set_texts(cells.get(column.key), column))]
        for name, cells in row.data_sets.items()
    ]
    return ResultTable(f"{row.model}, data set by data set; per cent with 95 % intervals over pictures", heads, rows)


def _cell(board: Leaderboard, row: LeaderboardRow, key: str) -> str | TableCell:
    if board.layout is Layout.DATASETS:
        return _mean_text(board, row, key)
    cell = row.cells[key]
    return percent_cell(cell.value, cell.low, cell.high, is_bold=board.is_best(row, key), hint=cell.reason)


def _mean_text(board: Leaderboard, row: LeaderboardRow, key: str) -> str:
    """A mean, with how many data sets it was taken over where these are not all."""
    cell = row.cells[key]
    if cell.value is None:
        return percent(None)
    over = "" if cell.whole else f" [{cell.data_sets} of {cell.of}{', in part' * cell.partial}]"
    return percent(cell.value, cell.low, cell.high) + "*" * board.is_best(row, key) + over


def _data_set_texts(cell: LeaderboardCell | None, column: LeaderboardColumn) -> list[str]:
    cell = cell or LeaderboardCell()
    part = " [in part]" if cell.value is not None and cell.in_part else ""
    return [percent(cell.value, cell.low, cell.high) + part, *([percent(cell.chance)] if column.metric.chance else [])]


def _cost_text(cost: ModelCost, name: str) -> str:
    value = getattr(cost, name)
    if value is None:
        return "–"
    if name == "price_per_1000":
        return f"{format_price(value)} {cost.currency}"
    written = {"seconds_per_query": format_milliseconds, "queries_per_second": format_rate}.get(name)
    return written(value) if written else f"{value:,.0f}"
