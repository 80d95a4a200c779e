"""The report of a lab: one self-contained HTML file that begins with what fails, then tables and charts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from counterpoint import catalog
from counterpoint._version import __version__
from counterpoint.core.quantities import counted
from counterpoint.lab.failing_suites import is_plain
from counterpoint.lab.gating import GateReport
from counterpoint.lab.leaderboard import LeaderboardResult
from counterpoint.lab.model_costs import explain_missing_costs
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.confusion import ConfusionTable
from counterpoint.metrics.families import fold_families
from counterpoint.metrics.leaderboard import FEW_SUITES, Leaderboard, LeaderboardColumn, row_notes
from counterpoint.reports.charts.bars import StackedBarChart
from counterpoint.reports.report_examples import failures_table, report_examples
from counterpoint.reports.tables import ResultTable, TableCell, percent_cell
from counterpoint.reports.templating import as_sentence, environment, shorten_middle, style
from counterpoint.reports.verdict_charts import verdicts_by_model
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.queries import confusions

FEW_MODELS = 8
"""Models up to which each has its own column of kinds and its own table of answers."""

WIDEST = 12
"""Columns of numbers that fit a sheet of paper."""

MOST_KINDS = 8
"""Kinds that have a column where models are many."""


@dataclass(frozen=True, slots=True)
class SuiteSection:
    """One suite in the report: its leaderboard by test, the verdicts on its groups, and scores by kind."""

    name: str
    sentence: str
    provenance: str
    scores: tuple[ResultTable, ...]
    chart: StackedBarChart | None
    kinds: ResultTable | None
    confusions: tuple[tuple[str, ConfusionTable], ...]  # by model
    states: tuple[tuple[str, str], ...]  # by model, answers that are not parsed answers


def render_lab_report(reader: LabReader, gates: Sequence[GateReport] = ()) -> str:
    """The report of a lab: gates, what fails, with examples, its leaderboard, a section per suite, and its models."""
    reader.refresh()
    board = reader.leaderboard()
    order = [row.model for row in board.rows]
    models = sorted(reader.models(), key=lambda model: order.index(model.name) if model.name in order else len(order))
    is_long = len(reader.suites()) > FEW_SUITES
    has_scores = bool(order and board.columns)
    return (
        environment()
        .get_template("lab_report.html")
        .render(
            lab=reader.name,
            models=models,
            answers=reader.answer_count(),
            version=__version__,
            style=style(),
            is_plain=is_plain(reader),
            empty="No model has answers yet." if reader.suites() else "This lab has no suite yet.",
            gates=[(gate, [replace(table, title="") for table in gate.tables()]) for gate in gates],
            told=reader.findings.told(tuple(reader.baselines())),
            examples=report_examples(reader),
            failures=failures_table(reader),
            leaderboard=_leaderboard_tables(reader, _folded(reader, board) if is_long and has_scores else board),
            costs=LeaderboardResult(board).cost_table() if has_scores else None,
            notes=[
                *row_notes(board, board.rows),
                *explain_missing_costs({row.model: row.cost for row in board.rows}),
            ],
            is_long=is_long,
            suites=[_suite_section(reader, suite, models) for suite in reader.suites()],
        )
    )


def _folded(reader: LabReader, board: Leaderboard) -> Leaderboard:
    """Return means over families of suites, which fit a page where suites do not."""
    return fold_families(board, {column.suite: reader.family(column.suite) for column in board.columns})


def _leaderboard_tables(reader: LabReader, board: Leaderboard) -> tuple[ResultTable, ...]:
    """Return tables of no more columns than a sheet of paper has room for."""
    parts = (board.columns[start : start + WIDEST] for start in range(0, len(board.columns), WIDEST))
    return tuple(_leaderboard_table(reader, replace(board, columns=columns)) for columns in parts)


def _leaderboard_table(reader: LabReader, board: Leaderboard) -> ResultTable:
    """Return one line per model, those that do not look last; intervals where there is room for them."""
    has_room = len(board.columns) <= 2 * FEW_SUITES
    rows = []
    for row in sorted(board.rows, key=lambda row: row.is_floor):
        cells = [(column.key, row.cells[column.key]) for column in board.columns]
        place = ", ".join(filter(None, ("floor" * row.is_floor, row.part)))
        rows.append(
            [
                TableCell(shorten_middle(row.model, 48), place, hint=row.model),
                *(
                    percent_cell(
                        cell.value,
                        cell.low if has_room else None,
                        cell.high if has_room else None,
                        is_bold=board.is_best(row, key),
                        hint=cell.reason,
                    )
                    for key, cell in cells
                ),
            ]
        )
    spans = [(name, len([*own])) for name, own in groupby(column.test or column.suite for column in board.columns)]
    heads = ("Model", *(metric_head(reader, column) for column in board.columns))
    return ResultTable("", heads, rows, spans=spans if any(name for name, _ in spans) else ())


def metric_head(reader: LabReader, column: LeaderboardColumn) -> str:
    """The name of a column, which direction is good where that is down, and its chance level where that is known."""
    chance = reader.chance(column.suite, column.metric.name)
    level = f", {100 * chance:.0f} by chance" if chance is not None else ""
    return f"{column.title or column.metric.title}{', lower is better' * column.metric.lower_is_better}{level}"


def _suite_section(reader: LabReader, suite: str, models: Sequence[LabModel]) -> SuiteSection:
    manifest = reader.lab.manifest(suite)
    models = [model for model in models if reader.has_answers(suite, model.slug)]
    size = f"{counted(manifest.groups, 'group')}, {counted(manifest.rows, 'query')}"
    several = len(reader.suites()) > FEW_SUITES or len(reader.tests(suite)) > 1
    return SuiteSection(
        name=suite,
        sentence=as_sentence(reader.suite_sentence(suite)),
        provenance=f"{size}, seed {manifest.seed}, fingerprint {manifest.fingerprint}",
        scores=_leaderboard_tables(reader, reader.leaderboard((suite,))) if several and models else (),
        chart=verdicts_by_model(reader, suite, models) if models else None,
        kinds=_kinds_table(reader, suite, models),
        confusions=tuple((model.name, table) for model in models if (table := confusions(reader, suite, model.slug)))
        if len(models) <= FEW_MODELS
        else (),
        states=tuple((model.name, _states(reader, suite, model)) for model in models),
    )


def _kinds_table(reader: LabReader, suite: str, models: Sequence[LabModel]) -> ResultTable | None:
    """The scores of each kind by the first metric that the suite shows; of many models, a line for each."""
    metric = next(iter(reader.displayed_metrics(suite)), "")
    slices = [(test, kind) for test, kind in reader.slices(suite) if kind] if metric else []
    scores = {
        (test, kind): [reader.score(suite, model.slug, metric, test=test, kind=kind) for model in models]
        for test, kind in slices
    }
    kept = {
        " · ".join(filter(None, [test if test != suite else "", kind])): own
        for (test, kind), own in scores.items()
        if any(own)
    }
    if len(kept) < 2:
        return None
    cells = {
        name: [percent_cell(score.value, score.low, score.high) if score else percent_cell(None) for score in own]
        for name, own in kept.items()
    }
    title = f"{catalog.metric(metric).title} by kind, in per cent with 95 % intervals"
    names = [shorten_middle(model.name, 48) for model in models]
    if len(models) <= FEW_MODELS:
        return ResultTable(title, ("Kind", *names), [[name, *own] for name, own in cells.items()])
    chosen = list(cells)[:MOST_KINDS]
    rows: list[Sequence[str | TableCell]] = [
        (name, *(cells[kind][place] for kind in chosen)) for place, name in enumerate(names)
    ]
    left = f"{counted(len(cells) - len(chosen), 'further kind')} in the explorer." if len(cells) > len(chosen) else ""
    return ResultTable(title, ("Model", *chosen), rows, note=left)


def _states(reader: LabReader, suite: str, model: LabModel) -> str:
    """The numbers of answers that are not parsed answers: they are incorrect, or leave the denominator."""
    counts = reader.state_counts(suite, model.slug)
    shown = ("unparsed", "refused", "hedged", "failed", "missing")
    states = [f"{counts[name]:,} {name}" for name in shown if counts[name]]
    return ", ".join(states)
