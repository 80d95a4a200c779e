"""Matching of predictions to the queries of suites: by id, then by picture and text; nothing is guessed."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import shorten
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Mode
from counterpoint.core.ids import hex_id
from counterpoint.sources.reading.cells import without_picture_mark
from counterpoint.sources.results.predictions import AskedQuestion, Prediction, RejectedRecord, as_number
from counterpoint.store.answers import text_array
from counterpoint.store.groups import unique_queries
from counterpoint.store.joins import Rows
from counterpoint.store.tables import as_lists

ID_TAGS = ("question_id", "question", "source_question", "source_id", "source", "item", "id")
"""The tags in which a suite may keep what its source calls a question."""
MATCH_KINDS = ("matched", "repeated", "conflict", "unmatched", "ambiguous", "odd")
"""How a record was matched: each is exactly one of these; `odd` holds no prediction."""

Key = TypeVar("Key")
_UNUSUAL = r"[^ -~]|  |^ | $|<image"  # in what is no line of ASCII characters with single blanks
_NO_ROW, _SEVERAL = -1, -2  # in place of the row of a key
_OTHER_ID = r"^([0-9a-fA-F]{16}|0[0-9]+)$"  # what may be a content id, and is not written as a number
_HEX = re.compile(r"[0-9a-fA-F]{16}")


class MatchNote(NamedTuple):
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
        self._rows = dict(zip(self.ids, range(len(self.ids)), strict=True))
        self._modes: list[str] = self.table["mode"].to_pylist()

    def __len__(self) -> int:
        return len(self.ids)

    def find_all(self, predictions: Sequence[Prediction]) -> list[int | _NoMatch]:
        """What `find` says of each: by columns where one id, or one picture and text, name one row; else one by one."""
        ids, pictures, texts = (
            text_array([getattr(prediction, name) for prediction in predictions]) for name in ("id", "picture", "text")
        )
        described = pc.and_(pc.not_equal(pictures, ""), pc.not_equal(texts, "")).to_numpy(zero_copy_only=False)
        rows = self._rows_of_ids.find(ids)
        unknown = rows == _NO_ROW
        rows[described & ~unknown] = _SEVERAL
        worded = np.flatnonzero((rows >= 0) & pc.not_equal(texts, "").to_numpy(zero_copy_only=False))
        same = pc.equal(_normal_texts(texts.take(worded)), pa.array(self._normal, pa.string()).take(rows[worded]))
        rows[worded[~same.to_numpy(zero_copy_only=False)]] = _SEVERAL
        rows[(rows >= 0) & pc.and_(pc.not_equal(pictures, ""), pc.equal(texts, "")).to_numpy(zero_copy_only=False)] = (
            _SEVERAL
        )
        if (unnamed := described & unknown).any():
            keys = _picture_texts(*(column.filter(pa.array(unnamed)) for column in (pictures, texts)))
            rows[unnamed] = self._rows_of_pictures.find(keys)
        own = _RowIndex(self.table["query"].cast(pa.string()).combine_chunks(), np.arange(len(self))).find(ids)
        rows = np.where(own >= 0, own, rows)
        other = pc.match_substring_regex(ids, _OTHER_ID).to_numpy(zero_copy_only=False)
        rows[other], unknown[other] = _SEVERAL, False
        found = zip(rows.tolist(), unknown.tolist(), predictions, strict=True)
        return [
            row if row >= 0 else self._find_unnamed(prediction) if is_unknown else self.find(prediction)
            for row, is_unknown, prediction in found
        ]

    def find(self, prediction: Prediction) -> int | _NoMatch:
        """The row that a prediction is about, or why there is none.

        Ids of a source may be those of another file, or count its rows: where a record says picture and text, these
        decide, and a text or a picture alone that is another query's is against the id.
        """
        own = prediction.id
        if (len(own) == 16 or own.isdecimal()) and (row := self._own(own)) is not None:
            return row
        rows = self._tagged.get(prediction.id, ())
        described = bool(prediction.picture and prediction.text)
        if len(rows) == 1 and not described:
            other = self._contradiction(rows[0], prediction)
            return rows[0] if other is None else other
        return self._nearest(rows, prediction, described) if rows else self._find_unnamed(prediction)

    def _find_unnamed(self, prediction: Prediction) -> int | _NoMatch:
        """The row that a prediction is about whose id no query has."""
        if prediction.picture and prediction.text:
            return self._by_picture(prediction)
        if self._by_text and prediction.text:
            same = next(filter(None, (self._texts.get(text) for text in _wordings(prediction.text))), ())
            return same[0] if len(same) == 1 else self._no_match(prediction, same, "this text")
        return _NoMatch("unmatched", f"no query has the id {prediction.id!r}")

    def _contradiction(self, row: int, prediction: Prediction) -> int | _NoMatch | None:
        """What to take in place of the row of an id where a prediction has the text or picture of other queries."""
        if not prediction.text:
            return self._other_picture(row, prediction) if prediction.picture else None
        if self._normal[row] in normalize_text(prediction.text):
            return None
        if not any(map(self._texts.get, _wordings(prediction.text))):
            return None
        if self._by_text:
            return self._find_unnamed(prediction)
        why = f"the query with the id {prediction.id!r} has another text, and this one is that of another query"
        return _NoMatch("unmatched", f"{why}; if ids count rows, --by-text goes by texts")

    def _other_picture(self, row: int, prediction: Prediction) -> _NoMatch | None:
        named = _stem(_parts(prediction.picture))
        if self._shows(row, prediction) or named not in self._known_stems:
            return None
        why = f"the query with the id {prediction.id!r} has another picture, and this one is that of another query"
        return _NoMatch("unmatched", why)

    def _nearest(self, rows: Sequence[int], prediction: Prediction, described: bool) -> int | _NoMatch:
        """The row among those of one id that has the picture, the text and the order of choices of a prediction."""
        near = [row for row in rows if self._fits(row, prediction)]
        if len(near) > 1 and prediction.options:
            near = [row for row in near if tuple(self.table["choices"][row].as_py()) == prediction.options] or near
        if len(near) == 1:
            return near[0]
        found = self._by_picture(prediction) if described else None
        if isinstance(found, int):
            return found
        if len(rows) > 1:
            return _NoMatch("ambiguous", f"{len(rows)} queries have the id {prediction.id!r}")
        if self._is_other(rows[0], prediction):
            return _NoMatch("unmatched", f"the query with the id {prediction.id!r} has another picture and text")
        return rows[0]

    def refused(self, row: int, prediction: Prediction) -> str:
        """Why a prediction is no answer to a query of this mode; empty if it is one."""
        if self._modes[row] == Mode.SCORE:
            scored = prediction.score is not None or as_number(prediction.raw) is not None
            return "" if scored else "the query asks for a score, and there is no number"
        only_score = not prediction.raw and prediction.score is not None
        return "the query asks for an answer, and there is only a score" if only_score else ""

    def _own(self, own: str) -> int | None:
        """The row with this content id, in hexadecimal digits or as a number."""
        row = self._rows.get(int(own, 16)) if len(own) == 16 and _HEX.fullmatch(own) else None
        if row is None and len(own) <= 20 and own.isascii() and own.isdecimal():
            row = self._rows.get(int(own))
        return row

    def _by_picture(self, prediction: Prediction) -> int | _NoMatch:
        """The query with this picture and this text, if there is but one and nothing is done to its picture."""
        names = _parts(prediction.picture)
        stem, text = _stem(names), prediction.text
        rows = self._by_picture_text.get((stem, self._known.get(text) or normalize_text(text)), ())
        if not rows:
            wordings = _wordings(text)
            rows = next(filter(None, (self._by_picture_text.get((stem, wording)) for wording in wordings[1:])), ())
            if not rows and stem.isdecimal():  # a number, where the file is called COCO_val2014_000000000042.jpg
                keys = ((stem.lstrip("0"), wording) for wording in wordings)
                rows = next(filter(None, map(self._by_number_text.get, keys)), ())
        if len(rows) > 1:
            near = {row: _shared_ending(names, _parts(self._pictures[row] or "")) for row in rows}
            rows = [row for row in rows if near[row] == max(near.values())]
        if prediction.options and len(rows) > 1:
            offered = {row: sorted(self.table["choices"][row].as_py()) for row in rows}
            rows = [row for row in rows if offered[row] == sorted(prediction.options)] or rows
        rows = self._unique_in_a_suite(rows) if len(rows) > 1 else rows
        if len(rows) != 1:
            return self._no_match(prediction, rows, "this picture and text")
        if self._edited[rows[0]]:
            return _NoMatch("unmatched", "the only query with this picture and text shows it edited")
        return rows[0]

    def _unique_in_a_suite(self, rows: Sequence[int]) -> Sequence[int]:
        """The only row that is alone in some suite, where others also edit its picture or its spacing; else all."""
        by_suite = group_pairs((suite, row) for row in rows for suite in self._suites[row])
        alone = {members[0] for members in by_suite.values() if len(members) == 1}
        return [*alone] if len(alone) == 1 else rows

    def _no_match(self, prediction: Prediction, rows: Sequence[int], what: str) -> _NoMatch:
        if rows:
            shown = self.table.select(["picture", "edits", "context", "choices", "mode"]).take(rows).to_pydict()
            differ = [name for name, values in shown.items() if len(set(map(str, values))) > 1]
            differences = f"; they differ in {' and '.join(differ)}" if differ else ""
            return _NoMatch("ambiguous", f"{len(rows)} queries have {what}{differences}")
        own = f"the id {prediction.id!r}, nor " if prediction.id else ""
        return _NoMatch("unmatched", f"no query has {own}{what}")

    def _fits(self, row: int, prediction: Prediction) -> bool:
        text = not prediction.text or self._normal[row] in _wordings(prediction.text)
        return text and (not prediction.picture or self._shows(row, prediction))

    def _shows(self, row: int, prediction: Prediction) -> bool:
        shown, named = (_stem(_parts(picture)) for picture in (self._pictures[row] or "", prediction.picture))
        return shown == named or (named.isdecimal() and _number(shown) == named.lstrip("0"))

    def _is_other(self, row: int, prediction: Prediction) -> bool:
        """Whether a prediction says that it is about another picture and another text."""
        other_text = bool(prediction.text) and self._normal[row] not in normalize_text(prediction.text)
        return other_text and bool(prediction.picture) and not self._shows(row, prediction)

    @cached_property
    def _normal(self) -> list[str]:
        return [self._known[text] for text in self.table["text"].to_pylist()]

    @cached_property
    def _known(self) -> dict[str, str]:
        """The normal form of each text; what was asked verbatim need not be normalised again."""
        texts = pc.unique(self.table["text"])
        return dict(zip(texts.to_pylist(), _normal_texts(texts).to_pylist(), strict=True))

    @cached_property
    def _suites(self) -> dict[int, list[str]]:
        """The suites that have each row."""
        rows = pc.index_in(self._groups["query"], value_set=self.table["query"].combine_chunks()).to_pylist()
        return group_pairs(dict.fromkeys(zip(rows, self._groups["suite"].to_pylist(), strict=True)))

    @cached_property
    def _pictures(self) -> list[str | None]:
        return list(self.table["picture"].to_pylist())

    @cached_property
    def _edited(self) -> list[bool]:
        pixels, features = (pc.not_equal(self.table[name], "[]") for name in ("edits", "feature_edits"))
        return list(pc.or_(pixels, features).to_pylist())

    @cached_property
    def _tagged_rows(self) -> tuple[pa.Array, Rows]:
        """Each id of a source in the tags of a group, and its row."""
        lists = as_lists(pa.concat_arrays(self._groups["tags"].chunks))
        keys, values = (pc.struct_field(lists.flatten(), place) for place in (0, 1))
        ours = pc.is_in(keys, value_set=pa.array(ID_TAGS))
        rows = pc.index_in(self._groups["query"], value_set=self.table["query"].combine_chunks())
        tagged = rows.combine_chunks().take(pc.list_parent_indices(lists).filter(ours))
        return values.filter(ours), tagged.to_numpy()

    @cached_property
    def _tagged(self) -> dict[str, Sequence[int]]:
        words, rows = self._tagged_rows
        pairs = dict.fromkeys(zip(words.to_pylist(), rows.tolist(), strict=True))
        return _index_rows([word for word, _ in pairs], [row for _, row in pairs])

    @cached_property
    def _rows_of_ids(self) -> "_RowIndex":
        return _RowIndex(*self._tagged_rows)

    @cached_property
    def _rows_of_pictures(self) -> "_RowIndex":
        """The rows by picture and text; those with an edited picture are for `find`."""
        rows = np.where(self._edited, _SEVERAL, np.arange(len(self)))
        return _RowIndex(_picture_texts(*(self.table[name].combine_chunks() for name in ("picture", "text"))), rows)

    @cached_property
    def _texts(self) -> dict[str, Sequence[int]]:
        return _index_rows(self._normal, range(len(self)))

    @cached_property
    def _stems(self) -> list[str]:
        stems = {picture: _stem(_parts(picture or "")) for picture in dict.fromkeys(self._pictures)}
        return [stems[picture] for picture in self._pictures]

    @cached_property
    def _known_stems(self) -> frozenset[str]:
        return frozenset(self._stems)

    @cached_property
    def _by_picture_text(self) -> dict[tuple[str, str], Sequence[int]]:
        return _index_rows(list(zip(self._stems, self._normal, strict=True)), range(len(self)))

    @cached_property
    def _by_number_text(self) -> dict[tuple[str, str], Sequence[int]]:
        numbers = {stem: _number(stem) for stem in dict.fromkeys(self._stems)}
        numbered = [row for row, stem in enumerate(self._stems) if numbers[stem]]
        return _index_rows([(numbers[self._stems[row]], self._normal[row]) for row in numbered], numbered)


class _RowIndex:
    """The row of each key that one row has, by columns."""

    def __init__(self, keys: pa.Array, rows: Rows) -> None:
        encoded = keys.dictionary_encode()
        codes = encoded.indices.to_numpy()
        self._keys = encoded.dictionary
        self._rows = np.full(len(self._keys) + 1, _NO_ROW)  # the last for keys that no row has
        self._rows[codes] = rows
        self._rows[codes[self._rows[codes] != rows]] = _SEVERAL

    def find(self, keys: pa.Array) -> Rows:
        """The row of each key, _SEVERAL or _NO_ROW."""
        found: Rows = self._rows[pc.index_in(keys, value_set=self._keys).fill_null(len(self._keys)).to_numpy()]
        return found


def _picture_texts(pictures: pa.Array, texts: pa.Array) -> pa.Array:
    """The stem of each picture beside the normal form of its text."""
    encoded = pictures.fill_null("").dictionary_encode()
    stems = pa.array([_stem(_parts(picture)) for picture in encoded.dictionary.to_pylist()], pa.string())
    return pc.binary_join_element_wise(stems.take(encoded.indices), _normal_texts(texts), "\0")


def _normal_texts(texts: pa.Array) -> pa.Array:
    """`normalize_text` of each; in most, lines of ASCII characters with single blanks, only the case counts."""
    odd = pc.match_substring_regex(texts, _UNUSUAL)
    normal = pa.array(map(normalize_text, texts.filter(odd).to_pylist()), pa.string())
    return pc.replace_with_mask(pc.ascii_lower(texts), odd, normal)


def _index_rows(keys: Sequence[Key], rows: Sequence[int]) -> dict[Key, Sequence[int]]:
    """The rows of each key, from pairs that occur once; lists are made only for the few keys that rows share."""
    index: dict[Key, Sequence[int]] = dict(zip(keys, zip(rows, strict=True), strict=True))
    if len(index) < len(keys):
        shared = {key for key, row in zip(keys, rows, strict=True) if index[key][0] != row}
        index |= group_pairs((key, row) for key, row in zip(keys, rows, strict=True) if key in shared)
    return index


def match_predictions(stream: Iterable[Prediction | RejectedRecord], queries: QueryIndex) -> MatchResult:
    """Match every record or note why not; of two answers to one query in one trial the last counts."""
    predictions: dict[tuple[int, int], Prediction] = {}
    counts: Counter[str] = Counter(dict.fromkeys(MATCH_KINDS, 0))
    notes: list[MatchNote] = []

    def note(kind: str, why: str, record: Prediction | RejectedRecord, row: int | None = None) -> None:
        counts[kind] += 1
        notes.append(MatchNote(kind, why, record.place, record.id, "" if row is None else hex_id(queries.ids[row])))

    records = list(stream)
    rows = iter(queries.find_all([record for record in records if isinstance(record, Prediction)]))
    for record in records:
        if isinstance(record, RejectedRecord):
            note("odd", record.why, record)
            continue
        row = next(rows)
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


def add_questions(
    stream: Iterable[Prediction | RejectedRecord], asked: Mapping[str, Sequence[AskedQuestion]]
) -> Iterator[Prediction | RejectedRecord]:
    """The same with picture, text and choices from what was asked under the id; of several the one with this text."""
    for record in stream:
        questions = asked.get(record.id, ()) if isinstance(record, Prediction) else ()
        if len(questions) > 1:
            wordings = _wordings(record.text) if isinstance(record, Prediction) else []
            questions = [question for question in questions if set(_wordings(question.text)) & set(wordings)]
        if isinstance(record, Prediction) and len(questions) == 1:
            record = record.with_question(questions[0])
        yield record


def missing_queries(groups: pa.Table, queries: QueryIndex, matches: MatchResult) -> dict[str, tuple[str, ...]]:
    """For each suite the ids of its queries without a prediction, in the order of the suite."""
    answered = pa.array([queries.ids[row] for row in {row for row, _ in matches.predictions}], pa.uint64())
    missing: dict[str, tuple[str, ...]] = {}
    for name in pc.unique(groups["suite"]).to_pylist():
        ids = pc.unique(groups["query"].filter(pc.equal(groups["suite"], name)))
        absent = ids.filter(pc.invert(pc.is_in(ids, value_set=answered)))
        missing[name] = tuple(map(hex_id, absent.to_pylist()))
    return missing


def normalize_text(text: str) -> str:
    """A text without what a copy may change: case, spacing, curly quotation marks, a mark for the picture.

    >>> normalize_text("<image>\\n Isn’t  it Red? "), normalize_text("Why? <image 1>")
    ("isn't it red?", 'why?')
    """
    plain = without_picture_mark(text)
    if not plain.isascii():
        plain = unicodedata.normalize("NFKC", plain).translate(_STRAIGHT)
    return " ".join(plain.casefold().split())


_STRAIGHT = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})


def _wordings(text: str) -> list[str]:
    """What a text may be of a query's: all of it, or its first line, behind which prompts say how to answer."""
    if len(text.splitlines()) < 2:
        return [normalize_text(text)]
    lines = [line for line in without_picture_mark(text).splitlines() if line.strip()]
    wordings = [text] if len(lines) < 2 else [text, lines[0]]
    return list(dict.fromkeys(map(normalize_text, wordings)))


