"""Predictions of other tools, and records that hold none, in one form for all formats."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Prediction:
    """The reply of a model to a question, with the ids and texts of the other tool and its place in the file."""

    id: str
    raw: str = ""
    picture: str = ""  # a path, a file name or an address, as in the file
    text: str = ""
    score: float | None = None
    trial: int = 0
    options: tuple[str, ...] = ()  # the choices in the order in which the model was shown them
    top: tuple[tuple[str, float], ...] = ()  # the likeliest answers with their probabilities, best first
    place: str = ""


@dataclass(frozen=True, slots=True)
class RejectedRecord:
    """A record that holds no prediction, and why."""

    place: str
    why: str
    id: str = ""


PredictionStream: TypeAlias = Iterator[Prediction | RejectedRecord]
"""What a reader yields: a prediction or a rejected record for every record of a file."""


@dataclass(frozen=True, slots=True)
class ResultRecord:
    """One record of a file; `key` is its key in a JSON object, else empty."""

    place: str
    value: Any
    key: str = ""

    @property
    def fields(self) -> Mapping[str, Any]:
        """Its named values; empty if it is only a number or a text."""
        return self.value if isinstance(self.value, dict) else {}


def as_text(value: object) -> str | None:
    """An id or an answer as text, as it was written; None for what is neither text, number nor a list of one.

    >>> as_text("007"), as_text(7), as_text(7.0), as_text(["yes"]), as_text(None)
    ('007', '7', '7', 'yes', None)
    """
    if isinstance(value, list) and len(value) == 1:
        return as_text(value[0])
    if isinstance(value, str):  # half a character costs that character, not the record
        return value if value.isascii() else value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value) if isinstance(value, int | float) else None


def as_number(value: object) -> float | None:
    """A score as a number, also where it is written as text; None for what is none.

    >>> as_number("-3.5"), as_number(2), as_number("high"), as_number("nan")
    (-3.5, 2.0, None, None)
    """
    try:
        number = float(value) if isinstance(value, str | int | float) else None
    except (ValueError, OverflowError):
        return None
    return None if number is None or number != number else number
