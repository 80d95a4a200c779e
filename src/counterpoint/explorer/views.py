"""Values that several pages show: templates render them as HTML, JSON twins hold their fields.

Shares are from 0 to 1, ids are sixteen hexadecimal digits, and an `address` is a path on this server.
"""

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta, Struct

from counterpoint.reports.charts.svg import Chart

_CHART_SCHEMA = {"type": "object", "description": "the title and the values of a chart"}  # fields follow from its kind


class BuildProgress(Struct, frozen=True):
    """How far the tables of a lab are; none of its suites is shown where `suites` is 0."""

    about: str  # what is built at this moment
    share: float
    suites: int
    of_suites: int


class LabView(Struct, frozen=True):
    """The line at the top of every page; without numbers where the tables of the lab are not there yet."""

    name: str
    models: int | None = None
    answers: int | None = None
    plays: bool = False  # whether models are loaded to try
    progress: BuildProgress | None = None  # while tables are built
    missing_picture: str = ""  # the address of a picture whose folder is not there
    failure: str = ""  # why some tables could not be made


class LinkChoice(Struct, frozen=True):
    """A link to another choice, or the current one."""

    label: str
    address: str
    chosen: bool = False
    count: int | None = None


class SelectOption(Struct, frozen=True):
    """One option of a select box."""

    value: str
    label: str
    chosen: bool
    count: int | None = None


class SelectBox(Struct, frozen=True):
    """A select box of a form."""

    name: str
    label: str
    options: tuple[SelectOption, ...]

    @classmethod
    def of(cls, name: str, label: str, options: Iterable[tuple[str, str]], chosen: str) -> "SelectBox":
        """Return a box of values with their labels, of which one is chosen."""
        return cls(name, label, tuple(SelectOption(value, text, value == chosen) for value, text in options))


class ScoreCell(Struct, frozen=True):
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
    partial: bool = False  # a mean that lacks suites which other models have


class ColumnGroup(Struct, frozen=True):
    """The head of several columns: a suite, or one of its tests."""

    label: str
    columns: int
    address: str = ""


class MetricColumn(Struct, frozen=True):
    """A metric, with the papers' term for it; `whole` names it apart from its head, `starts` is the first below it.

    `address` is where models are ordered by it, `sorted` is `ascending` or `descending` where they are.
    """

    suite: str
    test: str
    metric: str
    label: str
    term: str
    whole: str = ""
    starts: bool = False
    lower: bool = False  # less is better
    chance: float | None = None  # what guessing would score
    undecided: str = ""  # why it ranks no model
    detectable: float | None = None  # the difference that it could tell, where it ranks none
    says: str = ""
    address: str = ""
    sorted: str = ""
    fold: str = ""  # where the suites of a family are shown or hidden
    opened: bool = False


class CostFigure(Struct, frozen=True):
    """A figure of cost with its text; without a value, the reason why there is none."""

    value: float | None = None
    text: str = ""
    reason: str = ""


class SliceCell(Struct, frozen=True):
    """The score of a slice of a suite."""

    label: str
    cell: ScoreCell


class SuiteBlock(Struct, frozen=True):
    """The scores of one model on one suite by test or kind, by one metric."""

    suite: str
    data_set: str
    metric: str
    address: str
    slices: tuple[SliceCell, ...]
    more: int = 0  # that are not listed


class ScoreRow(Struct, frozen=True):
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
    pin: str = ""  # where it comes first, or no longer
    pinned: bool = False
    opened: bool = False
    blocks: tuple[SuiteBlock, ...] = ()
    dates: str = ""  # when the model was run or imported
    last_date: str = ""


class ChartFigure(Struct, frozen=True):
    """A chart of a page, and the address of the same chart as an SVG file."""

    chart: Annotated[Chart, Meta(extra_json_schema=_CHART_SCHEMA)]
    address: str
