"""What the pages of one model and of one suite show, as values."""

from dataclasses import dataclass

from counterpoint.explorer.views import (
    ChartFigure,
    CostFigure,
    LinkChoice,
    MetricColumn,
    PageView,
    ScoreCell,
    SelectBox,
)


@dataclass(frozen=True, slots=True)
class SuiteScores:
    """The scores of one suite: of the model, and of the one it is held against, measure by measure."""

    suite: str
    address: str
    columns: tuple[MetricColumn, ...]
    cells: tuple[ScoreCell, ...]
    against: tuple[ScoreCell, ...] = ()


@dataclass(frozen=True, slots=True)
class SliceFinding:
    """A part of a suite whose score lies clear of the whole of it."""

    suite: str
    what: str  # kind, or the name of a tag
    value: str
    measure: str
    whole: float
    cell: ScoreCell
    p: float  # after Holm's correction over all parts of the suite


@dataclass(frozen=True, slots=True)
class ModelView(PageView):
    """All measures of one model."""

    model: str = ""
    slug: str = ""
    here: str = ""
    fingerprint: str = ""
    costs: tuple[tuple[str, CostFigure], ...] = ()
    measured: tuple[SuiteScores, ...] = ()
    against: str = ""
    boxes: tuple[SelectBox, ...] = ()
    charts: tuple[ChartFigure, ...] = ()
    strong: tuple[SliceFinding, ...] = ()
    weak: tuple[SliceFinding, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SuiteFact:
    """Something that is known of a suite."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class GroupExample:
    """One group of a kind: its picture, its texts and where it is."""

    address: str
    picture: str
    width: int
    height: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KindSummary:
    """The groups of a kind: how many, which answers are right how often, and some examples."""

    test: str
    kind: str
    groups: int
    queries: int
    answers: tuple[tuple[str, int], ...]
    others: int  # answers that are not listed
    examples: tuple[GroupExample, ...]
    address: str


@dataclass(frozen=True, slots=True)
class RejectedGroups:
    """Groups that were not kept, and why."""

    kind: str
    reason: str
    groups: int


@dataclass(frozen=True, slots=True)
class SuiteView(PageView):
    """What a suite contains."""

    suite: str = ""
    facts: tuple[SuiteFact, ...] = ()
    kinds: tuple[KindSummary, ...] = ()
    dropped: tuple[RejectedGroups, ...] = ()
    charts: tuple[ChartFigure, ...] = ()
    models: tuple[LinkChoice, ...] = ()


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One suite in the list of all."""

    suite: str
    sentence: str
    data_set: str
    groups: int
    queries: int
    models: int
    address: str


@dataclass(frozen=True, slots=True)
class SuitesView(PageView):
    """All suites of a lab."""

    suites: tuple[SuiteRow, ...] = ()
