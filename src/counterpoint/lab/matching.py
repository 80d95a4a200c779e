"""Predictions found in suites: by id, then by picture and text; what fits nothing or too much is said, not guessed."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.groups import Mode
from counterpoint.core.ids import hex_id
from counterpoint.sources.results.predictions import Prediction, RejectedRecord, as_number
from counterpoint.store.groups import unique_queries
from counterpoint.store.tables import as_lists

ID_TAGS = ("question_id", "question", "source_question", "source_id", "source", "item", "id")
"""The tags in which a suite may keep what its source calls a question."""
MATCH_KINDS = ("matched", "repeated", "conflict", "unmatched", "ambiguous", "odd")
"""What becomes of a record: each is exactly one of these."""
_Key = TypeVar("_Key")
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
    """What became of all records: the prediction that stands for each row and trial, and what is to be said of them."""

    standing: Mapping[tuple[int, int], Prediction]
    counts: Mapping[str, int]  # by kind; together they are the records
    notes: tuple[MatchNote, ...]
    answered: int  # rows with a prediction in any trial

    @property
    def records(self) -> int:
        """How many there were."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class _Miss:
    kind: str
    why: str


class QueryIndex:
    """The queries of some suites, each once, to be found by what others call them."""

    def __init__(self, groups: pa.Table, *, by_text: bool = False) -> None:
        self.table = unique_queries(groups)
        self._groups, self._by_text = groups, by_text
        self.ids: list[int] = self.table["query"].to_pylist()
        self._rows = {one: row for row, one in enumerate(self.ids)}
        self._modes: list[str] = self.table["mode"].to_pylist()

    def __len__(self) -> int:
        return len(self.ids)

    def hex(self, row: int) -> str:
        """The id of a row, as it is shown."""
        return hex_id(self.ids[row])

    def find(self, asked: Prediction) -> int | _Miss:
        """The row that a prediction is about, or why there is none."""
        rows = self._by_id(asked.id)
        if len(rows) == 1:
            return rows[0]
        if rows:
            near = [row for row in rows if self._fits(row, asked)]
            return near[0] if len(near) == 1 else _Miss("ambiguous", f"{len(rows)} queries have the id {asked.id!r}")
        if asked.picture and asked.text:
            return self._seen(asked)
        if self._by_text and asked.text:
            rows = next(filter(None, (self._texts.get(text, []) for text in _wordings(asked.text))), [])
            return rows[0] if len(rows) == 1 else self._none(asked, rows, "this text")
        return _Miss("unmatched", f"no query has the id {asked.id!r}")

    def refused(self, row: int, one: Prediction) -> str:
        """Why a prediction is no answer to a query of this mode; empty if it is one."""
        if self._modes[row] == Mode.SCORE.value:
            scored = one.score is not None or as_number(one.raw) is not None
            return "" if scored else "the query asks for a score, and there is no number"
        return (
            "the query asks for an answer, and there is only a score" if not one.raw and one.score is not None else ""
        )

    def _by_id(self, own: str) -> Sequence[int]:
        numbers = [int(own, 16)] if _HEX.fullmatch(own) else []
        numbers += [int(own)] if own.isascii() and own.isdecimal() and len(own) <= 20 else []
        known = next((self._rows[number] for number in numbers if number in self._rows), None)
        return self._tagged.get(own, ()) if known is None else (known,)

    def _seen(self, asked: Prediction) -> int | _Miss:
        """The query with this picture and this text, if there is but one and nothing is done to its picture."""
        names = _parts(asked.picture)
        stem = _stem(names)
        rows = next(filter(None, (self._shown.get((stem, text), []) for text in _wordings(asked.text))), [])
        near = {row: _common(names, _parts(self._pictures[row] or "")) for row in rows}
        rows = [row for row in rows if near[row] == max(near.values())]
        if asked.options and len(rows) > 1:
            rows = [row for row in rows if sorted(self.table["choices"][row].as_py()) == sorted(asked.options)] or rows
        if len(rows) != 1:
            return self._none(asked, rows, "this picture and text")
        if any(self.table[name][rows[0]].as_py() != "[]" for name in ("edits", "feature_edits")):
            return _Miss("unmatched", "the only query with this picture and text shows it edited")
        return rows[0]

    def _none(self, asked: Prediction, rows: Sequence[int], what: str) -> _Miss:
        if rows:
            differ = [name for name in ("picture", "edits", "context", "choices", "mode") if self._differ(rows, name)]
            said = f"; they differ in {' and '.join(differ)}" if differ else ""
            return _Miss("ambiguous", f"{len(rows)} queries have {what}{said}")
        own = f"the id {asked.id!r}, nor " if asked.id else ""
        return _Miss("unmatched", f"no query has {own}{what}")

    def _differ(self, rows: Sequence[int], name: str) -> bool:
        return len({str(self.table[name][row].as_py()) for row in rows}) > 1

    def _fits(self, row: int, asked: Prediction) -> bool:
        text = not asked.text or normalize_text(self.table["text"][row].as_py()) in _wordings(asked.text)
        names = _parts(asked.picture)
        return bool(text) and (not names or _stem(names) == _stem(_parts(self._pictures[row] or "")))

    @cached_property
    def _pictures(self) -> list[str | None]:
        return list(self.table["picture"].to_pylist())

    @cached_property
    def _tagged(self) -> dict[str, tuple[int, ...]]:
        lists = as_lists(pa.concat_arrays(self._groups["tags"].chunks))
        keys, values = (pc.struct_field(lists.flatten(), place) for place in (0, 1))
        ours = pc.is_in(keys, value_set=pa.array(ID_TAGS))
        asked = self._groups["query"].take(pc.list_parent_indices(lists).filter(ours)).to_pylist()
        found: dict[str, dict[int, None]] = {}
        for value, query in zip(values.filter(ours).to_pylist(), asked, strict=True):
            found.setdefault(value, {})[self._rows[query]] = None
        return {value: tuple(rows) for value, rows in found.items()}

    @cached_property
    def _shown(self) -> dict[tuple[str, str], list[int]]:
        stems = (_stem(_parts(picture or "")) for picture in self._pictures)
        return _gathered(zip(stems, map(normalize_text, self.table["text"].to_pylist()), strict=True))

    @cached_property
    def _texts(self) -> dict[str, list[int]]:
        return _gathered(map(normalize_text, self.table["text"].to_pylist()))


