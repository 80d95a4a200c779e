"""Predictions in rows: the columns are found by the names that tools use, or as people say."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterpoint.core.errors import SourceError
from counterpoint.sources.reading.columns import ColumnFinder, ColumnLayout
from counterpoint.sources.results.predictions import (
    Prediction,
    PredictionStream,
    RejectedRecord,
    ResultRecord,
    as_number,
    as_text,
)

_LETTERS = "ABCDEFGHIJ"
_LONGEST_PATH = 1000  # characters; what is longer is the picture itself, written as text
_FAILED = "failed to obtain answer"  # what VLMEvalKit writes instead of an answer that never came
_TRIALS = 2**16


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
        for record in records:
            result = self._read(record)
            fitting = fitting or isinstance(result, Prediction) or bool(result.id)
            names = names or ", ".join(record.fields)
            yield result
        if not fitting:
            wanted = " or ".join(f"{role}={name}" for role, name in self.given.items()) or "an id and an answer"
            fact = f"{self.path}: no record has {wanted}" + (f"; the first has {_short(names)}" if names else "")
            raise SourceError(fact, hint="say which columns hold them: --columns id=…,answer=…")

    def _read(self, record: ResultRecord) -> Prediction | RejectedRecord:
        if record.key and not isinstance(record.value, dict):
            raw = as_text(record.value)
            if raw is None:
                return RejectedRecord(record.place, f"{_short(repr(record.value))} is no answer", record.key)
            return Prediction(record.key, raw, place=record.place)
        if not record.fields:
            return RejectedRecord(record.place, f"no record: {_short(str(record.value))}")
        return self._prediction(record)

    def _prediction(self, record: ResultRecord) -> Prediction | RejectedRecord:
        values = {role: self.columns.value(record.fields, role, record.place) for role in self.layout.names}
        own, raw, score = as_text(values["id"]), as_text(values["answer"]), as_number(values["score"])
        picture, text = as_text(values["picture"]) or "", as_text(values["text"]) or ""
        own = (own if own is not None else record.key).strip()
        if not own and not (picture and text):
            return RejectedRecord(record.place, f"no id among {_short(', '.join(record.fields))}")
        if raw is None and score is None:
            return RejectedRecord(record.place, "no answer", own or text)
        if raw is not None and raw.lower().startswith(_FAILED):
            return RejectedRecord(record.place, f"it failed there: {_short(raw)}", own or text)
        trial = as_text(values["trial"]) or "0"
        if not trial.isdecimal() or int(trial) >= _TRIALS:
            return RejectedRecord(record.place, f"{trial!r} is no number of a trial", own or text)
        picture = picture if len(picture) < _LONGEST_PATH else ""
        options = tuple(_lettered_options(record.fields))
        return Prediction(own, raw or "", picture, text, score, int(trial), options, place=record.place)


def _lettered_options(fields: Mapping[str, Any]) -> Iterator[str]:
    """The choices in columns A, B, C, …, as far as they go."""
    for letter in _LETTERS:
        option = as_text(fields.get(letter))
        if not option or option == "nan":
            return
        yield option


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"
