"""What the page Play shows, as values."""

from dataclasses import dataclass

from counterpoint.explorer.play_words import Swappable
from counterpoint.explorer.playing import Known
from counterpoint.explorer.views import AnswerView, PageView, SelectBox
from counterpoint.language.word_diff import TextPiece


@dataclass(frozen=True, slots=True)
class Slider:
    """An edit that can be moved, from 0, which is none, to its highest severity."""

    name: str
    value: int
    most: int


@dataclass(frozen=True, slots=True)
class Family:
    """Edits of one sort."""

    name: str
    sliders: tuple[Slider, ...]


@dataclass(frozen=True, slots=True)
class Pick:
    """A picture of the lab that could be played with, and the question that is asked about it there."""

    address: str
    picture: str
    suite: str
    query: str
    question: str
    chosen: bool
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Area:
    """A box by the name of what is in it, in per cent of the picture."""

    name: str
    x: int
    y: int
    w: int
    h: int


@dataclass(frozen=True, slots=True)
class Played:
    """The picture as models are shown it, and where it is from."""

    picture: str
    source: str
    edits: str
    areas: tuple[Area, ...] = ()
    gold: str = ""  # the right answer to the question that the lab asks about it


@dataclass(frozen=True, slots=True)
class Cell:
    """What one model said; `same` tells whether it is what the model said to the first row, where both are known."""

    model: str
    answer: AnswerView | None
    same: bool | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A text that is asked, the difference from the first marked, and where it comes from."""

    name: str
    family: str
    does: str
    text: tuple[TextPiece, ...]
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayView(PageView):
    """Everything that can be moved, as it stands, and what the models said, where they were asked."""

    mode: str = "question"
    models: tuple[Known, ...] = ()
    able: tuple[Known, ...] = ()  # the models that can do what the mode asks for
    shown: Played | None = None
    question: str = ""
    choices: str = ""
    first: str = ""
    second: str = ""
    swap: str = ""
    into: str = ""
    noise: int = 1
    draw: int = 1
    words: bool = True
    suite: str = ""
    query: str = ""
    dropped: str = ""
    mask: SelectBox | None = None
    box: tuple[int, int, int, int] = (25, 25, 50, 50)
    families: tuple[Family, ...] = ()
    suites: SelectBox | None = None
    picks: tuple[Pick, ...] = ()
    fewer: str = ""
    more: str = ""
    swappable: tuple[Swappable, ...] = ()
    rows: tuple[Row, ...] = ()
    notes: tuple[str, ...] = ()
    asked: bool = False
