"""What each page shows, as values: templates show them to people, and their JSON twins to programs.

Shares are from 0 to 1, ids are sixteen hexadecimal digits, and an `address` is a path on this server.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

from counterpoint.language.word_diff import TextPiece
from counterpoint.reports.charts.bars import BarChart, Histogram, StackedBarChart, WordChart
from counterpoint.reports.charts.curves import ReliabilityChart
from counterpoint.reports.charts.dots import DotChart


@dataclass(frozen=True, slots=True)
class LabView:
    """The line at the top of every page."""

    name: str
    models: int
    answers: int
    plays: bool = False  # whether models are loaded to play with


@dataclass(frozen=True, slots=True)
class LinkChoice:
    """Something else that could be shown instead, or that is."""

    label: str
    address: str
    chosen: bool = False
    count: int | None = None


@dataclass(frozen=True, slots=True)
class SelectOption:
    """One value of a box to choose from."""

    value: str
    label: str
    chosen: bool
    count: int | None = None


@dataclass(frozen=True, slots=True)
class SelectBox:
    """A box to choose from."""

    name: str
    label: str
    options: tuple[SelectOption, ...]


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """A score with its interval; without a value, the reason why there is none. A tie is with the best model."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    clusters: int = 0
    method: str = ""
    tie: bool = False
    reason: str = ""
    address: str = ""
    chance: float | None = None  # what it would be by chance


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """What several columns have in common: a suite, or one of its tests."""

    label: str
    columns: int
    address: str = ""


@dataclass(frozen=True, slots=True)
class MetricColumn:
    """A measure, with the papers' term for it; `whole` names it apart from its head, `starts` is the first below it.

    `address` is where models are ordered by it, `sorted` is `ascending` or `descending` where they are.
    """

    suite: str
    test: str
    measure: str
    label: str
    term: str
    whole: str = ""
    starts: bool = False
    lower: bool = False  # less is better
    says: str = ""
    address: str = ""
    sorted: str = ""


@dataclass(frozen=True, slots=True)
class CostFigure:
    """A number that is no share, as it is read; without one, the reason why there is none."""

    value: float | None = None
    text: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SliceCell:
    """The score of a part of a suite."""

    label: str
    cell: ScoreCell


@dataclass(frozen=True, slots=True)
class SuiteBlock:
    """One suite of one model, cut into its tests or kinds, by one measure."""

    suite: str
    data_set: str
    measure: str
    address: str
    slices: tuple[SliceCell, ...]
    more: int = 0  # that are not listed


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A row of scores, under a name; `toggle` is where the parts below it are shown or hidden."""

    model: str
    label: str
    detail: str
    cells: tuple[ScoreCell, ...]
    address: str = ""
    n: int = 0
    clusters: int = 0
    slug: str = ""
    costs: tuple[CostFigure, ...] = ()
    toggle: str = ""
    opened: bool = False
    blocks: tuple[SuiteBlock, ...] = ()


PageChart: TypeAlias = BarChart | DotChart | Histogram | ReliabilityChart | StackedBarChart | WordChart
"""The kinds of charts that pages have; a JSON twin shows their values."""


@dataclass(frozen=True, slots=True)
class ChartFigure:
    """A chart of a page, and the address of the same chart as an SVG file."""

    chart: PageChart
    address: str


@dataclass(frozen=True, slots=True)
class PageView:
    """What every page has: its kind, its title, its sentence, its twin, and its neighbours where it has any."""

    view: str
    title: str
    sentence: str
    twin: str
    before: str = ""
    after: str = ""
    above: str = ""


@dataclass(frozen=True, slots=True)
class ProblemView(PageView):
    """Why there is nothing to show."""

    hint: str = ""


@dataclass(frozen=True, slots=True)
class OverviewView(PageView):
    """Models and measures."""

    heads: tuple[ColumnGroup, ...] = ()
    columns: tuple[MetricColumn, ...] = ()
    lines: tuple[ScoreRow, ...] = ()
    costs: tuple[MetricColumn, ...] = ()
    by_name: MetricColumn | None = None  # ordered by the names of the models
    suites: tuple[LinkChoice, ...] = ()
    boxes: tuple[SelectBox, ...] = ()  # of which several can be chosen
    kept: tuple[tuple[str, str], ...] = ()  # what the address says beside these
    notes: tuple[str, ...] = ()
    charts: tuple[ChartFigure, ...] = ()
    empty: str = ""


@dataclass(frozen=True, slots=True)
class AnswerProbability:
    """A value with the probability that a model gave it."""

    value: str
    probability: float


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One answer: raw text, the value taken from it by a rule, its state, and the credit that it earns."""

    raw: str
    value: str
    rule: str
    state: str
    score: float | None
    correct: float | None
    top: tuple[AnswerProbability, ...]
    reason: str
    shown: str  # the value, or the score where the mode asks for one


@dataclass(frozen=True, slots=True)
class EntryLine:
    """A text in a list, with the answer of the model that the list is about; `own` is what sets apart an equal text."""

    name: str
    text: tuple[TextPiece, ...]
    answer: AnswerView | None
    own: str = ""


@dataclass(frozen=True, slots=True)
class GroupEntry:
    """One group in a list."""

    group_id: str
    test: str
    kind: str
    verdict: str
    about: str
    address: str
    picture: str
    width: int
    height: int
    lines: tuple[EntryLine, ...]
    more: int = 0


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


@dataclass(frozen=True, slots=True)
class BoxView:
    """An object that the question is about, and where it is."""

    name: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class PictureView:
    """A picture as models saw it; the boxes refer to its width and height, and the title says its edits in full."""

    address: str
    alt: str
    caption: str
    title: str
    width: int | None
    height: int | None
    boxes: tuple[BoxView, ...]


@dataclass(frozen=True, slots=True)
class QueryView:
    """A query of a group: its place in it, its text with the changes marked, and its right answers."""

    name: str
    short: str
    query: str
    text: tuple[TextPiece, ...]
    context: str
    choices: tuple[str, ...]
    gold: tuple[str, ...] | None
    tags: tuple[str, ...]  # those that not all queries of the group have
    repeats: bool = False  # the text is that of the base; what is new is in the tags


def to_json_value(value: Any) -> Any:
    """A view as JSON can say it, without what only lays it out."""
    from dataclasses import fields, is_dataclass

    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json_value(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple | list):
        return [to_json_value(one) for one in value]
    return value
