"""Which column holds what: the names that tools use for an id, an answer, a picture; and what a record says."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from counterpoint.core.errors import SourceError, UnknownName
from counterpoint.sources.results.predictions import (
    Prediction,
    PredictionStream,
    RejectedRecord,
    ResultRecord,
    as_number,
    as_text,
)

Names: TypeAlias = Mapping[str, tuple[str, ...]]
"""For each role the names that a column of this role may have, the surest first."""

ROLES = ("id", "answer", "picture", "text", "score", "trial")
PLAIN: Names = MappingProxyType(
    {
        "id": ("query_id", "question_id", "qid", "query", "sample_id", "id", "index", "uid"),
        # `answer` comes late: beside a prediction it is what would have been right
        "answer": (
            "prediction",
            "pred",
            "predicted_answer",
            "predicted",
            "model_answer",
            "model_response",
            "response",
            "model_output",
            "output",
            "completion",
            "generated_text",
            "answer",
            "text",
        ),
        "picture": ("picture", "image_path", "image", "image_file", "image_name", "file_name", "filename", "img"),
        "text": ("question", "text", "prompt", "caption", "sentence"),
        "score": ("score", "similarity", "itm_score"),
        "trial": ("trial",),
    }
)
"""What columns are called by people who write their own files."""
VQA: Names = MappingProxyType({**PLAIN, "id": ("query_id", "question_id"), "answer": ("answer", "prediction")})
LLAVA: Names = MappingProxyType({**PLAIN, "id": ("query_id", "question_id"), "answer": ("text",), "text": ("prompt",)})
VLMEVALKIT: Names = MappingProxyType(
    {**PLAIN, "id": ("query_id", "index"), "answer": ("prediction",), "text": ("question",)}
)
"""Result files of VQA and CARETS, answer files of LLaVA, results of VLMEvalKit, whose `answer` is the right one."""

_LETTERS = "ABCDEFGHIJ"
_LONGEST = 1000  # characters of a path; what is longer is the picture itself, written as text
_FAILED = "failed to obtain answer"  # what VLMEvalKit writes instead of an answer that never came


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of each role; empty where there is none."""

    id: str = ""
    answer: str = ""
    picture: str = ""
    text: str = ""
    score: str = ""
    trial: str = ""

    @property
    def enough(self) -> bool:
        """Whether a prediction can be told: something was said, and to what."""
        return bool((self.answer or self.score) and (self.id or (self.picture and self.text)))

    def __str__(self) -> str:
        return ", ".join(f"{role}={name}" for role in ROLES if (name := getattr(self, role)))


def chosen(names: Sequence[str], known: Names, given: Mapping[str, str]) -> Columns:
    """The columns among these names: those that were given, else those whose names are known.

    >>> str(chosen(["questionId", "prediction", "answer"], PLAIN, {}))
    'id=questionId, answer=prediction'
    """
    spelled = {_spelling(name): name for name in reversed(names)}
    found: dict[str, str] = dict(given)
    for role in given:
        if role not in ROLES:
            raise UnknownName("role of a column", role, ROLES)
    for role in ROLES:
        free = (spelled[one] for name in known[role] if (one := _spelling(name)) in spelled)
        found.setdefault(role, next((name for name in free if name not in found.values()), ""))
    return Columns(**found)


@dataclass(slots=True)
class Taking:
    """Takes predictions from records; the columns are looked up once for each set of names."""

    path: Path
    known: Names
    given: Mapping[str, str] = field(default_factory=dict)
    _seen: dict[tuple[str, ...], Columns] = field(default_factory=dict)

    def alone(self, names: tuple[str, ...]) -> bool:
        """Whether an object with these keys is one record."""
        return chosen(names, self.known, self.given).enough

    def all(self, records: Iterator[ResultRecord]) -> PredictionStream:
        """Every record as a prediction or an oddity; a file in which no record has the columns is an error."""
        fitting, names = False, ""
        for record in records:
            one = self.one(record)
            fitting = fitting or isinstance(one, Prediction) or bool(one.id)
            names = names or ", ".join(record.fields)
            yield one
        if not fitting:
            wanted = " or ".join(f"{role}={name}" for role, name in self.given.items()) or "an id and an answer"
            fact = f"{self.path}: no record has {wanted}" + (f"; the first has {_short(names)}" if names else "")
            raise SourceError(fact, hint="say which columns hold them: --columns id=…,answer=…")

    def one(self, record: ResultRecord) -> Prediction | RejectedRecord:
        """What one record says."""
        names = tuple(record.fields)
        if names not in self._seen:
            self._seen[names] = chosen(names, self.known, self.given)
        columns = self._seen[names]
        if record.key and not isinstance(record.value, dict):
            said = as_text(record.value)
            if said is None:
                return RejectedRecord(record.place, f"{_short(repr(record.value))} is no answer", record.key)
            return Prediction(record.key, said, place=record.place)
        if not names:
            return RejectedRecord(record.place, f"no record: {_short(str(record.value))}")
        return self._taken(record, columns)

    def _taken(self, record: ResultRecord, columns: Columns) -> Prediction | RejectedRecord:
        values = {role: value_of(record.fields, getattr(columns, role)) for role in ROLES}
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
        if not trial.isdecimal() or int(trial) >= 2**16:
            return RejectedRecord(record.place, f"{trial!r} is no number of a trial", own or text)
        options = tuple(_options(record.fields))
        shown = picture if len(picture) < _LONGEST else ""
        return Prediction(own, raw or "", shown, text, score, int(trial), options, place=record.place)


def value_of(fields: Mapping[str, Any], name: str) -> Any:
    """The value under a name, or under names joined by dots, one within the other."""
    if not name or name in fields:
        return fields.get(name)
    value: Any = fields
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _options(fields: Mapping[str, Any]) -> Iterator[str]:
    """The choices that stand in columns A, B, C, …, as far as they go."""
    for letter in _LETTERS:
        option = as_text(fields.get(letter))
        if not option or option == "nan":
            return
        yield option


def _spelling(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"
