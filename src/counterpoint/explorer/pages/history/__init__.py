"""History: the scores of a model over its versions, where they changed, and the groups that flipped between two."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from urllib.parse import quote, urlencode

from msgspec import Struct

from counterpoint import catalog
from counterpoint.core.errors import UnknownName
from counterpoint.core.grouping import group_pairs
from counterpoint.core.quantities import counted
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.pages.compare.query import CompareQuery
from counterpoint.explorer.pages.compare.suites import FlipGallery, flip_galleries, flips_by_suite
from counterpoint.explorer.pages.history.gates import VersionGate, version_gates
from counterpoint.explorer.views import ChartFigure, SelectBox
from counterpoint.lab.history import (
    VersionScore,
    change_text,
    compare_versions,
    drifts,
    find_versions,
    first_drifts,
    version_score,
)
from counterpoint.lab.reader import LabReader
from counterpoint.reports.charts.series import SeriesChart, SeriesPoint
from counterpoint.reports.tables import p_text
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.queries import read_outcomes
from counterpoint.store.versions import ModelVersion

SENTENCE = (
    "Each point is one version of the model, with its 95 % interval over pictures. A shaded step differs from the "
    "version before by a paired test, corrected over the series."
)

_LONGEST = 500  # characters of rules in an address

FLIPS = 5
"""Groups that a gallery of this page shows."""


class VersionRow(Struct, frozen=True):
    """A version of the model, when it was run or imported, and its page."""

    version: str
    slug: str
    address: str
    dates: str
    is_baseline: bool


class HistoryScore(Struct, frozen=True):
    """A score of one version, with its differences; see `VersionScore`."""

    version: str
    value: float
    low: float | None
    high: float | None
    n: int
    before: str
    difference: float | None
    p: float | None
    reference: str
    reference_difference: float | None
    reference_p: float | None
    is_baseline: bool
    is_change: bool
    is_drift: bool


class HistorySeries(Struct, frozen=True):
    """The scores of one suite by one metric, and their chart."""

    suite: str
    metric: str
    label: str
    address: str
    figure: ChartFigure
    scores: tuple[HistoryScore, ...]


class ChangeRow(Struct, frozen=True):
    """A version at which a score changed, since which other one, and where the groups that flipped are."""

    version: str
    since: str
    suite: str
    metric: str
    label: str
    difference: float
    p: float
    is_drift: bool
    is_better: bool | None
    address: str


class SuiteFlips(Struct, frozen=True):
    """How many groups of a suite were lost and won between two versions, and where both are compared on it."""

    suite: str
    lost: int
    won: int
    address: str


@dataclass(frozen=True, slots=True)
class HistoryView(PageView):
    """A model over its versions."""

    model: str = ""
    suite: str = ""
    baseline: str = ""
    boxes: tuple[SelectBox, ...] = ()
    versions: tuple[VersionRow, ...] = ()
    changes: tuple[ChangeRow, ...] = ()
    series: tuple[HistorySeries, ...] = ()
    before: str = ""  # the two versions whose flips are listed, by their names
    after: str = ""
    flips: tuple[SuiteFlips, ...] = ()
    lost: FlipGallery | None = None
    won: FlipGallery | None = None
    compare: str = ""
    everything: str = ""  # the page of all suites
    rules: str = ""
    gates: tuple[VersionGate, ...] = ()
    empty: str = ""


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """The model, one suite or all, two versions by their slugs, and rules of a gate."""

    model: str
    suite: str = ""
    before: str = ""
    after: str = ""
    rules: str = ""

    @classmethod
    def read(cls, reader: LabReader, query: Mapping[str, str]) -> "HistoryQuery":
        """Return the query of an address; without a model, that with the most versions, and the latest of these."""
        names = version_counts(reader)
        model = query.get("model") or next(iter(names), "")
        if model and model not in names:
            raise UnknownName("model of this lab", model, names)
        suite = reader.require_suite(query["suite"]) if query.get("suite") else ""
        known = {own.slug for own in labelled_versions(reader, model).values()} if model else set[str]()
        before, after = (query.get(name, "") for name in ("before", "after"))
        chosen = (before, after) if before != after and {before, after} <= known else ("", "")
        return cls(model, suite, *chosen, query.get("rules", "")[:_LONGEST])

    def address(self, ending: str = "", **changes: str) -> str:
        """Return where this history is shown, with some of it changed."""
        own = replace(self, **changes)
        values = {"model": own.model, "suite": own.suite, "before": own.before, "after": own.after, "rules": own.rules}
        return f"/history{ending}?{urlencode({name: value for name, value in values.items() if value})}"


def version_counts(reader: LabReader) -> dict[str, int]:
    """Return how many versions each model has, that with the most first, and of these the one that was run last."""
    versions: dict[str, list[ModelVersion]] = {}
    for version in reader.lab.versions():
        versions.setdefault(version.name, []).append(version)
    names = sorted(versions)
    names.sort(key=lambda name: (len(versions[name]), max(own.last_date for own in versions[name])), reverse=True)
    return {name: len(versions[name]) for name in names}


def model_versions(reader: LabReader, model: str) -> Sequence[ModelVersion]:
    """Return the versions of a model, in their order."""
    return reader.cached(("versions", model), lambda: find_versions(reader.lab, model))


def labelled_versions(reader: LabReader, model: str) -> dict[str, LabModel]:
    """Return the versions of a model by their tags, in their order, as pages know them."""
    by_fingerprint = {own.fingerprint: own for own in reader.models()}
    versions = model_versions(reader, model)
    return {own.version: by_fingerprint[own.fingerprint] for own in versions if own.fingerprint in by_fingerprint}


def history_view(reader: LabReader, request: PageRequest) -> HistoryView:
    """A model over its versions: scores with intervals, where they changed, and the groups that flipped."""
    query = HistoryQuery.read(reader, request.values)
    if not query.model:
        empty = "No model has answered yet: start one with counterpoint run."
        return HistoryView("History", SENTENCE, "/history.json", empty=empty)
    models, versions = labelled_versions(reader, query.model), model_versions(reader, query.model)
    series = read_series(reader, query)
    changes = tuple(_changes(query, models, series))
    view = HistoryView(
        title=f"{query.model} over {counted(len(versions), 'version')}",
        sentence=SENTENCE,
        twin=query.address(".json"),
        above=query.address(suite="") if query.suite else "",
        model=query.model,
        suite=query.suite,
        baseline=next((own.version for own in versions if own.is_baseline), ""),
        versions=tuple(_version_rows(versions, models)),
        changes=changes,
        series=tuple(_series(query, series)),
        everything=query.address(suite=""),
        rules=query.rules,
        gates=version_gates(reader, versions, query.rules),
        empty="" if series else f"{query.model} has no scores here yet.",
    )
    return _with_flips(reader, query, view, models)


def history_chart(reader: LabReader, request: PageRequest) -> SeriesChart:
    """Draw the scores of a suite by its first metric, or by that which the address names."""
    query = HistoryQuery.read(reader, request.values)
    series = read_series(reader, query)
    metric = request.values.get("metric", "")
    fitting = [key for key in series if metric in ("", key[1])]
    if not fitting:
        raise UnknownName("metric of this history", metric, [key[1] for key in series])
    return _chart(fitting[0], series[fitting[0]], _ends(series))


Series = dict[tuple[str, str], list[VersionScore]]
"""The scores of versions by suite and metric."""


def read_series(reader: LabReader, query: HistoryQuery) -> Series:
    """Return the scores of a suite by every metric that tables show, or of all by the first, large changes first."""
    series: Series = {}
    for suite in [query.suite] if query.suite else reader.suites():
        names = reader.displayed_metrics(suite)[: None if query.suite else 1]
        key = ("history", query.model, suite, names)
        scores = reader.cached(key, partial(_scores, reader, query.model, suite, names))
        series |= group_pairs(((score.suite, score.metric), score) for score in scores)
    if query.suite:
        return series
    return dict(sorted(series.items(), key=lambda item: -_largest_change(item[1])))


def _largest_change(scores: Sequence[VersionScore]) -> float:
    steps = [abs(score.difference) for score in scores if score.is_change]
    return max(steps or [abs(score.reference_difference) for score in drifts(scores)], default=0.0)


def _scores(reader: LabReader, model: str, suite: str, names: Sequence[str]) -> tuple[VersionScore, ...]:
    slugs = {tag: own.slug for tag, own in labelled_versions(reader, model).items()}
    scores = [
        version_score(version, suite, name, found.value, found.low, found.high, found.n)
        for name in names
        for version in model_versions(reader, model)
        if version.version in slugs and (found := reader.score(suite, slugs[version.version], name))
    ]
    outcomes = {tag: read_outcomes(reader, suite, slugs[tag]) for tag in {score.version for score in scores}}
    metrics = {name: catalog.metric(name) for name in names}
    return tuple(compare_versions(scores, lambda version: [outcomes[version]], metrics))


def _version_rows(versions: Sequence[ModelVersion], models: Mapping[str, LabModel]) -> Iterator[VersionRow]:
    for own in versions:
        slug = models[own.version].slug if own.version in models else ""
        address = f"/models/{quote(slug)}" if slug else ""
        yield VersionRow(own.version, slug, address, own.dates_text, own.is_baseline)


def _series(query: HistoryQuery, series: Series) -> Iterator[HistorySeries]:
    ends = _ends(series)
    for (suite, metric), scores in series.items():
        own = query.address(suite=suite, before="", after="")
        figure = ChartFigure(
            _chart((suite, metric), scores, ends),
            f"{query.address('.svg', suite=suite, before='', after='')}&{urlencode({'metric': metric})}",
        )
        listed = tuple(_plain(score) for score in scores)
        yield HistorySeries(suite, metric, catalog.metric(metric).title, own, figure, listed)


def _plain(score: VersionScore) -> HistoryScore:
    plain = score.to_dict()
    return HistoryScore(**{name: plain[name] for name in HistoryScore.__struct_fields__})


def _ends(series: Series) -> tuple[float, float]:
    """Return where the scale of all charts of a page ends, so that they can be compared."""
    values = [end for own in series.values() for one in own for end in (one.value, one.low, one.high) if not isnan(end)]
    return min(values, default=0.0), max(values, default=1.0)


def _chart(key: tuple[str, str], scores: Sequence[VersionScore], ends: tuple[float, float]) -> SeriesChart:
    metric = catalog.metric(key[1])
    points = tuple(
        SeriesPoint(
            score.version,
            score.value,
            None if isnan(score.low) else score.low,
            None if isnan(score.high) else score.high,
            score.difference if score.is_change else None,
            (score.difference > 0) != metric.lower_is_better if metric.directed else None,
            score.is_baseline,
            _about(score),
        )
        for score in scores
    )
    return SeriesChart(_finding(key[0], scores), metric.title, points, *ends)


def _about(score: VersionScore) -> str:
    told = [f"{counted(score.n, 'case')}"]
    if score.before and not isnan(score.difference):
        told.append(f"{100 * score.difference:+.1f} since {score.before}, p {p_text(score.p)}")
    if score.reference not in ("", score.before) and not isnan(score.reference_difference):
        told.append(f"{100 * score.reference_difference:+.1f} since {score.reference}, p {p_text(score.reference_p)}")
    return "; ".join(told)


def _finding(suite: str, scores: Sequence[VersionScore]) -> str:
    """Say where the largest change was, or that there was none."""
    changes = [score for score in scores if score.is_change]
    if changes:
        largest = max(changes, key=lambda score: abs(score.difference))
        more = f", and changed at {counted(len(changes) - 1, 'other version')}" if len(changes) > 1 else ""
        return f"{suite} {change_text(largest.difference)} at {largest.version}{more}"
    if drifting := drifts(scores):
        last = drifting[-1]
        change = change_text(last.reference_difference)
        return f"{suite} {change} from {last.reference} to {last.version}; no single step holds"
    if len(scores) == 1:
        return f"{suite}: one version so far"
    if all(isnan(score.p) for score in scores):
        return f"{suite}: too few pictures to tell"
    return f"{suite} changed by no more than chance explains"


def _changes(query: HistoryQuery, models: Mapping[str, LabModel], series: Series) -> Iterator[ChangeRow]:
    """Yield what changed, the latest version first, and of each the largest difference."""
    found = [
        _change(query, models, score, is_drift=is_drift)
        for scores in series.values()
        for is_drift, own in ((False, [score for score in scores if score.is_change]), (True, first_drifts(scores)))
        for score in own
    ]
    order = {version: place for place, version in enumerate(models)}
    yield from sorted(found, key=lambda row: (-order.get(row.version, 0), -abs(row.difference), row.suite))


def _change(query: HistoryQuery, models: Mapping[str, LabModel], score: VersionScore, *, is_drift: bool) -> ChangeRow:
    metric = catalog.metric(score.metric)
    since = score.reference if is_drift else score.before
    difference = score.reference_difference if is_drift else score.difference
    better = (difference > 0) != metric.lower_is_better if metric.directed else None
    pair = {name: models[own].slug for name, own in (("before", since), ("after", score.version)) if own in models}
    return ChangeRow(
        *(score.version, since, score.suite, score.metric, metric.title, difference),
        *(score.reference_p if is_drift else score.p, is_drift, better),
        f"{query.address(suite=score.suite, **pair)}#flips",
    )


def _with_flips(
    reader: LabReader, query: HistoryQuery, view: HistoryView, models: Mapping[str, LabModel]
) -> HistoryView:
    """Return the page with the groups that flipped between two versions: those asked for, else at the last change."""
    tags = {own.slug: tag for tag, own in models.items()}
    first, last = tags.get(query.before, ""), tags.get(query.after, "")
    if not first and view.changes:
        first, last = view.changes[0].since, view.changes[0].version
    if not first and len(models) > 1:
        first, last = list(models)[-2:]
    boxes = _boxes(reader, query, models, first, last)
    if first not in models or last not in models:
        return replace(view, boxes=boxes)
    pair = CompareQuery(query.suite, (models[first], models[last]))
    lost, won = flip_galleries(reader, pair, FLIPS)
    flips = tuple(
        SuiteFlips(suite, *counts, pair.address(suite=suite))
        for suite, counts in sorted(flips_by_suite(reader, pair).items(), key=lambda item: -sum(item[1]))
        if query.suite in ("", suite) and any(counts)
    )
    return replace(view, boxes=boxes, before=first, after=last, flips=flips, lost=lost, won=won, compare=pair.address())


def _boxes(
    reader: LabReader, query: HistoryQuery, models: Mapping[str, LabModel], first: str, last: str
) -> tuple[SelectBox, ...]:
    names = [(name, f"{name} ({counted(count, 'version')})") for name, count in version_counts(reader).items()]
    suites = [("", "all suites"), *((suite, suite) for suite in reader.suites())]
    tags = [(own.slug, tag) for tag, own in models.items()]
    chosen = {tag: own.slug for tag, own in models.items()}
    boxes = (SelectBox.of("model", "Model", names, query.model), SelectBox.of("suite", "Suite", suites, query.suite))
    if len(tags) < 2:
        return boxes
    return (
        *boxes,
        SelectBox.of("before", "Flips from", tags, chosen.get(first, "")),
        SelectBox.of("after", "to", tags, chosen.get(last, "")),
    )
