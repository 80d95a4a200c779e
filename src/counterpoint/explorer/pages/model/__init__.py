"""The page of one model: its metrics, how its scores are spread, what it does not understand, what it costs."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from msgspec import Struct

from counterpoint import catalog
from counterpoint.core.errors import UnknownName
from counterpoint.explorer.confusions import ConfusionBlock, confusion_blocks
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.pages.findings import findings_address
from counterpoint.explorer.pages.overview.query import COSTS, TOKEN_COSTS
from counterpoint.explorer.score_cells import cost_figure, metric_columns, score_cell
from counterpoint.explorer.views import ChartFigure, CostFigure, MetricColumn, ScoreCell, SelectBox
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.calibration import ReliabilityBin, reliability_curve
from counterpoint.metrics.data_statistics import HistogramBin
from counterpoint.reports.charts.bars import Histogram
from counterpoint.reports.charts.curves import ReliabilityChart, ReliabilityCurve
from counterpoint.reports.charts.dots import Dot, DotChart
from counterpoint.reports.charts.svg import Chart
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.queries import read_confidences, score_bin_counts


class SuiteScores(Struct, frozen=True):
    """The scores of the model on one suite by each metric, and those of the model beside it."""

    suite: str
    address: str
    columns: tuple[MetricColumn, ...]
    cells: tuple[ScoreCell, ...]
    against: tuple[ScoreCell, ...] = ()
    reason: str = ""  # why there is none


@dataclass(frozen=True, slots=True)
class ModelView(PageView):
    """All metrics of one model."""

    model: str = ""
    slug: str = ""
    here: str = ""
    fingerprint: str = ""
    dates: str = ""  # when it was run or imported
    versions: int = 1  # of the model of this name
    history: str = ""
    costs: tuple[tuple[str, CostFigure], ...] = ()
    measured: tuple[SuiteScores, ...] = ()
    against: str = ""
    boxes: tuple[SelectBox, ...] = ()
    charts: tuple[ChartFigure, ...] = ()
    findings: tuple[str, ...] = ()  # the first sentences about what it does not understand
    findings_address: str = ""
    notes: tuple[str, ...] = ()
    suite: str = ""
    instead: tuple[ConfusionBlock, ...] = ()


PLAIN_COSTS = ("parameters", "queries_per_second")
"""The costs whose labels say all; the others are a query's, or those of 1,000."""

MOST = 3
"""How many findings are told."""

NO_SCORE = "none of its answers here counts by any metric"

BINS = 10
"""Equal bins from 0 to 1, of scores and of confidence."""


@dataclass(frozen=True, slots=True)
class ModelQuery:
    """The suite and metric of the charts, and the model that is shown beside this one."""

    slug: str
    suite: str = ""
    metric: str = ""
    against: str = ""

    @classmethod
    def read(cls, reader: LabReader, slug: str, query: Mapping[str, str]) -> "ModelQuery":
        """Return the query of an address, with defaults for what it omits."""
        reader.model(slug)
        suites = [suite for suite in _ordered_suites(reader) if reader.has_answers(suite, slug)]
        suite = reader.require_suite(query["suite"]) if query.get("suite") else next(iter(suites), "")
        known = group_score_metrics(reader, suite) if suite else ()
        metric = query.get("metric", "")
        if metric and metric not in reader.metric_names():
            raise UnknownName("metric", metric, reader.metric_names())
        metric = metric if metric in known else next(iter(known), "")  # another suite may lack it
        against = query.get("against", "")
        return cls(slug, suite, metric, reader.model(against).slug if against else "")

    @property
    def here(self) -> str:
        """The address of the page without parameters."""
        return f"/models/{quote(self.slug)}"

    def address(self, ending: str = "", **more: str) -> str:
        """Return the address of this query."""
        values = {"suite": self.suite, "metric": self.metric, "against": self.against, **more}
        return f"{self.here}{ending}?{urlencode({name: value for name, value in values.items() if value})}"


def group_score_metrics(reader: LabReader, suite: str) -> tuple[str, ...]:
    """Return the metrics that each group of a suite has a score by, the displayed ones first."""
    return _displayed_first(reader, suite, set(reader.group_metrics()) & reader.applicable_metrics(suite))


