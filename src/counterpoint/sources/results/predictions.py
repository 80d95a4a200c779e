"""Predictions of other tools in one form for all formats, and their reader for rows with known or named columns."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from counterpoint.core.errors import SourceError, shorten
from counterpoint.sources.reading.cells import lettered_cells, listed_choices, split_options
from counterpoint.sources.reading.columns import KEY, ColumnFinder, ColumnLayout


class Prediction(Struct, frozen=True, gc=False):
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

    def with_question(self, question: "AskedQuestion") -> "Prediction":
        """The same with what the model was asked, from a file beside its answers."""
        options, picture = self.options or question.options, question.picture or self.picture
        return replace(self, picture=picture, text=question.text, options=options)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """What a model was asked under one id, from a file beside its answers."""

    picture: str
    text: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RejectedRecord:
    """A record that holds no prediction, and why."""

    place: str
    why: str
    id: str = ""


PredictionStream: TypeAlias = Iterator[Prediction | RejectedRecord]
"""What a reader yields: a prediction or a rejected record for every record of a file."""


class ResultRecord(Struct, frozen=True):
    """One record of a file; `key` is its key in a JSON object, else empty."""

    place: str
    value: Any
    key: str = ""

    @property
    def fields(self) -> Mapping[str, Any]:
        """Its named values; empty if it is only a number or a text."""
        return self.value if isinstance(self.value, dict) else {}


_NUMERIC, _WRITTEN = (int, float), (str, int, float)


def as_text(value: object) -> str | None:
    """An id or an answer as text, as it was written; None for what is neither text, number nor a list of one.

    >>> as_text("007"), as_text(7), as_text(7.0), as_text(["yes"]), as_text(float("nan"))
    ('007', '7', '7', 'yes', None)
    """
    if isinstance(value, str):  # half a character costs that character, not the record
        return value if value.isascii() else value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if value is None:
        return None
    if isinstance(value, list) and len(value) == 1:
        return as_text(value[0])
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not isfinite(value):  # a cell that pandas found empty
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value) if isinstance(value, _NUMERIC) else None


def as_number(value: object) -> float | None:
    """A score as a number, also where it is written as text; None for what is none.

    >>> as_number("-3.5"), as_number(2), as_number("high"), as_number("nan")
    (-3.5, 2.0, None, None)
    """
    if value is None:
        return None
    try:
        number = float(value) if isinstance(value, _WRITTEN) else None
    except (ValueError, OverflowError):
        return None
    return None if number is None or number != number else number


LONGEST_PATH = 1000
"""Characters of a path; what is longer is the picture itself, written as text."""
_FAILED = "failed to obtain answer"  # what VLMEvalKit writes instead of an answer that never came
_TRIALS = 2**16
_DIGITS = 9  # of a number in text; Python refuses to read one of more than 4,300


@dataclass(slots=True)
class PredictionReader:
    """Takes predictions from the records of a file in one layout of columns."""

    path: Path
    layout: ColumnLayout
    given: Mapping[str, str] = field(default_factory=dict)  # columns by role, as people say
    columns: ColumnFinder = field(init=False)

    def __post_init__(self) -> None:
        self.columns = ColumnFinder(self.layout, self.given)

    def read(self, records: Iterator[ResultRecord]) -> PredictionStream:
        """Every record as a prediction or a rejected record; a file in which no record has the columns is an error."""
        fitting, names = False, ""
        for keys, alike in groupby(records, _keys):
            for result in self._predictions(keys, alike) if keys else map(_bare_prediction, alike):
                fitting = fitting or isinstance(result, Prediction) or bool(result.id)
                yield result
            names = names or ", ".join(keys)
        if not fitting:
            wanted = " or ".join(f"{role}={name}" for role, name in self.given.items()) or "an id and an answer"
            fact = f"{self.path}: no record has {wanted}" + (f"; the first has {shorten(names, 60)}" if names else "")
            raise SourceError(fact, hint="say which columns hold them: --columns id=…,answer=…")

    def _predictions(self, keys: tuple[str, ...], records: Iterator[ResultRecord]) -> PredictionStream:
        """The predictions of records with the same keys, whose columns are found once: one of each, or several."""
        names = {role: name or None for role, name in self.columns.find(keys).items()}
        if all(name is None or name in keys for name in names.values()):
            for record in records:
                yield _prediction(record, names, record.value)
            return
        given = {role: self.columns.terms(keys, role) for role, name in names.items() if name}
        count = max(map(len, given.values()))
        for role, terms in given.items():
            if len(terms) not in (1, count):
                fact = f"{self.path}: {role} has {len(terms)} columns, and others have {count}"
                raise SourceError(fact, hint="give each role one column, or one for each prediction of a record")
        for record in records:
            for place in range(count):
                at = {role: terms[place if len(terms) > 1 else 0] for role, terms in given.items()}
                cells = {name: self._value(record, role, name) for role, name in at.items()}
                yield _prediction(_part(record, at, count), dict.fromkeys(names) | at, cells | record.value)

    def _value(self, record: ResultRecord, role: str, name: str) -> Any:
        content = {KEY: record.key, **record.value} if record.key else record.value
        return self.columns.term_value(content, role, name, record.place)


def _part(record: ResultRecord, columns: Mapping[str, str], count: int) -> ResultRecord:
    """A record of several predictions, at the place of one of them."""
    column = columns.get("answer") or columns.get("score")
    return replace(record, place=f"{record.place}, column {column}") if count > 1 else record


def _keys(record: ResultRecord) -> tuple[str, ...]:
    return tuple(record.value) if isinstance(record.value, dict) else ()


def _bare_prediction(record: ResultRecord) -> Prediction | RejectedRecord:
    """The prediction of a record without named values: an answer under its key."""
    if not record.key or isinstance(record.value, dict):
        return RejectedRecord(record.place, f"no record: {shorten(str(record.value), 60)}")
    raw = as_text(record.value)
    if raw is None:
        return RejectedRecord(record.place, f"{shorten(repr(record.value), 60)} is no answer", record.key)
    return Prediction(record.key, raw, place=record.place)


def _prediction(
    record: ResultRecord, names: Mapping[str, str | None], values: Mapping[str | None, Any]
) -> Prediction | RejectedRecord:
    """The prediction of a record, from its values by column and the column of each role."""
    cell = values.get
    own, raw = as_text(cell(names["id"])), as_text(cell(names["answer"]))
    picture = (as_text(cell(names["picture"])) or "") if names["picture"] else ""
    text = (as_text(cell(names["text"])) or "") if names["text"] else ""
    own = (record.key if own is None else own).strip()
    score = as_number(cell(names["score"])) if names["score"] else None
    if not own and not (picture and text):
        return RejectedRecord(record.place, f"no id among {_listed(record)}")
    if raw is None and score is None:
        return RejectedRecord(
            record.place, "no answer" if names["answer"] else f"no answer among {_listed(record)}", own or text
        )
    if raw is not None and raw[: len(_FAILED)].lower() == _FAILED:
        return RejectedRecord(record.place, f"it failed there: {shorten(raw, 60)}", own or text)
    trial = (as_text(cell(names["trial"])) or "0") if names["trial"] else "0"
    if not (trial.isdecimal() and len(trial) <= _DIGITS and int(trial) < _TRIALS):
        return RejectedRecord(record.place, f"{shorten(repr(trial))} is no number of a trial", own or text)
    picture = picture if len(picture) < LONGEST_PATH else ""
    options = shown_options(cell(names["choices"]), record.value, text)
    return Prediction(own, raw or "", picture, text, score, int(trial), options, place=record.place)


def _listed(record: ResultRecord) -> str:
    return shorten(", ".join(record.value), 60)


def shown_options(listed: Any, fields: Mapping[str, Any], text: str) -> tuple[str, ...]:
    """The choices in the order in which they were shown: listed, in columns A, B, …, or in the prompt.

    >>> shown_options(None, {}, "Which?\\nA. red\\nB. blue\\nAnswer with the letter.")
    ('red', 'blue')
    """
    if listed is not None and len(texts := listed_choices(listed)) > 1:
        return texts
    if "A" in fields:
        return lettered_cells(fields, as_text)
    return split_options(text)[1] if "B" in text else ()
