"""What the pages about one group, one sample and several models show, as values for templates and JSON twins."""

from dataclasses import dataclass

from counterpoint.explorer.views import (
    AnswerProbability,
    AnswerView,
    LinkChoice,
    PageView,
    PictureView,
    QueryView,
    ScoreCell,
    SelectOption,
)
from counterpoint.language.word_diff import TextPiece


@dataclass(frozen=True, slots=True)
class AnswerFrequency:
    """An answer with how often it came; `shown` is what stands for an answer without a value."""

    shown: str
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class StochasticPasses:
    """What one model said to one query in its stochastic passes, and the likeliest answers in their mean."""

    model: str
    asked: str
    passes: int
    answers: tuple[AnswerFrequency, ...]
    mean: tuple[AnswerProbability, ...] = ()


@dataclass(frozen=True, slots=True)
class StripFrame:
    """One query in a strip: its place in the group, its picture, what sets it apart, and its text where that is new."""

    place: int
    name: str
    label: str
    picture: PictureView | None
    text: tuple[TextPiece, ...]
    gold: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ScoreBar:
    """A score on the scale that one model's scores of a group share, from 0 to 1."""

    name: str
    score: float
    length: float
    shown: str


@dataclass(frozen=True, slots=True)
class RankingRow:
    """The scores of a caption and its foils by one model, drawn on one scale, and which is above the other."""

    model: str
    chosen: bool
    bars: tuple[ScoreBar, ...]
    low: float
    high: float
    holds: bool | None
    verdict: str


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """What one model said to every query of a group, whether each variant holds to the base, and whether all do."""

    model: str
    chosen: bool
    answers: tuple[AnswerView | None, ...]
    related: tuple[bool | None, ...]  # of each variant
    consistent: bool | None
    reason: str
    top: tuple[AnswerProbability, ...] = ()

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
class GroupView(PageView):
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
    pictures: tuple[PictureView, ...] = ()
    queries: tuple[QueryView, ...] = ()
    listed: tuple[int, ...] = ()  # the places of the queries whose texts stand below each other
    strip: tuple[StripFrame, ...] = ()
    proof: str = ""
    tags: tuple[str, ...] = ()  # those that all queries share
    answers: tuple[ModelAnswers, ...] = ()
    ranked: tuple[RankingRow, ...] = ()
    passes: tuple[StochasticPasses, ...] = ()
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
class GoldAnswer:
    """An answer and the credit that it earns."""

    answer: str
    credit: float


@dataclass(frozen=True, slots=True)
class ModelPrediction:
    """What one model says to a query, with its likeliest answers."""

    model: str
    answer: AnswerView | None
    top: tuple[AnswerProbability, ...]


@dataclass(frozen=True, slots=True)
class SampleScore:
    """A score of one sample."""

    measure: str
    label: str
    value: float | None


@dataclass(frozen=True, slots=True)
class SampleCardRow:
    """One model on one card: its scores, and its answers with how often they came."""

    model: str
    address: str
    scores: tuple[SampleScore, ...]
    answers: tuple[AnswerFrequency, ...]
    asked: int


@dataclass(frozen=True, slots=True)
class SampleCard:
    """What was asked around a sample in one group: its scores by what counts there, and the answers to its variants."""

    suite: str
    test: str
    kind: str
    heading: str
    sentence: str
    address: str
    variants: int
    measures: tuple[tuple[str, str], ...]  # name and label
    lines: tuple[SampleCardRow, ...]


@dataclass(frozen=True, slots=True)
class SampleView(PageView):
    """One base query, and everything that was asked around it."""

    query: str = ""
    text: str = ""
    context: str = ""
    choices: tuple[str, ...] = ()
    gold: tuple[GoldAnswer, ...] | None = None
    picture: PictureView | None = None
    play: str = ""
    predicted: tuple[ModelPrediction, ...] = ()
    cards: tuple[SampleCard, ...] = ()
    passes: tuple[StochasticPasses, ...] = ()
    within: tuple[LinkChoice, ...] = ()  # groups of which it is a variant
    more: int = 0  # groups that are not shown


@dataclass(frozen=True, slots=True)
class ModelDifference:
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
class DifferenceRow:
    """One measure of one slice, the first model against each other."""

    test: str
    measure: str
    label: str
    term: str
    against: tuple[ModelDifference | None, ...]


@dataclass(frozen=True, slots=True)
class VerdictCell:
    """How many groups have one verdict by the first model and one by the second, and where they are listed."""

    count: int
    share: float
    address: str
    title: str
    chosen: bool = False
    alike: bool = False


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """The groups with one verdict by the first model."""

    label: str
    fields: tuple[VerdictCell, ...]
    total: int


@dataclass(frozen=True, slots=True)
class VerdictTable:
    """The verdicts of two models against each other."""

    heads: tuple[str, ...]
    lines: tuple[VerdictRow, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """How much one model has right of what each other has right."""

    model: str
    cells: tuple[ScoreCell, ...]


@dataclass(frozen=True, slots=True)
class PairLine:
    """A query of a group with what two models said to it; `own` is what sets apart an equal text."""

    name: str
    text: tuple[TextPiece, ...]
    own: str
    first: AnswerView | None
    second: AnswerView | None


@dataclass(frozen=True, slots=True)
class PairEntry:
    """A group in a list, in the hands of two models."""

    group_id: str
    about: str
    address: str
    picture: str
    width: int
    height: int
    lines: tuple[PairLine, ...]
    more: int


@dataclass(frozen=True, slots=True)
class CompareView(PageView):
    """Two to five models on one suite."""

    suite: str = ""
    models: tuple[SelectOption, ...] = ()
    names: tuple[str, ...] = ()
    suites: tuple[LinkChoice, ...] = ()
    references: tuple[LinkChoice, ...] = ()
    lines: tuple[DifferenceRow, ...] = ()
    coverage: tuple[CoverageRow, ...] = ()
    couples: tuple[LinkChoice, ...] = ()
    couple: tuple[str, str] = ("", "")
    tables: tuple[VerdictTable, ...] = ()
    left_out: int = 0
    listed: str = ""
    groups: tuple[PairEntry, ...] = ()
    elsewhere: str = ""  # the same groups in Find
    found: int = 0
    first: int = 0
    last: int = 0
    empty: str = ""