def _displayed_first(reader: LabReader, suite: str, known: Set[str]) -> tuple[str, ...]:
    names = dict.fromkeys([*reader.displayed_metrics(suite), *reader.metric_names()])
    return tuple(name for name in names if name in known)


def model_view(reader: LabReader, request: PageRequest) -> ModelView:
    """All scores of one model, what it does not understand, and what it costs."""
    slug, query = request.path["model"], request.values
    model, choice = reader.model(slug), ModelQuery.read(reader, slug, query)
    other = reader.model(choice.against) if choice.against else None
    answered = [suite for suite in reader.suites() if reader.has_answers(suite, slug)]
    unasked = [suite for suite in reader.suites() if suite not in answered]
    found = reader.findings.find(slug).findings
    cost, versions = reader.costs()[slug], reader.lab.versions()
    version = next(own for own in versions if own.fingerprint == model.fingerprint)
    return ModelView(
        title=model.name,
        sentence="All metrics of one model in per cent, with 95 % intervals over pictures.",
        twin=choice.address(".json"),
        above="/overview",
        model=model.name,
        slug=slug,
        here=choice.here,
        fingerprint=model.fingerprint,
        dates=version.dates_text,
        versions=sum(own.name == version.name for own in versions),
        history=f"/history?{urlencode({'model': version.name})}",
        costs=tuple(
            (label.lower() if name in PLAIN_COSTS else f"{label.lower()} {unit}", cost_figure(cost, name))
            for name, (label, unit) in COSTS.items()
            if name not in TOKEN_COSTS or getattr(cost, name) is not None
        ),
        measured=tuple(_suite_scores(reader, suite, model, other) for suite in answered),
        against=other.name if other else "",
        boxes=_boxes(reader, choice),
        charts=tuple(_charts(reader, choice)),
        findings=tuple(own.sentence for own in found.findings if own.is_significant)[:MOST] if found else (),
        findings_address=findings_address(slug),
        notes=(f"It has no answers to {', '.join(unasked)}.",) if unasked else (),
        suite=choice.suite,
        instead=confusion_blocks(reader, choice.suite, slug) if choice.suite else (),
    )


CHARTS = ("spread", "profile", "reliability")
"""The charts of the page, by the names that addresses give them."""


def model_chart(reader: LabReader, request: PageRequest) -> Chart:
    """Draw one of the charts of the page, which the address names."""
    slug, query = request.path["model"], request.values
    which = query.get("chart", CHARTS[0])
    if which not in CHARTS:
        raise UnknownName("chart", which, CHARTS)
    return _chart(reader, ModelQuery.read(reader, slug, query), which)


def _ordered_suites(reader: LabReader) -> tuple[str, ...]:
    """Return the suites in the order of the leaderboard."""
    return tuple(dict.fromkeys(column.suite for column in reader.leaderboard().columns))


def _suite_scores(reader: LabReader, suite: str, model: LabModel, other: LabModel | None) -> SuiteScores:
    known = reader.applicable_metrics(suite) - {metric.chance for metric in reader.metrics}
    names = _displayed_first(reader, suite, known.union(reader.displayed_metrics(suite)))
    every = {name: score_cell(reader, suite, model, name) for name in names}
    cells = {name: cell for name, cell in every.items() if cell.value is not None}
    reason = "" if cells else next((cell.reason for cell in every.values() if cell.reason), NO_SCORE)
    beside = tuple(score_cell(reader, suite, other, name) for name in cells) if other else ()
    address = f"/suites/{quote(suite)}/models/{quote(model.slug)}"
    return SuiteScores(suite, address, metric_columns(reader, suite, cells), tuple(cells.values()), beside, reason)


def _boxes(reader: LabReader, choice: ModelQuery) -> tuple[SelectBox, ...]:
    suites = [(suite, suite) for suite in reader.suites() if reader.has_answers(suite, choice.slug)]
    known = group_score_metrics(reader, choice.suite) if choice.suite else ()
    others = [(model.slug, model.name) for model in reader.models() if model.slug != choice.slug]

    return (
        SelectBox.of("suite", "Suite", suites, choice.suite),
        SelectBox.of("metric", "Metric", [(name, catalog.metric(name).title) for name in known], choice.metric),
        SelectBox.of("against", "Beside", [("", "no other model"), *others], choice.against),
    )


