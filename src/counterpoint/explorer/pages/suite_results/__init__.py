"""One suite of one model: its scores by test and kind, and its groups, filtered and in pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from counterpoint import catalog
from counterpoint.explorer.group_filters import (
    filter_parameters,
    read_filter,
)
from counterpoint.explorer.group_parts import GroupEntry, group_entries
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.pages.overview.query import OverviewQuery
from counterpoint.explorer.score_cells import score_cell
from counterpoint.explorer.views import ChartFigure, LinkChoice, MetricColumn, ScoreRow, SelectBox, SelectOption
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.verdicts import INCONSISTENT, VERDICTS
from counterpoint.reports.charts.bars import StackedBarChart
from counterpoint.reports.verdict_charts import verdicts_by_kind
from counterpoint.store.models import LabModel
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
    choices: tuple[SelectBox, ...] = ()
    groups: tuple[GroupEntry, ...] = ()
    found: int = 0
    first: int = 0
    last: int = 0


PAGE = 25
"""How many groups a page lists."""


def suite_results_chart(reader: LabReader, request: PageRequest) -> StackedBarChart:
    """Draw the verdicts of one model on each kind of a suite."""
    return verdicts_by_kind(reader, request.path["suite"], request.path["model"])


def suite_results_view(reader: LabReader, request: PageRequest) -> SuiteResultsView:
    """The scores of one model on one suite by test and kind, and its groups."""
    suite, slug, query = request.path["suite"], request.path["model"], request.values
    model, asked = reader.model(slug), read_filter(query)
    chosen = GroupFilter(slug, test=asked.test, kind=asked.kind, verdict=asked.verdict)
    here = f"/suites/{quote(reader.require_suite(suite))}/models/{quote(slug)}"
    counted = reader.verdict_counts(suite, slug)
    found = count_groups(counted, test=chosen.test, kind=chosen.kind, verdict=chosen.verdict)
    page = min(max(_number(query.get("page", "")), 1), max(-(-found // PAGE), 1))
    shown = list_groups(reader, replace(chosen, suite=suite), PAGE, offset=(page - 1) * PAGE)
    columns = tuple(
        MetricColumn(suite, "", name, catalog.metric(name).title, catalog.metric(name).term)
        for name in reader.displayed_metrics(suite)
    )

    def address(number: int) -> str:
        asked = {**filter_parameters(chosen), **({"page": str(number)} if number > 1 else {})}
        asked.pop("model", None)
        return f"{here}?{urlencode(asked)}#groups" if asked else f"{here}#groups"

    return SuiteResultsView(
        title=f"{suite} · {model.name}",
        sentence=_sentence(reader.suite_sentence(suite)),
        twin=_asked(f"{here}.json", {**filter_parameters(chosen), "page": str(page)}),
        before=address(page - 1) if page > 1 else "",
        after=address(page + 1) if page * PAGE < found else "",
        above=OverviewQuery((suite,)).address(),
        suite=suite,
        model=model.name,
        here=here,
        models=_models(reader, suite, slug),
        columns=columns,
        lines=_lines(reader, suite, model, columns, here),
        notes=_notes(reader, suite, model),
        chart=_chart(reader, suite, slug, here),
        choices=_choices(counted, chosen),
        groups=tuple(group_entries(reader, shown, chosen)),
        found=found,
        first=(page - 1) * PAGE + 1 if found else 0,
        last=(page - 1) * PAGE + len(shown),
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 1


def _sentence(text: str) -> str:
    says = f"{text[:1].upper()}{text[1:].rstrip('.')}. " if text else ""
    return f"{says}Share of pairs, in per cent, with 95 % intervals over pictures."


def _models(reader: LabReader, suite: str, slug: str) -> tuple[LinkChoice, ...]:
    path = f"/suites/{quote(suite)}/models"
    return tuple(LinkChoice(model.name, f"{path}/{quote(model.slug)}", model.slug == slug) for model in reader.models())


def _lines(
    reader: LabReader, suite: str, model: LabModel, columns: Iterable[MetricColumn], here: str
) -> tuple[ScoreRow, ...]:
    found = []
    for test, kind in reader.slices(suite):
        cells = [score_cell(reader, suite, model, column.metric, test=test, kind=kind) for column in columns]
        asked = urlencode({name: value for name, value in (("test", test), ("kind", kind)) if value})
        counted = max(cells, key=lambda cell: cell.n)
        found.append(
            ScoreRow(
                model.name,
                kind or test or "all",
                _detail(test, kind, several=len(reader.tests(suite)) > 1),
                tuple(cells),
                f"{here}?{asked}#groups" if asked else f"{here}#groups",
                counted.n,
                counted.clusters,
            )
        )
    return tuple(found)


def _detail(test: str, kind: str, *, several: bool) -> str:
    """What a line is cut from, where that is not said by its page."""
    if kind:
        return test if several else ""
    return "all kinds" if test else "all tests"


def _notes(reader: LabReader, suite: str, model: LabModel) -> tuple[str, ...]:
    """What is not an answer, beside the scores: it counts as wrong, or not at all, and is said."""
    states = reader.state_counts(suite, model.slug)
    total = sum(states.values())
    said = [f"{states[name]:,} {name}" for name in ("unparsed", "refused", "failed", "missing") if states.get(name)]
    if not said:
        return (f"All {total:,} queries were answered in form.",) if total else ()
    return (
        f"Of {total:,} queries: {', '.join(said)}. What is unparsed or refused is wrong; a pair with a failed or "
        "missing member is not counted.",
    )


def _chart(reader: LabReader, suite: str, slug: str, here: str) -> ChartFigure | None:
    chart = verdicts_by_kind(reader, suite, slug)
    return ChartFigure(chart, f"{here}.svg") if chart.shares and reader.has_answers(suite, slug) else None


def _choices(counted: Sequence[VerdictCount], chosen: GroupFilter) -> tuple[SelectBox, ...]:
    """Boxes for test, kind and verdict, each option with how many groups it would show."""

    def count(**changes: str) -> int:
        return count_groups(
            counted, **({"test": chosen.test, "kind": chosen.kind, "verdict": chosen.verdict} | changes)
        )

    def box(name: str, label: str, values: Iterable[tuple[str, str]], now: str) -> SelectBox:
        options = [SelectOption(value, text, value == now, count(**{name: value})) for value, text in values]
        return SelectBox(name, label, tuple(one for one in options if one.count or one.chosen or not one.value))

    tests, kinds = sorted({one.test for one in counted}), sorted({one.kind for one in counted})
    named = [*VERDICTS.items(), (INCONSISTENT, INCONSISTENT)]
    boxes = (
        box("test", "Test", [("", "all tests"), *((one, one) for one in tests)], chosen.test),
        box("kind", "Kind", [("", "all kinds"), *((one, one) for one in kinds if one)], chosen.kind),
        box("verdict", "Verdict", [("", "any verdict"), *named], chosen.verdict),
    )
    return tuple(one for one in boxes if len(one.options) > 2 or one.name == "verdict")


def count_groups(counted: Sequence[VerdictCount], *, test: str = "", kind: str = "", verdict: str = "") -> int:
    """How many of the counted groups fit; what is empty fits all."""
    own = (one for one in counted if test in ("", one.test) and kind in ("", one.kind))
    if verdict == INCONSISTENT:
        return sum(one.inconsistent for one in own)
    return sum(one.groups for one in own if verdict in ("", one.verdict))


def _asked(path: str, said: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(said)}" if said else path
