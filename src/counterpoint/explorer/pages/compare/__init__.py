"""Compare: two to five models, on all suites at once and on one in detail, and the groups that only one passes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import Struct

from counterpoint import catalog
from counterpoint.explorer.group_filters import browse_address
from counterpoint.explorer.group_parts import GroupEntry, group_entries
from counterpoint.explorer.page import ListPage, PageRequest, PageView
from counterpoint.explorer.pages.compare.query import LEAST, MOST, CompareQuery, find_models
from counterpoint.explorer.pages.compare.suites import (
    DifferenceScale,
    FlipGallery,
    SuiteDifference,
    difference_scale,
    flip_galleries,
    suite_differences,
    suites_sentence,
)
from counterpoint.explorer.pages.findings import findings_address
from counterpoint.explorer.views import LinkChoice, ScoreCell
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.comparison import compare_with_reference
from counterpoint.metrics.coverage import coverage_of_outcomes
from counterpoint.metrics.scoring import KORN_GRAUBARD, ScoreRequest
from counterpoint.metrics.verdicts import VERDICTS
from counterpoint.store.outcomes.queries import joint_verdict_counts, joint_verdict_groups, read_outcomes
from counterpoint.store.outcomes.selection import GroupFilter, GroupMatch


class ModelDifference(Struct, frozen=True):
    """How one model differs from the first in one metric: their shares, the difference, and what a test says of it."""

    model: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    n: int
    clusters: int
    p: float | None
    holm: float | None
    verdict: str
    detectable: float | None
    method: str


class DifferenceRow(Struct, frozen=True):
    """One metric of one slice, the first model against each other."""

    test: str
    metric: str
    label: str
    term: str
    against: tuple[ModelDifference | None, ...]


class VerdictCell(Struct, frozen=True):
    """How many groups have one verdict by the first model and one by the second, and where they are listed."""

    count: int
    share: float
    address: str
    title: str
    chosen: bool = False
    alike: bool = False


class VerdictRow(Struct, frozen=True):
    """The groups with one verdict by the first model."""

    label: str
    fields: tuple[VerdictCell, ...]
    total: int


class VerdictTable(Struct, frozen=True):
    """The verdicts of two models against each other."""

    heads: tuple[str, ...]
    lines: tuple[VerdictRow, ...]
    totals: tuple[int, ...]


class CoverageRow(Struct, frozen=True):
    """How much one model has right of what each other has right."""

    model: str
    cells: tuple[ScoreCell, ...]


class ModelChoice(Struct, frozen=True):
    """A model that is compared: where it becomes the first, where it is left out, and when it was run."""

    name: str
    first: str = ""
    without: str = ""
    dates: str = ""


@dataclass(frozen=True, slots=True)
class CompareView(PageView):
    """Two to five models on all suites, and on one."""

    suite: str = ""
    models: tuple[ModelChoice, ...] = ()
    known: tuple[str, ...] = ()  # the names of all models
    hidden: tuple[tuple[str, str], ...] = ()  # what the form keeps
    sought: str = ""
    suggested: tuple[LinkChoice, ...] = ()
    names: tuple[str, ...] = ()
    finding: str = ""
    scale: DifferenceScale | None = None
    rows: tuple[SuiteDifference, ...] = ()
    flips: tuple[FlipGallery, ...] = ()
    lines: tuple[DifferenceRow, ...] = ()
    coverage: tuple[CoverageRow, ...] = ()
    couples: tuple[LinkChoice, ...] = ()
    couple: tuple[str, str] = ("", "")
    changes: str = ""  # where the slices are that changed most from the second to the first
    tables: tuple[VerdictTable, ...] = ()
    left_out: int = 0
    listed: str = ""
    groups: tuple[GroupEntry, ...] = ()
    elsewhere: str = ""  # the same groups in Browse
    found: int = 0
    first: int = 0
    last: int = 0
    empty: str = ""


PAGE, SUGGESTED = 10, 12
"""How many groups a page lists, and how many models are suggested."""

SENTENCE = (
    "The first model against each other on the pairs that both answered: differences in points with 95 % intervals "
    "over pictures, and p values with Holm’s correction. At 5 % or more it is a tie."
)

_KINDS = (("right", "broken", "gained", "wrong"), ("holds", "breaks"))
_SHORT = {"broken": "then incorrect", "gained": "then correct"}  # column heads are narrow
_LABELS = {
    "swap": {"holds": "all survived", "breaks": "not all survived"},
    "ranks": {"holds": "caption above", "breaks": "not above"},
}


def compare_view(reader: LabReader, request: PageRequest) -> CompareView:
    """Two to five models on all suites and on one: paired differences, flips, joint verdicts and coverage."""
    query = CompareQuery.read(reader, request.values, request.all("models"))
    if len(query.models) < LEAST:
        return CompareView(
            title="Compare",
            sentence=SENTENCE,
            twin="/compare.json",
            empty="There are no two models to compare yet: start one with counterpoint run.",
        )
    names = tuple(model.name for model in query.models)
    rows = suite_differences(reader, query)
    view = CompareView(
        title=f"Compare: {', '.join(names)}",
        sentence=SENTENCE,
        twin=query.address(".json"),
        suite=query.suite,
        models=tuple(_choices(query)),
        known=tuple(model.name for model in reader.models() if model not in query.models),
        hidden=(("models", ",".join(model.slug for model in query.models)), ("suite", query.suite)),
        sought=query.sought,
        suggested=tuple(_suggestions(reader, query)) if query.sought else (),
        names=names,
        finding=suites_sentence(query, rows),
        rows=rows,
        scale=difference_scale([row.difference for row in rows if row.difference is not None]),
        flips=flip_galleries(reader, query),
        couples=tuple(_couples(query)) if len(query.models) > LEAST else (),
        couple=(names[0], names[query.other]),
        changes=findings_address(query.models[0].slug, query.models[query.other].slug),
    )
    return _with_suite(reader, query, view) if query.suite else view


def _with_suite(reader: LabReader, query: CompareQuery, view: CompareView) -> CompareView:
    """Return the page with the details of one suite."""
    counts = joint_verdict_counts(reader, query.suite, query.models[0].slug, query.models[query.other].slug)
    found = counts.get((query.first, query.second), 0) if query.first and query.second else 0
    page = ListPage.read(query.page, PAGE, found)
    query = replace(query, page=str(page.number) if page.number > 1 else "")
    lines, coverage, labels = reader.cached(("versus", query.suite, query.models), lambda: _paired(reader, query))
    joint = _joint_filter(query, labels)
    differences = [one.difference for line in lines for one in line.against if one]
    return replace(
        view,
        twin=query.address(".json"),
        above=query.without_cell.address(suite=""),
        scale=difference_scale([*differences, *(row.difference for row in view.rows if row.difference is not None)]),
        lines=lines,
        coverage=coverage,
        tables=tuple(_tables(query, counts, labels)),
        left_out=sum(number for key, number in counts.items() if not any(set(key) <= set(own) for own in _KINDS)),
        listed=_title(query, labels) if query.first and query.second else "",
        groups=_listed(reader, query, joint, page.offset) if found else (),
        elsewhere=browse_address(joint) if joint and found else "",
        **page.fields(lambda number: query.address(anchor="#groups", page=str(number) if number > 1 else "")),
    )


def _paired(
    reader: LabReader, query: CompareQuery
) -> tuple[tuple[DifferenceRow, ...], tuple[CoverageRow, ...], Mapping[str, str]]:
    """Return what does not depend on the listed cell: differences, coverage and the labels of verdicts."""
    names = tuple(model.name for model in query.models)
    outcomes = [read_outcomes(reader, query.suite, model.slug) for model in query.models]
    relations = reader.contents(query.suite).relations
    labels = next((labels for relation, labels in _LABELS.items() if relation in relations), {})
    covered = coverage_of_outcomes({str(number): own for number, own in enumerate(outcomes)}, ScoreRequest(()))
    differences = compare_with_reference(outcomes[0], outcomes[1:], reader.metrics)
    return _lines(names, differences), _coverage(names, covered.to_pylist()), labels


def _choices(query: CompareQuery) -> Iterator[ModelChoice]:
    """Yield each model with the address where it comes first, and, of more than two, the one where it is left out."""
    for model in query.models:
        others = tuple(other for other in query.models if other != model)
        first = replace(query.without_cell, models=(model, *others), other=1).address()
        without = replace(query.without_cell, models=others, other=1).address() if len(others) >= LEAST else ""
        address = "" if model == query.models[0] else first
        yield ModelChoice(model.name, address, without, model.dates)


def _suggestions(reader: LabReader, query: CompareQuery) -> Iterator[LinkChoice]:
    """Yield the models that fit what was looked for, as links that add them."""
    fitting = [model for model in find_models(reader, query.sought) if model not in query.models]
    for model in fitting[:SUGGESTED]:
        models = (*query.models[: MOST - 1], model)
        yield LinkChoice(model.name, replace(query.without_cell, models=models, other=1).address())


def _couples(query: CompareQuery) -> Iterator[LinkChoice]:
    for place, model in enumerate(query.models[1:], 1):
        address = query.without_cell.address(anchor="#suites", other=place)
        yield LinkChoice(f"{query.models[0].name} and {model.name}", address, place == query.other)


def _lines(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> tuple[DifferenceRow, ...]:
    """Every metric of every slice, the first model against each other."""
    lines: dict[tuple[str, str], list[ModelDifference | None]] = {}
    for row in rows:
        other = names[1 + row["other"]]
        own = {field: row[field] for field in ModelDifference.__struct_fields__ if field not in ("model", "verdict")}
        verdict = {"first": names[0], "second": other}.get(row["verdict"], row["verdict"])
        line = lines.setdefault((row["test"], row["metric"]), [None] * (len(names) - 1))
        line[row["other"]] = ModelDifference(model=other, verdict=verdict, **own)
    return tuple(
        DifferenceRow(test, name, catalog.metric(name).title, catalog.metric(name).term, tuple(against))
        for (test, name), against in lines.items()
    )


def _coverage(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> tuple[CoverageRow, ...]:
    """Return a row per model and a column per other model; nothing where no answer has gold."""
    scores = {(int(row["model"]), int(row["of"])): row for row in rows if row["n"]}
    if not scores:
        return ()

    def cell(number: int, of: int) -> ScoreCell:
        if row := scores.get((number, of)):
            return ScoreCell(row["value"], row["low"], row["high"], row["n"], row["clusters"], KORN_GRAUBARD)
        return ScoreCell(reason="the same model" if number == of else f"{names[of]} has nothing right here")

    places = range(len(names))
    return tuple(CoverageRow(names[number], tuple(cell(number, of) for of in places)) for number in places)


def _tables(
    query: CompareQuery, counts: Mapping[tuple[str, str], int], verdict_labels: Mapping[str, str]
) -> Iterator[VerdictTable]:
    for verdicts in _KINDS:
        own = {key: number for key, number in counts.items() if set(key) <= set(verdicts)}
        total = sum(own.values())
        if not total:
            continue
        labels = {name: verdict_labels.get(name) or _SHORT.get(name) or VERDICTS[name] for name in verdicts}
        rows = (
            VerdictRow(
                labels[first],
                tuple(
                    _cell(query, (first, second), own.get((first, second), 0), total, verdict_labels)
                    for second in verdicts
                ),
                sum(own.get((first, second), 0) for second in verdicts),
            )
            for first in verdicts
        )
        totals = (sum(own.get((first, second), 0) for first in verdicts) for second in verdicts)
        yield VerdictTable(tuple(labels.values()), tuple(rows), tuple(totals))


def _cell(
    query: CompareQuery, verdicts: tuple[str, str], count: int, total: int, verdict_labels: Mapping[str, str]
) -> VerdictCell:
    own = replace(query, first=verdicts[0], second=verdicts[1], page="")
    return VerdictCell(
        count,
        count / total,
        own.address(anchor="#groups") if count else "",
        _title(own, verdict_labels),
        chosen=(query.first, query.second) == verdicts,
        alike=verdicts[0] == verdicts[1],
    )


def _title(query: CompareQuery, verdict_labels: Mapping[str, str]) -> str:
    labels = {**VERDICTS, **verdict_labels}
    first, second = query.models[0].name, query.models[query.other].name
    return f"{first}: {labels[query.first]}, {second}: {labels[query.second]}"


def _joint_filter(query: CompareQuery, verdict_labels: Mapping[str, str]) -> GroupFilter | None:
    """Return the groups of a cell as a filter of Browse, which has no verdict for answers that survived an exchange."""
    if not (query.first and query.second) or (verdict_labels is _LABELS["swap"] and query.first in _KINDS[1]):
        return None
    first, second = query.models[0].slug, query.models[query.other].slug
    return GroupFilter(first, query.suite, verdict=query.first, also=f"{second}:{query.second}", browse="1")


def _listed(reader: LabReader, query: CompareQuery, joint: GroupFilter | None, start: int) -> tuple[GroupEntry, ...]:
    """Return a page of the groups of one cell."""
    first, second = query.models[0].slug, query.models[query.other].slug
    rows = joint_verdict_groups(reader, query.suite, (first, second), (query.first, query.second), PAGE, start)
    matches = [GroupMatch(first, query.suite, **row) for row in rows]
    return group_entries(reader, matches, joint or GroupFilter(first), second)