def _charts(reader: LabReader, choice: ModelQuery) -> list[ChartFigure]:
    """Return the charts that have values."""
    figures = []
    for which in CHARTS:
        chart = _chart(reader, choice, which)
        values = (
            chart.bins if isinstance(chart, Histogram) else chart.dots if isinstance(chart, DotChart) else chart.curves
        )
        if values:
            figures.append(ChartFigure(chart, choice.address(".svg", chart=which)))
    return figures


def _chart(reader: LabReader, choice: ModelQuery, which: str) -> Histogram | DotChart | ReliabilityChart:
    if which == "spread":
        return _spread_chart(reader, choice)
    if which == "profile":
        dots = _dots(reader, choice) if choice.against else []
        return DotChart(_profile_title(reader, choice, dots), tuple(dots), overlaid=True)
    model = reader.model(choice.slug)
    confidences = read_confidences(reader, choice.suite, choice.slug) if choice.suite else None
    curve = tuple(reliability_curve(*confidences, bins=BINS)) if confidences else ()
    return ReliabilityChart(_curve_title(model, curve), (ReliabilityCurve(model.name, curve),) if curve else ())


def _spread_chart(reader: LabReader, choice: ModelQuery) -> Histogram:
    """Draw how many samples score in each bin, in per cent; a sample is a base query with its mean score."""
    title, label, width = f"no sample of {choice.suite} has a score", "score of a sample, in per cent", 100 // BINS
    counts = score_bin_counts(reader, choice.suite, choice.slug, choice.metric, BINS) if choice.metric else {}
    if len(counts) < 3:  # the table says as much as two bars
        return Histogram(title, (), label, as_percent=True)
    bins = [HistogramBin(width * place, width * (place + 1), counts.get(place, 0)) for place in range(BINS)]
    top, bottom = (100 * end.count / sum(counts.values()) for end in (bins[-1], bins[0]))
    title = f"{top:.0f} % of {choice.suite}’s samples score 90 or more, {bottom:.0f} % below 10"
    return Histogram(title, tuple(bins), label, as_percent=True)


def _profile_title(reader: LabReader, choice: ModelQuery, dots: list[Dot]) -> str:
    if not dots:
        return "no other model is chosen"
    model, other = reader.model(choice.slug).name, reader.model(choice.against).name
    values: dict[str, dict[str, float]] = {}
    for dot in dots:
        values.setdefault(dot.row, {})[dot.column] = dot.value
    pairs = [pair for pair in values.values() if len(pair) == 2]
    higher = sum(pair[model] > pair[other] for pair in pairs)
    return f"{model} is higher than {other} in {higher} of {len(pairs)} metrics"


def _curve_title(model: LabModel, bins: tuple[ReliabilityBin, ...]) -> str:
    total = sum(point.n for point in bins)
    if not total:
        return "it gives no probabilities"
    gap = sum(point.n * (point.confidence - point.accuracy) for point in bins) / total
    how = "overconfident: confidence is above accuracy" if gap > 0 else "underconfident: confidence is below accuracy"
    return f"{model.name} is {how}, by {abs(100 * gap):.1f} points on average"


def _dots(reader: LabReader, choice: ModelQuery) -> list[Dot]:
    """Return the displayed metrics of every suite that both models have."""
    dots = []
    pair = [reader.model(slug) for slug in (choice.slug, choice.against) if slug]
    for suite in _ordered_suites(reader):
        for name in reader.displayed_metrics(suite):
            scores = [(model, reader.score(suite, model.slug, name)) for model in pair]
            row = f"{suite} · {catalog.metric(name).title.lower()}"
            if all(score is not None for _, score in scores):
                dots += [
                    Dot(row, model.name, s.value, s.low, s.high)
                    for model, s in scores
                    if s is not None and s.low is not None and s.high is not None
                ]
    return dots
