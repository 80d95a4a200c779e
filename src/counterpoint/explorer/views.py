"""What each page shows, as values: templates show them to people, and their JSON twins to programs.

Shares are from 0 to 1, ids are sixteen hexadecimal digits, and an `address` is a path on this server.
"""

from dataclasses import dataclass
from typing import Any

from counterpoint.reports.charts.svg import Chart


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
    """One suite of one model, cut into its tests or kinds, by one metric."""

    suite: str
    data_set: str
    metric: str
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


@dataclass(frozen=True, slots=True)
class ChartFigure:
    """A chart of a page, and the address of the same chart as an SVG file."""

    chart: Chart
    address: str


def to_json_value(value: Any) -> Any:
    """A view as JSON can say it, without what only lays it out."""
    from dataclasses import fields, is_dataclass

    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json_value(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple | list):
        return [to_json_value(one) for one in value]
    return value