@lru_cache(1 << 16)  # many questions are about one picture
def _parts(picture: str) -> tuple[str, ...]:
    """A path or an address as its steps, without namespace and drive.

    >>> _parts("coco:val/7.jpg"), _parts("C:\\\\data\\\\7.jpg")
    (('val', '7.jpg'), ('data', '7.jpg'))
    """
    path = re.sub(r"^[\w.-]+:", "", picture.replace("\\", "/"))
    return tuple(step for step in path.split("/") if step)


@lru_cache(1 << 16)
def _stem(parts: tuple[str, ...]) -> str:
    return re.sub(r"(?<=.)\.[A-Za-z]{2,5}$", "", parts[-1]) if parts else ""


def _number(stem: str) -> str:
    """The number at the end of a file's name, without leading zeros; empty where there is none."""
    return stem[len(stem.rstrip("0123456789")) :].lstrip("0")


def _shared_ending(one: Sequence[str], other: Sequence[str]) -> int:
    """How many steps two paths share at their ends."""
    alike = [a == b for a, b in zip(reversed(one), reversed(other), strict=False)]
    return alike.index(False) if False in alike else len(alike)


def _reply(prediction: Prediction) -> str:
    return shorten(repr(prediction.raw) if prediction.raw or prediction.score is None else f"{prediction.score:g}")
