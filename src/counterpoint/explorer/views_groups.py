"""What the pages about one group, one sample and several models show, as values for templates and JSON twins."""

from dataclasses import dataclass

from counterpoint.explorer.views import Cell, Choice, Likely, Option, Page, QueryView, Said, Shown
from counterpoint.language.word_diff import TextPiece


@dataclass(frozen=True, slots=True)
class Frequent:
    """An answer with how often it came; `shown` is what stands for an answer without a value."""

    shown: str
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class Passes:
    """What one model said to one query in its stochastic passes, and the likeliest answers in their mean."""

    model: str
    asked: str
    passes: int
    answers: tuple[Frequent, ...]
    mean: tuple[Likely, ...] = ()


@dataclass(frozen=True, slots=True)
class Shot:
    """One query in a strip: its place in the group, its picture, what sets it apart, and its text where that is new."""

    place: int
    name: str
    label: str
    picture: Shown | None
    text: tuple[TextPiece, ...]
    gold: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Bar:
    """A score on the scale that one model's scores of a group share, from 0 to 1."""

    name: str
    score: float
    length: float
    shown: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """The scores of a caption and its foils by one model, drawn on one scale, and which is above the other."""

    model: str
    chosen: bool
    bars: tuple[Bar, ...]
    low: float
    high: float
    holds: bool | None
    verdict: str


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """What one model said to every query of a group, whether each variant holds to the base, and whether all do."""

    model: str
    chosen: bool
    answers: tuple[Said | None, ...]
    related: tuple[bool | None, ...]  # of each variant
    consistent: bool | None
    reason: str
    top: tuple[Likely, ...] = ()

    @property
    def asked(self) -> bool:
        """Whether there is any answer."""
        return any(answer is not None for answer in self.answers)

    @property
    def known(self) -> int:
        """How many variants can be held against the base."""
        return sum(one is not None for one in self.related)

    @property
    def holding(self) -> int:
        """How many of them hold to it."""
        return sum(one is True for one in self.related)


@dataclass(frozen=True, slots=True)
class GroupView(Page):
    """One group, and what every model made of it."""

    suite: str = ""
    group_id: str = ""
    heading: str = ""
    test: str = ""
    kind: str = ""
    relation: str = ""
    related: str = ""
    words: tuple[str, str] = ("", "")  # for a variant that holds to the base, and for one that does not
    place: int = 0
    found: int = 0
    among: str = ""
    sample: str = ""
    play: str = ""  # where its picture and its texts can be changed
    pictures: tuple[Shown, ...] = ()
    queries: tuple[QueryView, ...] = ()
    listed: tuple[int, ...] = ()  # the places of the queries whose texts stand below each other
    strip: tuple[Shot, ...] = ()
    proof: str = ""
    tags: tuple[str, ...] = ()  # those that all queries share
    answers: tuple[ModelAnswers, ...] = ()
    ranked: tuple[Ranked, ...] = ()
    passes: tuple[Passes, ...] = ()
    top_of: str = ""

    @property
    def silent(self) -> tuple[str, ...]:
        """The models that have no answer here."""
        return tuple(line.model for line in self.answers if not line.asked)

    @property
    def golden(self) -> bool:
        """Whether the queries of a strip have right answers that differ."""
        return len({shot.gold for shot in self.strip if shot.gold}) > 1


@dataclass(frozen=True, slots=True)
class Credited:
    """An answer and the credit that it earns."""

    answer: str
    credit: float


@dataclass(frozen=True, slots=True)
class Predicted:
    """What one model says to a query, with its likeliest answers."""

    model: str
    answer: Said | None
    top: tuple[Likely, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """A score of one sample."""

    measure: str
    label: str
    value: float | None


@dataclass(frozen=True, slots=True)
class CardLine:
    """One model on one card: its scores, and its answers with how often they came."""

    model: str
    address: str
    scores: tuple[Measured, ...]
    answers: tuple[Frequent, ...]
    asked: int


@dataclass(frozen=True, slots=True)
class Card:
    """What was asked around a sample in one group: its scores by what counts there, and the answers to its variants."""

    suite: str
    test: str
    kind: str
    heading: str
    sentence: str
    address: str
    variants: int
    measures: tuple[tuple[str, str], ...]  # name and label
    lines: tuple[CardLine, ...]


@dataclass(frozen=True, slots=True)
class SampleView(Page):
    """One base query, and everything that was asked around it."""

    query: str = ""
    text: str = ""
    context: str = ""
    choices: tuple[str, ...] = ()
    gold: tuple[Credited, ...] | None = None
    picture: Shown | None = None
    play: str = ""
    predicted: tuple[Predicted, ...] = ()
    cards: tuple[Card, ...] = ()
    passes: tuple[Passes, ...] = ()
    within: tuple[Choice, ...] = ()  # groups of which it is a variant
    more: int = 0  # groups that are not shown


@dataclass(frozen=True, slots=True)
class Versus:
    """How one model differs from the first in one measure: their shares, the difference, and what a test says of it."""

    model: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    n: int
    clusters: int
    p: float
    holm: float
    verdict: str
    method: str


@dataclass(frozen=True, slots=True)
class VersusLine:
    """One measure of one slice, the first model against each other."""

    test: str
    measure: str
    label: str
    term: str
    against: tuple[Versus | None, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """How many groups have one verdict by the first model and one by the second, and where they are listed."""

    count: int
    share: float
    address: str
    title: str
    chosen: bool = False
    alike: bool = False


@dataclass(frozen=True, slots=True)
class FieldLine:
    """The groups with one verdict by the first model."""

    label: str
    fields: tuple[Field, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Fields:
    """The verdicts of two models against each other."""

    heads: tuple[str, ...]
    lines: tuple[FieldLine, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CoverageLine:
    """How much one model has right of what each other has right."""

    model: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class BothAsked:
    """A query of a group with what two models said to it; `own` is what sets apart an equal text."""

    name: str
    text: tuple[TextPiece, ...]
    own: str
    first: Said | None
    second: Said | None


@dataclass(frozen=True, slots=True)
class Both:
    """A group in a list, in the hands of two models."""

    group_id: str
    about: str
    address: str
    picture: str
    width: int
    height: int
    lines: tuple[BothAsked, ...]
    more: int


@dataclass(frozen=True, slots=True)
class CompareView(Page):
    """Two to five models on one suite."""

    suite: str = ""
    models: tuple[Option, ...] = ()
    names: tuple[str, ...] = ()
    suites: tuple[Choice, ...] = ()
    references: tuple[Choice, ...] = ()
    lines: tuple[VersusLine, ...] = ()
    coverage: tuple[CoverageLine, ...] = ()
    couples: tuple[Choice, ...] = ()
    couple: tuple[str, str] = ("", "")
    tables: tuple[Fields, ...] = ()
    left_out: int = 0
    listed: str = ""
    groups: tuple[Both, ...] = ()
    elsewhere: str = ""  # the same groups in Find
    found: int = 0
    first: int = 0
    last: int = 0
    empty: str = ""
