"""The page of one model: its measures, how its scores are spread, where it is strong and weak, what it costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from counterpoint.core.errors import UnknownName
from counterpoint.explorer import board_columns, measures
from counterpoint.explorer.board_choices import BoardChoice
from counterpoint.explorer.model_charts import curve, ranges
from counterpoint.explorer.pages.overview import scored_cell
from counterpoint.explorer.reading import Known, Reading
from counterpoint.explorer.standings import Part, standings
from counterpoint.explorer.views import Cell, ChartFigure, Column, Figure, Option, PageChart, Select
from counterpoint.explorer.views_boards import Measured, ModelView, Standing
from counterpoint.metrics.calibration import ReliabilityBin
from counterpoint.metrics.data_statistics import HistogramBin
from counterpoint.reports.charts.bars import Histogram
from counterpoint.reports.charts.curves import ReliabilityChart, ReliabilityCurve
from counterpoint.reports.charts.dots import Dot, DotChart
from counterpoint.store.outcomes.tables import sampled

MOST = 8
"""How many strong and how many weak parts are listed."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which suite and measure the charts are about, and which model this one is held against."""

    slug: str
    suite: str = ""
    measure: str = ""
    against: str = ""

    @classmethod
    def read(cls, reading: Reading, slug: str, query: Mapping[str, str]) -> "ModelChoice":
        """The choice that an address says, with what it leaves out filled in."""
        reading.model(slug)
        ordered = board_columns.chosen_suites(reading, BoardChoice())
        suites = [suite for suite in ordered if reading.asked(suite, slug)]
        suite = reading.known_suite(query["suite"]) if query.get("suite") else next(iter(suites), "")
        known = samples(reading, suite) if suite else ()
        measure = query.get("measure", "")
        if measure and measure not in reading.measures():
            raise UnknownName("measure", measure, reading.measures())
        measure = measure if measure in known else next(iter(known), "")  # another suite may lack it
        against = query.get("against", "")
        return cls(slug, suite, measure, reading.model(against).slug if against else "")

    @property
    def here(self) -> str:
        """The page of the model, whatever is chosen on it."""
        return f"/models/{quote(self.slug)}"

    def address(self, ending: str = "", **more: str) -> str:
        """Where this choice is shown."""
        said = {"suite": self.suite, "measure": self.measure, "against": self.against, **more}
        return f"{self.here}{ending}?{urlencode({name: value for name, value in said.items() if value})}"


def samples(reading: Reading, suite: str) -> tuple[str, ...]:
    """The measures that each sample of a suite has a score by, the most telling first."""
    known = {metric.name for metric in sampled()} & reading.applying(suite)
    first = [name for name in measures.shown(reading.applying(suite), reading.tests(suite)) if name in known]
    return tuple(dict.fromkeys([*first, *(name for name in reading.measures() if name in known)]))


def model_view(reading: Reading, slug: str, query: Mapping[str, str]) -> ModelView:
    """The page as its address asks for it."""
    model, choice = reading.model(slug), ModelChoice.read(reading, slug, query)
    other = reading.model(choice.against) if choice.against else None
    found = [part for suite in reading.suites() for part in _standings(reading, suite, model)]
    return ModelView(
        view="model",
        title=model.name,
        sentence="All measures of one model in per cent, with 95 % intervals over pictures.",
        twin=choice.address(".json"),
        above="/leaderboard",
        model=model.name,
        slug=slug,
        here=choice.here,
        fingerprint=model.fingerprint,
        costs=_costs(reading, model),
        measured=tuple(one for suite in reading.suites() if (one := _measured(reading, suite, model, other))),
        against=other.name if other else "",
        boxes=_boxes(reading, choice),
        charts=tuple(_charts(reading, choice)),
        strong=_first(found, above=True),
        weak=_first(found, above=False),
        notes=_notes(reading, model),
    )


CHARTS = ("spread", "profile", "reliability")
"""The charts of the page, by the names that addresses give them."""


def model_chart(reading: Reading, slug: str, query: Mapping[str, str]) -> PageChart:
    """One of the charts of the page; the address says which."""
    which = query.get("chart", CHARTS[0])
    if which not in CHARTS:
        raise UnknownName("chart", which, CHARTS)
    return _chart(reading, ModelChoice.read(reading, slug, query), which)


def _first(found: Sequence[Standing], *, above: bool) -> tuple[Standing, ...]:
    """Those above or below the whole that are farthest from it."""

    def away(one: Standing) -> float:
        return (one.cell.value or 0.0) - one.whole

    own = [one for one in found if (away(one) > 0) == above]
    return tuple(sorted(own, key=lambda one: -abs(away(one)))[:MOST])


def _costs(reading: Reading, model: Known) -> tuple[tuple[str, Figure], ...]:
    columns = board_columns.cost_columns(BoardChoice())
    figures = board_columns.costs(reading, model, columns)
    names = [
        f"{column.label.lower()}{' a query' if column.measure == 'seconds_per_query' else ''}" for column in columns
    ]
    return tuple(zip(names, figures, strict=True))


def _measured(reading: Reading, suite: str, model: Known, other: Known | None) -> Measured | None:
    if not reading.asked(suite, model.slug):
        return None
    known = reading.applying(suite) - set(measures.CHANCES.values())
    first = measures.shown(known, reading.tests(suite))
    names = tuple(dict.fromkeys([*first, *(name for name in reading.measures() if name in known)]))
    cells = {name: scored_cell(reading, suite, model, name) for name in names}
    names = tuple(name for name in names if cells[name].value is not None)
    columns = tuple(Column(suite, "", name, measures.label(name), measures.term(name)) for name in names)
    beside = tuple(scored_cell(reading, suite, other, name) for name in names) if other else ()
    address = f"/suites/{quote(suite)}/models/{quote(model.slug)}"
    return Measured(suite, address, columns, tuple(cells[name] for name in names), beside)


