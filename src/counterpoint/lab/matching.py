"""Matching of predictions to the queries of suites: by id, then by picture and text; nothing is guessed."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import shorten
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Mode
from counterpoint.core.ids import hex_id
from counterpoint.sources.results.predictions import Prediction, RejectedRecord, as_number
from counterpoint.store.groups import unique_queries
from counterpoint.store.tables import as_lists

ID_TAGS = ("question_id", "question", "source_question", "source_id", "source", "item", "id")
"""The tags in which a suite may keep what its source calls a question."""
MATCH_KINDS = ("matched", "repeated", "conflict", "unmatched", "ambiguous", "odd")
"""How a record was matched: each is exactly one of these; `odd` holds no prediction."""

_HEX = re.compile(r"[0-9a-fA-F]{16}")


@dataclass(frozen=True, slots=True)
class MatchNote:
    """A record that is not simply matched, or a query that has no prediction, and why."""

    kind: str
    why: str
    place: str = ""
    id: str = ""
    query: str = ""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The prediction that counts for each row and trial, and notes on the records that were not simply matched."""

    predictions: Mapping[tuple[int, int], Prediction]
    counts: Mapping[str, int]  # by kind; together they are the records
    notes: tuple[MatchNote, ...]
    answered: int  # rows with a prediction in any trial

    @property
    def records(self) -> int:
        """How many there were."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class _NoMatch:
    kind: str
    why: str


class QueryIndex:
    """The distinct queries of some suites, found by content id, by id of the source, or by picture and text."""

    def __init__(self, groups: pa.Table, *, by_text: bool = False) -> None:
        self.table = unique_queries(groups)
        self._groups, self._by_text = groups, by_text
        self.ids: list[int] = self.table["query"].to_pylist()
        self._rows = {own: row for row, own in enumerate(self.ids)}
        self._modes: list[str] = self.table["mode"].to_pylist()

    def __len__(self) -> int:
        return len(self.ids)

    def find(self, prediction: Prediction) -> int | _NoMatch:
        """The row that a prediction is about, or why there is none."""
        rows = self._by_id(prediction.id)
        if len(rows) == 1:
            return rows[0]
        if rows:
            if len(near := [row for row in rows if self._fits(row, prediction)]) == 1:
                return near[0]
            return _NoMatch("ambiguous", f"{len(rows)} queries have the id {prediction.id!r}")
        if prediction.picture and prediction.text:
            return self._by_picture(prediction)
        if self._by_text and prediction.text:
            rows = next(filter(None, (self._texts.get(text, []) for text in _wordings(prediction.text))), [])
            return rows[0] if len(rows) == 1 else self._no_match(prediction, rows, "this text")
        return _NoMatch("unmatched", f"no query has the id {prediction.id!r}")

    def refused(self, row: int, prediction: Prediction) -> str:
        """Why a prediction is no answer to a query of this mode; empty if it is one."""
        if self._modes[row] == Mode.SCORE.value:
            scored = prediction.score is not None or as_number(prediction.raw) is not None
            return "" if scored else "the query asks for a score, and there is no number"
        only_score = not prediction.raw and prediction.score is not None
        return "the query asks for an answer, and there is only a score" if only_score else ""

    def _by_id(self, own: str) -> Sequence[int]:
        numbers = [int(own, 16)] if _HEX.fullmatch(own) else []
        numbers += [int(own)] if own.isascii() and own.isdecimal() and len(own) <= 20 else []
        known = next((self._rows[number] for number in numbers if number in self._rows), None)
        return self._tagged.get(own, ()) if known is None else (known,)

    def _by_picture(self, prediction: Prediction) -> int | _NoMatch:
        """The query with this picture and this text, if there is but one and nothing is done to its picture."""
        names = _parts(prediction.picture)
        stem = _stem(names)
        matching = (self._by_picture_text.get((stem, text), []) for text in _wordings(prediction.text))
        rows = next(filter(None, matching), [])
        near = {row: _shared_ending(names, _parts(self._pictures[row] or "")) for row in rows}
        rows = [row for row in rows if near[row] == max(near.values())]
        if prediction.options and len(rows) > 1:
            offered = {row: sorted(self.table["choices"][row].as_py()) for row in rows}
            rows = [row for row in rows if offered[row] == sorted(prediction.options)] or rows
        if len(rows) != 1:
            return self._no_match(prediction, rows, "this picture and text")
        if any(self.table[name][rows[0]].as_py() != "[]" for name in ("edits", "feature_edits")):
            return _NoMatch("unmatched", "the only query with this picture and text shows it edited")
        return rows[0]

    def _no_match(self, prediction: Prediction, rows: Sequence[int], what: str) -> _NoMatch:
        if rows:
            shown = self.table.select(["picture", "edits", "context", "choices", "mode"]).take(rows).to_pydict()
            differ = [name for name, values in shown.items() if len(set(map(str, values))) > 1]
            differences = f"; they differ in {' and '.join(differ)}" if differ else ""
            return _NoMatch("ambiguous", f"{len(rows)} queries have {what}{differences}")
        own = f"the id {prediction.id!r}, nor " if prediction.id else ""
        return _NoMatch("unmatched", f"no query has {own}{what}")

    def _fits(self, row: int, prediction: Prediction) -> bool:
        text = not prediction.text or normalize_text(self.table["text"][row].as_py()) in _wordings(prediction.text)
        names = _parts(prediction.picture)
        return bool(text) and (not names or _stem(names) == _stem(_parts(self._pictures[row] or "")))

    @cached_property
    def _pictures(self) -> list[str | None]:
        return list(self.table["picture"].to_pylist())

    @cached_property
    def _tagged(self) -> dict[str, tuple[int, ...]]:
        lists = as_lists(pa.concat_arrays(self._groups["tags"].chunks))
        keys, values = (pc.struct_field(lists.flatten(), place) for place in (0, 1))
        ours = pc.is_in(keys, value_set=pa.array(ID_TAGS))
        ids = self._groups["query"].take(pc.list_parent_indices(lists).filter(ours)).to_pylist()
        rows_of: dict[str, dict[int, None]] = {}
        for value, query in zip(values.filter(ours).to_pylist(), ids, strict=True):
            rows_of.setdefault(value, {})[self._rows[query]] = None
        return {value: tuple(rows) for value, rows in rows_of.items()}

    @cached_property
    def _texts(self) -> dict[str, list[int]]:
        texts = map(normalize_text, self.table["text"].to_pylist())
        return group_pairs((text, row) for row, text in enumerate(texts))

    @cached_property
    def _by_picture_text(self) -> dict[tuple[str, str], list[int]]:
        stems = [_stem(_parts(picture or "")) for picture in self._pictures]
        return group_pairs(((stems[row], text), row) for text, rows in self._texts.items() for row in rows)


def match_predictions(stream: Iterable[Prediction | RejectedRecord], queries: QueryIndex) -> MatchResult:
    """Match every record or note why not; of two answers to one query in one trial the last counts."""
    predictions: dict[tuple[int, int], Prediction] = {}
    counts: Counter[str] = Counter(dict.fromkeys(MATCH_KINDS, 0))
    notes: list[MatchNote] = []

    def note(kind: str, why: str, record: Prediction | RejectedRecord, row: int | None = None) -> None:
        counts[kind] += 1
        notes.append(MatchNote(kind, why, record.place, record.id, "" if row is None else hex_id(queries.ids[row])))

    for record in stream:
        if isinstance(record, RejectedRecord):
            note("odd", record.why, record)
            continue
        row = queries.find(record)
        if isinstance(row, _NoMatch):
            note(row.kind, row.why, record)
        elif why := queries.refused(row, record):
            note("odd", why, record, row)
        elif (before := predictions.get((row, record.trial))) is None:
            counts["matched"] += 1
            predictions[row, record.trial] = record
        elif (before.raw, before.score) == (record.raw, record.score):
            note("repeated", f"as in {before.place}", record, row)
        else:
            predictions[row, record.trial] = record
            why = f"{_reply(record)}, where {before.place} says {_reply(before)}; the last stands"
            note("conflict", why, record, row)
    return MatchResult(predictions, dict(counts), tuple(notes), len({row for row, _ in predictions}))


def missing_queries(groups: pa.Table, queries: QueryIndex, matches: MatchResult) -> dict[str, tuple[str, ...]]:
    """For each suite the ids of its queries without a prediction, in the order of the suite."""
    answered = pa.array([queries.ids[row] for row in {row for row, _ in matches.predictions}], pa.uint64())
    missing: dict[str, tuple[str, ...]] = {}
    for name in pc.unique(groups["suite"]).to_pylist():
        ids = pc.unique(groups.filter(pc.equal(groups["suite"], name))["query"])
        absent = ids.filter(pc.invert(pc.is_in(ids, value_set=answered)))
        missing[name] = tuple(map(hex_id, absent.to_pylist()))
    return missing


def normalize_text(text: str) -> str:
    """A text without what a copy may change: case, spacing, curly quotation marks, a mark for the picture.

    >>> normalize_text("<image>\\n Isn’t  it Red? ")
    "isn't it red?"
    """
    plain = unicodedata.normalize("NFKC", text.replace("<image>", " ")).translate(_STRAIGHT)
    return " ".join(plain.casefold().split())


_STRAIGHT = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})


def _wordings(text: str) -> list[str]:
    """What a text may be of a query's: all of it, or its first line, behind which prompts say how to answer."""
    lines = [line for line in text.replace("<image>", " ").splitlines() if line.strip()]
    return list(dict.fromkeys([normalize_text(text), *map(normalize_text, lines[:1])]))


def _parts(picture: str) -> tuple[str, ...]:
    """A path or an address as its steps, without namespace and drive.

    >>> _parts("coco:val/7.jpg"), _parts("C:\\\\data\\\\7.jpg")
    (('val', '7.jpg'), ('data', '7.jpg'))
    """
    path = re.sub(r"^[\w.-]+:", "", picture.replace("\\", "/"))
    return tuple(step for step in path.split("/") if step)


def _stem(parts: Sequence[str]) -> str:
    return re.sub(r"(?<=.)\.[A-Za-z]{2,5}$", "", parts[-1]) if parts else ""


def _shared_ending(one: Sequence[str], other: Sequence[str]) -> int:
    """How many steps two paths share at their ends."""
    alike = [a == b for a, b in zip(reversed(one), reversed(other), strict=False)]
    return alike.index(False) if False in alike else len(alike)


def _reply(prediction: Prediction) -> str:
    return shorten(repr(prediction.raw) if prediction.raw or prediction.score is None else f"{prediction.score:g}")
