"""The report of a lab: one self-contained HTML file with tables and charts."""

from collections.abc import Sequence
from dataclasses import dataclass

from counterpoint import catalog
from counterpoint._version import __version__
from counterpoint.core.quantities import counted
from counterpoint.lab.leaderboard import LeaderboardResult
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.confusion import ConfusionTable
from counterpoint.reports.charts.bars import StackedBarChart
from counterpoint.reports.leaderboard_charts import leaderboard_charts
from counterpoint.reports.tables import ResultTable, TableCell, percent_cell
from counterpoint.reports.templating import as_sentence, environment, style
from counterpoint.reports.verdict_charts import verdicts_by_model
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.queries import confusions


@dataclass(frozen=True, slots=True)
class SuiteSection:
    """One suite in the report: its leaderboard by test, the verdicts on its groups, and scores by kind."""

    name: str
    sentence: str
    provenance: str
    tests: ResultTable | None
    chart: StackedBarChart | None
    kinds: ResultTable | None
    confusions: tuple[tuple[str, ConfusionTable], ...]  # by model
    states: tuple[tuple[str, str], ...]  # by model, answers that are not parsed answers


def render_lab_report(reader: LabReader) -> str:
    """The report of a lab: its leaderboard with charts, a section per suite, and the fingerprints of its models."""
    reader.refresh()
    result = LeaderboardResult(reader.leaderboard())
    order = [row.model for row in result.board.rows]
    models = sorted(reader.models(), key=lambda model: order.index(model.name) if model.name in order else len(order))
    return (
        environment()
        .get_template("lab_report.html")
        .render(
            lab=reader.name,
            models=models,
            answers=reader.answer_count(),
            version=__version__,
            style=style(),
            empty="No model has answers yet." if reader.suites() else "This lab has no suite yet.",
            tables=result.tables() if order and result.board.columns else [],
            notes=result.notes(),
            charts=leaderboard_charts(result.board),
            suites=[_suite_section(reader, suite, models) for suite in reader.suites()],
        )
    )


def _suite_section(reader: LabReader, suite: str, models: Sequence[LabModel]) -> SuiteSection:
    manifest = reader.lab.manifest(suite)
    models = [model for model in models if reader.has_answers(suite, model.slug)]
    has_tests = len(reader.tests(suite)) > 1
    size = f"{counted(manifest.groups, 'group')}, {counted(manifest.rows, 'query')}"
    return SuiteSection(
        name=suite,
        sentence=as_sentence(reader.suite_sentence(suite)),
        provenance=f"{size}, seed {manifest.seed}, fingerprint {manifest.fingerprint}",
        tests=LeaderboardResult(reader.leaderboard((suite,))).tables()[0] if has_tests and models else None,
        chart=verdicts_by_model(reader, suite, models) if models else None,
        kinds=_kinds_table(reader, suite, models),
        confusions=tuple((model.name, table) for model in models if (table := confusions(reader, suite, model.slug))),
        states=tuple((model.name, _states(reader, suite, model)) for model in models),
    )


def _kinds_table(reader: LabReader, suite: str, models: Sequence[LabModel]) -> ResultTable | None:
    """The scores of each test and kind by the first metric that the suite shows."""
    metric = next(iter(reader.displayed_metrics(suite)), "")
    rows: list[list[str | TableCell]] = []
    for test, kind in reader.slices(suite) if metric else ():
        name = " · ".join(filter(None, [test if test != suite or not kind else "", kind])) or "all"
        scores = [reader.score(suite, model.slug, metric, test=test, kind=kind) for model in models]
        if any(scores):
            cells = (
                percent_cell(score.value, score.low, score.high) if score else percent_cell(None) for score in scores
            )
            rows.append([name, *cells])
    title = f"{catalog.metric(metric).title} by kind, in per cent with 95 % intervals" if metric else ""
    return ResultTable(title, ("Kind", *(model.name for model in models)), rows) if rows else None


def _states(reader: LabReader, suite: str, model: LabModel) -> str:
    """The numbers of answers that are not parsed answers: they are incorrect, or leave the denominator."""
    counts = reader.state_counts(suite, model.slug)
    shown = ("unparsed", "refused", "hedged", "failed", "missing")
    states = [f"{counts[name]:,} {name}" for name in shown if counts[name]]
    return ", ".join(states) or "all parsed"
