"""The report: one HTML file with tables and charts, which needs nothing else and can be mailed."""

from dataclasses import dataclass
from importlib.resources import files

from counterpoint._version import __version__
from counterpoint.explorer import measures
from counterpoint.explorer.breakdowns import models_chart
from counterpoint.explorer.charts import Spec, svg
from counterpoint.explorer.choices import BoardChoice
from counterpoint.explorer.leaderboards import board_chart, leaderboard, ranked, scored_cell
from counterpoint.explorer.pages import environment
from counterpoint.explorer.reading import Known, Reading
from counterpoint.explorer.views import Cell, LabView, Leaderboard

KINDS = "comprehensive_accuracy"
"""The measure that is shown for each kind."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart as an SVG element, whose texts vl-convert has escaped, with the sentence that states what it shows."""

    title: str
    picture: str


@dataclass(frozen=True, slots=True)
class SuitePart:
    """What the report says of one suite: how it was made, its tests, its kinds, and what became of its groups."""

    name: str
    sentence: str
    facts: str
    board: Leaderboard | None  # where a suite has several tests
    models: tuple[str, ...]
    kinds: tuple[tuple[str, tuple[Cell, ...]], ...]
    states: tuple[tuple[str, str], ...]
    chart: Drawn | None


def report(reading: Reading) -> str:
    """The whole report of a lab."""
    reading.refresh()
    board = leaderboard(reading, BoardChoice(), live=False)
    shown = [BoardChoice(measure=name) for name in measures.MAIN] if board.lines and board.columns else []
    style = files("counterpoint.explorer").joinpath("static/style.css").read_text("utf-8")
    page = environment().get_template("report.html")
    return page.render(
        view=board,
        live=False,
        lab=LabView(reading.name, len(reading.models()), reading.answered()),
        version=__version__,
        style=style,
        charts=[drawn(board_chart(reading, choice)) for choice in shown],
        suites=[_suite(reading, suite) for suite in reading.suites()],
        measure=measures.spoken(KINDS),
        models=ranked(reading, BoardChoice()),
    )


def _suite(reading: Reading, suite: str) -> SuitePart:
    models = tuple(model for model in ranked(reading, BoardChoice(suite)) if reading.asked(suite, model.slug))
    manifest = reading.lab.manifest(suite)
    made = f"{manifest.groups:,} groups, {manifest.rows:,} queries, seed {manifest.seed}"
    several = len(reading.tests(suite)) > 1
    return SuitePart(
        name=suite,
        sentence=reading.sentence(suite),
        facts=f"{made}, fingerprint {manifest.fingerprint}",
        board=leaderboard(reading, BoardChoice(suite), live=False) if several and models else None,
        models=tuple(model.name for model in models),
        kinds=tuple(_kind(reading, suite, models, test, kind) for test, kind in reading.slices(suite))
        if models
        else (),
        states=tuple((model.name, _states(reading, suite, model)) for model in models),
        chart=drawn(models_chart(reading, suite, models)) if models else None,
    )


def _kind(
    reading: Reading, suite: str, models: tuple[Known, ...], test: str, kind: str
) -> tuple[str, tuple[Cell, ...]]:
    name = " · ".join(filter(None, [test if test != suite or not kind else "", kind])) or "all"
    return name, tuple(scored_cell(reading, suite, model, KINDS, test=test, kind=kind) for model in models)


def _states(reading: Reading, suite: str, model: Known) -> str:
    """What is not an answer in form; it is wrong, or leaves the count, and is said beside every accuracy."""
    states = reading.states(suite, model.slug)
    said = [f"{states[name]:,} {name}" for name in ("unparsed", "refused", "failed", "missing") if states[name]]
    return ", ".join(said) or "all in form"


def drawn(spec: Spec) -> Drawn:
    """A chart with its title taken out, which a page writes above it."""
    return Drawn(str(spec.pop("title")), svg(spec))
