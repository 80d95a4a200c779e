"""The results of one model on one suite: scores by test and kind, and its groups, filtered and paged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from counterpoint.core.quantities import counted
from counterpoint.explorer.confusions import ConfusionBlock, confusion_blocks
from counterpoint.explorer.group_filters import (
    filter_parameters,
    read_filter,
)
from counterpoint.explorer.group_parts import GroupEntry, group_entries
from counterpoint.explorer.page import ListPage, PageRequest, PageView
from counterpoint.explorer.pages.overview.query import OverviewQuery
from counterpoint.explorer.score_cells import metric_columns, score_cell
from counterpoint.explorer.views import (
    ChartFigure,
    LinkChoice,
    MetricColumn,
    ScoreCell,
    ScoreRow,
    SelectBox,
    SelectOption,
)
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.confusion import ConfusionTable
from counterpoint.metrics.verdicts import FAILING, FAILS, INCONSISTENT, PASSES, PASSING, VERDICTS
from counterpoint.reports.charts.bars import StackedBarChart
from counterpoint.reports.templating import as_sentence
from counterpoint.reports.verdict_charts import verdicts_by_kind
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.queries import confusions
from counterpoint.store.outcomes.reader import VerdictCount
from counterpoint.store.outcomes.selection import (
    GroupFilter,
    list_groups,
)


@dataclass(frozen=True, slots=True)
class SuiteResultsView(PageView):
    """One suite of one model: scores by test and kind, and its groups."""

    suite: str = ""
    model: str = ""
    here: str = ""
    models: tuple[LinkChoice, ...] = ()
    columns: tuple[MetricColumn, ...] = ()
    lines: tuple[ScoreRow, ...] = ()
    notes: tuple[str, ...] = ()
    chart: ChartFigure | None = None
    confusions: ConfusionTable | None = None
    instead: tuple[ConfusionBlock, ...] = ()
    choices: tuple[SelectBox, ...] = ()
    groups: tuple[GroupEntry, ...] = ()
    unit: str = "Pairs"  # or questions, which have no variants
    found: int = 0
    first: int = 0
    last: int = 0


SENTENCE = (
    "{share} per cent, with 95 % intervals over pictures; higher is better unless a column says otherwise, "
    "and chance is what guessing would score."
)

PAGE = 12
"""How many groups a page lists."""


def suite_results_chart(reader: LabReader, request: PageRequest) -> StackedBarChart:
    """Draw the verdicts of one model on each kind of a suite."""
    return verdicts_by_kind(reader, request.path["suite"], request.path["model"])


def suite_results_view(reader: LabReader, request: PageRequest) -> SuiteResultsView:
    """The scores of one model on one suite by test and kind, and its groups."""
    suite, slug, query = request.path["suite"], request.path["model"], request.values
    model, given = reader.model(slug), read_filter(query)
    chosen = GroupFilter(slug, test=given.test, kind=given.kind, verdict=given.verdict)
    here = f"/suites/{quote(reader.require_suite(suite))}/models/{quote(slug)}"
    counts = reader.verdict_counts(suite, slug)
    found = count_groups(counts, test=chosen.test, kind=chosen.kind, verdict=chosen.verdict)
    page = ListPage.read(query.get("page", ""), PAGE, found)
    matches = list_groups(reader, replace(chosen, suite=suite), PAGE, offset=page.offset)
    columns = metric_columns(reader, suite, reader.displayed_metrics(suite))
    chart = verdicts_by_kind(reader, suite, slug)
    unit, share = ("Pairs", "Share of pairs, in") if reader.contents(suite).relations else ("Questions", "In")

    def address(number: int) -> str:
        parameters = {**filter_parameters(chosen), **({"page": str(number)} if number > 1 else {})}
        parameters.pop("model", None)
        return f"{here}?{urlencode(parameters)}#groups" if parameters else f"{here}#groups"

    return SuiteResultsView(
        title=f"{suite} · {model.name}",
        sentence=f"{as_sentence(reader.suite_sentence(suite))} {SENTENCE.format(share=share)}".lstrip(),
        twin=f"{here}.json?{urlencode({**filter_parameters(chosen), 'page': str(page.number)})}",
        above=OverviewQuery((suite,)).address(),
        suite=suite,
        unit=unit,
        model=model.name,
        here=here,
        models=tuple(
            LinkChoice(other.name, f"/suites/{quote(suite)}/models/{quote(other.slug)}", other.slug == slug)
            for other in reader.models()
        ),
        columns=columns,
        lines=_lines(reader, suite, model, columns, here),
        notes=_notes(reader, suite, model),
        chart=ChartFigure(chart, f"{here}.svg") if chart.shares and reader.has_answers(suite, slug) else None,
        confusions=reader.cached(("confusions", suite, slug), lambda: confusions(reader, suite, slug)),
        instead=confusion_blocks(reader, suite, slug),
        choices=_choices(counts, chosen),
        groups=group_entries(reader, matches, chosen),
        **page.fields(address),
    )


def _lines(
    reader: LabReader, suite: str, model: LabModel, columns: Iterable[MetricColumn], here: str
) -> tuple[ScoreRow, ...]:
    rows, has_tests = [], len(reader.tests(suite)) > 1
    for test, kind in reader.slices(suite):
        cells = [score_cell(reader, suite, model, column.metric, test=test, kind=kind) for column in columns]
        parameters = urlencode({name: value for name, value in (("test", test), ("kind", kind)) if value})
        largest = max(cells, key=lambda cell: cell.n, default=ScoreCell())
        rows.append(
            ScoreRow(
                model.name,
                kind or test or "all",
                (test if has_tests else "") if kind else "all kinds" if test else "all tests",  # what it is a slice of
                tuple(cells),
                f"{here}?{parameters}#groups" if parameters else f"{here}#groups",
                largest.n,
                largest.clusters,
            )
        )
    return tuple(rows)


def _notes(reader: LabReader, suite: str, model: LabModel) -> tuple[str, ...]:
    """Return how many answers are unparsed, refused, hedged, failed or missing."""
    states = reader.state_counts(suite, model.slug)
    total = sum(states.values())
    problems = [
        f"{states[name]:,} {name}"
        for name in ("unparsed", "refused", "hedged", "failed", "missing")
        if states.get(name)
    ]
    if not problems:
        return (f"All {counted(total, 'query', 'have')} a parsed answer.",) if total else ()
    return (
        f"Of {counted(total, 'query')}: {', '.join(problems)}. Unparsed, refused and hedged answers are wrong; "
        "a pair with a failed or missing answer is not counted.",
    )


def _choices(counts: Sequence[VerdictCount], chosen: GroupFilter) -> tuple[SelectBox, ...]:
    """Return boxes for test, kind and verdict, each option with how many groups it would show."""

    def count(**changes: str) -> int:
        return count_groups(counts, **({"test": chosen.test, "kind": chosen.kind, "verdict": chosen.verdict} | changes))

    def select_box(name: str, label: str, values: Iterable[tuple[str, str]], current: str) -> SelectBox:
        options = [SelectOption(value, text, value == current, count(**{name: value})) for value, text in values]
        return SelectBox(
            name, label, tuple(option for option in options if option.count or option.chosen or not option.value)
        )

    tests, kinds = sorted({count.test for count in counts}), sorted({count.kind for count in counts})
    verdicts = [(FAILS, FAILS), (PASSES, PASSES), *VERDICTS.items(), (INCONSISTENT, INCONSISTENT)]
    boxes = (
        select_box("test", "Test", [("", "all tests"), *((name, name) for name in tests)], chosen.test),
        select_box("kind", "Kind", [("", "all kinds"), *((name, name) for name in kinds if name)], chosen.kind),
        select_box("verdict", "Verdict", [("", "any verdict"), *verdicts], chosen.verdict),
    )
    return tuple(box for box in boxes if len(box.options) > 2 or box.name == "verdict")


def count_groups(counts: Sequence[VerdictCount], *, test: str = "", kind: str = "", verdict: str = "") -> int:
    """Return how many of the counted groups fit; an empty name fits all."""
    fitting = (count for count in counts if test in ("", count.test) and kind in ("", count.kind))
    if verdict == INCONSISTENT:
        return sum(count.inconsistent for count in fitting)
    verdicts = {FAILS: FAILING, PASSES: PASSING}.get(verdict, {verdict})
    return sum(count.groups for count in fitting if not verdict or count.verdict in verdicts)
