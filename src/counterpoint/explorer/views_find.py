"""What Find shows, as values."""

from dataclasses import dataclass

from counterpoint.explorer.views import Choice, Entry, Page, Select


@dataclass(frozen=True, slots=True)
class Hit:
    """A group that fits, in the hands of a model, with its score by the chosen measure."""

    entry: Entry
    model: str
    suite: str
    score: float | None


@dataclass(frozen=True, slots=True)
class Suggested:
    """Something that could be typed, and how often it is there."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Typed:
    """A field for words, with what could be typed into it."""

    name: str
    label: str
    value: str
    hint: str
    suggested: tuple[Suggested, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """How many groups have a score from one step to the next; `tall` is the share of the tallest column."""

    low: float
    count: int
    tall: float
    inside: bool


@dataclass(frozen=True, slots=True)
class Slider:
    """The bounds of the score by the chosen measure, above the counts of all scores."""

    measure: str
    low: float
    high: float
    step: float
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Find(Page):
    """The groups that fit a filter."""

    boxes: tuple[Select, ...] = ()
    fields: tuple[Typed, ...] = ()
    measures: Select | None = None
    slider: Slider | None = None
    hits: tuple[Hit, ...] = ()
    found: int = 0
    here: str = ""
    downloads: tuple[Choice, ...] = ()
    also: Choice | None = None  # the verdict of another model, as the address says it
    filtered: bool = False
