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
class Choice:
    """Something else that could be shown instead, or that is."""

    label: str
    address: str
    chosen: bool = False
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """One value of a box to choose from."""

    value: str
    label: str
    chosen: bool
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Select:
    """A box to choose from."""

    name: str
    label: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Cell:
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
class Head:
    """What several columns have in common: a suite, or one of its tests."""

    label: str
    columns: int
    address: str = ""


@dataclass(frozen=True, slots=True)
class Column:
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
class Figure:
    """A number that is no share, as it is read; without one, the reason why there is none."""

    value: float | None = None
    text: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Slice:
    """The score of a part of a suite."""

    label: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class Block:
    """One suite of one model, cut into its tests or kinds, by one measure."""

    suite: str
    data_set: str
    measure: str
    address: str
    slices: tuple[Slice, ...]
    more: int = 0  # that are not listed


@dataclass(frozen=True, slots=True)
class Line:
    """A row of scores, under a name; `toggle` is where the parts below it are shown or hidden."""

    model: str
    label: str
    detail: str
    cells: tuple[Cell, ...]
    address: str = ""
    n: int = 0
    clusters: int = 0
    slug: str = ""
    costs: tuple[Figure, ...] = ()
    toggle: str = ""
    opened: bool = False
    blocks: tuple[Block, ...] = ()


PageChart: TypeAlias = BarChart | DotChart | Histogram | ReliabilityChart | StackedBarChart | WordChart
"""The kinds of charts that pages have; a JSON twin shows their values."""


@dataclass(frozen=True, slots=True)
class ChartFigure:
    """A chart of a page, and the address of the same chart as an SVG file."""

    chart: PageChart
    address: str


@dataclass(frozen=True, slots=True)
class Page:
    """What every page has: its kind, its title, its sentence, its twin, and its neighbours where it has any."""

    view: str
    title: str
    sentence: str
    twin: str
    before: str = ""
    after: str = ""
    above: str = ""


@dataclass(frozen=True, slots=True)
class Problem(Page):
    """Why there is nothing to show."""

    hint: str = ""


@dataclass(frozen=True, slots=True)
class Leaderboard(Page):
    """Models and measures."""

    heads: tuple[Head, ...] = ()
    columns: tuple[Column, ...] = ()
    lines: tuple[Line, ...] = ()
    costs: tuple[Column, ...] = ()
    by_name: Column | None = None  # ordered by the names of the models
    suites: tuple[Choice, ...] = ()
    boxes: tuple[Select, ...] = ()  # of which several can be chosen
    kept: tuple[tuple[str, str], ...] = ()  # what the address says beside these
    notes: tuple[str, ...] = ()
    charts: tuple[ChartFigure, ...] = ()
    empty: str = ""


@dataclass(frozen=True, slots=True)
class Likely:
    """A value with the probability that a model gave it."""

    value: str
    probability: float


@dataclass(frozen=True, slots=True)
class Said:
    """One answer: raw text, the value taken from it by a rule, its state, and the credit that it earns."""

    raw: str
    value: str
    rule: str
    state: str
    score: float | None
    correct: float | None
    top: tuple[Likely, ...]
    reason: str
    shown: str  # the value, or the score where the mode asks for one


@dataclass(frozen=True, slots=True)
class Asked:
    """A text in a list, with the answer of the model that the list is about; `own` is what sets apart an equal text."""

    name: str
    text: tuple[TextPiece, ...]
    answer: Said | None
    own: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
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
    lines: tuple[Asked, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class SuiteOfModel(Page):
    """One suite of one model: scores by test and kind, and its groups."""

    suite: str = ""
    model: str = ""
    here: str = ""
    models: tuple[Choice, ...] = ()
    columns: tuple[Column, ...] = ()
    lines: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ()
    chart: ChartFigure | None = None
    choices: tuple[Select, ...] = ()
    groups: tuple[Entry, ...] = ()
    found: int = 0
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Boxed:
    """An object that the question is about, and where it is."""

    name: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as models saw it; the boxes refer to its width and height, and the title says its edits in full."""

    address: str
    alt: str
    caption: str
    title: str
    width: int | None
    height: int | None
    boxes: tuple[Boxed, ...]


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


def plain(value: Any) -> Any:
    """A view as JSON can say it, without what only lays it out."""
    from dataclasses import fields, is_dataclass

    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return value