def match_predictions(read: Iterable[Prediction | RejectedRecord], queries: QueryIndex) -> MatchResult:
    """Every record matched or accounted for; of two answers to one query in one trial the last stands."""
    standing: dict[tuple[int, int], Prediction] = {}
    counts: Counter[str] = Counter(dict.fromkeys(MATCH_KINDS, 0))
    notes: list[MatchNote] = []

    def told(kind: str, why: str, one: Prediction | RejectedRecord, row: int | None = None) -> None:
        counts[kind] += 1
        notes.append(MatchNote(kind, why, one.place, one.id, "" if row is None else queries.hex(row)))

    for one in read:
        if isinstance(one, RejectedRecord):
            told("odd", one.why, one)
            continue
        row = queries.find(one)
        if isinstance(row, _Miss):
            told(row.kind, row.why, one)
        elif why := queries.refused(row, one):
            told("odd", why, one, row)
        elif (before := standing.get((row, one.trial))) is None:
            counts["matched"] += 1
            standing[row, one.trial] = one
        elif (before.raw, before.score) == (one.raw, one.score):
            told("repeated", f"as in {before.place}", one, row)
        else:
            standing[row, one.trial] = one
            told("conflict", f"{_said(one)}, where {before.place} says {_said(before)}; the last stands", one, row)
    rows = {row for row, _ in standing}
    return MatchResult(standing, dict(counts), tuple(notes), len(rows))


def missing_queries(groups: pa.Table, queries: QueryIndex, found: MatchResult) -> dict[str, tuple[str, ...]]:
    """For each suite the ids of its queries without a prediction, in the order of the suite."""
    there = pa.array([queries.ids[row] for row in {row for row, _ in found.standing}], pa.uint64())
    lost: dict[str, tuple[str, ...]] = {}
    for name in pc.unique(groups["suite"]).to_pylist():
        asked = pc.unique(groups.filter(pc.equal(groups["suite"], name))["query"])
        absent = asked.filter(pc.invert(pc.is_in(asked, value_set=there)))
        lost[name] = tuple(map(hex_id, absent.to_pylist()))
    return lost


def normalize_text(text: str) -> str:
    """A text without what a copy may change: case, spacing, curly quotation marks, a mark for the picture.

    >>> normalised("<image>\\n Isn’t  it Red? ")
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


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many steps two paths share at their ends."""
    alike = [a == b for a, b in zip(reversed(one), reversed(other), strict=False)]
    return alike.index(False) if False in alike else len(alike)


def _gathered(keys: Iterable[_Key]) -> dict[_Key, list[int]]:
    found: dict[_Key, list[int]] = {}
    for row, key in enumerate(keys):
        found.setdefault(key, []).append(row)
    return found


def _said(one: Prediction) -> str:
    said = repr(one.raw) if one.raw or one.score is None else f"{one.score:g}"
    return said if len(said) <= 40 else f"{said[:39]}…"
