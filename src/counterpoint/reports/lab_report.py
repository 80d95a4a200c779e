"""The report: one HTML file with tables and charts, which needs nothing else and can be mailed."""

from collections.abc import Iterator
from dataclasses import dataclass

from counterpoint._version import __version__
from counterpoint.explorer import measures
from counterpoint.explorer.board_choices import BoardChoice
from counterpoint.explorer.breakdowns import models_chart
from counterpoint.explorer.pages.overview import board_chart, leaderboard, ranked, scored_cell
from counterpoint.explorer.reading import Known, Reading
from counterpoint.explorer.templating import environment
from counterpoint.explorer.views import Cell, LabView, Leaderboard
from counterpoint.reports.charts.bars import StackedBarChart
from counterpoint.reports.templating import style

CHARTS = 3
"""How many measures the report draws; its tables have all."""


@dataclass(frozen=True, slots=True)
class SuitePart:
    """What the report says of one suite: how it was made, its tests, its kinds, and what became of its groups."""

    name: str
    sentence: str
    facts: str
    board: Leaderboard | None  # where a suite has several tests
    models: tuple[str, ...]
    measure: str  # by which its kinds are shown
    kinds: tuple[tuple[str, tuple[Cell, ...]], ...]
    states: tuple[tuple[str, str], ...]
    chart: StackedBarChart | None


def report(reading: Reading) -> str:
    """The whole report of a lab."""
    reading.refresh()
    board = leaderboard(reading, BoardChoice(), live=False)
    drawings = list(dict.fromkeys(column.measure for column in board.columns))[:CHARTS] if board.lines else []
    page = environment().get_template("lab_report.html")
    return page.render(
        view=board,
        live=False,
        lab=LabView(reading.name, len(reading.models()), reading.answered()),
        version=__version__,
        style=style(),
        charts=[board_chart(reading, BoardChoice(measures=(name,))) for name in drawings],
        suites=[_suite(reading, suite) for suite in reading.suites()],
        models=ranked(reading, BoardChoice()),
    )


def _suite(reading: Reading, suite: str) -> SuitePart:
    models = tuple(model for model in ranked(reading, BoardChoice((suite,))) if reading.asked(suite, model.slug))
    manifest = reading.lab.manifest(suite)
    made = f"{manifest.groups:,} groups, {manifest.rows:,} queries, seed {manifest.seed}"
    several = len(reading.tests(suite)) > 1
    measure = next(iter(measures.shown(reading.applying(suite), reading.tests(suite))), "")
    return SuitePart(
        name=suite,
        sentence=reading.sentence(suite),
        facts=f"{made}, fingerprint {manifest.fingerprint}",
        board=leaderboard(reading, BoardChoice((suite,)), live=False) if several and models else None,
        models=tuple(model.name for model in models),
        measure=measures.spoken(measure),
        kinds=tuple(_kinds(reading, suite, models, measure)) if models and measure else (),
        states=tuple((model.name, _states(reading, suite, model)) for model in models),
        chart=models_chart(reading, suite, models) if models else None,
    )


def _kinds(
    reading: Reading, suite: str, models: tuple[Known, ...], measure: str
) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    """Each test and kind of a suite that any model has a score of, with the scores of all."""
    for test, kind in reading.slices(suite):
        name = " · ".join(filter(None, [test if test != suite or not kind else "", kind])) or "all"
        cells = tuple(scored_cell(reading, suite, model, measure, test=test, kind=kind) for model in models)
        if any(cell.value is not None for cell in cells):
            yield name, cells


def _states(reading: Reading, suite: str, model: Known) -> str:
    """What is not an answer in form; it is wrong, or leaves the count, and is said beside every accuracy."""
    states = reading.states(suite, model.slug)
    said = [f"{states[name]:,} {name}" for name in ("unparsed", "refused", "failed", "missing") if states[name]]
    return ", ".join(said) or "all in form"
