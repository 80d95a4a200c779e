"""What Find shows, as values."""

from dataclasses import dataclass

from counterpoint.explorer.views import GroupEntry, LinkChoice, PageView, SelectBox


@dataclass(frozen=True, slots=True)
class BrowseHit:
    """A group that fits, in the hands of a model, with its score by the chosen measure."""

    entry: GroupEntry
    model: str
    suite: str
    score: float | None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something that could be typed, and how often it is there."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class TextField:
    """A field for words, with what could be typed into it."""

    name: str
    label: str
    value: str
    hint: str
    suggested: tuple[Suggestion, ...] = ()


@dataclass(frozen=True, slots=True)
class HistogramColumn:
    """How many groups have a score from one step to the next; `tall` is the share of the tallest column."""

    low: float
    count: int
    tall: float
    inside: bool


@dataclass(frozen=True, slots=True)
class ScoreSlider:
    """The bounds of the score by the chosen measure, above the counts of all scores."""

    measure: str
    low: float
    high: float
    step: float
    columns: tuple[HistogramColumn, ...]


@dataclass(frozen=True, slots=True)
class BrowseView(PageView):
    """The groups that fit a filter."""

    boxes: tuple[SelectBox, ...] = ()
    fields: tuple[TextField, ...] = ()
    measures: SelectBox | None = None
    slider: ScoreSlider | None = None
    hits: tuple[BrowseHit, ...] = ()
    found: int = 0
    here: str = ""
    downloads: tuple[LinkChoice, ...] = ()
    also: LinkChoice | None = None  # the verdict of another model, as the address says it
    filtered: bool = False
