"""What the pages of one model and of one suite show, as values."""

from dataclasses import dataclass

from counterpoint.explorer.views import Cell, ChartFigure, Choice, Column, Figure, Page, Select


@dataclass(frozen=True, slots=True)
class Measured:
    """The scores of one suite: of the model, and of the one it is held against, measure by measure."""

    suite: str
    address: str
    columns: tuple[Column, ...]
    cells: tuple[Cell, ...]
    against: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """A part of a suite whose score lies clear of the whole of it."""

    suite: str
    what: str  # kind, or the name of a tag
    value: str
    measure: str
    whole: float
    cell: Cell
    p: float  # after Holm's correction over all parts of the suite


@dataclass(frozen=True, slots=True)
class ModelView(Page):
    """All measures of one model."""

    model: str = ""
    slug: str = ""
    here: str = ""
    fingerprint: str = ""
    costs: tuple[tuple[str, Figure], ...] = ()
    measured: tuple[Measured, ...] = ()
    against: str = ""
    boxes: tuple[Select, ...] = ()
    charts: tuple[ChartFigure, ...] = ()
    strong: tuple[Standing, ...] = ()
    weak: tuple[Standing, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is known of a suite."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Example:
    """One group of a kind: its picture, its texts and where it is."""

    address: str
    picture: str
    width: int
    height: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KindOf:
    """The groups of a kind: how many, which answers are right how often, and some examples."""

    test: str
    kind: str
    groups: int
    queries: int
    answers: tuple[tuple[str, int], ...]
    others: int  # answers that are not listed
    examples: tuple[Example, ...]
    address: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """Groups that were not kept, and why."""

    kind: str
    reason: str
    groups: int


@dataclass(frozen=True, slots=True)
class SuiteView(Page):
    """What a suite contains."""

    suite: str = ""
    facts: tuple[Fact, ...] = ()
    kinds: tuple[KindOf, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    charts: tuple[ChartFigure, ...] = ()
    models: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class SuiteLine:
    """One suite in the list of all."""

    suite: str
    sentence: str
    data_set: str
    groups: int
    queries: int
    models: int
    address: str


@dataclass(frozen=True, slots=True)
class SuitesView(Page):
    """All suites of a lab."""

    suites: tuple[SuiteLine, ...] = ()
