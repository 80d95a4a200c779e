"""The report: one HTML file with tables and charts, which needs nothing else and can be mailed."""

from collections.abc import Iterator
from dataclasses import dataclass

from counterpoint import catalog
from counterpoint._version import __version__
from counterpoint.explorer.pages.overview import OverviewView, build_overview, metric_chart
from counterpoint.explorer.pages.overview.query import OverviewQuery
from counterpoint.explorer.score_cells import score_cell
from counterpoint.explorer.templating import environment
from counterpoint.explorer.views import LabView, ScoreCell
from counterpoint.lab.reader import LabReader
from counterpoint.reports.charts.bars import StackedBarChart
from counterpoint.reports.templating import style
from counterpoint.reports.verdict_charts import verdicts_by_model
from counterpoint.store.models import LabModel

CHARTS = 3
"""How many metrics the report draws; its tables have all."""


@dataclass(frozen=True, slots=True)
class SuiteSection:
    """What the report says of one suite: how it was made, its tests, its kinds, and what became of its groups."""

    name: str
    sentence: str
    facts: str
    board: OverviewView | None  # where a suite has several tests
    models: tuple[str, ...]
    metric: str  # by which its kinds are shown
    kinds: tuple[tuple[str, tuple[ScoreCell, ...]], ...]
    states: tuple[tuple[str, str], ...]
    chart: StackedBarChart | None


def render_lab_report(reader: LabReader) -> str:
    """The whole report of a lab."""
    reader.refresh()
    board = build_overview(reader, OverviewQuery(), live=False)
    drawings = list(dict.fromkeys(column.metric for column in board.columns))[:CHARTS] if board.lines else []
    page = environment().get_template("lab_report.html")
    return page.render(
        view=board,
        live=False,
        lab=LabView(reader.name, len(reader.models()), reader.answer_count()),
        version=__version__,
        style=style(),
        charts=[metric_chart(reader, OverviewQuery(metrics=(name,))) for name in drawings],
        suites=[_suite(reader, suite) for suite in reader.suites()],
        models=_ranked_models(reader, ()),
    )


def _suite(reader: LabReader, suite: str) -> SuiteSection:
    models = tuple(model for model in _ranked_models(reader, (suite,)) if reader.has_answers(suite, model.slug))
    manifest = reader.lab.manifest(suite)
    made = f"{manifest.groups:,} groups, {manifest.rows:,} queries, seed {manifest.seed}"
    several = len(reader.tests(suite)) > 1
    metric = next(iter(reader.displayed_metrics(suite)), "")
    return SuiteSection(
        name=suite,
        sentence=reader.suite_sentence(suite),
        facts=f"{made}, fingerprint {manifest.fingerprint}",
        board=build_overview(reader, OverviewQuery((suite,)), live=False) if several and models else None,
        models=tuple(model.name for model in models),
        metric=catalog.metric(metric).phrase if metric else "",
        kinds=tuple(_kinds(reader, suite, models, metric)) if models and metric else (),
        states=tuple((model.name, _states(reader, suite, model)) for model in models),
        chart=verdicts_by_model(reader, suite, models) if models else None,
    )


def _ranked_models(reader: LabReader, suites: tuple[str, ...]) -> list[LabModel]:
    """The models in the order of the leaderboard."""
    models = {model.name: model for model in reader.models()}
    return [models[row.model] for row in reader.leaderboard(suites).rows]


def _kinds(
    reader: LabReader, suite: str, models: tuple[LabModel, ...], metric: str
) -> Iterator[tuple[str, tuple[ScoreCell, ...]]]:
    """Each test and kind of a suite that any model has a score of, with the scores of all."""
    for test, kind in reader.slices(suite):
        name = " · ".join(filter(None, [test if test != suite or not kind else "", kind])) or "all"
        cells = tuple(score_cell(reader, suite, model, metric, test=test, kind=kind) for model in models)
        if any(cell.value is not None for cell in cells):
            yield name, cells


def _states(reader: LabReader, suite: str, model: LabModel) -> str:
    """What is not an answer in form; it is wrong, or leaves the count, and is said beside every accuracy."""
    states = reader.state_counts(suite, model.slug)
    said = [f"{states[name]:,} {name}" for name in ("unparsed", "refused", "failed", "missing") if states[name]]
    return ", ".join(said) or "all in form"