def _boxes(reading: Reading, choice: ModelChoice) -> tuple[Select, ...]:
    suites = [(suite, suite) for suite in reading.suites() if reading.asked(suite, choice.slug)]
    known = samples(reading, choice.suite) if choice.suite else ()
    others = [(one.slug, one.name) for one in reading.models() if one.slug != choice.slug]

    def box(name: str, label: str, values: list[tuple[str, str]], now: str) -> Select:
        return Select(name, label, tuple(Option(value, text, value == now) for value, text in values))

    return (
        box("suite", "Data set", suites, choice.suite),
        box("measure", "Measure", [(name, measures.named(name)) for name in known], choice.measure),
        box("against", "Beside", [("", "no other model"), *others], choice.against),
    )


def _charts(reading: Reading, choice: ModelChoice) -> list[ChartFigure]:
    """The charts that have something to show."""
    found = []
    for which in CHARTS:
        chart = _chart(reading, choice, which)
        values = (
            chart.bins if isinstance(chart, Histogram) else chart.dots if isinstance(chart, DotChart) else chart.curves
        )
        if values:
            found.append(ChartFigure(chart, choice.address(".svg", chart=which)))
    return found


def _chart(reading: Reading, choice: ModelChoice, which: str) -> Histogram | DotChart | ReliabilityChart:
    model = reading.model(choice.slug)
    if which == "spread":
        bins = ranges(reading, choice.suite, model, choice.measure) if choice.measure else ()
        return Histogram(_spread_title(choice, bins), bins, "score of a sample, in per cent", as_percent=True)
    if which == "profile":
        dots = _dots(reading, choice) if choice.against else []
        return DotChart(_profile_title(reading, choice, dots), tuple(dots), overlaid=True)
    curve_bins = curve(reading, choice.suite, model) if choice.suite else ()
    curves = (ReliabilityCurve(model.name, curve_bins),) if curve_bins else ()
    return ReliabilityChart(_curve_title(model, curve_bins), curves)


def _spread_title(choice: ModelChoice, found: tuple[HistogramBin, ...]) -> str:
    if not found:
        return f"no sample of {choice.suite} has a score"
    total = sum(part.count for part in found)
    top, bottom = 100 * found[-1].count / total, 100 * found[0].count / total
    return f"{top:.0f} % of {choice.suite}’s samples score 90 or more, {bottom:.0f} % below 10"


def _profile_title(reading: Reading, choice: ModelChoice, found: list[Dot]) -> str:
    if not found:
        return "no other model is chosen"
    model, other = reading.model(choice.slug).name, reading.model(choice.against).name
    values: dict[str, dict[str, float]] = {}
    for dot in found:
        values.setdefault(dot.row, {})[dot.column] = dot.value
    both = [own for own in values.values() if len(own) == 2]
    higher = sum(own[model] > own[other] for own in both)
    return f"{model} is higher than {other} in {higher} of {len(both)} measures"


def _curve_title(model: Known, bins: tuple[ReliabilityBin, ...]) -> str:
    total = sum(one.n for one in bins)
    if not total:
        return "it gives no probabilities"
    gap = sum(one.n * (one.confidence - one.accuracy) for one in bins) / total
    how = "surer than it is right" if gap > 0 else "less sure than it is right"
    return f"{model.name} is {how}, by {abs(100 * gap):.1f} points on average"


def _dots(reading: Reading, choice: ModelChoice) -> list[Dot]:
    """The main measures of every suite that both models have."""
    found = []
    pair = [reading.model(slug) for slug in (choice.slug, choice.against) if slug]
    for suite in board_columns.chosen_suites(reading, BoardChoice()):
        for name in measures.shown(reading.applying(suite), reading.tests(suite)):
            scores = [(one, reading.score(suite, one.slug, name)) for one in pair]
            row = f"{suite} · {measures.label(name).lower()}"
            if all(score is not None for _, score in scores):
                found += [Dot(row, one.name, s.value, s.low, s.high) for one, s in scores if s is not None]
    return found


def _standings(reading: Reading, suite: str, model: Known) -> list[Standing]:
    known = samples(reading, suite)
    if not known or not reading.asked(suite, model.slug) or measures.lower(known[0]):
        return []
    parts = reading.remembered(
        ("standings", suite, model.slug, known[0]), lambda: standings(reading, suite, model, known[0])
    )
    return [_standing(suite, model, known[0], part) for part in parts]


def _standing(suite: str, model: Known, measure: str, part: Part) -> Standing:
    asked = {"kind": part.value} if part.what == "kind" else {"tag": f"{part.what}={part.value}"}
    address = f"/find?{urlencode({'model': model.slug, 'suite': suite, **asked})}"
    cell = Cell(part.share, part.low, part.high, part.n, part.pictures, "clustered", address=address)
    return Standing(suite, part.what, part.value, measures.named(measure), part.whole, cell, part.p)


def _notes(reading: Reading, model: Known) -> tuple[str, ...]:
    unasked = [suite for suite in reading.suites() if not reading.asked(suite, model.slug)]
    return (f"It has no answers to {', '.join(unasked)}.",) if unasked else ()
